import type { Json } from '../../export/json.ts';
import type { Value } from '../../expression/values/value.ts';
import { type Condition, faultTexts, HTTP_STATUS, type Outcome } from '../../plan/conditions.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import type { ErrorMemberPlan, ErrorValuePlan, Plan } from '../../plan/step.ts';
import { ownMember } from '../../text/own-members.ts';
import { evaluate } from './evaluate.ts';
import type { FaultAt, Refusal } from './refusal.ts';
import type { Given, Scope, Transaction } from './scope.ts';
import { objectOf } from './show.ts';

/** An answer as the document says it, with marks for what only the implementation knows. */
export interface Expected {
  readonly status: number;
  /** Null for a success, and for an answer whose status is its only information. */
  readonly code: string | null;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Headers that the answer does not have. */
  readonly absent?: readonly string[];
  /** Undefined where there is no body. */
  readonly body: Json | undefined;
  /** Whether the body is bytes, each as a character. */
  readonly isBytes?: true;
  /** Whether the body is an OpenAPI description, of which the operations alone are known: each a method with a path. */
  readonly describes?: true;
  /** The parameter for the page size, and the default size; absent if the endpoint has no pages. */
  readonly pageSize?: readonly [name: string, value: string];
  /** The statements that decide it; the nearest first. */
  readonly statements: readonly StatementId[];
}

/** The largest number of faults in an answer. */
const MOST_FAULTS = 100;

/** The answer to a refusal, in the form that the document states. */
export function refused(work: Transaction, refusal: Refusal): Expected {
  const { plan } = work;
  const { by } = refusal;
  const outcome =
    'condition' in by ? plan.errors.conditions[by.condition] : ownMember(plan.errors.codes, by.code ?? '');
  const condition: Condition | null = 'condition' in by ? by.condition : null;
  const own = refusal.statement === null ? [] : [refusal.statement];
  const statements = [...own, ...(condition === null ? [] : [statementId.condition(condition)])];
  if (!outcome) {
    const status = (condition && HTTP_STATUS[condition]) ?? 500;
    return { status, code: null, headers: refusal.headers, body: undefined, statements };
  }
  const { status, code } = outcome;
  const all = [...statements, statementId.code(code)];
  for (const statement of all.slice(own.length)) work.trace.push({ statement, what: 'answered' });
  const { payload } = plan.errors;
  if (payload.kind === 'none') return { status, code, headers: refusal.headers, body: undefined, statements: all };
  const faults = refusal.faults.slice(0, MOST_FAULTS);
  const mediaType = payload.kind === 'table' ? payload.mediaType : 'application/problem+json';
  const headers = [['Content-Type', mediaType] as const, ...refusal.headers];
  const body =
    payload.kind === 'table'
      ? told(work, outcome, faults, payload.members)
      : problem(typeOf(plan, outcome.code), outcome, faults, faultTexts(plan.wire));
  return { status, code, headers, body, statements: all };
}

/** The type of a code: its own, or the document’s with the code in it; null where problems have no type. */
function typeOf({ errors: { payload, columns } }: Plan, code: string): string | null {
  if (payload.kind !== 'RFC 9457' || payload.type === undefined) return null;
  return ownMember(columns, code)?.type ?? payload.type.split('{code}').join(encodeURIComponent(code));
}

/** Problem details (RFC 9457). */
function problem(
  stated: string | null,
  { title, status, code }: Outcome,
  faults: readonly FaultAt[],
  texts: Readonly<Record<string, string>>,
): Json {
  const type = stated === null ? {} : { type: stated };
  if (faults.length === 0) return { ...type, title, status, code };
  const errors = faults.map((one) => ({ [one.place]: one.name, code: one.code, detail: texts[one.code] ?? '' }));
  return { ...type, title, status, code, errors };
}

/** The members that the document states, of the error and of each of its faults. */
function told(
  work: Transaction,
  outcome: Outcome,
  faults: readonly FaultAt[],
  members: readonly ErrorMemberPlan[],
): Json {
  const columns = ownMember(work.plan.errors.columns, outcome.code) ?? {};
  const error = new Map<string, Given>(Object.entries({ ...columns, ...outcome }));
  const scopeOf = (fault: FaultAt | null): Scope => ({
    work,
    names: new Map<string, Given>(
      fault
        ? [
            ['error', error],
            ['fault', faultBag(fault, faultTexts(work.plan.wire))],
          ]
        : [['error', error]],
    ),
    row: null,
    sighted: false,
  });
  return objectOfMembers(members, scopeOf(null), faults.map(scopeOf), work.plan);
}

function objectOfMembers(
  members: readonly ErrorMemberPlan[],
  scope: Scope,
  faults: readonly Scope[],
  plan: Plan,
): Json {
  const missing = plan.wire.missing === 'null' ? null : undefined;
  return objectOf(members.map(({ name, value }) => [name, memberOf(value, scope, faults, plan) ?? missing] as const));
}

function memberOf(value: ErrorValuePlan, scope: Scope, faults: readonly Scope[], plan: Plan): Json | undefined {
  switch (value.kind) {
    case 'value':
      return (evaluate(value.value, scope) ?? undefined) as Json | undefined;
    case 'object':
      return objectOfMembers(value.members, scope, faults, plan);
    case 'objects':
      return faults.map((fault) => objectOfMembers(value.members, fault, [], plan));
    case 'list': {
      const { otherwise } = value;
      const all = faults.length
        ? faults.map((fault) => evaluate(value.value, fault))
        : [otherwise ? evaluate(otherwise.value, scope) : null];
      return all.filter((one) => one !== null) as Json[];
    }
    case 'map': {
      const groups = new Map<string, Json[]>();
      const add = (key: Given, one: Given): void => {
        if (key === null || one === null) return;
        groups.set(String(key), [...(groups.get(String(key)) ?? []), one as Json]);
      };
      for (const fault of faults) if (value.key) add(evaluate(value.key, fault), evaluate(value.value, fault));
      const { otherwise } = value;
      if (faults.length === 0 && otherwise?.key) add(evaluate(otherwise.key, scope), evaluate(otherwise.value, scope));
      return objectOf([...groups], false);
    }
  }
}

/** The values of a fault that a payload can show. */
function faultBag({ place, name, code }: FaultAt, texts: Readonly<Record<string, string>>): ReadonlyMap<string, Given> {
  const at = (one: FaultAt['place']): Value => (place === one ? name : null);
  const steps = name.split('/').slice(1);
  const field =
    place === 'pointer' ? steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.') : name;
  return new Map<string, Given>([
    ['field', field],
    ['rule', code],
    ['message', texts[code] ?? ''],
    ['pointer', at('pointer')],
    ['parameter', at('parameter')],
    ['header', at('header')],
  ]);
}
