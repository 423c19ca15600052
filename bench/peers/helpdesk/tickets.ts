import type { FastifyInstance } from 'fastify';
import { type Db, Lists } from './database.ts';
import { JSON_BODY, type Member, PATCH_BODY } from './gate.ts';
import type { Place } from './pages.ts';
import { faulty, found, must } from './problems.ts';
import type { Service } from './service.ts';
import { LINE, pageOf, TICKET } from './shapes.ts';
import {
  lineOf,
  type Move,
  PRIORITIES,
  type Priority,
  STATUSES,
  TICKETS,
  type TicketRow,
  visibleTo,
} from './ticket-store.ts';
import { FLAG, fields, isUuid, oneOf, PAGE, TAG_NAME, text, UUID } from './validation.ts';

const SUBJECT = text(1, 200);
const BODY = text(1, 20_000);
const PRIORITY = oneOf(...PRIORITIES);
const TAGS = { type: 'array', maxItems: 20, uniqueItems: true, items: UUID } as const;

const FILTERS = fields({
  status: oneOf(...STATUSES),
  priority: PRIORITY,
  assignee: UUID,
  tag: TAG_NAME,
  overdue: FLAG,
  sort: { ...oneOf('number', 'due', 'changed'), default: 'number' },
  direction: { ...oneOf('asc', 'desc'), default: 'desc' },
  ...PAGE,
});

interface Filters {
  readonly status?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly tag?: string;
  readonly overdue?: string;
  readonly sort: 'number' | 'due' | 'changed';
  readonly direction: 'asc' | 'desc';
}

const OVERDUE = "(ticket.status IN ('new', 'open') AND ticket.due IS NOT NULL AND ticket.due < ?)";

/** What narrows and orders a list of tickets, and its parameters. */
function selectionOf(member: Member, filters: Filters, after: Place | null): { sql: string; values: unknown[] } {
  const visible = visibleTo(member);
  const conditions = [visible.sql];
  const values: unknown[] = [...visible.values];
  const keep = (sql: string, ...more: unknown[]): void => {
    conditions.push(sql);
    values.push(...more);
  };
  const { status, priority, assignee, tag, overdue, sort, direction } = filters;
  if (status !== undefined) keep('ticket.status = ?', status);
  if (priority !== undefined) keep('ticket.priority = ?', priority);
  if (assignee !== undefined) keep('ticket.assignee = ?', assignee.toLowerCase());
  if (tag !== undefined)
    keep(
      'ticket.seq IN (SELECT ticket FROM ticket_tag JOIN tag ON tag.id = tag WHERE organisation = ? AND name = ?)',
      member.organisation,
      tag,
    );
  if (overdue !== undefined) keep(overdue === 'true' ? OVERDUE : `NOT ${OVERDUE}`, new Date().toISOString());
  const further = direction === 'asc' ? '>' : '<';
  if (after && sort === 'number') keep(`ticket.number ${further} ?`, after[0]);
  else if (after && after[0] === null) keep(`ticket.due IS NULL AND ticket.id ${further} ?`, after[1]);
  else if (after && sort === 'due') keep(`(ticket.due IS NULL OR (ticket.due, ticket.id) ${further} (?, ?))`, ...after);
  else if (after) keep(`(ticket.changed, ticket.id) ${further} (?, ?)`, ...after);
  const order = {
    number: `ticket.number ${direction}`,
    due: `ticket.due IS NULL, ticket.due ${direction}, ticket.id ${direction}`,
    changed: `ticket.changed ${direction}, ticket.id ${direction}`,
  }[sort];
  return { sql: `WHERE ${conditions.join(' AND ')} ORDER BY ${order}`, values };
}

/** The words of a query as FTS5 reads them: every one of them, the last as a prefix; null without words. */
function matchOf(query: string): string | null {
  const words = query.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words && `${words.map((word) => `"${word}"`).join(' ')}*`;
}

/** Tickets: written, listed, found, changed and moved. */
export function serveTickets(app: FastifyInstance, service: Service): void {
  serveWriting(app, service);
  serveList(app, service);
  serveSearch(app, service);
  serveChanges(app, service);
  serveAssignee(app, service);
  serveMoves(app, service);
}

/** Somebody of the organisation of a member. */
const personOf = (db: Db) =>
  db.prepare<[string, string], { id: string; role: string; left_at: string | null }>(
    'SELECT id, role, left_at FROM person WHERE id = ? AND organisation = ?',
  );

function serveWriting(app: FastifyInstance, { tickets, idempotency }: Service): void {
  app.post<{ Body: { subject: string; body: string; priority: Priority; tags: string[] } }>(
    '/tickets',
    {
      config: { takes: JSON_BODY },
      schema: {
        body: fields(
          {
            subject: SUBJECT,
            body: BODY,
            priority: { ...PRIORITY, default: 'normal' },
            tags: { ...TAGS, default: [] },
          },
          'subject',
          'body',
        ),
        response: { 201: TICKET },
      },
    },
    (request, reply) =>
      idempotency.answer(request, reply, () => {
        const { member, body } = request;
        const row = tickets.create(member, { ...body, tags: tickets.tagsOf(member, body.tags) });
        return { status: 201, location: `/tickets/${row.number}`, body: tickets.shown(row) };
      }),
  );
}

