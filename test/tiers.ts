import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Which test file runs how, so that nobody has to keep a list:
 *
 * - in a usual run, all files share processes (`abreast/`, one file for each): starting one, loading Ninefold, and
 *   compiling it as it gets warm costs more than most of them do;
 * - what a file imports says whether it has more to do in a whole run (`share.ts`): there it has a process of its own;
 * - and whether a whole run alone does it (`whole-alone.ts`).
 */
const ROOT = join(import.meta.dirname, '..');

/** Every test file, by its path from the root. */
export const testFiles: readonly string[] = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules'],
}).sort();

/** What files import, themselves and by others, without what is no test: what Ninefold itself does is not asked. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  seen.add(file);
  if (!file.endsWith('.ts') || !existsSync(join(ROOT, file)) || (file.startsWith('src/') && !file.endsWith('.test.ts')))
    return seen;
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, to = ''] of text.matchAll(/^(?!import type).*(?:from |import |import\(|URL\()'([^'$]+)'/gm)) {
    const path = to.endsWith('.ts') ? normalize(join(file, '..', to)) : to;
    if (!seen.has(path)) reached(path, seen);
  }
  return seen;
}

/** The processes of a usual run, by the files that they begin with. */
export const abreast: readonly string[] = globSync('test/abreast/*.ts', { cwd: ROOT }).sort();

/** What takes by far the longest has a process of its own, and the others take the rest by turns. */
const LONGEST = 'test/cases.test.ts';
const ALONE = 'test/abreast/cases.ts';

const sizeOf = (file: string): number => statSync(join(ROOT, file)).size;
const reachedBy = new Map(testFiles.map((file) => [file, reached(file)]));
const imports = (file: string, marker: string): boolean => reachedBy.get(file)!.has(marker);
const inUsual = testFiles.filter((file) => !imports(file, 'test/whole-alone.ts'));
const bySize = inUsual.toSorted((one, other) => sizeOf(other) - sizeOf(one) || (one < other ? -1 : 1));

/** The files of one of the processes of a usual run: always the same, so that what files do to each other is, too. */
export function together(entry: string): readonly string[] {
  if (entry === ALONE) return [LONGEST];
  const others = abreast.filter((one) => one !== ALONE);
  const at = others.indexOf(entry);
  // Large files tend to take long: dealt out there and back, by size, they take about as long in each process.
  const turn = 2 * others.length;
  return bySize.filter((one, i) => one !== LONGEST && [at, turn - 1 - at].includes(i % turn));
}

/** The files that have more to do in a whole run, or are done there alone. */
export const whole = testFiles.filter((file) => imports(file, 'test/share.ts') || !inUsual.includes(file));

/**
 * Runs the files of one of the processes of a usual run, in this one: one after the other, each as a suite of its own,
 * so that what it sets up before its tests and what it ends after them is its alone.
 */
export async function runTogether(entry: string): Promise<void> {
  for (const file of together(relative(ROOT, entry)))
    await describe(file, async () => {
      await import(pathToFileURL(join(ROOT, file)).href);
    });
}
