import { createHash } from 'node:crypto';
import { type Expr, mapParts } from '../expression/tree/expression.ts';
import { loweringOf } from '../plan/lowering.ts';
import { transitionIn } from '../plan/machines.ts';
import { named } from '../plan/named.ts';
import type { AuditPlan, OverlapPlan, Plan, ResourcePlan, Timing, UniquePlan, ValueRule } from '../plan/step.ts';
import { SHOWN, storedColumns, timedThings } from './tables.ts';

/**
 * The tables and constraints of stored rows, as plain data. It is stored with the rows, so that a migration can compare
 * it with a new document without the old one. It is independent of the kind of store.
 */
export interface StoredShape {
  readonly format: 1;
  readonly resources: readonly ResourceShape[];
}

/**
 * The stored columns and the constraints of a resource. Expressions are lowered: derived fields are replaced by their
 * expressions.
 */
export interface ResourceShape {
  readonly name: string;
  readonly identity: string;
  readonly columns: readonly ColumnShape[];
  readonly uniques: readonly UniqueShape[];
  readonly holds: readonly Expr[];
  readonly overlaps: readonly OverlapShape[];
  readonly timed: readonly TimedShape[];
  /** The first field with states, and the state of a new row. */
  readonly states: StateShape | null;
  /** The other fields with states. Absent where there are none, as in the shapes of earlier releases. */
  readonly furtherStates?: readonly StateShape[];
  /** The changes that are recorded. Absent where none are, as in the shapes of earlier releases. */
  readonly audit?: AuditShape;
  /** The stored columns, those of the service too, in the order of a row. */
  readonly stored: readonly string[];
}

/** The field whose state a timed transition needs; null for an event. */
export const stateFieldOf = ({ states }: ResourceShape, { what, field }: TimedShape): string | null =>
  what === 'event' ? null : (field ?? states?.field ?? null);

/** An audit, apart from how long entries are kept. */
export type AuditShape = Omit<AuditPlan, 'removedBy'>;

interface StateShape {
  readonly field: string;
  readonly initial: string;
}

/** The fields of a resource with states, in the order of the document. */
export const statesIn = ({ states, furtherStates = [] }: ResourceShape): readonly StateShape[] =>
  states ? [states, ...furtherStates] : [];

export interface ColumnShape {
  readonly name: string;
  readonly rule: ValueRule;
  readonly nullable: boolean;
  readonly reference: string | null;
  /** The resource that each item of a list or set of references points at. */
  readonly references?: string | undefined;
  /** True where the stored value is a hash: of a password or, with `secret`, of a secret. */
  readonly password: boolean;
  readonly secret?: true;
  readonly sequence: { readonly per: string | null } | null;
}

export type UniqueShape = Omit<UniquePlan, 'code'>;
export type OverlapShape = Omit<OverlapPlan, 'code'>;

/** A timed event or transition of rows: everything that determines the instant in its hidden column. */
export interface TimedShape {
  readonly column: string;
  readonly name: string;
  readonly what: 'event' | 'move';
  /** The field of the transition where it is not the first one with states; absent otherwise, as in earlier releases. */
  readonly field?: string;
  /** The states in which a row waits for the timed transition; empty for an event. */
  readonly from: readonly string[];
  readonly timing: Timing;
  /** The condition under which the event happens; null if there is none. */
  readonly condition: Expr | null;
}

/** The shape that a plan’s rows are stored in. */
export function shapeOf(plan: Plan): StoredShape {
  const byName = new Map(plan.resources.map((resource) => [resource.name, resource]));
  const lower = (expr: Expr): Expr => asKept(loweringOf((name) => byName.get(name)!, 'all').lower(expr));
  return { format: 1, resources: plan.resources.map((resource) => resourceShape(resource, lower)) };
}

/**
 * Recorded shapes contain `not` in the place of `fails`, since the first releases had no conditions without a result.
 * New shapes keep this form, so that they compare equal with old ones.
 */
function asKept(expr: Expr): Expr {
  const kept = mapParts(expr, asKept);
  return kept.op === 'call' && kept.fn === 'fails' ? { ...kept, fn: 'not' } : kept;
}

function resourceShape(resource: ResourcePlan, lower: (expr: Expr) => Expr): ResourceShape {
  const maybe = (expr: Expr | null): Expr | null => expr && lower(expr);
  return {
    name: resource.name,
    identity: resource.identity,
    columns: resource.columns.map(({ name, rule, nullable, reference, references, password, secret, sequence }) => ({
      name,
      rule,
      nullable,
      reference,
      ...(references !== undefined && { references }),
      password,
      ...(secret && { secret }),
      sequence,
    })),
    uniques: resource.uniques.map(({ fields, ignoringCase, condition }) => ({
      fields,
      ignoringCase,
      condition: maybe(condition),
    })),
    holds: resource.holds.map(({ test }) => lower(test)),
    overlaps: resource.overlaps.map(({ start, end, by, condition }) => ({
      start: lower(start),
      end: lower(end),
      by,
      condition: maybe(condition),
    })),
    timed: timedThings(resource).map(({ column, name, what }) => timedShape(resource, column, name, what, lower)),
    ...statesShape(resource),
    ...(resource.audit && { audit: auditShape(resource.audit) }),
    // Cached JSON is no part of the shape: it may be cleared at any time, and its column is the last.
    stored: storedColumns(resource).flatMap(({ name }) => (name === SHOWN ? [] : [name])),
  };
}

function auditShape({ fields, creation, removal, entries, facts }: AuditPlan): AuditShape {
  return { fields, creation, removal, entries, facts };
}

function statesShape({ machines }: ResourcePlan): Pick<ResourceShape, 'states' | 'furtherStates'> {
  const [states = null, ...furtherStates] = machines.map(({ field, initial }) => ({ field, initial }));
  return furtherStates.length === 0 ? { states } : { states, furtherStates };
}

function timedShape(
  resource: ResourcePlan,
  column: string,
  name: string,
  what: TimedShape['what'],
  lower: (expr: Expr) => Expr,
): TimedShape {
  const base = { column, name, what };
  if (what === 'event') {
    const { instant, condition } = named(resource.events, name).timed!;
    const timing: Timing = { after: 0, instant: lower(instant), move: null };
    return { ...base, from: [], timing, condition: condition && lower(condition) };
  }
  const { field, from, timed } = transitionIn(resource.machines, name);
  const further = field === resource.machines[0]?.field ? {} : { field };
  const timing: Timing = timed!.move === null ? { ...timed!, instant: lower(timed!.instant) } : timed!;
  return { ...base, ...further, from: [...from].sort(), timing, condition: null };
}

/** Returns equal text for equal shapes, whatever the order of members; undefined members are ignored. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Whether two pieces of plain data are equal. */
export const same = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

/** The hash that identifies a shape. */
export const shapeId = (shape: StoredShape): string => createHash('sha256').update(textOf(shape)).digest('hex');
