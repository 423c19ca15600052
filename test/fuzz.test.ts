import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { readCases } from './cases.ts';
import { documents } from './fixtures.ts';
import type { Told } from './fuzz/child.ts';
import { type Mutant, mutant } from './fuzz/mutations.ts';
import { SEED, share, times, WHOLE } from './share.ts';

const ROOT = join(import.meta.dirname, '..');
const CHILD = join(ROOT, 'test', 'fuzz', 'child.ts');

/** How many documents are tried, and how many processes try them. */
const COUNT = times(15, 250);
const PROCESSES = 2;

/** What a document may take: megabytes of heap, which its process is ended for, and in a whole run the processor’s time. */
const MEBIBYTES = 512;
const MILLISECONDS = 2000;

/** A process that says nothing for so long goes round in a loop, however busy the machine is. */
const HANGS_AFTER_MS = 120_000;

/** How many documents of cases a run looks at. */
const CASES = 100;

/** The documents that are changed: the examples, and what cases make of them that has no findings. */
function bases(): Array<{ name: string; text: string }> {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && entry.parentPath.endsWith('cases'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
  const cases = files.flatMap((file) => readCases(file).map((one) => one.document));
  const whole = documents().map(({ text }) => text);
  const settled = share([...new Set(cases)], CASES).cases.filter(
    (text) => compile('case.md', text).findings.length === 0,
  );
  // Handlers stand beside the examples.
  return [...whole, ...settled].map((text, i) => ({ name: join(ROOT, 'examples', `${i}.md`), text }));
}

/** A process that compiles and serves one document after the other; another takes the place of one that ends. */
class Tester {
  private child: ChildProcess | null = null;

  async attempt(one: Mutant): Promise<Told> {
    this.child ??= fork(CHILD, {
      execArgv: [`--max-old-space-size=${MEBIBYTES}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { child } = this;
    const { promise, resolve } = Promise.withResolvers<Told>();
    const broken = (why: string): void => {
      this.child = null;
      resolve({ findings: 0, compiling: 0, starting: null, broken: why });
    };
    const ended = (code: number | null, signal: string | null): void => broken(`the process ended: ${signal ?? code}`);
    const hangs = setTimeout(() => {
      broken('it hangs');
      child.kill('SIGKILL');
    }, HANGS_AFTER_MS);
    child.once('message', resolve as (told: unknown) => void);
    child.once('exit', ended);
    child.send({ name: one.base, text: one.text });
    const told = await promise;
    clearTimeout(hangs);
    child.off('exit', ended).removeAllListeners('message');
    return told;
  }

  close(): void {
    this.child?.kill('SIGKILL');
  }
}

test('no change of a document breaks the compiler, and what has no findings starts and answers', async () => {
  const first = SEED;
  const from = bases();
  const tally = { tried: 0, started: 0, compiling: 0, starting: 0 };
  const wrong: string[] = [];
  let next = first;
  const work = async (): Promise<void> => {
    const tester = new Tester();
    while (next < first + COUNT && wrong.length < 20) {
      const seed = next++;
      const one = mutant(from, seed);
      const told = await tester.attempt(one);
      tally.tried++;
      if (told.starting !== null) tally.started++;
      tally.compiling = Math.max(tally.compiling, told.compiling);
      tally.starting = Math.max(tally.starting, told.starting ?? 0);
      const slow = WHOLE && Math.max(told.compiling, told.starting ?? 0) > MILLISECONDS;
      const why = told.broken ?? (slow ? `it takes ${told.compiling} and ${told.starting} ms` : null);
      if (why) wrong.push(`NINEFOLD_SEED=${seed} (${one.what}): ${why}`);
    }
    tester.close();
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  console.log(
    `documents from seed ${first}: ${tally.tried} tried, ${tally.started} without findings, which started; at most ${Math.round(tally.compiling)} ms of the processor to compile and ${Math.round(tally.starting)} ms to start and answer`,
  );
  assert.deepEqual(wrong, []);
});
