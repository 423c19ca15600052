import { fieldsOf } from '../../expression/tree/expression.ts';
import { named } from '../../plan/named.ts';
import type { ValueRule } from '../../plan/step.ts';
import { nearest } from '../../text/suggest.ts';
import {
  type ColumnShape,
  type ResourceShape,
  type StoredShape,
  same,
  stateFieldOf,
  statesIn,
  type TimedShape,
} from '../shape.ts';
import { StoreError } from '../store.ts';
import { holdsWords } from '../tables.ts';
import { acceptedAs, describeChange } from './change-kinds.ts';
import type { Change, Conversion, Fill, Replacement } from './changes.ts';
import { renamedShape } from './renames.ts';
import { type Answers, NO_ANSWERS } from './upgrade.ts';

/**
 * The changes to stored rows, in an order that can be executed, and the operator’s answers that fit neither document.
 */
interface Comparison {
  readonly changes: readonly Change[];
  readonly mistakes: readonly string[];
}

/** Computes the changes that turn rows of one shape into rows of another. Equal shapes always give equal changes. */
export function compareShapes(old: StoredShape, next: StoredShape, answers: Answers): Comparison {
  const { shape, changes, mistakes } = renamedShape(old, next, answers.renames);
  const before = new Map(shape.resources.map((resource) => [resource.name, resource]));
  const after = new Set(next.resources.map((resource) => resource.name));
  const out: Change[] = [];
  for (const { name } of shape.resources) if (!after.has(name)) out.push({ kind: 'drop resource', resource: name });
  for (const resource of next.resources) {
    const was = before.get(resource.name);
    if (!was) out.push({ kind: 'add resource', resource: resource.name });
    // Rows and references use the identity as their key: with another identity, no row can be carried over.
    else if (!sameIdentity(was, resource))
      out.push({ kind: 'drop resource', resource: was.name }, { kind: 'add resource', resource: resource.name });
    else out.push(...compareResource(was, resource, answers));
  }
  out.push(...unrecorded(shape, next, out));
  const all = [...changes, ...out];
  const wrong = [...unusedAnswers(shape, next, all, answers), ...readTooEarly(all), ...renamedAnew(all)];
  return { changes: all, mistakes: [...mistakes, ...wrong] };
}

/** Renames to a field that cannot take the values, such as that of a secret to a text that is shown. */
function renamedAnew(changes: readonly Change[]): string[] {
  return changes.flatMap((one) => {
    if (one.kind !== 'rename field') return [];
    const isDropped = changes.some(
      (other) => other.kind === 'drop field' && other.resource === one.resource && other.field === one.field,
    );
    if (!isDropped) return [];
    return `--rename: the values of ${one.resource}.${one.from} cannot be those of ${one.resource}.${one.field}, which has another type. Remove the option: the old field then goes, and the new one is added.`;
  });
}

/** Expressions of `--replace` that read a field which the migration fills afterwards. */
function readTooEarly(changes: readonly Change[]): string[] {
  return changes.flatMap((one) => {
    if (one.kind !== 'replace value' || typeof one.by === 'string') return [];
    const read = fieldsOf(one.by.expr, 'this');
    return changes.flatMap((other) => {
      const fills = (other.kind === 'add field' || other.kind === 'require field') && other.fill !== null;
      if (!fills || other.resource !== one.resource || !read.has(other.field)) return [];
      const path = `${one.resource}.${one.field}`;
      return `--replace: the expression for “${one.value}” of ${path} reads ${other.field}, which this migration fills: values are replaced first.`;
    });
  });
}

/** Throws unless rows have the shape of the document: opening others would break the rules of their own document. */
export function mustFit(stored: StoredShape, next: StoredShape): void {
  if (same(stored, next)) return;
  const changes = compareShapes(stored, next, NO_ANSWERS).changes.map(describeChange);
  // The shapes are equal, but another version of Ninefold wrote the stored one differently.
  if (changes.length === 0) return;
  const more = changes.length > 3 ? `; and ${changes.length - 3} more` : '';
  throw new StoreError(
    'shape',
    `The rows have the shape of another document. With this document, ${changes.slice(0, 3).join('; ')}${more}. Use the document of these rows, or migrate them with \`ninefold migrate\` or \`serve\`.`,
  );
}

