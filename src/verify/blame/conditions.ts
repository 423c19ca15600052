import { type Expr, type Fn, mapParts, parts } from '../../expression/tree/expression.ts';
import { BOOLEAN, comparable, STRING, scalarType, type Type } from '../../expression/tree/types.ts';
import { isScalarKind, isScalarType } from '../../expression/values/kinds.ts';
import type { ColumnPlan, ResourcePlan } from '../../plan/step.ts';
import { neighbours } from '../statements/bounds.ts';

/** A condition with a constant result. */
export const always = (value: boolean): Expr => ({ op: 'const', value, type: BOOLEAN });

/** The negation of a condition. It holds both where the condition is false and where the condition has no result. */
export const contrary = (test: Expr): Expr => ({
  op: 'if',
  test,
  then: always(false),
  else: always(true),
  type: BOOLEAN,
});

/** The time zone of implementations that have not thought of time zones. */
const UTC: Expr = { op: 'const', value: 'UTC', type: STRING };

/** Comparisons, and the similar ones that an implementation may confuse with them. */
const NEAR: Readonly<Partial<Record<Fn, readonly Fn[]>>> = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  and: ['or'],
  or: ['and'],
  '+': ['-'],
  '-': ['+'],
  contains: ['startsWith', 'endsWith'],
  startsWith: ['contains'],
  endsWith: ['contains'],
};

/** Functions that change a text before a comparison: a service that compares the unchanged text leaves them out. */
const CHANGING: ReadonlySet<Fn> = new Set(['lowerAscii', 'upperAscii', 'lower', 'upper', 'trim']);

/** Alterations of a query: the opposite order, no condition, and the last row in place of the first. */
function* queries(query: Extract<Expr, { op: 'query' }>): Generator<Expr> {
  const { fn, where, order } = query;
  if (order?.length)
    yield {
      ...query,
      order: order.map((one) => ({ ...one, descending: !one.descending })),
      backwards: !query.backwards,
    };
  if (where) yield { ...query, where: null };
  if (fn === 'min' || fn === 'max') yield { ...query, fn: fn === 'min' ? 'max' : 'min' };
}

/** The expressions that differ from `expr` in a single place: another comparison, or one operand left out. */
function* variants(expr: Expr): Generator<Expr> {
  if (expr.op === 'call') {
    // Text has no subtraction that could be confused with `+`.
    if (expr.type.kind !== 'string') for (const fn of NEAR[expr.fn] ?? []) yield { ...expr, fn };
    if (expr.fn === '==' || expr.fn === '!=') yield* otherTexts(expr);
    if (expr.fn === 'and' || expr.fn === 'or' || CHANGING.has(expr.fn)) yield* expr.args;
  }
  if (expr.type.kind === 'boolean') yield contrary(expr);
  if (expr.op === 'each' && expr.macro === 'filter') yield expr.list;
  if (expr.op === 'each' && expr.macro === 'exists') yield { ...expr, macro: 'all' };
  if (expr.op === 'each' && expr.macro === 'all') yield { ...expr, macro: 'exists' };
  if (expr.op === 'list' && expr.items.length > 1)
    for (const item of expr.items) yield { ...expr, items: expr.items.filter((one) => one !== item) };
  if (expr.op === 'rows' && expr.among === 'every') yield { op: 'rows', resource: expr.resource, type: expr.type };
  if (expr.op === 'query') yield* queries(expr);
  if (expr.op === 'const') yield* neighbours(expr);
  if (expr.type.kind === 'string' && expr.type.format === 'time zone') yield UTC;
  for (const part of new Set(parts(expr)))
    for (const other of variants(part)) yield mapParts(expr, (one) => (one === part ? other : one));
}

/**
 * The expressions that an implementation may confuse with `expr`: first those that differ in a single place, then those
 * that read another field of the same type. With `stored`, only stored fields replace a field: the expression of a
 * derived field could otherwise read the derived field itself.
 */
export function* near(expr: Expr, resources: readonly ResourcePlan[], stored = false): Generator<Expr> {
  yield* variants(expr);
  const known = stored ? resources.map((one) => ({ ...one, derived: [] })) : resources;
  yield* withOtherFields(expr, known);
}

