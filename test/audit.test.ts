import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { MovedStore } from '../src/cli/testing/moved-store.ts';
import { ownStoresOf } from '../src/cli/testing/own-stores.ts';
import { FixedSources } from '../src/exchanges/fixed-sources.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { RowLocks } from '../src/store/postgres/row-locks.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import type { Store } from '../src/store/store.ts';
import { until } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf, withChange } from './subject.ts';

const START = Date.parse('2026-11-29T12:00:00Z');
const DAY = 86_400_000;
const TICKETS = documentText('docs/documents/tickets.md');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** The tickets without the section under a heading. */
const without = (text: string, heading: string): string => {
  const from = text.indexOf(`### ${heading}`);
  assert.ok(from >= 0, heading);
  return text.slice(0, from) + text.slice(text.indexOf('\n##', from) + 1);
};

/** Tickets whose changes lock rows on PostgreSQL, in the place of serializable transactions. */
const LOCKING = [
  '`POST /projects`',
  '`DELETE /projects/{id}`',
  '`POST /escalation`',
  '`DELETE /members/{number}`',
  'Schedule prune',
].reduce(
  without,
  TICKETS.replace('removed by prune', 'kept for ever')
    .replace('- Removed with: project\n- Cleared with: assignee', '- Keeps: project\n- Keeps: assignee')
    .replace('request, timer, schedule, operator', 'request, timer, operator')
    .replace(
      '| name  | string |        | 1 to 40 characters | request ',
      '| name  | string |        | 1 to 40 characters | operator ',
    ),
);

/** A handler that gives a ticket its priority. */
const RATE = `### Handler rate

- Kind: outside
- File: \`rate.ts\`
- Fails with: none
- Within: 4 seconds
- Attempts: 1

| Takes  | Type      | Allowed values | Presence |
| ------ | --------- | -------------- | -------- |
| ticket | Ticket.id | any            | always   |

| Gives    | Type            | Allowed values | Presence |
| -------- | --------------- | -------------- | -------- |
| priority | Ticket.priority | any            | always   |

#### When rate answers

1. Find \`ticket\`: Ticket where \`id == given.ticket\`, else not_found.
2. Change \`ticket\` with priority \`answer.priority\`.

#### When rate fails

1. Find \`ticket\`: Ticket where \`id == given.ticket\`, else not_found.
2. Change \`ticket\` with priority \`1\`.
`;

type Json = Readonly<Record<string, unknown>>;

/** A service of the tickets, its operator, and a clock that the test moves. */
class Desk {
  readonly clock = new FixedSources(START);
  readonly service: Service;
  readonly operator: Operator;
  private key = '';

  private constructor(service: Service, operator: Operator, clock: FixedSources) {
    this.service = service;
    this.operator = operator;
    this.clock = clock;
  }

  /** `document`: the path of the document, beside which its handlers are. */
  static async on(t: TestContext, kind: 'sqlite' | 'postgres', text = TICKETS, document?: string): Promise<Desk> {
    const plan = { ...planOf(text), ...(document !== undefined && { document }) };
    const clock = new FixedSources(START);
    const moved = (store: Store): Store =>
      new MovedStore(store, { now: () => clock.now(), random: store.random }, 'stays open');
    const stores = ownStoresOf('sqlite');
    const inner =
      kind === 'sqlite'
        ? await stores.open(plan, { now: () => clock.now(), random: new FixedSources(START).random })
        : await PostgresStore.open(await server.database(), plan);
    const service = new Service({
      host: '127.0.0.1',
      port: 0,
      admin: null,
      url: 'https://desk.example',
      log: () => {},
    });
    await service.start(plan, moved(inner));
    await service.catchUp();
    t.after(async () => {
      await service.stop();
      await inner.close();
      await stores.close();
    });
    const desk = new Desk(service, new Operator(await Engine.start(plan, moved(inner))), clock);
    await desk.operator.add(
      'Member',
      new Map([
        ['number', '1'],
        ['name', 'Ada'],
      ]),
    );
    await desk.callAs('1');
    return desk;
  }

  async callAs(member: string): Promise<void> {
    this.key = (await this.operator.issueKey('Member', member, ['tickets', 'tickets:audit'])).key;
  }

