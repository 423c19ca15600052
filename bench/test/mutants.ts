import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Plan } from '../../src/plan/step.ts';
import { type Choice, type Edit, edited } from './mutants/edit.ts';
import { expressions } from './mutants/expressions.ts';
import { lists, longer } from './mutants/lists.ts';
import { namesOf, otherNames, renamed } from './mutants/names.ts';
import { numbers } from './mutants/numbers.ts';
import { type Place, placesOf } from './mutants/places.ts';
import { linesOf, whole } from './mutants/whole.ts';
import { words } from './mutants/words.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A whole document, and the name that messages and results give it. */
export interface Original {
  readonly name: string;
  readonly text: string;
}

/** A document with one statement changed, so that whoever implements it breaks that statement of the original. */
export interface Mutant {
  /** The same in every run: the document, the line and what is changed. */
  readonly id: string;
  readonly document: string;
  /** The line of the original that is changed first, and all that are. */
  readonly line: number;
  readonly lines: readonly number[];
  /** The part and the bullet, column or verb of the statement. */
  readonly kind: string;
  /** What is done to it. */
  readonly how: string;
  /** The first line of the original that is changed, and what is there instead. */
  readonly from: string;
  readonly to: string;
  /** Whether the contracts differ, or the plans alone. */
  readonly differs: 'contract' | 'plan';
  readonly text: string;
}

/** Every document in `examples/` but the walk, which is about another one, and every document that the reference quotes. */
export function originals(): Original[] {
  return ['examples', 'docs/documents'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((file) => file.endsWith('.md') && file !== 'walk.md')
      .sort()
      .map((name) => ({ name, text: readFileSync(join(ROOT, folder, name), 'utf8') })),
  );
}

/** What callers can meet, wherever it is written. */
const contractText = (plan: Plan): string =>
  JSON.stringify(contractOf(plan), (key, part: unknown) => (key === 'lines' ? undefined : part));

/** What of a plan nobody can see from outside: where it is written, what is only for people, and what a hash costs. */
const UNSEEN = new Set(['line', 'lines', 'prose', 'document', 'passwords', 'room', 'reads']);

const planText = (plan: Plan): string =>
  JSON.stringify({ ...plan, title: '' }, (key, part: unknown) => (UNSEEN.has(key) ? undefined : part));

/** Every mutant of a document, in the order of its lines. Equivalent ones, and ones that another one equals, are left out. */
export function mutantsOf(original: Original): Mutant[] {
  const { name, text } = original;
  const compiled = compile(name, text);
  const { plan } = compiled;
  if (!plan || compiled.findings.length) throw new Error(`${name} has findings: it cannot be held to itself`);
  const [contract, whole] = [contractText(plan), planText(plan)];
  const known = new Set([whole]);
  const tried = new Set([text]);
  const mutant = (edit: Edit): Mutant | null => {
    const changed = edited(text, edit);
    if (tried.has(changed)) return null;
    tried.add(changed);
    const { findings, plan } = compile(name, changed);
    if (!plan || findings.length) return null;
    const planned = planText(plan);
    if (known.has(planned)) return null;
    known.add(planned);
    return describe(original, edit, changed, contractText(plan) === contract ? 'plan' : 'contract');
  };
  const mutants = choices(original, compiled, plan).flatMap(({ edits, most }) => {
    const made: Mutant[] = [];
    for (const edit of edits) {
      const one = made.length < most ? mutant(edit) : null;
      if (one) made.push(one);
    }
    return made;
  });
  return mutants.sort((a, b) => a.line - b.line || (a.id < b.id ? -1 : 1));
}

function choices({ text }: Original, compiled: ReturnType<typeof compile>, plan: Plan): Choice[] {
  const places = placesOf(text);
  const names = namesOf(plan);
  const literals = [...new Set([...text.matchAll(/"([a-z_]+)"/g)].map(([, one = '']) => one))];
  const items = [...new Set(names.flat())];
  const own = (place: Place): Choice[] => [
    ...numbers(place),
    ...words(place),
    ...expressions(place, literals),
    ...lists(place, compiled),
    ...longer(place, items),
  ];
  return [
    ...places.flatMap(own),
    ...otherNames(places, compiled, names),
    ...renamed(places, compiled),
    ...whole(text, places),
  ];
}

function describe(original: Original, edit: Edit, text: string, differs: Mutant['differs']): Mutant {
  const lines = linesOf(original.text, edit);
  const [line = 1] = lines;
  const [from = '', to = ''] = [original.text, text].map((one) => one.split('\n')[line - 1] ?? '');
  const { kind, how } = edit;
  const id = `${original.name}:${line} ${kind}: ${how}: ${edit.stretches.map(({ from, by }) => `${from} ${by}`)[0]}`;
  return { id, document: original.name, line, lines, kind, how, from, to, differs, text };
}

/** How many mutants there are, as a table: documents across, kinds down. */
export function counted(mutants: readonly Mutant[]): string {
  const documents = [...new Set(mutants.map(({ document }) => document))];
  const kinds = [...new Set(mutants.map(({ kind }) => kind))].sort();
  const of = (kind: string | null, document: string | null): number =>
    mutants.filter((one) => (kind ?? one.kind) === one.kind && (document ?? one.document) === one.document).length;
  const row = (first: string, kind: string | null): string =>
    [first.padEnd(40), ...documents.map((one) => `${of(kind, one)}`.padStart(6)), `${of(kind, null)}`.padStart(7)].join(
      '',
    );
  const head = ['kind'.padEnd(40), ...documents.map((one) => one.slice(0, 5).padStart(6)), '    all'].join('');
  return [head, ...kinds.map((kind) => row(kind, kind)), row('all', null)].join('\n');
}

if (import.meta.main) {
  const mutants = originals().flatMap(mutantsOf);
  const asked = process.argv[2];
  if (asked)
    for (const { id, from, to } of mutants.filter(({ document }) => document === asked))
      console.log(`${id}\n- ${from}\n+ ${to}`);
  console.log(counted(mutants));
}