/** Thrown where the rows have been migrated to another document since this process opened them. */
export const MOVED_ON = new StoreError(
  'shape',
  'The rows have been migrated to another document meanwhile. This document no longer reads or writes them.',
);

function sameIdentity(was: ResourceShape, next: ResourceShape): boolean {
  const [a, b] = [columnOf(was, was.identity), columnOf(next, next.identity)];
  return was.identity === next.identity && a.rule.kind === b.rule.kind && a.reference === b.reference;
}

const columnOf = (resource: ResourceShape, name: string): ColumnShape => named(resource.columns, name);

function compareResource(was: ResourceShape, next: ResourceShape, answers: Answers): Change[] {
  const out: Change[] = [];
  const resource = next.name;
  const known = new Map(was.columns.map((column) => [column.name, column]));
  const fill = (field: string): Fill | null => answers.fills.get(`${resource}.${field}`) ?? null;
  for (const { name } of was.columns)
    if (!next.columns.some((column) => column.name === name)) out.push({ kind: 'drop field', resource, field: name });
  for (const column of next.columns) {
    const before = known.get(column.name);
    const add = (): Change => ({ kind: 'add field', resource, field: column.name, fill: fill(column.name) });
    if (!before) out.push(add());
    else if (conversionOf(before, column) === null)
      out.push({ kind: 'drop field', resource, field: column.name }, add());
    else out.push(...compareColumn(resource, before, column, answers));
  }
  out.push(...compareRules(was, next), ...compareTimed(was, next));
  const [words, nextWords] = [was, next].map(({ stored }) => stored.filter(holdsWords));
  if (!same(words, nextWords)) out.push({ kind: 'change search', resource, columns: nextWords ?? [] });
  if (!same(was.audit, next.audit)) out.push({ kind: 'change audit', resource, fields: next.audit?.fields ?? [] });
  const [states, nextStates] = [statesIn(was), statesIn(next)];
  for (const one of nextStates) {
    if (states.some((other) => same(one, other))) continue;
    const field = nextStates.length > 1 ? ` in the field ${one.field}` : '';
    out.push({ kind: 'keep', resource, what: `a new row begins as ${one.initial}${field}` });
  }
  // The order of columns may change, and hidden columns may come and go.
  if (!out.length && !same(was.stored, next.stored))
    out.push({ kind: 'keep', resource, what: 'the order of the fields changes' });
  return out;
}

/** The changes of values of audited fields, which no entry records, and of values in entries. */
function unrecorded(old: StoredShape, next: StoredShape, changes: readonly Change[]): Change[] {
  const audited = (shape: StoredShape, resource: string, field: string): boolean =>
    shape.resources.find(({ name }) => name === resource)?.audit?.fields.includes(field) === true;
  return changes.flatMap((change): Change[] => {
    const isFilled = (change.kind === 'add field' || change.kind === 'require field') && change.fill !== null;
    if (!isFilled && change.kind !== 'replace value') return [];
    const { kind, resource, field } = change;
    const isEntry = [old, next].every((shape) => shape.resources.some(({ audit }) => audit?.entries === resource));
    if (!isEntry && ![old, next].every((shape) => audited(shape, resource, field))) return [];
    // A new field has no value in any row.
    return [{ kind: 'unrecorded', resource, field, value: kind === 'replace value' ? change.value : null }];
  });
}

function compareColumn(resource: string, was: ColumnShape, next: ColumnShape, answers: Answers): Change[] {
  const out: Change[] = [];
  const field = next.name;
  const path = `${resource}.${field}`;
  const conversion = conversionOf(was, next);
  if (conversion !== 'none' && conversion !== null)
    out.push({ kind: 'convert field', resource, field, conversion, from: was, to: next });
  for (const [value, by] of answers.replaced.get(path) ?? [])
    if (was.rule.oneOf?.includes(value) && isReplaced(was, next, value, by))
      out.push({ kind: 'replace value', resource, field, value, by });
  if (!same(was.rule, next.rule) || conversion !== 'none')
    out.push(
      contains(next.rule, was.rule)
        ? { kind: 'widen values', resource, field }
        : { kind: 'narrow values', resource, field, to: next },
    );
  if (was.nullable && !next.nullable)
    out.push({ kind: 'require field', resource, field, fill: answers.fills.get(path) ?? null });
  if (!was.nullable && next.nullable) out.push({ kind: 'free field', resource, field });
  if (was.reference !== next.reference) out.push({ kind: 'refer', resource, field, to: next.reference });
  if (was.references !== next.references)
    out.push({ kind: 'refer items', resource, field, to: next.references ?? null });
  if (!same(was.sequence, next.sequence)) out.push({ kind: 'change sequence', resource, field, to: next.sequence });
  return out;
}

