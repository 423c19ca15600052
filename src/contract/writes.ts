import { conjuncts, type Expr, parts } from '../expression/tree/expression.ts';
import { transitionIn } from '../plan/machines.ts';
import type { ResourcePlan } from '../plan/step.ts';
import type { PlanReader } from './plan-reader.ts';

/** A write to rows of a resource, with the facts that decide which rules it may violate. */
export interface Write {
  readonly resource: string;
  readonly kind: 'created' | 'changed' | 'removed';
  /** The fields that may change, including fields with assigned values. */
  readonly fields: ReadonlySet<string>;
  /** The states of the row after the write, by their fields, as far as the write sets them. */
  readonly states: ReadonlyMap<string, string>;
}

/** A rule of a resource, with the fields and expressions that it reads. */
interface Looked {
  readonly resource: string;
  readonly fields: readonly string[];
  readonly expressions: readonly Expr[];
  /** The condition under which the rule applies; null if it always applies. */
  readonly condition: Expr | null;
}

export const removedRow = ({ name }: ResourcePlan): Write => ({
  resource: name,
  kind: 'removed',
  fields: new Set(),
  states: new Map(),
});

export const createdRow = ({ name, machines }: ResourcePlan): Write => ({
  resource: name,
  kind: 'created',
  fields: new Set(),
  states: new Map(machines.map(({ field, initial }) => [field, initial])),
});

/**
 * A change of a row, with the fields that get a value from a step, or become absent because the row that they reference
 * is removed.
 */
export const changedRow = (resource: ResourcePlan, assigned: readonly string[]): Write =>
  changed(resource, 'change', assigned);

/** A move of a row by a transition, with the fields to which a step gives values. */
export function movedRow(resource: ResourcePlan, by: string, assigned: readonly string[]): Write {
  const { field, to } = transitionIn(resource.machines, by);
  return changed(resource, by, [field, ...assigned], new Map([[field, to]]));
}

function changed(
  resource: ResourcePlan,
  moment: string,
  fields: readonly string[],
  states: Write['states'] = new Map(),
): Write {
  const given = resource.givings.flatMap((one) =>
    one.moment === moment || one.moment === 'change' ? [one.field] : [],
  );
  return { resource: resource.name, kind: 'changed', fields: new Set([...fields, ...given]), states };
}

/** Whether a write may violate a rule that held before it. No rule reads the time, so only writes can violate it. */
export function mayBreak(r: PlanReader, write: Write, { resource, fields, expressions, condition }: Looked): boolean {
  const all = condition ? [...expressions, condition] : expressions;
  const reads = all.map((one) => readsOf(one, r));
  if (reads.some(({ rows }) => rows.has(write.resource))) return true;
  if (write.resource === resource) {
    if (condition && [...write.states].some(([field, state]) => excludes(condition, field, state))) return false;
    if (write.kind === 'created') return true;
  }
  const named = [...fields.map((one) => `${resource}.${one}`), ...reads.flatMap((one) => [...one.fields])];
  return [...write.fields].some((one) => named.includes(`${write.resource}.${one}`));
}

/** Whether a condition requires that the row is in another state. */
const excludes = (condition: Expr, field: string, state: string): boolean =>
  conjuncts(condition).some((one) => {
    if (one.op !== 'call' || one.fn !== '==') return false;
    const [left, right] = one.args;
    const own = left?.op === 'get' && left.of.op === 'name' && left.of.name === 'this' && left.member === field;
    return own && right?.op === 'const' && right.value !== state;
  });

/** The fields and resources that an expression over a row depends on. */
interface Reads {
  /** Fields, each as `Order.status`. */
  readonly fields: ReadonlySet<string>;
  /** The resources whose rows are all read. */
  readonly rows: ReadonlySet<string>;
}

/** Collects what an expression over a row reads; a derived field counts as the fields that it is computed from. */
function readsOf(expr: Expr, r: PlanReader): Reads {
  const [fields, rows] = [new Set<string>(), new Set<string>()];
  const walk = (e: Expr): void => {
    if (e.op === 'rows') rows.add(e.resource);
    if (e.type.kind === 'list' && e.type.of.kind === 'row') rows.add(e.type.of.resource);
    if (e.op === 'get' && e.of.type.kind === 'row') {
      const { resource } = e.of.type;
      const path = `${resource}.${e.member}`;
      const derived = e.derived && r.resource(resource).derived.find((one) => one.name === e.member);
      if (derived && !fields.has(path)) walk(derived.value);
      fields.add(path);
    }
    parts(e).forEach(walk);
  };
  walk(expr);
  return { fields, rows };
}
