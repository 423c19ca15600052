import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCases } from './cases.ts';
import { type Service, until, Workspace } from './harness.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

const MEETINGS = readCases('src/compiler/events/cases/instants.md')[0]!.document;
const HOUR = 3_600_000;

interface Recorded {
  readonly row: string;
  readonly at: number;
}

/**
 * Enters meetings of which `meeting.soon` tells at instants spread over the time to come; gives when, by identity. The
 * instants begin late enough for a busy machine to have entered them all.
 */
async function meetings(service: Service, count: number, within: number): Promise<Map<string, number>> {
  const begun = Date.now();
  await service.request('POST', '/meetings', { body: {} });
  // What one request has taken says how busy the machine is.
  const from = begun + 1000 + (Date.now() - begun) * count;
  const due = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const at = from + Math.floor((n * within) / count);
    const body = {
      name: `M${n}`,
      starts: new Date(at + HOUR).toISOString(),
      ends: new Date(at + 2 * HOUR).toISOString(),
    };
    const answer = await service.request('POST', '/meetings', { body });
    assert.equal(answer.status, 201, answer.text);
    due.set((answer.body as { id: string }).id, at);
  }
  return due;
}

test(
  'an event at an instant is recorded once, over kills and restarts, and tells of its instant',
  IN_WHOLE,
  async (t) => {
    await using space = new Workspace(MEETINGS, 'meetings.md');
    await using receiver = await new Receiver().up();
    const added = await space.cli('receivers', 'add', receiver.url, '--allow-private', '--events', 'meeting.soon');
    assert.equal(added.code, 0, added.err);
    const recorded = () =>
      space.select<Recorded>(`SELECT row, at FROM ninefold_event WHERE type = 'meeting.soon' ORDER BY seq`);
    let service = await space.serve();
    const due = await meetings(service, 60, 4000);
    let kills = 0;
    for (const share of [5, 20, 40]) {
      await until(() => recorded().length >= share, `${share} events`);
      await service.kill();
      kills++;
      service = await space.serve();
    }
    await until(() => receiver.got.length >= due.size && recorded().length >= due.size, 'every event');
    assert.deepEqual(
      new Map(recorded().map(({ row, at }) => [row, at])),
      due,
      'each is of the instant that the row states, whenever it was recorded',
    );
    assert.equal(recorded().length, due.size, 'none twice');
    const pending = () => space.select(`SELECT 1 FROM ninefold_delivery WHERE state <> 'delivered'`).length;
    await until(() => pending() === 0, 'everything delivered');
    const ids = new Map(receiver.got.map(({ id, data }) => [id, data.id as string]));
    assert.deepEqual([...ids.values()].sort(), [...due.keys()].sort(), 'one webhook-id for each row');
    t.diagnostic(`${due.size} events over ${kills} kills: ${receiver.got.length} deliveries arrived`);
  },
);
