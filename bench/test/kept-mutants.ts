import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Mutant, mutantsOf, type Original } from './mutants.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIRECTORY = join(ROOT, 'bench', 'data', 'test');
/** What decides which mutants there are, beside the document. */
const DECIDING = [
  'src/{compiler,contract,plan,expression,store,validation,text}/**/*.ts',
  'bench/test/mutants{.ts,/*.ts}',
];

/** The mutants of a document, which are kept in a file until the document, or what makes them, is another. */
export function keptMutantsOf(original: Original): Mutant[] {
  const hash = createHash('sha256').update(original.text);
  for (const file of globSync(DECIDING, { cwd: ROOT }).sort())
    if (!file.endsWith('.test.ts')) hash.update(readFileSync(join(ROOT, file)));
  const file = join(DIRECTORY, `${original.name}-${hash.digest('hex').slice(0, 16)}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Mutant[];
  const mutants = mutantsOf(original);
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(file, JSON.stringify(mutants));
  return mutants;
}
