import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Random } from '../../src/verify/requests/random.ts';
import { readCases } from '../cases.ts';
import { makeDocument } from '../differential/document/make.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** A document whose findings, plan and SQL are frozen, and what the list calls it. */
export interface Frozen {
  readonly name: string;
  readonly text: string;
}

/** The seed of the random documents: it never changes, or nothing could be compared. */
export const SEED = 20261123;
export const RANDOM_DOCUMENTS = 1000;

/** Whole documents, the documents of all cases, and random documents of one seed, in an order that stays the same. */
export function* corpus(): Generator<Frozen> {
  for (const folder of ['examples', 'docs/documents'])
    for (const file of readdirSync(join(ROOT, folder)).sort())
      if (file.endsWith('.md') && file !== 'walk.md')
        yield { name: `${folder}/${file}`, text: readFileSync(join(ROOT, folder, file), 'utf8') };
  for (const file of caseFiles())
    for (const { name, document } of readCases(file)) yield { name: `${placeOf(file)}: ${name}`, text: document };
  for (let i = 0; i < RANDOM_DOCUMENTS; i++)
    yield {
      name: `random ${i}`,
      // Made when it is asked for: most tests take a few of them.
      get text() {
        return makeDocument(Random.of(SEED, i), { groups: false });
      },
    };
}

/** The files of cases below src/, by their paths from the root. */
export function caseFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && entry.parentPath.endsWith('cases'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** What a file of cases is called: the folder that its `cases` stand in and its name, which outlive moves of folders. */
function placeOf(file: string): string {
  const parts = file.split('/');
  return `${parts.at(-3)}/${parts.at(-1)}`;
}