function serveList(app: FastifyInstance, { db, pages }: Service): void {
  const lists = new Lists<TicketRow>(db);
  const person = personOf(db);

  app.get<{ Querystring: Filters }>(
    '/tickets',
    { schema: { querystring: FILTERS, response: { 200: pageOf(LINE) } } },
    (request, reply) => {
      const { member, query } = request;
      if (query.assignee !== undefined && !person.get(query.assignee.toLowerCase(), member.organisation))
        throw faulty([{ parameter: 'assignee', code: 'reference_unknown' }]);
      const page = pages.page(
        request,
        (after, count) => {
          const { sql, values } = selectionOf(member, query, after);
          return lists.all(`${TICKETS} ${sql} LIMIT ?`, [...values, count]);
        },
        (row) => (query.sort === 'number' ? [row.number] : [row[query.sort], row.id]),
      );
      reply.send({ items: page.items.map(lineOf), next: page.next });
    },
  );
}

function serveSearch(app: FastifyInstance, { db, pages }: Service): void {
  const lists = new Lists<TicketRow>(db);

  app.get<{ Querystring: { q: string } }>(
    '/tickets::search',
    { schema: { querystring: fields({ q: text(1, 100), ...PAGE }, 'q'), response: { 200: pageOf(LINE) } } },
    (request, reply) => {
      const { member, query } = request;
      const match = matchOf(query.q);
      const visible = visibleTo(member);
      const sql = `
        ${TICKETS} JOIN ticket_words ON ticket_words.rowid = ticket.seq
        WHERE ticket_words MATCH ? AND ${visible.sql} ORDER BY ticket_words.rank, ticket.number DESC LIMIT ? OFFSET ?`;
      let end = 0;
      const page = pages.page(
        request,
        (after, count) => {
          const begin = Number(after?.[0] ?? 0);
          end = begin + count - 1;
          return match === null ? [] : lists.all(sql, [match, ...visible.values, count, begin]);
        },
        () => [end],
      );
      reply.send({ items: page.items.map(lineOf), next: page.next });
    },
  );
}

function serveChanges(app: FastifyInstance, { db, tickets }: Service): void {
  app.patch<{ Params: { number: string }; Body: { subject?: string; priority?: Priority; tags?: string[] } }>(
    '/tickets/:number',
    {
      config: { takes: PATCH_BODY },
      schema: { body: fields({ subject: SUBJECT, priority: PRIORITY, tags: TAGS }), response: { 200: TICKET } },
    },
    ({ member, params, body }, reply) => {
      const changed = db
        .transaction(() => {
          const { tags, ...changes } = { ...body, ...(body.tags && { tags: tickets.tagsOf(member, body.tags) }) };
          const row = tickets.find(member, params.number);
          must(member.role !== 'customer', 'not_permitted');
          must(row.status !== 'closed', 'ticket_closed');
          if (tags) tickets.tag(row.seq, tags);
          const due = tickets.dueOf(row.organisation, changes.priority ?? row.priority, row.created);
          return tickets.shown(tickets.change(row, { ...changes, due }, member));
        })
        .immediate();
      reply.send(changed);
    },
  );
}

function serveAssignee(app: FastifyInstance, { db, tickets }: Service): void {
  const person = personOf(db);

  app.put<{ Params: { number: string }; Body: { person: string } }>(
    '/tickets/:number/assignee',
    {
      config: { takes: JSON_BODY },
      schema: { body: fields({ person: { type: 'string' } }, 'person'), response: { 200: TICKET } },
    },
    ({ member, params, body }, reply) => {
      const assigned = db
        .transaction(() => {
          const id = isUuid(body.person) ? body.person.toLowerCase() : '';
          const { role, left_at } = found(person.get(id, member.organisation), 'no_person');
          const row = tickets.find(member, params.number);
          must(member.role !== 'customer', 'not_permitted');
          must(row.status !== 'closed', 'ticket_closed');
          must(role !== 'customer' && left_at === null, 'not_an_agent');
          const changes = { assignee: id };
          return row.status === 'new'
            ? tickets.move(row, 'start', member, changes)
            : tickets.change(row, changes, member);
        })
        .immediate();
      reply.send(tickets.shown(assigned));
    },
  );
}

const NUMBERS = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
} as const;

function serveMoves(app: FastifyInstance, { tickets, idempotency }: Service): void {
  app.post<{ Body: { numbers: number[] } }>(
    '/tickets::solve',
    {
      config: { takes: JSON_BODY },
      schema: {
        body: fields({ numbers: NUMBERS }, 'numbers'),
      },
    },
    (request, reply) =>
      idempotency.answer(request, reply, () => {
        const { member, body } = request;
        must(member.role !== 'customer', 'not_permitted');
        const rows = body.numbers.toSorted((a, b) => a - b).map((number) => tickets.find(member, String(number)));
        for (const row of rows) tickets.move(row, 'solve', member);
        return { status: 200, body: { solved: rows.length } };
      }),
  );

  for (const move of ['solve', 'reopen'] satisfies Move[])
    app.post<{ Params: { number: string } }>(
      `/tickets/:number/${move}`,
      { schema: { response: { 200: TICKET } } },
      (request, reply) =>
        idempotency.answer(request, reply, () => {
          const row = tickets.find(request.member, request.params.number);
          return { status: 200, body: tickets.shown(tickets.move(row, move, request.member)) };
        }),
    );
}
