import { randomUUIDv7 } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import type { Db } from './database.ts';

export const EVENTS = [
  'ticket.created',
  'ticket.moved',
  'ticket.assigned',
  'ticket.overdue',
  'comment.created',
] as const;
export type EventName = (typeof EVENTS)[number];

const DELIVERIES = `
INSERT INTO delivery (event, hook, due)
SELECT ?, hook.id, ? FROM hook WHERE organisation = ? AND EXISTS (SELECT 1 FROM json_each(hook.events) WHERE value = ?)`;

/** The outbox: events are written in the transaction of their change, and `webhooks.ts` sends them. */
export class Events {
  private readonly insertion: Statement;
  private readonly deliveries: Statement;

  constructor(db: Db) {
    this.insertion = db.prepare('INSERT INTO event (id, type, at, body) VALUES (?, ?, ?, ?)');
    this.deliveries = db.prepare(DELIVERIES);
  }

  /** Records an event for the receivers of an organisation, as they are now. */
  record(type: EventName, organisation: string, at: string, data: object): void {
    const body = JSON.stringify({ type, timestamp: at, data });
    const { lastInsertRowid } = this.insertion.run(`evt_${randomUUIDv7()}`, type, at, body);
    this.deliveries.run(lastInsertRowid, Date.now(), organisation, type);
  }
}
