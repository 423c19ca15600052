import type { Expr } from '../expression/tree/expression.ts';
import {
  CONDITIONS,
  type Condition,
  FAULTS,
  faultTexts,
  type Outcome,
  UNROUTED_CONDITIONS,
} from '../plan/conditions.ts';
import { statementId } from '../plan/lines.ts';
import { TYPE_COLUMN } from '../plan/problem-type.ts';
import type { ErrorMemberPlan, ErrorValuePlan } from '../plan/step.ts';
import { ownMember } from '../text/own-members.ts';
import { conditionAnswer } from './answers.ts';
import type { CodeContract, ErrorPayloadContract, ErrorsContract, ToldContract } from './contract.ts';
import type { AnswerContract } from './endpoint.ts';
import { browserHeaders, header } from './headers.ts';
import { TEXT } from './kinds.ts';
import { objectOf } from './objects.ts';
import { expression, expressionOrNull, mergeLines, type PlanReader } from './plan-reader.ts';
import type { ContractType, MemberContract, ObjectContract } from './types.ts';
import { sentMember, typeOfShown } from './values.ts';

/** The format of errors, and all error codes. */
export function errorsContract(r: PlanReader): ErrorsContract {
  const { conditions } = r.plan.errors;
  const wire = UNROUTED_CONDITIONS.filter((one) => one !== 'host not served' || conditions[one]);
  return { payload: payloadContract(r), codes: codesOf(r), wire: wire.map((one) => answerTo(r, one)) };
}

/** Answers for an unknown path, and for a method that the path does not support. */
export function elsewhere(r: PlanReader): AnswerContract[] {
  const allow = [header('Allow'), ...browserHeaders(r, [], true)];
  return [
    { ...answerTo(r, 'no such endpoint'), headers: browserHeaders(r, [], true) },
    { ...answerTo(r, 'method not allowed'), headers: allow },
  ];
}

const answerTo = (r: PlanReader, condition: Condition): AnswerContract =>
  conditionAnswer(r, condition, { kind: 'condition', name: condition, text: condition }, [], []);

/** Codes of conditions in the order of checking, then the codes of steps and rules in the order of the document. */
function codesOf(r: PlanReader): CodeContract[] {
  const { conditions, codes, columns } = r.plan.errors;
  const found = new Map<string, { outcome: Outcome; conditions: Condition[] }>();
  for (const condition of CONDITIONS) {
    const outcome = conditions[condition];
    if (!outcome) continue;
    const known = found.get(outcome.code);
    if (known) known.conditions.push(condition);
    else found.set(outcome.code, { outcome, conditions: [condition] });
  }
  for (const outcome of Object.values(codes))
    if (!found.has(outcome.code)) found.set(outcome.code, { outcome, conditions: [] });
  return [...found.values()].map(({ outcome, conditions: of }): CodeContract => {
    const own = r.lines(statementId.code(outcome.code));
    return {
      ...outcome,
      conditions: of,
      more: ownMember(columns, outcome.code) ?? {},
      lines: own.length ? own : r.lines(statementId.part('errors', 'conditions')),
    };
  });
}

function payloadContract(r: PlanReader): ErrorPayloadContract | null {
  const { payload } = r.plan.errors;
  if (payload.kind === 'none') return null;
  const lines = r.lines(statementId.part('errors', 'payload'));
  if (payload.kind === 'RFC 9457') {
    const problemType = payload.type ?? null;
    const members = problem(r, problemType === null ? null : [problemType, ...ownTypes(r)]);
    const mediaType = 'application/problem+json';
    return { kind: payload.kind, mediaType, problemType, ...members, told: [], faults: faultTexts(r.plan.wire), lines };
  }
  const type = (faults: boolean): ObjectContract => objectOf(membersOf(r, payload.members, faults), 'none');
  return {
    kind: 'of the document',
    mediaType: payload.mediaType,
    problemType: null,
    type: type(false),
    withFaults: type(true),
    told: payload.members.map(toldContract),
    faults: faultTexts(r.plan.wire),
    lines: mergeLines(lines),
  };
}

function toldContract({ name, value }: ErrorMemberPlan): ToldContract {
  const { kind } = value;
  const none = { name, kind, value: null, key: null, otherwise: null, members: [] };
  if (kind === 'value') return { ...none, value: expression(value.value) };
  if (kind === 'object' || kind === 'objects') return { ...none, members: value.members.map(toldContract) };
  const pair = (one: { readonly value: Expr; readonly key: Expr | null }) => ({
    value: expression(one.value),
    key: expressionOrNull(one.key),
  });
  return { ...none, ...pair(value), otherwise: value.otherwise && pair(value.otherwise) };
}

/** The types that codes have of their own. */
const ownTypes = ({ plan: { errors } }: PlanReader): string[] =>
  Object.values(errors.columns).flatMap((more) => more[TYPE_COLUMN] ?? []);

/** Problem details (RFC 9457). An absent `type` means `about:blank`. */
function problem(
  r: PlanReader,
  types: readonly string[] | null,
): { readonly type: ObjectContract; readonly withFaults: ObjectContract } {
  const { wire } = r.plan;
  const always = (name: string, type: ContractType): MemberContract => sentMember(name, type, false, wire);
  const one = (name: string): MemberContract => ({ ...always(name, TEXT), presence: 'optional' });
  const members = [
    ...(types ? [always('type', types.some((one) => one.startsWith('/')) ? TEXT : { ...TEXT, format: 'uri' })] : []),
    always('title', TEXT),
    always('status', { kind: 'integer', min: 400, max: 599 }),
    always('code', TEXT),
  ];
  const fault = objectOf(
    [
      one('pointer'),
      one('parameter'),
      one('header'),
      always('code', { ...TEXT, oneOf: Object.keys(FAULTS) }),
      always('detail', { ...TEXT, oneOf: Object.values(faultTexts(wire)) }),
    ],
    'none',
  );
  const errors = always('errors', { kind: 'list', of: fault, nullable: false, min: 1, max: 100 });
  return { type: objectOf(members, 'none'), withFaults: objectOf([...members, errors], 'none') };
}

/** `names`: the names of the enclosing members, outermost first. */
function membersOf(
  r: PlanReader,
  members: readonly ErrorMemberPlan[],
  faults: boolean,
  names: readonly string[] = [],
): MemberContract[] {
  return members.map(({ name, value }) => {
    const path = [...names, name];
    const may = value.kind === 'value' && r.mayBeAbsent(value.value);
    const lines = r.lines(statementId.payloadMember(path));
    return sentMember(name, valueType(r, value, faults, path), may, r.plan.wire, { lines });
  });
}

function valueType(r: PlanReader, value: ErrorValuePlan, faults: boolean, names: readonly string[]): ContractType {
  const most = faults ? 100 : value.kind === 'objects' ? 0 : 1;
  switch (value.kind) {
    case 'value':
      return typeOfShown(value.value, null, r);
    case 'object':
      return objectOf(membersOf(r, value.members, faults, names), 'none');
    case 'objects': {
      const of = objectOf(membersOf(r, value.members, faults, names), 'none');
      return { kind: 'list', of, nullable: false, min: 0, max: most };
    }
    case 'list':
      return { kind: 'list', of: typeOfShown(value.value, null, r), nullable: false, min: 0, max: most };
    case 'map': {
      const list: ContractType = {
        kind: 'list',
        of: typeOfShown(value.value, null, r),
        nullable: false,
        min: 0,
        max: most,
      };
      return { kind: 'map', keys: TEXT, of: list, nullable: false, min: 0, max: most };
    }
  }
}
