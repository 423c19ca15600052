import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Handler } from '../src/runtime/request/handle.ts';
import { CountingStore } from './counting.ts';
import { times } from './share.ts';

const load = (name: string): string => readFileSync(join(import.meta.dirname, '..', 'examples', name), 'utf8');

/** A document served in this process, without sockets. */
class Served {
  readonly store: CountingStore;
  readonly operator: Operator;
  private readonly handler: Handler;
  private readonly failures: unknown[] = [];

  private constructor(store: CountingStore, engine: Engine) {
    this.store = store;
    this.operator = new Operator(engine);
    this.handler = new Handler(engine, { failed: (_endpoint, error) => this.failures.push(error), recorded: () => {} });
  }

  static async start(text: string): Promise<Served> {
    const plan = compile('document.md', text).plan as Plan;
    const store = new CountingStore(':memory:', plan);
    return new Served(store, await Engine.start(plan, store, 'https://api.example.com'));
  }

  async ask(method: string, target: string, key: string, body?: unknown): Promise<{ status: number; body: string }> {
    const [path = '', query = null] = target.split('?');
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const sent = body === undefined ? [] : ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)];
    const { answer } = await this.handler.handle({
      method,
      path,
      query,
      rawHeaders: ['Host', 'localhost', 'Authorization', `Bearer ${key}`, ...sent],
      address: '127.0.0.1',
      arrived: Date.now(),
      now: Date.now(),
      body: () => bytes,
    });
    assert.deepEqual(this.failures, []);
    return { status: answer.status, body: String(answer.body ?? '') };
  }

  /** How many statements a request takes. */
  async statements(target: string, key: string): Promise<number> {
    const before = this.store.called;
    const answer = await this.ask('GET', target, key);
    assert.equal(answer.status, 200, answer.body);
    return this.store.called - before;
  }
}

const raised = (text: string): string =>
  text.replace(/\d+( requests per (?:minute|hour))/g, (_all, unit: string) => `90000000${unit}`);
/** One page holds all rows, so that what grows with them shows. */
const long = (text: string): string =>
  raised(text).replace(/\d+ by default, \d+ at most/, '1000 by default, 1000 at most');

const MOST = times(250, 1000);
const SIZES = [10, 100, MOST];

/** The lists of the issue tracker, with what makes one row more of each. */
test('a list of issues takes as many statements with ten rows as with many', { timeout: 240_000 }, async (t) => {
  const served = await Served.start(long(load('issues.md')));
  const user = await served.operator.add('User', new Map([['login', 'ada']]));
  const { key } = await served.operator.issueKey('User', String(user.id), []);
  const made = async (target: string, body: unknown): Promise<void> => {
    const answer = await served.ask('POST', target, key, body);
    assert.equal(answer.status, 201, answer.body);
  };
  await made('/user/repos', { name: 'engine' });
  await made('/repos/ada/engine/labels', { name: 'bug' });
  await made('/repos/ada/engine/issues', { title: 'The first' });
  const lists = [
    '/user/repos',
    '/repos/ada/engine/labels',
    '/repos/ada/engine/issues?labels=bug',
    '/repos/ada/engine/issues?sort=comments&assignee=*',
    '/repos/ada/engine/issues/1/comments',
  ];
  const counts = new Map<string, number[]>(lists.map((list) => [list, []]));
  let rows = 1;
  for (const size of SIZES) {
    for (; rows < size; rows++) {
      await made('/user/repos', { name: `repo-${rows}` });
      await made('/repos/ada/engine/labels', { name: `label ${rows}` });
      await made('/repos/ada/engine/issues', { title: `Issue ${rows}`, labels: ['bug'], assignees: ['ada'] });
      await made('/repos/ada/engine/issues/1/comments', { body: `Comment ${rows}` });
    }
    for (const list of lists) counts.get(list)!.push(await served.statements(list, key));
  }
  for (const [list, [first, ...others]] of counts) {
    t.diagnostic(`GET ${list}: ${[first, ...others].join(', ')} statements with ${SIZES.join(', ')} rows`);
    assert.deepEqual(others, [first, first], list);
  }
});

test('a list of bookings, seats or rooms takes as many statements with ten rows as with many', {
  timeout: 240_000,
}, async (t) => {
  const served = await Served.start(
    long(load('bookings.md'))
      .replace('500 at most, more is left out', '1000 at most, more is left out')
      .replaceAll('1 to 500 ', '1 to 5000'),
  );
  const people: string[] = [];
  for (let i = 0; i < MOST; i++) {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    await served.operator.add('Person', new Map(Object.entries({ id, name: `P${i}`, staff: 'true' })));
    people.push((await served.operator.issueKey('Person', id, [])).key);
  }
  const key = people[0]!;
  const made = async (target: string, as: string, body?: unknown): Promise<{ id: string }> => {
    const answer = await served.ask('POST', target, as, body);
    assert.equal(answer.status, 201, answer.body);
    return JSON.parse(answer.body) as { id: string };
  };
  const room = await made('/rooms', key, {
    name: 'R',
    capacity: 2000,
    zone: 'UTC',
    opens: 0,
    closes: 24,
    notice: 'PT0S',
  });
  const time = (hours: number): string =>
    new Date(Math.ceil(Date.now() / 86_400_000 + 2) * 86_400_000 + hours * 1_200_000).toISOString().replace('.000', '');
  const booking = await made('/bookings', key, { room: room.id, starts: time(0), ends: time(1) });
  await made(`/bookings/${booking.id}/seats`, key);
  const span = `from=${time(0)}&to=${new Date(Date.parse(time(0)) + 30 * 86_400_000).toISOString().replace('.000', '')}`;
  const lists = [
    '/rooms',
    '/bookings?status=confirmed',
    `/rooms/${room.id}/bookings?${span}`,
    `/bookings/${booking.id}/seats`,
  ];
  const counts = new Map<string, number[]>(lists.map((list) => [list, []]));
  let rows = 1;
  for (const size of SIZES) {
    for (; rows < size; rows++) {
      await made('/rooms', key, { name: `R${rows}`, capacity: 1, zone: 'UTC' });
      await made('/bookings', key, { room: room.id, starts: time(rows), ends: time(rows + 1) });
      await made(`/bookings/${booking.id}/seats`, people[rows]!);
    }
    for (const list of lists) counts.get(list)!.push(await served.statements(list, key));
  }
  for (const [list, [first, ...others]] of counts) {
    t.diagnostic(
      `GET ${list.split('?')[0]}: ${[first, ...others].join(', ')} statements with ${SIZES.join(', ')} rows`,
    );
    assert.deepEqual(others, [first, first], list);
  }
});
