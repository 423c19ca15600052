import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Drive, type Option } from '../../src/verify/probes/drive.ts';
import { isOrderTold, mayHaveOtherOrder, type Raced } from '../../src/verify/probes/explain.ts';
import { Findings } from '../../src/verify/probes/findings.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { Session } from '../../src/verify/session/session.ts';
import { type Exchange, headerOf, type Request } from '../../src/verify/target/exchange.ts';
import { documentText, subjectOf } from '../subject.ts';

/** A session of its own, and whoever drives it. */
async function driveOf(t: TestContext, document: string): Promise<Drive> {
  const subject = await subjectOf(t, documentText(document));
  const random = new Random(1);
  const session = await Session.begin(subject, random);
  return new Drive(session, new Findings(subject.plan), random);
}

/** A request to an endpoint that is taken, once all that it needs is there. */
async function takenAt(drive: Drive, name: string, fits: (request: Request) => boolean = () => true): Promise<Request> {
  const isTaken = ({ endpoint, foreseen, request }: Option): boolean =>
    endpoint === name && foreseen.prediction.expected.status < 300 && fits(request);
  const found = await drive.find(isTaken, name);
  assert.ok(found, name);
  return found.request;
}

/** Requests one after the other, whose answers are taken for those of requests at the same time. */
async function raced(drive: Drive, requests: readonly Request[]): Promise<Raced> {
  const { session } = drive;
  const before = session.oracle;
  const earliest = await session.now();
  const exchanges: Exchange[] = [];
  for (const request of requests) {
    const exchange = await drive.send(request);
    assert.ok(exchange);
    exchanges.push(exchange);
  }
  return { before, exchanges, when: { earliest, latest: await session.now() } };
}

test('which of several changes was the last, their entity tags do not tell', async (t) => {
  const drive = await driveOf(t, 'examples/orders.md');
  const { session } = drive;
  const change = await takenAt(drive, 'PATCH /orders/{id}', ({ headers }) => headerOf(headers, 'If-Match') === '*');
  const race = await raced(drive, [change, change, change]);
  assert.equal(isOrderTold(race), false);
  const backwards = { ...race, exchanges: race.exchanges.toReversed() };
  const headers = change.headers.filter(([name]) => !/^(?:If-Match|Content-Type)$/i.test(name));
  const { exchange } = await session.send({ method: 'GET', target: change.target, headers, body: null }, 'read');
  const at = { earliest: await session.now(), latest: await session.now() };
  assert.ok(mayHaveOtherOrder(backwards, exchange, at));
  const another = { ...exchange, outcome: { ...exchange.outcome, headers: [['ETag', '"another"']] } } as Exchange;
  assert.equal(mayHaveOtherOrder(backwards, another, at), false);
});

test('where all but one of several requests are refused, that was the first', async (t) => {
  const drive = await driveOf(t, 'examples/orders.md');
  const place = await takenAt(drive, 'POST /orders/{id}/place');
  const { session } = drive;
  const before = session.oracle;
  const earliest = await session.now();
  const sent = [];
  for (let i = 0; i < 3; i++) sent.push((await session.send(place, `place${i}`)).exchange);
  assert.ok(isOrderTold({ before, exchanges: sent, when: { earliest, latest: await session.now() } }));
});

test('which rows were made before all were removed, the answers do not tell', async (t) => {
  const drive = await driveOf(t, 'docs/documents/accounts.md');
  const change = await takenAt(drive, 'PUT /me/password');
  const caller = headerOf(change.headers, 'Authorization');
  const make = await takenAt(drive, 'POST /machines', ({ headers }) => headerOf(headers, 'Authorization') === caller);
  const race = await raced(drive, [make, change, make]);
  assert.equal(isOrderTold(race), false);
});

test('what several changes lead to is looked for among all of their orders, or nothing is said', async (t) => {
  const drive = await driveOf(t, 'test/verify/digits.md');
  const { session } = drive;
  const make = await takenAt(drive, 'POST /counters');
  await drive.send(make);
  const some = [3, 1, 2, 4].map((digit): Request => ({ ...make, target: `/counters/1/${digit}` }));
  const race = await raced(drive, some);
  const at = { earliest: await session.now(), latest: await session.now() };
  const { exchange } = await session.send({ ...make, method: 'GET', target: '/counters/1' }, 'read');
  const reads = (total: number): Exchange => {
    const body = Buffer.from(JSON.stringify({ id: 1, total }));
    return { ...exchange, outcome: { ...exchange.outcome, body } } as Exchange;
  };
  const inOrder = {
    ...race,
    exchanges: race.exchanges.toSorted((a, b) => (a.request.target < b.request.target ? -1 : 1)),
  };
  assert.ok(mayHaveOtherOrder(inOrder, reads(13124), at), 'an order in which none but the middle is another');
  assert.equal(mayHaveOtherOrder(inOrder, reads(1312), at), false, 'one change is lost in every order');
  const exchanges = [...Array(8).keys()].map((digit) => {
    const [first] = race.exchanges;
    assert.ok(first);
    return { ...first, request: { ...first.request, target: `/counters/1/${digit}` } };
  });
  assert.ok(mayHaveOtherOrder({ ...race, exchanges }, reads(1), at), 'of 40,320 orders not each is looked at');
});
