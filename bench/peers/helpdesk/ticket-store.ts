import { randomUUIDv7 } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import { Audit, type Author } from './audit.ts';
import type { Db } from './database.ts';
import type { Events } from './events.ts';
import type { Member, Role } from './gate.ts';
import { faulty, must, problem } from './problems.ts';

export type Status = 'new' | 'open' | 'waiting' | 'solved' | 'closed';
export type Priority = 'low' | 'normal' | 'high' | 'urgent';
export const STATUSES = ['new', 'open', 'waiting', 'solved', 'closed'] as const;
export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

/** A person as others see them. */
export interface Name {
  readonly id: string;
  readonly role: Role;
  readonly name: string;
}

/** A ticket in a list. */
export interface Line {
  readonly number: number;
  readonly status: Status;
  readonly priority: Priority;
  readonly subject: string;
  readonly requester: Name;
  readonly assignee: Name | null;
  readonly due: string | null;
  readonly created: string;
  readonly solved: string | null;
}

/** A ticket as it is stored, with the names of its people. */
export interface TicketRow {
  readonly seq: number;
  readonly id: string;
  readonly number: number;
  readonly organisation: string;
  readonly requester: string;
  readonly requester_role: Role;
  readonly requester_name: string;
  readonly assignee: string | null;
  readonly assignee_role: Role;
  readonly assignee_name: string;
  readonly subject: string;
  readonly body: string;
  readonly priority: Priority;
  readonly status: Status;
  readonly due: string | null;
  readonly created: string;
  readonly changed: string;
  readonly solved: string | null;
}

export const TICKETS = `
SELECT ticket.*, requester.role AS requester_role, requester.name AS requester_name,
  assignee.role AS assignee_role, assignee.name AS assignee_name
FROM ticket JOIN person AS requester ON requester.id = ticket.requester
LEFT JOIN person AS assignee ON assignee.id = ticket.assignee`;

/** The states that a ticket may be moved from, for each transition, and the state that it comes to. */
export const MOVES = {
  start: { from: ['new'], to: 'open' },
  wait: { from: ['new', 'open'], to: 'waiting' },
  resume: { from: ['waiting'], to: 'open' },
  solve: { from: ['new', 'open', 'waiting'], to: 'solved' },
  reopen: { from: ['solved'], to: 'open' },
  close: { from: ['solved'], to: 'closed' },
} as const satisfies Record<string, { from: readonly Status[]; to: Status }>;
export type Move = keyof typeof MOVES;

const nameOf = (id: string, role: Role, name: string): Name => ({ id, role, name });

const requesterOf = (row: TicketRow): Name => nameOf(row.requester, row.requester_role, row.requester_name);
const assigneeOf = (row: TicketRow): Name | null =>
  row.assignee === null ? null : nameOf(row.assignee, row.assignee_role, row.assignee_name);

export const lineOf = (row: TicketRow): Line => ({
  number: row.number,
  status: row.status,
  priority: row.priority,
  subject: row.subject,
  requester: requesterOf(row),
  assignee: assigneeOf(row),
  due: row.due,
  created: row.created,
  solved: row.solved,
});

/** What narrows rows to those that a member sees, and its parameters. */
export function visibleTo({ role, id, organisation }: Member): { readonly sql: string; readonly values: string[] } {
  if (role !== 'customer') return { sql: 'ticket.organisation = ?', values: [organisation] };
  return { sql: 'ticket.organisation = ? AND ticket.requester = ?', values: [organisation, id] };
}

/** The fields of a ticket that steps change. */
type Changes = Partial<Pick<TicketRow, 'subject' | 'priority' | 'due' | 'assignee' | 'status'>>;

/** Tickets with their tags; every change of a ticket goes through here, and tells its events. */
export class TicketStore {
  private readonly db: Db;
  private readonly events: Events;
  private readonly audit: Audit;
  private readonly bySeq: Statement<[number], TicketRow>;
  private readonly byNumber: Statement<[string, number], TicketRow>;
  private readonly tagNames: Statement<[number], string>;
  private readonly isTag: Statement<[string, string], number>;
  private readonly numbering: Statement<[string], number>;
  private readonly insertion: Statement;
  private readonly updating: Statement;
  private readonly untagging: Statement;
  private readonly tagging: Statement;
  private readonly target: Statement<[string, string], number>;

