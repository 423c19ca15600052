import assert from 'node:assert/strict';
import { WHOLE } from './share.ts';

/** How many times as long what is done is than what it is compared with. */
const LONGER = 16;
/** What takes steps in proportion to its length comes to 1 and a little; the square of it to 16. */
const MOST = 6;

/** For how long at least something is done to know its cost, in microseconds: some clocks know ten milliseconds. */
const LONG_ENOUGH = 200_000;

/**
 * Does something of a length at which it would be felt if its steps grew with the square of it. A whole run compares it,
 * too: once at its length costs about as much as 16 times at a sixteenth. It is the processor time of this thread that
 * is compared, which a busy machine leaves much as it is; and it is no length of time that is asserted.
 */
export function inProportion(does: (length: number) => void, length: number): void {
  does(length);
  if (!WHOLE) return;
  const short = Math.floor(length / LONGER);
  let repeats = 1;
  let least = 0;
  for (; least < LONG_ENOUGH; repeats *= 2) least = cost(repeats * LONGER, () => does(short));
  compare(length, short, cost(repeats / 2, () => does(length)) / least);
}

/** The same of something that is waited for. */
export async function inProportionLater(does: (length: number) => Promise<void>, length: number): Promise<void> {
  await does(length);
  if (!WHOLE) return;
  const short = Math.floor(length / LONGER);
  let repeats = 1;
  let least = 0;
  for (; least < LONG_ENOUGH; repeats *= 2) least = await costLater(repeats * LONGER, () => does(short));
  compare(length, short, (await costLater(repeats / 2, () => does(length))) / least);
}

function compare(length: number, short: number, ratio: number): void {
  assert.ok(ratio < MOST, `${length} costs ${ratio.toFixed(1)} times as much as ${LONGER} times ${short}`);
}

/** The processor time of this thread in microseconds. */
function cost(repeats: number, does: () => void): number {
  const before = process.threadCpuUsage();
  for (let n = 0; n < repeats; n++) does();
  return since(before);
}

async function costLater(repeats: number, does: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let n = 0; n < repeats; n++) await does();
  return since(before);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
