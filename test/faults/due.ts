import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCases } from '../cases.ts';
import { type Service, until, Workspace } from '../harness.ts';
import { complaints, type Figure, type Gate } from './gate.ts';
import { lacksMount, SmallDisk } from './smalldisk.ts';
import { asking } from './start.ts';

const JOBS = readCases('src/compiler/states/cases/timed.md')[0]!.document;
const READS = 100;
/** How long after they are made jobs fall due, in milliseconds: the disk is full by then. */
const DUE = 8000;

/** Moves fall due on a disk that has no room for them. */
export const due: Gate = {
  name: 'due',
  about:
    'a full disk with moves due: reads show them as made, also after a restart, and they are stored once there is room',
  lacks: lacksMount,
  async *run() {
    for (const jobs of [1, 60]) yield await fallDue(jobs);
  },
};

async function fallDue(jobs: number): Promise<Figure> {
  await using space = new Workspace(JOBS);
  mkdirSync(space.data);
  using disk = await SmallDisk.on(space.data, '12m');
  const wrong: string[] = [];
  const counts = { reads: 0 };
  let service = await space.serve({ prefix: [...disk.prefix] });
  for (let id = 1; id <= jobs; id++) {
    // Every third is refused when its time has come: one more would be more tries than are allowed.
    const body = { id, tries: id % 3 === 0 ? 2 : 0, due: new Date(Date.now() + DUE).toISOString() };
    const { status } = await service.request('POST', '/jobs', { body });
    if (status !== 201) wrong.push(`a job was answered ${status}`);
  }
  // A log that holds anything is copied into the database when it is opened, which needs room: this one holds nothing.
  const last = Date.now() + DUE;
  await service.stop();
  service = await space.serve({ prefix: [...disk.prefix] });
  const ballast = disk.fill(0);
  await sleep(Math.max(0, last - Date.now()) + 500);
  const late = await service.request('POST', '/jobs', { body: { id: 900, tries: 0, due: new Date().toISOString() } });
  if (late.status !== 507) wrong.push(`a write was answered ${late.status} on a full disk`);
  await look(service, jobs, counts, wrong);
  await service.kill();
  service = await space.serve({ prefix: [...disk.prefix] });
  await look(service, jobs, counts, wrong);
  rmSync(ballast);
  // A copy: SQLite would follow the link to the disk out of where that is mounted.
  const stored = (): boolean => {
    const copy = join(space.dir, 'copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(disk.path, copy, { recursive: true });
    return asking(copy, (select) => select("SELECT id FROM job WHERE status = 'lapsed'").length > 0);
  };
  await until(stored, 'the moves stored');
  await look(service, jobs, counts, wrong);
  if ((await service.stop()) !== 0) wrong.push('it did not stop in good order');
  return {
    what: `${jobs} due`,
    figure: `${counts.reads} reads answered as the document says${wrong.length ? `; ${complaints(wrong)}` : ''}`,
    held: wrong.length === 0,
  };
}

/** What every read has to show, whether it is stored or not. */
async function look(service: Service, jobs: number, counts: { reads: number }, wrong: string[]): Promise<void> {
  const all = Array.from({ length: jobs }, (_, n) =>
    (n + 1) % 3 === 0 ? { id: n + 1, tries: 2, status: 'open' } : { id: n + 1, tries: 1, status: 'lapsed' },
  );
  const expected = JSON.stringify({ jobs: all });
  await Promise.all(
    Array.from({ length: READS }, async () => {
      const { status, text } = await service.request('GET', '/jobs');
      counts.reads++;
      if (status !== 200 || text !== expected) wrong.push(`a read was answered ${status} ${text.slice(0, 80)}`);
    }),
  );
}