  constructor(db: Db, events: Events) {
    this.db = db;
    this.events = events;
    this.audit = new Audit(db);
    this.bySeq = db.prepare(`${TICKETS} WHERE ticket.seq = ?`);
    this.byNumber = db.prepare(`${TICKETS} WHERE ticket.organisation = ? AND ticket.number = ?`);
    this.tagNames = db
      .prepare<[number], string>(
        'SELECT name FROM ticket_tag JOIN tag ON tag.id = ticket_tag.tag WHERE ticket = ? ORDER BY tag.id',
      )
      .pluck();
    this.isTag = db.prepare<[string, string], number>('SELECT 1 FROM tag WHERE id = ? AND organisation = ?').pluck();
    this.numbering = db
      .prepare<[string], number>('UPDATE organisation SET tickets = tickets + 1 WHERE id = ? RETURNING tickets')
      .pluck();
    this.insertion = db.prepare(`
      INSERT INTO ticket (id, number, organisation, requester, subject, body, priority, status, due, created, changed, overdue_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, 'new', ?, ?, ?, ?)`);
    this.updating = db.prepare(`
      UPDATE ticket SET subject = ?, priority = ?, due = ?, assignee = ?, status = ?, solved = ?, changed = ?, overdue_at = ?
      WHERE seq = ?`);
    this.untagging = db.prepare('DELETE FROM ticket_tag WHERE ticket = ?');
    this.tagging = db.prepare('INSERT INTO ticket_tag VALUES (?, ?)');
    this.target = db
      .prepare<[string, string], number>('SELECT answer FROM target WHERE organisation = ? AND priority = ?')
      .pluck();
  }

  /** A ticket that a member sees. Throws `no_ticket`. */
  find(member: Member, number: string): TicketRow {
    const row = /^[1-9]\d{0,15}$/.test(number) ? this.byNumber.get(member.organisation, Number(number)) : undefined;
    if (!row || (member.role === 'customer' && row.requester !== member.id)) throw problem('no_ticket');
    return row;
  }

  /** The tags that a request names, which have to be there. */
  tagsOf({ organisation }: Member, sent: readonly string[]): string[] {
    const tags = sent.map((tag) => tag.toLowerCase());
    const faults = tags.flatMap((tag, i) =>
      this.isTag.get(tag, organisation) ? [] : [{ pointer: `/tags/${i}`, code: 'reference_unknown' } as const],
    );
    if (faults.length) throw faulty(faults);
    return tags;
  }

  /** The whole ticket, as answers and events show it. */
  shown(row: TicketRow) {
    return {
      id: row.id,
      number: row.number,
      requester: requesterOf(row),
      assignee: assigneeOf(row),
      subject: row.subject,
      body: row.body,
      priority: row.priority,
      tags: this.tagNames.all(row.seq),
      status: row.status,
      due: row.due,
      created: row.created,
      changed: row.changed,
      solved: row.solved,
    };
  }

  /** When a ticket of a priority has to be answered; null where the organisation has not said so. */
  dueOf(organisation: string, priority: Priority, created: string): string | null {
    const seconds = this.target.get(organisation, priority);
    return seconds === undefined ? null : new Date(Date.parse(created) + seconds * 1000).toISOString();
  }

  create(
    member: Member,
    { subject, body, priority, tags }: { subject: string; body: string; priority: Priority; tags: readonly string[] },
  ): TicketRow {
    const { id, organisation } = member;
    const now = new Date().toISOString();
    const due = this.dueOf(organisation, priority, now);
    const number = this.numbering.get(organisation)!;
    const { lastInsertRowid } = this.insertion.run(
      ...[randomUUIDv7(), number, organisation, id, subject, body, priority, due, now, now, due],
    );
    const seq = Number(lastInsertRowid);
    this.tag(seq, tags);
    const row = this.bySeq.get(seq)!;
    this.audit.record(null, row, member, now);
    this.events.record('ticket.created', organisation, now, this.shown(row));
    return row;
  }