  async ask(request: string, body: Json | null = null, status = 200): Promise<Json> {
    const [method = '', path = ''] = request.split(' ');
    const answer = await fetch(`http://127.0.0.1:${this.service.port}${path}`, {
      method,
      headers: { authorization: `Key ${this.key}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    assert.equal(answer.status, status, `${request}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  async pass(milliseconds: number): Promise<void> {
    this.clock.pass(milliseconds);
    await this.service.catchUp();
  }

  /** The entries, each in a line: its number, what happened, by what, and the values that differ. */
  async entries(): Promise<string[]> {
    const names = new Map<unknown, string>();
    const named = (id: unknown): string => {
      if (id === null) return '-';
      const known = names.get(id) ?? `#${names.size + 1}`;
      names.set(id, known);
      return known;
    };
    return (await this.operator.list('TicketChange')).map((row) => {
      const values = ['status', 'priority', 'assignee'].flatMap((field) => {
        const [was, is] = ['before', 'after'].map((when) => {
          const value = row[`${when}.${field}`] ?? null;
          return String(value ?? '-');
        });
        return was === is ? [] : [`${field} ${was}→${is}`];
      });
      const day = Math.round((Date.parse(row.at as string) - START) / DAY);
      const who = `${row.cause}${row.member === null ? '' : ` ${row.member}`}`;
      return `${row.number} ${named(row.ticket)} ${row.what} by ${who} on day ${day}: ${values.join(', ')}`;
    });
  }
}

/** Everything that changes a ticket, one after the other. */
async function work(desk: Desk): Promise<string[]> {
  const project = (await desk.ask('POST /projects', { name: 'Web' }, 201)).id as string;
  const one = (await desk.ask('POST /tickets', { title: 'One', project }, 201)).id as string;
  const two = (await desk.ask('POST /tickets', { title: 'Two', project, priority: 2 }, 201)).id as string;
  const by = `/tickets/${one}`;
  // No entry: another field, the same value, a refusal.
  await desk.ask(`PATCH ${by}`, { title: 'One!' });
  await desk.ask(`PATCH ${by}`, { priority: 3 });
  await desk.ask(`PATCH ${by}`, { priority: 9 }, 422);
  await desk.ask(`PATCH ${by}`, { priority: 4 });
  await desk.ask(`POST ${by}/assignee`);
  await desk.ask(`POST ${by}/assignee`);
  await desk.ask(`POST ${by}/answer`);
  await desk.ask(`POST ${by}/answer`, null, 409);
  await desk.pass(8 * DAY);
  await desk.ask(`POST ${by}/close`, null, 409);
  await desk.operator.edit('Ticket', two, new Map([['title', 'Two!']]));
  await desk.operator.edit('Ticket', two, new Map([['priority', '1']]));
  await desk.operator.move('Ticket', two, 'close');
  const three = (
    await desk.operator.add(
      'Ticket',
      new Map([
        ['title', 'Three'],
        ['priority', '4'],
      ]),
    )
  ).id as string;
  await desk.operator.remove('Ticket', three);
  for (let i = 0; i < 40; i++)
    await desk.ask('POST /tickets', { title: `Of many ${i}`, project, priority: 1 + (i % 5) }, 201);
  await desk.ask('POST /escalation', null, 204);
  await desk.operator.add(
    'Member',
    new Map([
      ['number', '2'],
      ['name', 'Bob'],
    ]),
  );
  await desk.callAs('2');
  await desk.operator.remove('Member', '1');
  await desk.ask(`DELETE /projects/${project}`, null, 204);
  return desk.entries();
}

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, () => {
    test('entries tell what steps, timers, reactions and the operator do', async (t) => {
      const desk = await Desk.on(t, kind);
      const all = await work(desk);
      assert.deepEqual(all.slice(0, 13), [
        '1 #1 created by request 1 on day 0: status -→open, priority -→3',
        '2 #2 created by request 1 on day 0: status -→open, priority -→2',
        '3 #1 changed by request 1 on day 0: priority 3→4',
        '4 #1 changed by request 1 on day 0: assignee -→1',
        '5 #1 changed by request 1 on day 0: status open→waiting',
        '6 #1 changed by timer on day 7: status waiting→closed',
        '7 #1 changed by timer on day 7: priority 4→5',
        '8 #2 changed by operator on day 8: priority 2→1',
        '9 #2 changed by operator on day 8: status open→closed',
        '10 #2 changed by operator on day 8: priority 1→5',
        '11 #3 created by operator on day 8: status -→open, priority -→4',
        '12 #3 removed by operator on day 8: status open→-, priority 4→-',
        '13 #4 created by request 1 on day 8: status -→open, priority -→1',
      ]);
      const rest = all.slice(13 + 39);
      // A For each with many rows: those below 4 get 1, and 8 of them have it already.
      assert.equal(rest.filter((line) => /changed by request 1 on day 8: priority [23]→1$/.test(line)).length, 16);
      assert.equal(rest.filter((line) => line.includes('removed by request')).length, 42);
      assert.equal(rest.filter((line) => line.includes('assignee 1→-')).length, 1);
      assert.equal(rest.length, 16 + 42 + 1);
    });

    test('a schedule removes old entries, and nothing else does', async (t) => {
      const desk = await Desk.on(t, kind);
      const { id } = await desk.ask('POST /tickets', { title: 'One' }, 201);
      await desk.pass(700 * DAY);
      await desk.ask(`POST /tickets/${id}/answer`);
      const all = await desk.entries();
      assert.equal(all.length, 2);
      await desk.pass(31 * DAY);
      assert.deepEqual(
        (await desk.entries()).map((line) => line.split(' ')[0]),
        ['2', '3', '4'],
      );
      const refused = /Only the service adds rows of TicketChange, and nobody changes or removes one/;
      await assert.rejects(desk.operator.remove('TicketChange', '2'), refused);
      await assert.rejects(desk.operator.edit('TicketChange', '2', new Map()), refused);
      await assert.rejects(desk.operator.edit('TicketChange', '2', new Map([['after.priority', '1']])), refused);
      await assert.rejects(desk.operator.add('TicketChange', new Map([['ticket', id as string]])), refused);
    });

    for (const [what, text] of [
      ['', TICKETS],
      [', with locks of rows', LOCKING],
    ] as const)
      test(`requests at the same time have an entry each, and each begins where another ended${what}`, async (t) => {
        assert.equal(RowLocks.of(planOf(text)) !== null, text === LOCKING);
        const desk = await Desk.on(t, kind, text);
        const { id } = await desk.ask('POST /tickets', { title: 'One', priority: 3 }, 201);
        const asked = Array.from({ length: 40 }, (_, i) => desk.ask(`PATCH /tickets/${id}`, { priority: 1 + (i % 5) }));
        await Promise.all(asked);
        const rows = await desk.operator.list('TicketChange');
        assert.deepEqual(
          rows.slice(1).map((row) => row['before.priority']),
          rows.slice(0, -1).map((row) => row['after.priority']),
        );
        assert.ok(rows.every((row) => row['before.priority'] !== row['after.priority']));
        const [ticket] = await desk.operator.list('Ticket');
        assert.equal(rows.at(-1)!['after.priority'], ticket!.priority);
      });

    test('what a schedule changes is recorded as its own', async (t) => {
      const late =
        '1. For each `late`: Ticket where `status == "open"`, earliest `number` first:\n   1. Move `late` by close.\n2. Remove every TicketChange';
      const desk = await Desk.on(t, kind, withChange(TICKETS, '1. Remove every TicketChange', late));
      for (let i = 0; i < 40; i++) await desk.ask('POST /tickets', { title: `${i}`, priority: 5 }, 201);
      await desk.pass(DAY);
      const all = await desk.entries();
      assert.equal(all.length, 80);
      assert.equal(all[40], '41 #1 changed by schedule on day 1: status open→closed');
      assert.ok(all.slice(40).every((line) => line.endsWith('by schedule on day 1: status open→closed')));
    });

    test('what the steps after a handler change is recorded as the handler’s', async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'ninefold-audit-'));
      t.after(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, 'rate.ts'), 'export const rate = async () => ({ priority: 5 });\n');
      const text = [
        ['2. Answer 201 with `ticket`.', '2. Run rate with ticket `ticket.id`.\n3. Answer 201 with `ticket`.'],
        ['one of request, timer, schedule, operator       |', 'one of request, timer, schedule, handler, operator |'],
        ['## Authentication\n', `${RATE}\n## Authentication\n`],
      ].reduce((made, [from = '', to = '']) => withChange(made, from, to), TICKETS);
      const desk = await Desk.on(t, kind, text, join(folder, 'tickets.md'));
      await desk.ask('POST /tickets', { title: 'One', priority: 2 }, 201);
      await until(async () => (await desk.entries()).length === 2, 'the answer of the handler');
      assert.deepEqual(await desk.entries(), [
        '1 #1 created by request 1 on day 0: status -→open, priority -→2',
        '2 #1 changed by handler on day 0: priority 2→5',
      ]);
    });

    test('a transaction that is rolled back leaves no entry', async (t) => {
      // The loop moves each ticket, and is refused at the one that is closed.
      const text = withChange(
        TICKETS,
        '   1. Change `each` with priority `1`.\n',
        '   1. Change `each` with priority `1`.\n   2. Require `each.number < 3`, else not_open.\n',
      );
      const desk = await Desk.on(t, kind, text);
      for (let i = 0; i < 3; i++) await desk.ask('POST /tickets', { title: `${i}` }, 201);
      await desk.ask('POST /escalation', null, 409);
      assert.equal((await desk.entries()).length, 3);
    });
  });

test('both stores have the same entries in the same order', async (t) => {
  assert.deepEqual(await work(await Desk.on(t, 'sqlite')), await work(await Desk.on(t, 'postgres')));
});
