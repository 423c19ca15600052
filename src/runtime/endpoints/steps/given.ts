import { type Evaluate, identified } from '../../../expression/javascript.ts';
import type { Expr } from '../../../expression/tree/expression.ts';
import type { Row, Value } from '../../../expression/values/value.ts';
import { pointerTo } from '../../../http/nested-json.ts';
import type { FromPlan } from '../../../plan/step.ts';
import type { Program } from '../../../store/store.ts';
import { merged } from '../../../validation/read-map.ts';
import { computedValidator, faultsAt } from '../../../validation/validate.ts';
import type { Errors } from '../../errors/refusal.ts';
import { type Compiled, evaluate, mustBe } from '../../expressions/layout.ts';
import type { Resource } from '../../resources/rules.ts';
import type { UnitOfWork } from '../../resources/unit-of-work.ts';
import type { Of, StepContext, StepRun } from './context.ts';

/** The values that a step reads from the request, and the columns that they fill. */
interface Filling {
  readonly values: Evaluate;
  readonly fields: ReadonlyArray<{ readonly column: number; readonly member: number }>;
  /** The index of the member that holds the place of the values in the body; -1 for the body itself. */
  readonly place: number;
}

/** Compiles the reading of a step's values from the request. */
export function filling(resource: string, from: FromPlan | null, c: StepContext): Filling | null {
  if (!from) return null;
  const { value, fields } = from;
  const members = value.type.kind === 'object' ? Object.keys(value.type.members) : [];
  const body = value.op === 'name' && value.name === 'request';
  return {
    values: c.expressions.plain(value, c.names),
    fields: fields.map((name) => ({ column: c.expressions.column(resource, name), member: members.indexOf(name) })),
    place: body ? -1 : members.length,
  };
}

interface Assigning {
  readonly column: number;
  readonly value: Compiled;
  /** A row that is assigned is stored as its identity. */
  readonly identity: number | null;
}

/** Compiles the values that a step assigns by `with`. */
export function assignings(step: Of<'create'> | Of<'ensure'> | Of<'change'>, c: StepContext): Assigning[] {
  return step.with.map((one) => {
    const { type } = one.value;
    const identity = type.kind === 'row' ? c.expressions.identity(type.resource) : null;
    return {
      column: c.expressions.column(step.resource, one.field),
      value: written(c.expressions.compile(one.value, c.names), one.value),
      identity,
    };
  });
}

const written = (compiled: Compiled, expr: Expr): Compiled => ({
  ...compiled,
  evaluate: mustBe(compiled.evaluate, expr),
});

/**
 * How values change a row: with `absent`, fields that are not sent become null; the maps of `row` are merged with those
 * sent.
 */
interface Onto {
  readonly absent: boolean;
  readonly row: Row | null;
}

/** Returns the values of a step, by their columns. */
export function* given(
  run: StepRun,
  fill: Filling | null,
  assign: readonly Assigning[],
  { absent, row }: Onto = { absent: false, row: null },
): Program<Map<number, Value>> {
  const { work } = run;
  const values = new Map<number, Value>();
  if (fill) {
    const sent = fill.values(work.frame) as readonly (Value | undefined)[];
    work.place = fill.place < 0 ? '' : (sent[fill.place] as string);
    for (const { column, member } of fill.fields) {
      const value = sent[member] ?? (absent || sent[member] === null ? null : undefined);
      if (value instanceof Map) values.set(column, merged((row?.[column] as typeof value | undefined) ?? null, value));
      else if (value !== undefined) values.set(column, value);
    }
  } else work.place = '';
  for (const one of assign) {
    const value = yield* evaluate(one.value, work.frame);
    values.set(one.column, one.identity === null ? (value as Value) : identified(value, one.identity));
  }
  return values;
}

/**
 * Refuses maps whose keys are too many or too few after the merge, like a request that sent them so. A computed map is
 * not the client's fault: where it is not allowed, the request fails, as with any other value.
 */
export function mapFitter(
  { plan }: Resource,
  fill: Filling | null,
  assign: readonly Assigning[],
  errors: Errors,
): (work: UnitOfWork, values: ReadonlyMap<number, Value>) => void {
  const computed = new Set(assign.map(({ column }) => column));
  const sent = new Set(fill?.fields.flatMap(({ column }) => (computed.has(column) ? [] : [column])));
  const maps = plan.columns.flatMap(({ name, rule }, column) =>
    rule.kind === 'map' && sent.has(column) ? [{ name, column, check: computedValidator(rule) }] : [],
  );
  return (work, values) => {
    for (const { name, column, check } of maps) {
      const value = values.get(column);
      const checked = value instanceof Map ? check(value) : null;
      if (!checked || 'value' in checked) continue;
      const faults = faultsAt(checked, work.place + pointerTo(work.wire(plan.name, name) ?? name));
      throw errors.condition(
        'invalid request',
        faults.map(({ at, code }) => ({ place: 'pointer', name: at, code })),
      );
    }
  };
}
