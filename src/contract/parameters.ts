import { conjuncts, type Expr, unfolded } from '../expression/tree/expression.ts';
import { statementId } from '../plan/lines.ts';
import { allNested } from '../plan/nested-steps.ts';
import { isList } from '../plan/slots.ts';
import type { EndpointPlan, ParameterPlan } from '../plan/step.ts';
import type { ParameterContract } from './endpoint.ts';
import { TEXT } from './kinds.ts';
import { constantInWords, parameterName, referredTo } from './objects.ts';
import { expressionOrNull, type FieldNames, type PlanReader } from './plan-reader.ts';
import { preconditionsOf } from './preconditions.ts';
import type { ContractType, Lines } from './types.ts';
import { inWords, typeOfRule } from './values.ts';

/** The path, query and header parameters of an endpoint in one version, without credentials. */
export function parametersOf(r: PlanReader, endpoint: EndpointPlan, names: FieldNames): ParameterContract[] {
  const read = endpoint.before.find((step) => step.do === 'read parameters');
  const stated = (list: readonly ParameterPlan[] | undefined, place: ParameterContract['in']): ParameterContract[] =>
    (list ?? []).flatMap((one) => statedParameter(r, endpoint, one, place, names));
  return [
    ...stated(read?.path, 'path'),
    ...stated(read?.query, 'query'),
    ...pageParameters(r, endpoint),
    ...stated(read?.header, 'header'),
    ...headerParameters(r, endpoint),
  ];
}

function statedParameter(
  r: PlanReader,
  endpoint: EndpointPlan,
  one: ParameterPlan,
  place: ParameterContract['in'],
  names: FieldNames,
): ParameterContract[] {
  const name = parameterName(one, names);
  if (name === null) return [];
  const list = endpoint.inside.find(isList);
  const filter = list?.filters.find((filter) => filter.in === place && filter.parameter === one.name);
  return [
    {
      in: place,
      name,
      role: 'stated',
      type: inWords(typeOfRule(one.rule, r.plan.wire, one.password), names.words(one.words)),
      required: one.required,
      otherwise: expressionOrNull(constantInWords(one.otherwise, names.words(one.words))),
      refused: one.code,
      refersTo: referredTo(endpoint, place, one.name),
      finds: foundBy(endpoint, place, one.name),
      keeps: expressionOrNull(filter?.stated ?? filter?.where ?? null),
      field: one.field,
      lines: r.lines(statementId.parameter(endpoint.name, place, one.name)),
    },
  ];
}

/** The field that a step compares with a parameter to find a row. */
function foundBy(endpoint: EndpointPlan, place: string, name: string): ParameterContract['finds'] {
  const isParameter = (one: Expr): boolean => one.op === 'get' && isNamed(one.of, place) && one.member === name;
  for (const step of allNested(endpoint.inside)) {
    if (step.do !== 'find' || !step.where) continue;
    for (const one of conjuncts(step.where)) {
      if (one.op !== 'call' || one.fn !== '==') continue;
      const args = one.args.map(unfolded);
      const field = args.find((arg) => arg.op === 'get' && isNamed(arg.of, 'this'));
      if (field?.op === 'get' && args.some(isParameter)) return { resource: step.resource, field: field.member };
    }
  }
  return null;
}

const isNamed = (one: Expr, name: string): boolean => one.op === 'name' && one.name === name;

function parameter(
  place: 'query' | 'header',
  name: string,
  role: ParameterContract['role'],
  type: ContractType,
  required: boolean,
  lines: Lines,
): ParameterContract {
  return {
    in: place,
    name,
    role,
    type,
    required,
    otherwise: null,
    refused: null,
    refersTo: null,
    finds: null,
    keeps: null,
    field: null,
    lines,
  };
}

function pageParameters(r: PlanReader, endpoint: EndpointPlan): ParameterContract[] {
  const read = endpoint.before.find((step) => step.do === 'read page');
  if (!read) return [];
  const { by, limit, place, most, beyond } = read.page;
  const max = beyond === 'refused' ? most : null;
  const placed: ContractType =
    by === 'cursor' || by === 'identity' ? TEXT : { kind: 'integer', min: by === 'number' ? 1 : 0, max: null };
  const form = statementId.endpoint(endpoint.name, 'pages');
  const sizes = r.lines(form, statementId.endpoint(endpoint.name, 'Page size'));
  return [
    parameter('query', limit, 'page size', { kind: 'integer', min: 1, max }, false, sizes),
    parameter('query', place, 'page place', placed, false, r.lines(form)),
  ];
}

/** Headers that are read for idempotency, preconditions, versions and streams. */
function headerParameters(r: PlanReader, endpoint: EndpointPlan): ParameterContract[] {
  const out: ParameterContract[] = [];
  const claim = endpoint.before.find((step) => step.do === 'claim key');
  if (claim) out.push(parameter('header', claim.header, 'idempotency key', TEXT, !claim.optional, r.lines(claim.line)));
  const judged = preconditionsOf(r, endpoint);
  const read = (name: string, how: string): void => {
    if (how !== 'required' && how !== 'judged') return;
    out.push(parameter('header', name, 'precondition', TEXT, how === 'required', judged?.lines ?? []));
  };
  if (judged) {
    read('If-Match', judged.ifMatch);
    read('If-None-Match', judged.ifNoneMatch);
    read('If-Unmodified-Since', judged.ifUnmodifiedSince);
  }
  const { versions, stream } = r.plan;
  if (versions?.by.kind === 'header' && endpoint.before.some((step) => step.do === 'choose version')) {
    const oneOf = [versions.current, ...versions.older.filter((one) => !one.retired).map((one) => one.name)];
    const lines = r.lines(statementId.part('versioning', 'scheme'), statementId.part('versioning', 'without'));
    const { header } = versions.by;
    out.push(parameter('header', header, 'version', { ...TEXT, oneOf }, versions.without === 'refused', lines));
  }
  const { after } = endpoint;
  if (after?.body?.kind === 'file' && after.body.ranges === 'served') {
    out.push(parameter('header', 'Range', 'range', TEXT, false, r.lines(after.line)));
    if (after.conditional) out.push(parameter('header', 'If-Range', 'range', TEXT, false, r.lines(after.line)));
  }
  if (endpoint.after?.body?.kind === 'stream' && stream?.resumption)
    out.push(
      parameter(
        'header',
        'Last-Event-ID',
        'last event',
        TEXT,
        false,
        r.lines(statementId.part('stream', 'resumption')),
      ),
    );
  return out;
}
