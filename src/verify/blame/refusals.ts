import type { Json } from '../../export/json.ts';
import { type Condition, FAULTS } from '../../plan/conditions.ts';
import { isSameId, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { isObject } from '../../text/own-members.ts';
import type { Difference } from '../judge/compare.ts';
import { isTextTooDeep } from '../judge/depth.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { conditionOf } from '../statements/tried.ts';
import { codeId, columnsOf, type Outcomes } from './outcomes.ts';
import { namedIn, ofTexts, refusing } from './refusing.ts';
import type { WrongAnswer } from './wrong-answer.ts';

/** The message of the fault for a null that is not allowed, as JSON. */
const NULL_REFUSED = JSON.stringify(FAULTS.null_refused);

/** Two different refusals; none where only their headers differ. */
export function ofOtherRefusal(plan: Plan, wrong: WrongAnswer, outcomes: Outcomes): StatementId[] {
  const { prediction, request, answer } = wrong;
  const { endpoint, expected, trace } = prediction;
  const own = [
    ...ofDigits(plan, trace),
    ...expected.statements.filter(({ kind }) => kind !== 'condition' && kind !== 'code'),
  ];
  const code = expected.code === null ? [] : [codeId(plan, expected.code)];
  if (expected.code !== null && !outcomes.codes.has(expected.code)) {
    const others = endpoint ? refusing(plan, { endpoint, trace, request, answer }, outcomes) : [];
    if (outcomes.codes.size === 0) return [...code, ...own];
    // If the answer refuses a value that the document allows, the statement about that value is to blame.
    const isAllowed = (id: StatementId): boolean =>
      trace.some(({ statement, what }) => what === 'accepted' && isSameId(statement, id));
    // If a later step refuses with this code too, the code does not show which value was refused.
    const isLater = endpoint !== null && mayRefuseLater(endpoint, outcomes.codes);
    const allowed = others.filter((id) => isAllowed(id) && !(isLater && id.kind === 'parameter'));
    if (allowed.length > 0) return [...allowed, ...others, ...own];
    return !isLater && isChecked(endpoint, outcomes, conditionOf(expected)) ? [...others, ...own] : [...own, ...others];
  }
  return ofSameCode(plan, wrong, own);
}

/** Two refusals with the same code. */
function ofSameCode(
  plan: Plan,
  { prediction, differences, request, answer }: WrongAnswer,
  own: readonly StatementId[],
): StatementId[] {
  const { expected, trace } = prediction;
  const code = expected.code === null ? [] : [codeId(plan, expected.code)];
  const bodies = differences.filter(({ at }) => at.startsWith('body'));
  const stated = Object.values(plan.errors.codes).find((one) => one.code === expected.code);
  const condition = conditionOf(expected);
  const outcome = stated ?? (condition === null ? undefined : plan.errors.conditions[condition]);
  const said = outcome ? [outcome.title, outcome.code, ...columnsOf(plan, outcome.code)] : [];
  const ofCode = new Set([...said.map((one) => JSON.stringify(one)), String(expected.status)]);
  const isOfCode = ({ at, expected: ours, actual }: Difference): boolean =>
    at === 'status' || (actual !== null && ofCode.has(ours ?? ''));
  const payload = [...bodies.flatMap(({ at }) => payloadMembers(plan, at)), statementId.part('errors', 'payload')];
  // The answer shows another text of the code in the place of the one that the payload shows.
  const isOfPayload = ({ expected: ours, actual }: Difference): boolean =>
    actual !== null && ours !== null && ofCode.has(ours) && ofCode.has(actual);
  if (differences.every(({ at }) => at.startsWith('body')) && bodies.some(isOfPayload)) return [...payload, ...code];
  if (differences.some(isOfCode)) return code;
  // A member of the payload may have the name that a column of the table of errors states for the code.
  const columns = outcome ? columnsOf(plan, outcome.code) : [];
  if (bodies.some(({ at, actual }) => actual === null && columns.includes(at.slice(at.lastIndexOf('/') + 1))))
    return [...code, ...payload];
  const isEmptyRefused = bodies.some(({ expected: ours }) => ours === '"null_refused"' || ours === NULL_REFUSED);
  const texts = isEmptyRefused ? ofTexts(request, answer) : [];
  if (texts.length > 0) return [...texts, ...own, ...payload];
  // A fault that is missing, or added to the right ones, blames the field that it names.
  const faults = faultsOfOne(expected.body, answer.body).flatMap((fault) => namedIn(plan, fault, trace));
  if (faults.length > 0) return [...faults, ...own, ...payload];
  if (bodies.some(({ expected: ours, actual }) => ours === null || actual === null)) return [...payload, ...own];
  return bodies.length > 0 ? [...own, ...payload] : [];
}

/** Whether a step refuses with one of some codes. */
export const mayRefuseLater = ({ inside }: EndpointPlan, codes: ReadonlySet<string>): boolean =>
  [...allNested(inside)].some((step) => 'code' in step && step.code !== null && codes.has(step.code));

/** The statements of the members of the error payload that contain the place of a difference, the innermost first. */
function payloadMembers({ lines }: Plan, at: string): StatementId[] {
  // Indexes of lists are no members.
  const names = at
    .split('/')
    .slice(1)
    .filter((name) => !/^\d+$/.test(name));
  return names
    .map((_, i) => statementId.payloadMember(names.slice(0, names.length - i)))
    .filter((id) => lineOf(lines, id) !== undefined);
}

/** Whether a refusal has a general condition whose check comes before the expected one. */
function isChecked(endpoint: EndpointPlan | null, { conditions }: Outcomes, expected: Condition | null): boolean {
  const order = endpoint?.conditions ?? [];
  const own = expected === null ? order.length : order.indexOf(expected);
  return [...conditions].some((one) => order.indexOf(one) < own);
}

/**
 * The statements about the digits of decimals, where a decimal with too many digits must be refused: the general one,
 * and the field.
 */
export function ofDigits({ wire }: Plan, trace: Prediction['trace']): StatementId[] {
  const last = trace.findLast(({ what }) => what.startsWith('refused '));
  return last?.what === 'refused not_decimal' && wire.decimals
    ? [statementId.part('resources', 'decimals'), last.statement]
    : [];
}

/**
 * The faults that only one of two refusals lists, as JSON, where only one refusal has additional faults. The places of
 * faults in the lists do not matter, since an additional fault moves the faults behind it.
 */
export function faultsOfOne(expected: Json | undefined, body: Buffer): string[] {
  if (expected === undefined || isTextTooDeep(body)) return [];
  let actual: unknown;
  try {
    actual = JSON.parse(body.toString());
  } catch {
    return [];
  }
  const found: Found = { missing: [], added: [] };
  compare(expected, actual, found, 0);
  const { missing, added } = found;
  return missing.length > 0 && added.length > 0 ? [] : [...missing, ...added];
}

/** The items that only the expected payload has, and those that only the actual one has, as JSON. */
interface Found {
  readonly missing: string[];
  readonly added: string[];
}

/**
 * Compares lists by their items in any order, and objects by their members. The members of the payload itself are no
 * faults.
 */
function compare(ours: unknown, theirs: unknown, found: Found, depth: number): void {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const [one, other] = [ours, theirs].map((list) => new Set(list.map((item: unknown) => JSON.stringify(item))));
    for (const item of one ?? []) if (!other?.has(item)) found.missing.push(item);
    for (const item of other ?? []) if (!one?.has(item)) found.added.push(item);
  } else if (isObject(ours) && isObject(theirs)) {
    for (const [name, value] of Object.entries(ours))
      if (Object.hasOwn(theirs, name)) compare(value, theirs[name], found, depth + 1);
      else if (depth > 0) found.missing.push(JSON.stringify({ [name]: value }));
    for (const [name, value] of Object.entries(theirs))
      if (depth > 0 && !Object.hasOwn(ours, name)) found.added.push(JSON.stringify({ [name]: value }));
  } else if (ours !== theirs) {
    found.missing.push(JSON.stringify(ours));
    found.added.push(JSON.stringify(theirs));
  }
}