/** The number of other fields that are tried. */
const OTHER_FIELDS = 2;

function* withOtherFields(expr: Expr, resources: readonly ResourcePlan[]): Generator<Expr> {
  if (expr.op === 'get') yield* otherFields(expr, resources);
  for (const part of new Set(parts(expr)))
    for (const other of withOtherFields(part, resources)) yield mapParts(expr, (one) => (one === part ? other : one));
}

/** The number of other texts of a field that are tried. */
const OTHER_TEXTS = 2;

/** Comparisons with other allowed texts of the field, such as another state. */
function* otherTexts(comparison: Extract<Expr, { op: 'call' }>): Generator<Expr> {
  const { args } = comparison;
  const texts = args.flatMap(({ op, type }) => (op !== 'const' && type.kind === 'string' ? (type.oneOf ?? []) : []));
  for (const [i, one] of args.entries())
    if (one.op === 'const' && typeof one.value === 'string')
      for (const value of after(texts, texts.indexOf(one.value)).slice(0, OTHER_TEXTS))
        yield { ...comparison, args: args.with(i, { ...one, value }) };
}

/** The items of a list except the one at an index: those after it come first. All items if the index is negative. */
const after = <T>(all: readonly T[], at: number): readonly T[] => [
  ...all.slice(at + 1),
  ...all.slice(0, Math.max(0, at)),
];

type Get = Extract<Expr, { op: 'get' }>;

const readFrom = ({ of: { type } }: Get, resources: readonly ResourcePlan[]): ResourcePlan | undefined =>
  type.kind === 'row' ? resources.find(({ name }) => name === type.resource) : undefined;

/** A field that can be compared: of a row, stored or derived. */
interface Comparable {
  readonly name: string;
  readonly kind: Type;
  readonly derived: boolean;
}

/** The fields of the row from which a field is read, beginning with those after that field. */
function fieldsBeside(get: Get, resources: readonly ResourcePlan[]): readonly Comparable[] {
  const resource = readFrom(get, resources);
  if (!resource) return [];
  const fields = [
    ...resource.columns.flatMap((column) => {
      const kind = kindOf(column);
      return kind === null ? [] : [{ name: column.name, kind, derived: false }];
    }),
    ...resource.derived.map(({ name, value }) => ({ name, kind: value.type, derived: true })),
  ];
  return after(
    fields,
    fields.findIndex(({ name }) => name === get.member),
  );
}

const reading = ({ derived: _, ...read }: Get, { name, derived }: Comparable): Get => ({
  ...read,
  member: name,
  ...(derived && { derived: true as const }),
});

/** Expressions that read one of the next fields instead: an implementation may confuse neighbouring fields. */
function otherFields(get: Get, resources: readonly ResourcePlan[]): Expr[] {
  return fieldsBeside(get, resources)
    .filter(({ kind }) => kind.kind === get.type.kind && comparable(kind, get.type))
    .slice(0, OTHER_FIELDS)
    .map((one) => reading(get, one));
}

/** Sort keys of another type than the given field: the identity, and the next fields. */
export function fieldsOfOtherTypes(by: Expr, resources: readonly ResourcePlan[]): Expr[] {
  if (by.op === 'call' && by.fn === 'or lowest') return by.args.flatMap((one) => fieldsOfOtherTypes(one, resources));
  if (by.op !== 'get') return [];
  const identity = readFrom(by, resources)?.identity;
  const others = fieldsBeside(by, resources).filter(
    ({ kind }) => isScalarType(kind.kind) && kind.kind !== by.type.kind,
  );
  const first = others.filter(({ name }) => name === identity);
  const next = others.filter(({ name }) => name !== identity).slice(0, OTHER_FIELDS);
  return [...first, ...next].map((one) => ({ ...reading(by, one), type: one.kind }));
}

/** The type of a column's values; null if such values are never compared. */
function kindOf({ rule: { kind, scale }, nullable, reference, password }: ColumnPlan): Type | null {
  if (password) return null;
  if (reference !== null) return { kind: 'row', resource: reference, nullable };
  // A UUID is compared like any text.
  return isScalarKind(kind) ? scalarType(kind === 'uuid' ? 'text' : kind, scale, nullable) : null;
}
