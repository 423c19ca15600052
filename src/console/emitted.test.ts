import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { edited } from '../../test/harness.ts';
import { PostgresServer } from '../../test/postgres.ts';
import { Receiver } from '../../test/receiver.ts';
import { documentText } from '../../test/subject.ts';
import { runHere } from '../cli/harness.test.ts';
import { Shown, until } from './harness.test.ts';
import type { DeliveriesAnswer, KeyIssued, ReceiverAdded, RowsOfIdentities } from './protocol.ts';

// The operator’s part in events that steps emit, which are about no row.

const ALARMS = edited(
  documentText('docs/documents/alarms.md'),
  ['- Attempts: 3, after 5 seconds, 5 minutes', '- Attempts: 2, after 1 second'],
  [
    'muted").map(s, s.name)`.\n',
    'muted").map(s, s.name)`.\n2. Require `Sensor.all(s, s.state == "muted")`, else is_muted.\n',
  ],
);

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

/** Reads the data of a stream of events until it is cut off. */
async function follow(page: Shown, key: string): Promise<{ readonly heard: string[]; readonly end: () => void }> {
  const gone = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${page.running.port}/alarms`, {
    headers: { authorization: `Bearer ${key}` },
    signal: gone.signal,
  });
  assert.equal(answer.status, 200);
  const heard: string[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream()))
      for (const [, name] of chunk.matchAll(/"sensor":"(\w+)"/g)) heard.push(name!);
  };
  read().catch(() => {});
  return { heard, end: () => gone.abort() };
}

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`an emitted event has no row, is replayed, and is heard by those who may see it at the time: ${kind}`, async () => {
    if (kind === 'PostgreSQL') server ??= await PostgresServer.shared();
    const store = kind === 'PostgreSQL' ? await server!.database() : null;
    const page = await Shown.open(ALARMS, store === null ? {} : { store });
    await using hook = await new Receiver().up();
    hook.answer = () => 500;
    try {
      const key = async (number: string, site: string): Promise<string> => {
        assert.equal((await page.post('/rows/Keeper', { fields: { number, site } })).http, 200);
        const { key: made } = await page.post<KeyIssued>('/keys', {
          scheme: 'Keeper key',
          holder: number,
          scopes: ['alarms'],
        });
        return made;
      };
      const [first, second] = [await key('1', '1'), await key('2', '2')];
      const { rows } = await page.post<RowsOfIdentities>('/identities/Keeper', { ids: ['2', '3', 'x', '1'] });
      assert.deepEqual(
        rows.map(({ id }) => id),
        ['2', '1'],
        'identities that are numbers',
      );
      for (const wrong of ['x', '1.0', '9'.repeat(30), "'", ' '])
        for (const change of [null, 'change', 'remove']) {
          const path = `/rows/Keeper/${encodeURIComponent(wrong)}`;
          const body = change === 'change' ? { fields: { site: '1' } } : {};
          const { http } = await (change === null ? page.get(path) : page.post(`${path}/${change}`, body));
          assert.equal(http, 404, `${change} ${wrong}`);
        }
      const receiver = { url: hook.url, events: ['alarm.raised', 'day.counted'], version: null, allowPrivate: true };
      const { secret } = await page.post<ReceiverAdded>('/receivers', receiver);
      const send = async (caller: string, path: string, body: object | null = null): Promise<string> => {
        const answer = await fetch(`http://127.0.0.1:${page.running.port}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${caller}`, ...(body && { 'content-type': 'application/json' }) },
          body: body && JSON.stringify(body),
        });
        assert.ok(answer.ok, `${answer.status}`);
        return answer.text();
      };
      const listeners = [await follow(page, first), await follow(page, second)];
      for (const [caller, name] of [
        [first, 'a'],
        [second, 'b'],
      ] as const)
        await send(caller, '/sensors', { name, kind: 'heat', most: 30 });
      await send(first, '/drills');
      await send(second, '/drills');
      const heard = (): string => listeners.map((one) => one.heard.join('')).join(' ');
      await until(async () => heard() === 'a b', 'each hears of its own site');
      // The caller of the first stream moves to the other site while it listens.
      assert.equal((await page.post('/rows/Keeper/1/change', { fields: { site: '2' } })).http, 200);
      await send(second, '/drills');
      await until(async () => heard() === 'ab bb', 'a reader sees what its row may see at the time of the event');
      for (const one of listeners) one.end();
      await replayed(page, hook, secret, store);
    } finally {
      await page.stop();
    }
  });

/** Replays an event that was given up, once the receiver answers. */
async function replayed(page: Shown, hook: Receiver, secret: string, store: string | null): Promise<void> {
  const place = store === null ? ['--data', `${page.folder}/data`] : ['--store', store];
  const givenUp = await until(async () => {
    const { deliveries } = await page.get<DeliveriesAnswer>('/deliveries?state=given%20up');
    return deliveries.length === 3 && deliveries;
  }, 'all attempts have failed');
  const { event, row, resource } = givenUp.at(-1)!;
  assert.deepEqual([row, resource], [null, null]);
  const { out } = await runHere('events', page.file, 'list', ...place);
  assert.match(out, /type=alarm\.raised/);
  assert.doesNotMatch(out, /row=|resource=/);
  hook.answer = () => 204;
  assert.equal((await page.post<{ deliveries: number }>('/deliveries/replay', { event })).deliveries, 1);
  await until(async () => hook.accepted.length === 1, 'the event is delivered');
  assert.equal(hook.accepted[0]?.id, event);
  hook.verified(secret);
  const again = await until(async () => {
    const { deliveries } = await page.get<DeliveriesAnswer>(`/deliveries?event=${event}`);
    return deliveries[0]?.state === 'delivered' && deliveries;
  }, 'the delivery has ended');
  assert.deepEqual(
    again.map(({ attempts }) => attempts),
    [1],
  );
  // A run of a schedule that refuses takes back the event that it has emitted.
  const { err, code } = await runHere('schedules', page.file, 'run', 'count', ...place);
  assert.match(err, /is_muted/);
  assert.equal(code, 1);
  assert.equal((await page.get<DeliveriesAnswer>('/deliveries?type=day.counted')).total, 0);
}