/**
 * Whether a value is replaced: because the field no longer has it, or because an expression distributes its rows over
 * values that are new.
 */
function isReplaced(was: ColumnShape, next: ColumnShape, value: string, by: Replacement): boolean {
  if (!next.rule.oneOf?.includes(value)) return true;
  return typeof by !== 'string' && next.rule.oneOf.some((one) => !was.rule.oneOf?.includes(one));
}

function compareRules(was: ResourceShape, next: ResourceShape): Change[] {
  const resource = next.name;
  const [uniques, holds, overlaps] = [
    without(was.uniques, next.uniques),
    without(was.holds, next.holds),
    without(was.overlaps, next.overlaps),
  ];
  return [
    ...uniques.map((rule): Change => ({ kind: 'drop unique', resource, rule })),
    ...holds.map((rule): Change => ({ kind: 'drop holds', resource, rule })),
    ...overlaps.map((rule): Change => ({ kind: 'drop overlap', resource, rule })),
    ...without(next.uniques, was.uniques).map((rule): Change => ({ kind: 'add unique', resource, rule })),
    ...without(next.holds, was.holds).map((rule): Change => ({ kind: 'add holds', resource, rule })),
    ...without(next.overlaps, was.overlaps).map((rule): Change => ({ kind: 'add overlap', resource, rule })),
  ];
}

/** Returns the items of the first list that the second list lacks. */
function without<T>(from: readonly T[], among: readonly T[]): T[] {
  const there = new Set(among.map(meaning));
  return from.filter((one) => !there.has(meaning(one)));
}

/** The meaning of an expression as text. Allowed values and absence are left out: they are compared with the field. */
function meaning(rule: unknown): string {
  return JSON.stringify(rule, (key, value: unknown) =>
    key === 'oneOf' || key === 'owner' || key === 'nullable' ? undefined : value,
  );
}

function compareTimed(was: ResourceShape, next: ResourceShape): Change[] {
  const resource = next.name;
  const of = (list: readonly TimedShape[], one: TimedShape) => list.find(({ column }) => column === one.column);
  const isSameTimer = (before: TimedShape, timed: TimedShape): boolean =>
    meaning({ ...before, field: stateFieldOf(was, before) }) ===
    meaning({ ...timed, field: stateFieldOf(next, timed) });
  return [
    ...was.timed.flatMap((timed): Change[] => (of(next.timed, timed) ? [] : [{ kind: 'drop timer', resource, timed }])),
    ...next.timed.flatMap((timed): Change[] => {
      const before = of(was.timed, timed);
      if (!before) return [{ kind: 'add timer', resource, timed }];
      return isSameTimer(before, timed) ? [] : [{ kind: 'change timer', resource, timed, before }];
    }),
  ];
}

/** The conversion of one column’s values to another’s: `none` where equal, null where values could be lost. */
function conversionOf(was: ColumnShape, next: ColumnShape): Conversion | 'none' | null {
  if (was.password !== next.password || was.secret !== next.secret) return null;
  return conversion(was.rule, next.rule);
}

function conversion(was: ValueRule, next: ValueRule): Conversion | 'none' | null {
  const kinds = `${was.kind} to ${next.kind}`;
  if (was.items || next.items) return sameItems(was, next) ? 'none' : null;
  if (kinds === 'uuid to text' || kinds === 'text to uuid') return { how: kinds };
  const digits = (next.scale ?? 0) - (was.scale ?? 0);
  const numbers = ['integer', 'decimal'];
  if (was.kind !== next.kind && !(numbers.includes(was.kind) && numbers.includes(next.kind))) return null;
  if (digits === 0) return 'none';
  return { how: digits > 0 ? 'multiply' : 'divide', by: 10 ** Math.abs(digits) };
}

