import { Readable } from 'node:stream';
import Database from 'better-sqlite3';
import type { FastifyInstance } from 'fastify';
import { must } from './problems.ts';
import type { Service } from './service.ts';
import { type Line, lineOf, STATUSES, TICKETS, type TicketRow } from './ticket-store.ts';
import { fields, oneOf } from './validation.ts';

const COLUMNS: ReadonlyArray<readonly [string, (line: Line) => string | number | null]> = [
  ['number', ({ number }) => number],
  ['status', ({ status }) => status],
  ['priority', ({ priority }) => priority],
  ['subject', ({ subject }) => subject],
  ['requester', ({ requester }) => requester.name],
  ['assignee', ({ assignee }) => assignee?.name ?? null],
  ['due', ({ due }) => due],
  ['created', ({ created }) => created],
  ['solved', ({ solved }) => solved],
];

/** What a spreadsheet would compute: a formula, also in full width and after what nobody sees. */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n\uFEFF])/u;
const ROWS_AT_ONCE = 100;
const TIME_OUT = 2 * 60 * 1000;

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows of one moment, a hundred at a time, over a connection of their own: one that reads can do nothing else. */
function* recordsOf(path: string, organisation: string, status: string | undefined): Generator<string> {
  const reader = new Database(path, { readonly: true });
  try {
    const where = `WHERE ticket.organisation = ?${status === undefined ? '' : ' AND ticket.status = ?'}`;
    const statement = reader.prepare<unknown[], TicketRow>(`${TICKETS} ${where} ORDER BY ticket.number`);
    let records = `${COLUMNS.map(([title]) => title).join(',')}\r\n`;
    let count = 0;
    for (const row of statement.iterate(...[organisation, status].filter((one) => one !== undefined))) {
      const line = lineOf(row);
      records += `${COLUMNS.map(([, pick]) => cellOf(pick(line))).join(',')}\r\n`;
      if (++count % ROWS_AT_ONCE !== 0) continue;
      yield records;
      records = '';
    }
    yield records;
  } finally {
    reader.close();
  }
}

/** Every ticket of an organisation as CSV (RFC 4180), sent as it is read. */
export function serveTable(app: FastifyInstance, { path }: Service): void {
  app.get<{ Querystring: { status?: string } }>(
    '/tickets.csv',
    { config: { gives: ['text/csv'] }, schema: { querystring: fields({ status: oneOf(...STATUSES) }) } },
    ({ member, query }, reply) => {
      must(member.role !== 'customer', 'not_permitted');
      const rows = Readable.from(recordsOf(path, member.organisation, query.status), { objectMode: false });
      // Nobody holds the rows of a moment for longer.
      const timer = setTimeout(() => rows.destroy(new Error('The rows took too long')), TIME_OUT);
      rows.once('close', () => clearTimeout(timer));
      reply
        .type('text/csv; charset=utf-8; header=present')
        .header('Content-Disposition', 'attachment; filename=tickets.csv')
        .send(rows);
    },
  );
}
