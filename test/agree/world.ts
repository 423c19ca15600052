import { readFileSync } from 'node:fs';
import { compile } from '../../src/compiler/compile.ts';
import { Resolved } from '../../src/compiler/document/resolve.ts';
import { checkExpression, type Scope } from '../../src/compiler/expression/check.ts';
import { parseExpression } from '../../src/compiler/expression/parse.ts';
import { readModel } from '../../src/compiler/read/read.ts';
import { checkResources } from '../../src/compiler/resources/check.ts';
import type { Expr } from '../../src/expression/tree/expression.ts';
import * as t from '../../src/expression/tree/types.ts';
import { sortedMap } from '../../src/expression/values/json.ts';
import type { Row, Value } from '../../src/expression/values/value.ts';
import type { Plan } from '../../src/plan/step.ts';
import { REVISION, storedColumns } from '../../src/store/tables.ts';
import type { Finding } from '../../src/syntax/diagnostic.ts';
import { readMarkdown } from '../../src/syntax/markdown.ts';
import { codeToken } from '../../src/syntax/tokens.ts';
import { fc } from '../seeded.ts';

const SOURCE = readFileSync(new URL('world.md', import.meta.url), 'utf8');

/** The plan of a document that has a field of every type. */
export const PLAN: Plan = compile('world.md', SOURCE).plan!;

/** What steps have named, for conditions that compare rows with values from outside. */
export const NAMES = ['wanted', 'word', 'words', 'mine'] as const;
const NAME_TYPES = new Map<string, t.Type>([
  ['wanted', t.nullable(t.INTEGER, true)],
  ['word', { ...t.STRING, nullable: true }],
  ['words', { kind: 'list', of: t.STRING, nullable: false }],
  ['mine', { kind: 'row', resource: 'Thing', nullable: false }],
]);

/** Types an expression over a row of Thing; throws what it finds. */
export class Typer {
  private readonly scope: Scope;

  constructor() {
    const notes = { findings: [] as Finding[], marks: [] };
    const { model } = readModel(readMarkdown(SOURCE, notes.findings), notes);
    const resolved = new Resolved(model, notes);
    checkResources(resolved);
    this.scope = resolved.scope(NAME_TYPES, 'Thing', true);
  }

  type(text: string): Expr {
    const findings: Finding[] = [];
    const parsed = parseExpression(codeToken(text), findings);
    const expr = parsed && checkExpression(parsed, this.scope, null, '', { findings, marks: [] });
    if (!expr) throw new Error(`${findings.map((one) => one.message).join(' ')}\n${text}`);
    return expr;
  }
}

/** What stands in tables: rows by resource, each a value for every field. */
export type Fields = Readonly<Record<string, Value>>;
export interface Tables {
  readonly Card: readonly Fields[];
  readonly Shelf: readonly Fields[];
  readonly Thing: readonly Fields[];
}

/** A row as the store takes it. */
export function stored(resource: string, fields: Fields): Row {
  const plan = PLAN.resources.find((one) => one.name === resource)!;
  return storedColumns(plan).map(({ name }) => (name === REVISION ? 1 : (fields[name] ?? null)));
}

/** Characters that compare, count and search differently where an engine works in bytes or in UTF-16 units. */
export const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'B', 'é', 'ß', '\u{e000}', '￿', '😀', '%', '_', "'", '?', ' ', '-', ','),
  maxLength: 4,
});
const small = fc.integer({ min: -9, max: 9 });
/** About when clocks change, in the zones below. */
const instants = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000_000_000 }),
  fc.integer({ min: -5, max: 5 }).map((hours) => Date.UTC(2026, 2, 29, 1) + hours * 1_800_000),
);
const days = fc.integer({ min: 0, max: 20_000 }).map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const id = (n: number): string => `0195c2a0-0000-7000-8000-00000000000${n}`;

const shelf = fc.record({
  name: texts,
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'),
});
const thing = fc.record({
  shelf: fc.nat(2),
  twin: fc.option(fc.nat(9)),
  number: small,
  maybe: fc.option(small),
  text: texts,
  note: fc.option(texts),
  flag: fc.boolean(),
  mark: fc.option(fc.boolean()),
  status: fc.constantFrom('draft', 'open', 'done'),
  at: instants,
  until: fc.option(instants),
  price: fc.integer({ min: -9999, max: 9999 }),
  weight: fc.option(fc.integer({ min: -9999, max: 9999 })),
  day: days,
  length: fc.integer({ min: -100_000_000, max: 100_000_000 }),
  tags: fc.array(texts, { maxLength: 3 }),
  sizes: fc.array(small, { maxLength: 3 }),
  flags: fc.array(fc.boolean(), { maxLength: 3 }),
  marks: fc.dictionary(fc.constantFrom('a', 'é', 'A', '__proto__', '10', '9'), texts, { maxKeys: 3 }),
  card: fc.option(fc.nat(2)),
});

const card = fc.record({ points: small, open: fc.boolean() });

/** Tables whose references point at rows that are there; some cards are hidden. */
export const tables: fc.Arbitrary<Tables> = fc
  .tuple(
    fc.array(shelf, { minLength: 3, maxLength: 3 }),
    fc.array(thing, { minLength: 1, maxLength: 5 }),
    fc.array(card, { minLength: 3, maxLength: 3 }),
  )
  .map(([shelves, things, cards]) => ({
    Card: cards.map((fields, i) => ({ ...fields, id: i })),
    Shelf: shelves.map((fields, i) => ({ ...fields, id: i })),
    Thing: things.map((fields, i) => ({
      ...fields,
      id: id(i),
      marks: sortedMap(Object.entries(fields.marks)),
      twin: fields.twin === null ? null : id(fields.twin % things.length),
    })),
  }));

/** Values for what steps have named; `mine` is the place of a row. */
export const outside = fc.record({
  wanted: fc.option(small),
  word: fc.option(texts),
  words: fc.array(texts, { maxLength: 3 }),
  mine: fc.nat(4),
});
