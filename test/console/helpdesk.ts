import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import { example } from '../fixtures.ts';
import { edited, type Service, Workspace } from '../harness.ts';
import { Receiver } from '../receiver.ts';

/** The number of tickets. */
export const TICKETS = 100_000;

/** The number of the ticket that alone has the word `marzipan`. */
export const MARZIPAN = 31_337;

/** The subjects of the tickets from number 501: what a spreadsheet would compute, and what cells of CSV quote. */
export const AWKWARD = [
  '=HYPERLINK("http://evil.test","Open")',
  '+49 30 123456',
  '-1+2',
  '@SUM(A1:A9)',
  'A "quoted" word, and a comma',
  'Two\nlines; one cell',
  '<img src=x onerror="document.title = \'taken\'">',
];

/** How many tickets have the word `batch`: every tenth is new, the others are solved. */
export const BATCH = 50;

const PEOPLE = [
  ['Olga', 'owner'],
  ['Ada', 'agent'],
  ['Ben', 'agent'],
  ['Eve', 'customer'],
  ['Fay', 'customer'],
] as const;
type Name = (typeof PEOPLE)[number][0];

/** The helpdesk of an organisation with very many tickets, whose deliveries are given up after a second attempt. */
export class Helpdesk implements AsyncDisposable {
  readonly space = new Workspace(
    edited(example('helpdesk'), ['6, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 10 hours', '2, after 1 second']),
    'helpdesk.md',
  );
  /** A receiver of webhooks, which answers 500 until it is mended. */
  readonly receiver = new Receiver();
  readonly people = {} as Record<Name, { readonly id: string; readonly key: string }>;

  /** Enters the people and fills the table of tickets. */
  async prepare(): Promise<this> {
    await this.receiver.up();
    this.receiver.answer = () => 500;
    copyFileSync(join(import.meta.dirname, '..', '..', 'examples', 'helpdesk.ts'), join(this.space.dir, 'helpdesk.ts'));
    const organisation = randomUUID();
    await withOperator(this.space.file, { data: this.space.data }, processIo(), async (operator) => {
      const add = (resource: string, fields: Readonly<Record<string, string>>) =>
        operator.add(resource, new Map(Object.entries(fields)));
      await add('Plan', { name: 'large', rate: '1000000', agents: '100' });
      await add('Organisation', { id: organisation, name: 'North', plan: 'large' });
      for (const [name, role] of PEOPLE) {
        const email = `${name.toLowerCase()}@north.example`;
        const { id } = await add('Person', { organisation, role, name, email, password: 'correct horse battery' });
        const { key } = await operator.issueKey('Person', String(id), null);
        this.people[name] = { id: String(id), key };
      }
    });
    this.fill(organisation);
    return this;
  }

  /** Has the events of tickets sent to the receiver. */
  async hook(service: Service): Promise<void> {
    const body = { url: this.receiver.url, events: ['ticket.created', 'ticket.moved'] };
    const { status, text } = await service.request('POST', '/hooks', { key: this.people.Olga.key, body });
    if (status !== 201) throw new Error(text);
  }

  private fill(organisation: string): void {
    const bytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
    const { Ada, Ben, Eve, Fay } = this.people;
    const db = new Database(join(this.space.data, 'ninefold.sqlite'));
    try {
      db.pragma('synchronous = OFF');
      db.function('subject', { deterministic: true }, (number) => subjectOf(Number(number)));
      db.function('body', { deterministic: true }, (number) => bodyOf(Number(number)));
      db.function('status', { deterministic: true }, (number) => statusOf(Number(number)));
      db.prepare(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TICKETS})
        INSERT INTO ticket (id, number, organisation, requester, assignee, subject, body, priority, tags, status, created,
          changed, solved, ninefold_revision, ninefold_plain_subject, ninefold_plain_body)
        SELECT randomblob(16), i, ?, iif(i % 2, ?, ?), iif(i % 3, iif(i % 2, ?, ?), NULL), subject(i), body(i),
          iif(i % 7, 'normal', 'urgent'), '[]', status(i), 1767225600000 + i * 1000, 1767225600000 + i * 1000,
          iif(status(i) = 'solved', 1795000000000, NULL), 1, lower(subject(i)), lower(body(i)) FROM n`).run(
        ...[organisation, Eve.id, Fay.id, Ada.id, Ben.id].map(bytes),
      );
    } finally {
      db.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.space[Symbol.asyncDispose]();
    await this.receiver.down();
  }
}

const isOfBatch = (number: number): boolean => number > 1000 && number <= 1000 + BATCH;

function subjectOf(number: number): string {
  if (isOfBatch(number)) return `Ticket ${number} of the batch`;
  return AWKWARD[number - 501] ?? `Ticket about order ${number * 7}`;
}

const bodyOf = (number: number): string =>
  number === MARZIPAN ? 'The parcel had no marzipan in it.' : `The parcel ${number} has not come.`;

function statusOf(number: number): string {
  if (isOfBatch(number)) return number % 10 === 0 ? 'new' : 'solved';
  return ['new', 'open', 'waiting', 'open'][number % 4]!;
}
