import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCases } from '../../../test/cases.ts';
import { edited, until } from '../../../test/harness.ts';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { Engine } from '../engine/engine.ts';
import type { Incoming } from '../http/message.ts';
import { Operator } from '../operator.ts';
import { Handler } from '../request/handle.ts';

const DOCUMENT = readCases('src/compiler/events/cases/values.md')[0]!.document;

/** A request as HTTP would hand it over, with an own body where it has one. */
function asking(method: string, path: string, sent: string | null = null, headers: readonly string[] = []): Incoming {
  const body = Buffer.from(sent ?? '');
  const sized = sent === null ? [] : ['Content-Type', 'application/json', 'Content-Length', String(body.byteLength)];
  const rawHeaders = [...headers, ...sized];
  const now = Date.now();
  return { method, path, query: null, rawHeaders, address: '', arrived: now, now, body: () => body };
}

/** An open stream of nobody, or of whom the headers say, and the text that it has sent so far. */
async function opened(
  t: TestContext,
  document: string,
  headersOf: (operator: Operator) => Promise<readonly string[]> = async () => [],
) {
  const { plan } = compile('case.md', document);
  const store = new SqliteStore(':memory:', plan!);
  const engine = await Engine.start(plan!, store);
  const handler = new Handler(engine, { failed: () => {}, recorded: () => engine.streams!.wake() });
  const headers = await headersOf(new Operator(engine));
  const { answer } = await handler.handle(asking('GET', '/events', null, headers));
  const gone = Promise.withResolvers<void>();
  const then = t.mock.method(gone.promise, 'then');
  const sent: string[] = [];
  const write = async (text: string): Promise<boolean> => sent.push(text) > 0;
  const over = answer.stream!.run({ gone: gone.promise, write });
  t.after(async () => {
    gone.resolve();
    await over;
    await store.close();
  });
  return { engine, handler, sent, waits: then.mock, over };
}

test('a stream keeps nothing of the times that it has waited', { timeout: 20_000 }, async (t) => {
  const { handler, sent, waits } = await opened(t, DOCUMENT);
  const size = async (size: number): Promise<void> => {
    await handler.handle(asking('PATCH', '/things/1', JSON.stringify({ size })));
    await until(() => sent.some((text) => text.includes(`"size":${size},`)), `the event of ${size}`);
    // It waits again by now.
    await sleep(10);
  };
  await handler.handle(asking('POST', '/things', '{"id":1,"size":1,"tags":{},"marks":[]}'));
  await size(2);
  const before = waits.callCount();
  for (let n = 3; n < 20; n++) await size(n);
  assert.equal(waits.callCount(), before);
});

test('a clock that is set back stops no heartbeats', { timeout: 20_000 }, async (t) => {
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now });
  const { sent } = await opened(t, edited(DOCUMENT, ['Heartbeat: none', 'Heartbeat: every 1 second']));
  t.mock.timers.setTime(now - 3_600_000);
  const before = sent.length;
  await until(() => sent.length >= before + 2, 'heartbeats');
});

test('who may no longer call is sent no heartbeat either', { timeout: 20_000 }, async (t) => {
  const { document } = readCases('src/compiler/events/cases/stream.md')[0]!;
  let issued = '';
  const beating = edited(document, ['Heartbeat: every 15 seconds', 'Heartbeat: every 1 second']);
  const { engine, sent, over } = await opened(t, beating, async (operator) => {
    const fields = { id: randomUUID(), name: 'Ada', email: 'ada@example.com' };
    await operator.add('Customer', new Map(Object.entries(fields)));
    const { id, key } = await operator.issueKey('Customer', fields.id, ['orders:read']);
    issued = id;
    return ['Authorization', `Bearer ${key}`];
  });
  await new Operator(engine).revokeKey(issued);
  const before = sent.length;
  // When it wakes, the heartbeat is due, to the millisecond.
  const since = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => since() + 10);
  await over;
  assert.equal(sent.length, before);
});
