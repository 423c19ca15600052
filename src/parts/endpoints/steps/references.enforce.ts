import type { Expr } from '../../../expression/expr.ts';
import { BOOLEAN, INTEGER, STRING, type Type } from '../../../expression/types.ts';
import type { Frame, Value } from '../../../expression/value.ts';
import type { FaultAt } from '../../../serve/exchange.ts';
import { call } from '../../../store/store.ts';
import { pointerTo } from '../../resources/nesting.ts';
import type { Of, Step, StepContext } from './context.ts';

/** What a reference in the request is called while its row is looked up; no document can use it. */
const SENT = ' sent';

type Sent = readonly (Value | undefined)[];

/** Refuses references to rows that are not there, or not for the caller: all of them together. */
export function compileReferences({ payload, fields }: Of<'find references'>, c: StepContext): Step {
  const slot = c.names.vars.length;
  const lookUps = fields.map((field) => ({
    field,
    member: payload.fields.indexOf(field),
    ...lookUp(payload.resource, field, c),
  }));
  const held = payload.member === null ? -1 : c.names.request.indexOf(payload.member);
  const objects = (frame: Frame): readonly Sent[] => {
    if (held < 0) return [frame.request];
    const value = frame.request[held] as unknown;
    return payload.items ? (value as readonly Sent[]) : [value as Sent];
  };
  return function* references({ x, work: { frame } }) {
    const faults: FaultAt[] = [];
    for (const values of objects(frame))
      for (const { field, member, statement, args } of lookUps) {
        const sent = values[member] ?? null;
        frame.vars[slot] = sent;
        if (sent === null || (yield* call(statement, args(frame))).length > 0) continue;
        const at = held < 0 ? '' : (values[payload.fields.length] as string);
        const name = at + pointerTo(x.speech.wire(payload.resource, field) ?? field);
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
  const sent: Expr = { op: 'name', name: SENT, type };
  const where = c.expressions.where(target, { op: 'call', fn: '==', args: [own, sent], type: BOOLEAN });
  const spec = { kind: 'select', resource: target, where, order: null, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  const names = { ...c.names, vars: [...c.names.vars, SENT] };
  return { statement, args: c.expressions.parameters(statement, names) };
}
