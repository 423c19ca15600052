import type { Expr } from '../../../expression/tree/expression.ts';
import { BOOLEAN, rowOf, STRING, scalarType } from '../../../expression/tree/types.ts';
import { isScalarKind } from '../../../expression/values/kinds.ts';
import type { Frame, Value } from '../../../expression/values/value.ts';
import { pointerTo } from '../../../http/nested-json.ts';
import { named } from '../../../plan/named.ts';
import type { ColumnKind, PayloadPlan, ReferencePlan } from '../../../plan/step.ts';
import { call } from '../../../store/store.ts';
import type { Refusal } from '../../context/refusal.ts';
import type { ApiVersion, FaultAt, RequestContext } from '../../context/request-context.ts';
import type { Of, Step, StepContext } from './context.ts';

/** The name of a request's reference while its row is looked up; no document can use this name. */
const SENT = ' sent';

type Sent = readonly (Value | undefined)[];

/** Refuses references to rows that don't exist or that the caller may not see; all of them are reported together. */
export function compileReferences(step: Of<'find references'>, c: StepContext): Step {
  const slot = c.names.vars.length;
  const parameters = step.parameters.map((one) => parameterReference(one, c));
  const body = step.payload ? bodyReferences(step.payload, step.fields, c) : () => [];
  return function* references({ x, work: { frame } }) {
    const faults: FaultAt[] = [];
    for (const { sent, lookUp, refusal, fault } of [
      ...parameters.map((one) => one(x, frame)),
      ...body(x.apiVersion, frame),
    ]) {
      if (sent === null) continue;
      frame.vars[slot] = sent;
      if ((yield* call(lookUp.statement, lookUp.args(frame))).length > 0) continue;
      if (refusal) throw refusal;
      faults.push(fault());
    }
    if (faults.length) throw c.errors.condition('reference unknown', faults);
  };
}

/** One reference in the request, and the refusal or fault for a row that doesn't exist. */
interface Referring {
  readonly sent: Value;
  readonly lookUp: LookUp;
  readonly refusal: Refusal | null;
  readonly fault: () => FaultAt;
}

function parameterReference({ in: place, parameter, resource }: ReferencePlan, c: StepContext) {
  const found = lookUp(resource, parameter.rule.kind, c);
  const refusal = parameter.code === null ? null : c.errors.code(parameter.code);
  const held = place === 'body' ? 'request' : place;
  const index = c.names[held].indexOf(parameter.name);
  const [of = '', ...field] = parameter.field?.split('.') ?? [];
  return (x: RequestContext, frame: Frame): Referring => ({
    sent: frame[held][index] ?? null,
    lookUp: found,
    refusal,
    fault: () => {
      const name = parameter.field ? x.apiVersion.wire(of, field.join('.')) : null;
      const called = name ?? parameter.name;
      const code = 'reference_unknown';
      if (place === 'body') return { place: 'pointer', name: pointerTo(called), code };
      return { place: place === 'header' ? 'header' : 'parameter', name: called, code };
    },
  });
}

/** The references among the fields of a resource that the body holds, once or in a list. */
function bodyReferences(payload: PayloadPlan, fields: readonly string[], c: StepContext) {
  const { resource, member: holder } = payload;
  const { columns } = c.resource(resource).plan;
  const lookUps = fields.map((field) => {
    const { reference, references, rule } = named(columns, field);
    const { kind } = rule.items ?? rule;
    const found = lookUp(references ?? reference!, kind, c);
    return { field, member: payload.fields.indexOf(field), many: references !== undefined, lookUp: found };
  });
  const held = holder === null ? -1 : c.names.request.indexOf(holder);
  const objects = (frame: Frame): readonly Sent[] => {
    if (held < 0) return [frame.request];
    const value = frame.request[held] as unknown;
    return payload.items ? (value as readonly Sent[]) : [value as Sent];
  };
  return (apiVersion: ApiVersion, frame: Frame): Referring[] =>
    objects(frame).flatMap((values) =>
      lookUps.flatMap(({ field, member, many, lookUp }): Referring[] => {
        const at = held < 0 ? '' : (values[payload.fields.length] as string);
        const name = (): string => at + pointerTo(apiVersion.wire(resource, field) ?? field);
        const one = (sent: Value, item: string): Referring => {
          const fault = (): FaultAt => ({ place: 'pointer', name: name() + item, code: 'reference_unknown' });
          return { sent, lookUp, refusal: null, fault };
        };
        const sent = values[member] ?? null;
        return many ? ((sent ?? []) as Value[]).map((item, i) => one(item, `/${i}`)) : [one(sent, '')];
      }),
    );
}

type LookUp = ReturnType<typeof lookUp>;

/** The statement that finds the row of a resource with an identity that was sent, if the caller may see it. */
function lookUp(target: string, kind: ColumnKind, c: StepContext) {
  const { identity } = c.resource(target).plan;
  const type = isScalarKind(kind) ? scalarType(kind, null, false) : STRING;
  const row = rowOf(target);
  const own: Expr = { op: 'get', of: { op: 'name', name: 'this', type: row }, member: identity, type };
  const sent: Expr = { op: 'name', name: SENT, type };
  const where = c.expressions.where(target, { op: 'call', fn: '==', args: [own, sent], type: BOOLEAN });
  const spec = { kind: 'select', resource: target, where, order: null, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  const names = { ...c.names, vars: [...c.names.vars, SENT] };
  return { statement, args: c.expressions.parameters(statement, names) };
}
