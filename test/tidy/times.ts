import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { globalSetup, globalTeardown } from '../everywhere.ts';
import { inMemory } from '../temporary.ts';
import { testFiles } from '../tiers.ts';

/**
 * What each test file costs: `npm run test:times` runs every one in a process of its own, and prints its processor time
 * (with that of all processes it started and awaited) and how long it took, dearest first. `npm run test:times -- FILE …`
 * asks about those files. The sum of processor time is what `npm test` is kept short by; the rest is waiting.
 */
interface Cost {
  readonly file: string;
  /** Seconds of processor time, user and system. */
  readonly cpu: number;
  readonly wall: number;
  readonly passed: boolean;
}

const ROOT = join(import.meta.dirname, '..', '..');
const asked = process.argv.slice(2);
const files = asked.length ? asked : testFiles;

/** Seconds of `0m1.25s`, as the shell's `times` prints them. */
function seconds(text: string): number {
  const [, minutes = '0', rest = '0'] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return Number(minutes) * 60 + Number(rest);
}

function measure(file: string): Promise<Cost> {
  const began = performance.now();
  return new Promise((resolve) => {
    // The shell counts what Node can't: the processor time of a process together with that of its children.
    const words = ['-c', '"$0" "$1" >/dev/null 2>&1; code=$?; times; exit $code', process.execPath, file];
    execFile('sh', words, { cwd: ROOT }, (error, out) => {
      const all = out.trim().split(/\s+/).slice(-2).map(seconds);
      resolve({
        file,
        cpu: all.reduce((sum, one) => sum + one, 0),
        wall: (performance.now() - began) / 1000,
        passed: error === null,
      });
    });
  });
}

process.env.TMPDIR = inMemory();
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules', '.cache', 'node');
await globalSetup();
const costs: Cost[] = [];
const left = [...files];
const worker = async (): Promise<void> => {
  for (let file = left.shift(); file !== undefined; file = left.shift()) costs.push(await measure(file));
};
await Promise.all(Array.from({ length: 2 * availableParallelism() }, worker));
await globalTeardown();

for (const { file, cpu, wall, passed } of costs.sort((a, b) => b.cpu - a.cpu))
  console.log(`${cpu.toFixed(1).padStart(6)} s  ${wall.toFixed(1).padStart(6)} s  ${passed ? ' ' : '✗'} ${file}`);
const sum = (of: (cost: Cost) => number): string => costs.reduce((all, cost) => all + of(cost), 0).toFixed(0);
console.log(`\n${sum((cost) => cost.cpu)} s of processor time and ${sum((cost) => cost.wall)} s one after another`);