/** A set is a list without repetitions; the items themselves have to be as they were. */
function sameItems(was: ValueRule, next: ValueRule): boolean {
  const collections = was.kind === next.kind || (was.kind === 'set' && next.kind === 'list');
  return collections && was.items !== null && next.items !== null && conversion(was.items, next.items) === 'none';
}

/** Whether one rule allows every value that another allows. False where this cannot be decided. */
function contains(wider: ValueRule, narrower: ValueRule): boolean {
  // Bounds of decimals are integers in units of the last digit: 200 with two decimal places equals 2000 with three.
  const digits = Math.max(digitsOf(wider), digitsOf(narrower));
  const bound = (value: number, of: ValueRule): bigint => BigInt(value) * 10n ** BigInt(digits - digitsOf(of));
  const least =
    wider.min === null || (narrower.min !== null && bound(narrower.min, narrower) >= bound(wider.min, wider));
  const most =
    wider.max === null || (narrower.max !== null && bound(narrower.max, narrower) <= bound(wider.max, wider));
  const { oneOf } = wider;
  const values = oneOf === null || narrower.oneOf?.every((value) => oneOf.includes(value)) === true;
  const whole = wider.whole === null || (narrower.whole !== null && narrower.whole % wider.whole === 0);
  const inner = (a: ValueRule | null, b: ValueRule | null): boolean => a === null || (b !== null && contains(a, b));
  return (
    (wider.kind !== 'uuid' || narrower.kind === 'uuid') &&
    digitsOf(wider) === digits &&
    least &&
    most &&
    values &&
    whole &&
    (wider.pattern === null || wider.pattern === narrower.pattern) &&
    (wider.format === null || wider.format === narrower.format) &&
    inner(wider.items, narrower.items) &&
    inner(wider.keys, narrower.keys)
  );
}

/** Number of decimal places of a value; 0 where it is no decimal. */
const digitsOf = ({ scale }: ValueRule): number => scale ?? 0;

/**
 * Finds answers of the operator that have no effect, since a mistyped name would otherwise be ignored. An answer that
 * an earlier migration has used is accepted, unless this migration has a question that it could be meant for. `stored`
 * has the names of the new document.
 */
function unusedAnswers(stored: StoredShape, next: StoredShape, changes: readonly Change[], answers: Answers): string[] {
  return [...unusedAcceptances(stored, changes, answers), ...unusedReplacements(stored, next, answers)];
}

function unusedAcceptances(stored: StoredShape, changes: readonly Change[], { accepted }: Answers): string[] {
  const losing = changes.flatMap((change) => acceptedAs(change) ?? []);
  const open = losing.filter((name) => !accepted.has(name));
  return [...accepted].flatMap((name) => {
    if (losing.includes(name)) return [];
    const [resource, ...names] = name.replace(/^drop /, '').split('.');
    const field = names.length ? names.join('.') : undefined;
    const there = stored.resources.find((one) => one.name === resource);
    if (there && (field === undefined || there.columns.some((column) => column.name === field)))
      return `--accept “${name}”: the document keeps ${name.replace(/^drop /, '')}, so nothing of it is lost. Remove the option.`;
    if (open.length === 0) return [];
    const meant = nearest(name, open);
    return `--accept “${name}”: this migration has no such change. ${meant ? `Did you mean “${meant}”?` : `Changes that lose values: ${open.join(', ')}.`}`;
  });
}

function unusedReplacements(stored: StoredShape, next: StoredShape, { replaced }: Answers): string[] {
  return [...replaced].flatMap(([path, values]) => {
    const [resource = '', field = ''] = path.split('.');
    const before = stored.resources.find((one) => one.name === resource)?.columns.find((one) => one.name === field);
    const known = before?.rule.oneOf ?? [];
    const kept = named(named(next.resources, resource).columns, field).rule.oneOf ?? [];
    const open = known.filter((value) => !kept.includes(value) && !values.has(value));
    if (open.length === 0) return [];
    return [...values.keys()].flatMap((value) => {
      if (known.includes(value)) return [];
      const meant = nearest(value, open);
      return `--replace: the stored rows have no value “${value}” of ${path}. ${meant ? `Did you mean “${meant}”?` : `Removed values: ${open.join(', ')}.`}`;
    });
  });
}
