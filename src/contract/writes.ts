import { conjuncts, type Expr, parts } from '../expression/tree/expression.ts';
import { assignedBy } from '../plan/slots.ts';
import type { InsideStep, ResourcePlan } from '../plan/step.ts';
import type { PlanReader } from './plan-reader.ts';

/** One write of rows of a resource, as far as it decides which rules it may break. */
export interface Write {
  readonly resource: string;
  readonly kind: 'created' | 'changed' | 'removed';
  /** The fields that may become others, those included that get a value by themselves. */
  readonly fields: ReadonlySet<string>;
  /** The state that the row is in afterwards, where the write says it. */
  readonly state: string | null;
}

/** A rule of the rows of a resource, by what it looks at. */
interface Looked {
  readonly resource: string;
  readonly fields: readonly string[];
  readonly expressions: readonly Expr[];
  /** The condition under which two rows are held to it; null where they always are. */
  readonly condition: Expr | null;
}

export const removedRow = ({ name }: ResourcePlan): Write => ({
  resource: name,
  kind: 'removed',
  fields: new Set(),
  state: null,
});

export const createdRow = ({ name, states }: ResourcePlan): Write => ({
  resource: name,
  kind: 'created',
  fields: new Set(),
  state: states?.initial ?? null,
});

/** A change of a row, with the fields that the step gives. */
export const changedRow = (resource: ResourcePlan, step: InsideStep): Write =>
  changed(resource, 'change', assignedBy(step), null);

/** A move of a row by a transition. */
export function movedRow(resource: ResourcePlan, by: string): Write {
  const { states } = resource;
  const to = states?.transitions.find((one) => one.name === by)?.to ?? null;
  return changed(resource, by, states ? [states.field] : [], to);
}

/** A reference of a row that becomes absent, since the row that it names is removed. */
export const clearedRow = (resource: ResourcePlan, field: string): Write => changed(resource, 'change', [field], null);

function changed(resource: ResourcePlan, moment: string, fields: readonly string[], state: string | null): Write {
  const given = resource.givings.flatMap((one) =>
    one.moment === moment || one.moment === 'change' ? [one.field] : [],
  );
  return { resource: resource.name, kind: 'changed', fields: new Set([...fields, ...given]), state };
}

/** Whether a rule that held before a write may not hold after it. No rule reads the time, so that only writes end it. */
export function mayBreak(r: PlanReader, write: Write, { resource, fields, expressions, condition }: Looked): boolean {
  const all = condition ? [...expressions, condition] : expressions;
  const reads = all.map((one) => readsOf(one, r));
  if (reads.some(({ rows }) => rows.has(write.resource))) return true;
  if (write.resource === resource) {
    const stateField = r.resource(resource).states?.field ?? null;
    if (condition && stateField !== null && write.state !== null && excludes(condition, stateField, write.state))
      return false;
    if (write.kind === 'created') return true;
  }
  const named = [...fields.map((one) => `${resource}.${one}`), ...reads.flatMap((one) => [...one.fields])];
  return [...write.fields].some((one) => named.includes(`${write.resource}.${one}`));
}

/** Whether a condition says of its row that it is in another state. */
const excludes = (condition: Expr, field: string, state: string): boolean =>
  conjuncts(condition).some((one) => {
    if (one.op !== 'call' || one.fn !== '==') return false;
    const [left, right] = one.args;
    const own = left?.op === 'get' && left.of.op === 'name' && left.of.name === 'this' && left.member === field;
    return own && right?.op === 'const' && right.value !== state;
  });

/** What an expression over a row depends on. */
interface Reads {
  /** Fields, each as `Order.status`. */
  readonly fields: ReadonlySet<string>;
  /** The resources all of whose rows are looked at. */
  readonly rows: ReadonlySet<string>;
}

/** What an expression over a row reads: derived fields by what they are computed from. */
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
