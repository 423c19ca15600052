import type { Statement } from 'better-sqlite3';
import type { FastifyInstance } from 'fastify';
import type { Db } from './database.ts';
import { must } from './problems.ts';
import type { Service } from './service.ts';
import { pageOf } from './shapes.ts';
import { fields, PAGE } from './validation.ts';

/** The fields whose changes are recorded. */
interface Audited {
  readonly status: string;
  readonly priority: string;
  readonly assignee: string | null;
}

/** A ticket before or after a change. */
interface Changed extends Audited {
  readonly id: string;
  readonly organisation: string;
}

interface Entry {
  readonly id: number;
  readonly action: string;
  readonly cause: string;
  readonly by: string | null;
  readonly at: string;
  readonly before_status: string | null;
  readonly before_priority: string | null;
  readonly before_assignee: string | null;
  readonly after_status: string | null;
  readonly after_priority: string | null;
  readonly after_assignee: string | null;
}

/** Who changes tickets: a member, or the schedule where it is null. */
export type Author = { readonly id: string } | null;

/** The audit trail of tickets, which is written in the transactions of their changes. */
export class Audit {
  private readonly insertion: Statement;

  constructor(db: Db) {
    this.insertion = db.prepare(`
      INSERT INTO ticket_change (ticket, organisation, action, cause, by, at, before_status, before_priority,
        before_assignee, after_status, after_priority, after_assignee)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  }

  /** Records a change of a ticket, or its creation, unless each audited value is what it was. */
  record(before: Audited | null, after: Changed, author: Author, at: string): void {
    const values = [after.status, after.priority, after.assignee];
    const earlier = before ? [before.status, before.priority, before.assignee] : [null, null, null];
    if (before && values.every((one, i) => one === earlier[i])) return;
    const action = before ? 'changed' : 'created';
    const cause = author ? 'request' : 'schedule';
    this.insertion.run(after.id, after.organisation, action, cause, author?.id ?? null, at, ...earlier, ...values);
  }
}

const VALUE = { type: 'string', nullable: true } as const;
const VALUES = { type: 'object', properties: { status: VALUE, priority: VALUE, assignee: VALUE } } as const;
const ENTRY = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    action: { type: 'string' },
    cause: { type: 'string' },
    by: VALUE,
    at: { type: 'string' },
    before: VALUES,
    after: VALUES,
  },
} as const;

const shown = ({ id, action, cause, by, at, ...entry }: Entry) => ({
  id,
  action,
  cause,
  by,
  at,
  before: { status: entry.before_status, priority: entry.before_priority, assignee: entry.before_assignee },
  after: { status: entry.after_status, priority: entry.after_priority, assignee: entry.after_assignee },
});

/** The changes of a ticket, for those who are no customers. */
export function serveAudit(app: FastifyInstance, { db, tickets, pages }: Service): void {
  const listed = db.prepare<[string, number, number], Entry>(
    'SELECT * FROM ticket_change WHERE ticket = ? AND id < ? ORDER BY id DESC LIMIT ?',
  );

  app.get<{ Params: { number: string } }>(
    '/tickets/:number/changes',
    { schema: { querystring: fields(PAGE), response: { 200: pageOf(ENTRY) } } },
    (request, reply) => {
      const ticket = tickets.find(request.member, request.params.number);
      must(request.member.role !== 'customer', 'not_permitted');
      const page = pages.page(
        request,
        (after, count) => listed.all(ticket.id, Number(after?.[0] ?? Number.MAX_SAFE_INTEGER), count),
        ({ id }) => [id],
      );
      reply.send({ items: page.items.map(shown), next: page.next });
    },
  );
}