  tag(seq: number, tags: readonly string[]): void {
    this.untagging.run(seq);
    for (const tag of tags) this.tagging.run(seq, tag);
  }

  /** Moves a ticket by a transition, with other changes of the same moment. Throws where its state does not allow it. */
  move(row: TicketRow, by: Move, author: Author, changes: Changes = {}): TicketRow {
    const { from, to } = MOVES[by];
    must(
      from.some((one) => one === row.status),
      'not_possible',
    );
    return this.change(row, { ...changes, status: to }, author);
  }

  change(row: TicketRow, changes: Changes, author: Author): TicketRow {
    const now = new Date().toISOString();
    const { subject, priority, due, assignee, status } = { ...row, ...changes };
    const solved =
      status === row.status ? row.solved : status === 'solved' ? now : status === 'open' ? null : row.solved;
    const isAwaited = (status === 'new' || status === 'open') && due !== null && due > now;
    this.updating.run(subject, priority, due, assignee, status, solved, now, isAwaited ? due : null, row.seq);
    const changed = this.bySeq.get(row.seq)!;
    // A move that comes with other changes has an entry of its own.
    const unmoved = { ...changed, status: row.status };
    this.audit.record(row, unmoved, author, now);
    this.audit.record(unmoved, changed, author, now);
    if (changed.assignee !== row.assignee)
      this.events.record('ticket.assigned', row.organisation, now, lineOf(changed));
    if (changed.status !== row.status) this.events.record('ticket.moved', row.organisation, now, lineOf(changed));
    return changed;
  }

  /** Takes the open tickets of a person away, who has left. */
  unassign(person: string, by: Author): void {
    const assigned = this.db.prepare<[string], TicketRow>(
      `${TICKETS} WHERE ticket.assignee = ? AND ticket.status != 'closed' ORDER BY ticket.created, ticket.id`,
    );
    for (const row of assigned.all(person)) this.change(row, { assignee: null }, by);
  }

  /** Notes that the tickets with a tag change, because the tag is about to be removed. */
  touchTagged(tag: string): void {
    this.db
      .prepare('UPDATE ticket SET changed = ? WHERE seq IN (SELECT ticket FROM ticket_tag WHERE tag = ?)')
      .run(new Date().toISOString(), tag);
  }

  /** Tells of the tickets whose time to be answered has come. */
  tellOverdue(): void {
    const due = this.db.prepare<[string], TicketRow>(
      `${TICKETS} WHERE ticket.overdue_at <= ? ORDER BY ticket.overdue_at`,
    );
    const told = this.db.prepare('UPDATE ticket SET overdue_at = NULL WHERE seq = ?');
    this.db
      .transaction(() => {
        for (const row of due.all(new Date().toISOString())) {
          told.run(row.seq);
          this.events.record('ticket.overdue', row.organisation, row.due!, lineOf(row));
        }
      })
      .immediate();
  }

  /** Closes the tickets that were solved a week before an instant. */
  closeSolved(scheduled: number): void {
    const before = new Date(scheduled - 7 * 24 * 60 * 60 * 1000).toISOString();
    const old = this.db.prepare<[string], TicketRow>(
      `${TICKETS} WHERE ticket.status = 'solved' AND ticket.solved < ? ORDER BY ticket.created, ticket.id`,
    );
    this.db.transaction(() => void old.all(before).map((row) => this.move(row, 'close', null))).immediate();
  }

  /** Forgets the changes of two years before an instant. */
  forgetChanges(scheduled: number): void {
    const before = new Date(scheduled - 2 * 365 * 24 * 60 * 60 * 1000).toISOString();
    this.db.prepare('DELETE FROM ticket_change WHERE at < ?').run(before);
  }
}
