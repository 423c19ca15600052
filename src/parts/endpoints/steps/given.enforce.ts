import type { Expr } from '../../../expression/expr.ts';
import { identified } from '../../../expression/javascript.ts';
import { BOOLEAN, INTEGER, STRING, type Type } from '../../../expression/types.ts';
import type { Frame, Value } from '../../../expression/value.ts';
import { type Compiled, evaluate } from '../../../serve/layout.ts';
import { type Argument, call, type Program, type Statement } from '../../../store/store.ts';
import type { Of, Run, StepContext } from './context.ts';

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

interface Filling {
  readonly column: number;
  readonly member: number;
  /** Refuses a reference to a row that the caller may not see: for it, there is no such row. */
  readonly seen: {
    readonly statement: Statement;
    readonly args: (frame: Frame) => Argument[];
    readonly name: (run: Run) => string;
  } | null;
}

/** References to rows that not everyone sees are looked up as the caller sees them. */
function seenReference(resource: string, field: string, c: StepContext): Filling['seen'] {
  const column = c.resource(resource).plan.columns.find((one) => one.name === field)!;
  const visible = column.reference === null ? null : c.expressions.visibility(column.reference);
  if (column.reference === null || visible === null) return null;
  const { identity } = c.resource(column.reference).plan;
  const type: Type =
    column.rule.kind === 'uuid' ? { ...STRING, format: 'uuid' } : column.rule.kind === 'integer' ? INTEGER : STRING;
  const row: Type = { kind: 'row', resource: column.reference, nullable: false };
  const own: Expr = { op: 'get', of: { op: 'name', name: 'this', type: row }, member: identity, type };
  const sent: Expr = { op: 'get', of: { op: 'name', name: 'request', type: OBJECT }, member: field, type };
  const where = c.expressions.where(column.reference, { op: 'call', fn: '==', args: [own, sent], type: BOOLEAN });
  const spec = { kind: 'select', resource: column.reference, where, order: null, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  return {
    statement,
    args: c.expressions.parameters(statement, c.names),
    name: (run) => run.work.wire(resource, field) ?? field,
  };
}

/** What a step takes from the request. */
export function fillings(resource: string, request: readonly string[], c: StepContext): Filling[] {
  return request.map((name) => ({
    column: c.expressions.column(resource, name),
    member: c.requested.indexOf(name),
    seen: seenReference(resource, name, c),
  }));
}

interface Assigning {
  readonly column: number;
  readonly value: Compiled;
  /** A row that is assigned is stored as its identity. */
  readonly identity: number | null;
}

/** What a step gives by `with`. */
export function assignings(step: Of<'create'> | Of<'ensure'> | Of<'change'>, c: StepContext): Assigning[] {
  return step.with.map((one) => {
    const { type } = one.value;
    const identity = type.kind === 'row' ? c.expressions.identity(type.resource) : null;
    return {
      column: c.expressions.column(step.resource, one.field),
      value: c.expressions.compile(one.value, c.names),
      identity,
    };
  });
}

/** The values of a step; `absent` says that a field that was not sent becomes absent. */
export function* given(
  run: Run,
  fill: readonly Filling[],
  assign: readonly Assigning[],
  c: StepContext,
  absent = false,
): Program<Map<number, Value>> {
  const { frame } = run.work;
  const values = new Map<number, Value>();
  for (const { column, member, seen } of fill) {
    const value = frame.request[member] ?? (absent || frame.request[member] === null ? null : undefined);
    if (value === undefined) continue;
    if (seen && value !== null && (yield* call(seen.statement, seen.args(frame))).length === 0)
      throw c.errors.condition('reference unknown', [
        { place: 'pointer', name: `/${seen.name(run)}`, code: 'reference_unknown' },
      ]);
    values.set(column, value);
  }
  for (const one of assign) {
    const value = yield* evaluate(one.value, frame);
    values.set(one.column, one.identity === null ? (value as Value) : identified(value, one.identity));
  }
  return values;
}
