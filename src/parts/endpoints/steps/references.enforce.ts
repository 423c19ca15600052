import type { Expr } from '../../../expression/expr.ts';
import { BOOLEAN, INTEGER, STRING, type Type } from '../../../expression/types.ts';
import type { FaultAt } from '../../../serve/exchange.ts';
import { call } from '../../../store/store.ts';
import type { Of, Step, StepContext } from './context.ts';

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

/** Refuses references to rows that are not there, or not for the caller: all of them together. */
export function compileReferences(step: Of<'find references'>, c: StepContext): Step {
  const fields = step.fields.map((field) => ({ field, ...lookUp(step.resource, field, c) }));
  return function* references({ x, work }) {
    const faults: FaultAt[] = [];
    for (const { field, member, statement, args } of fields) {
      const sent = work.frame.request[member] ?? null;
      if (sent === null || (yield* call(statement, args(work.frame))).length > 0) continue;
      const name = `/${x.speech.wire(step.resource, field) ?? field}`;
      faults.push({ place: 'pointer', name, code: 'reference_unknown' });
    }
    if (faults.length) throw c.errors.condition('reference unknown', faults);
  };
}

/** The statement that finds the row which a field of the request refers to, if the caller may see it. */
function lookUp(resource: string, field: string, c: StepContext) {
  const column = c.resource(resource).plan.columns.find((one) => one.name === field)!;
  const target = column.reference!;
  const { identity } = c.resource(target).plan;
  const type: Type =
    column.rule.kind === 'uuid' ? { ...STRING, format: 'uuid' } : column.rule.kind === 'integer' ? INTEGER : STRING;
  const row: Type = { kind: 'row', resource: target, nullable: false };
  const own: Expr = { op: 'get', of: { op: 'name', name: 'this', type: row }, member: identity, type };
  const sent: Expr = { op: 'get', of: { op: 'name', name: 'request', type: OBJECT }, member: field, type };
  const where = c.expressions.where(target, { op: 'call', fn: '==', args: [own, sent], type: BOOLEAN });
  const spec = { kind: 'select', resource: target, where, order: null, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  return { member: c.requested.indexOf(field), statement, args: c.expressions.parameters(statement, c.names) };
}
