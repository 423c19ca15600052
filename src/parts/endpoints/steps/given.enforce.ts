import { identified } from '../../../expression/javascript.ts';
import type { Value } from '../../../expression/value.ts';
import { type Compiled, evaluate } from '../../../serve/layout.ts';
import type { Program } from '../../../store/store.ts';
import type { Of, Run, StepContext } from './context.ts';

interface Filling {
  readonly column: number;
  readonly member: number;
}

/** What a step takes from the request. */
export function fillings(resource: string, request: readonly string[], c: StepContext): Filling[] {
  return request.map((name) => ({
    column: c.expressions.column(resource, name),
    member: c.requested.indexOf(name),
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
  absent = false,
): Program<Map<number, Value>> {
  const { frame } = run.work;
  const values = new Map<number, Value>();
  for (const { column, member } of fill) {
    const value = frame.request[member] ?? (absent || frame.request[member] === null ? null : undefined);
    if (value === undefined) continue;
    values.set(column, value);
  }
  for (const one of assign) {
    const value = yield* evaluate(one.value, frame);
    values.set(one.column, one.identity === null ? (value as Value) : identified(value, one.identity));
  }
  return values;
}
