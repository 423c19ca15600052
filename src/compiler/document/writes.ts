import type { Token } from '../../syntax/tokens.ts';
import type { Scheme } from '../statements/authentication.ts';
import { everyStep, type RowWrite, type Step } from '../statements/endpoints.ts';
import { type Resource, type UniqueRule, uniqueRules } from '../statements/resources.ts';
import type { Effective } from './effective.ts';

/** Whether a step has a lasting effect: on rows, on the queue of a handler, or on credentials. */
export function stores({ does: { writes, keeps } }: Step, schemes: readonly Scheme[]): boolean {
  return writes !== null || (typeof keeps === 'object' ? isKept(keeps.credentialOf, schemes) : keeps);
}

/** Whether the service stores a hash of a scheme's credentials: of API keys it does, of tokens it stores nothing. */
export function isKept(scheme: string, schemes: readonly Scheme[]): boolean {
  return schemes.some((one) => one.name === scheme && one.kind?.value === 'API key');
}

/** A step that writes rows, and their resource; null where no step has named the row. */
interface Write {
  readonly step: Step;
  readonly does: RowWrite['does'];
  readonly resource: string | null;
}

/** The steps that write rows, nested ones too. `rows` has the resources of the rows named before the first step. */
export function writesOf(steps: readonly Step[], rows = new Map<string, string>()): Write[] {
  const out: Write[] = [];
  for (const step of everyStep(steps)) {
    const { names, writes } = step.does;
    const named = names && ('list' in names ? rows.get(names.list) : names.resource);
    if (names && named) rows.set(names.as, named);
    if (!writes) continue;
    const resource = 'resource' in writes ? writes.resource : (rows.get(writes.row) ?? null);
    out.push({ step, does: writes.does, resource });
  }
  return out;
}

/** The fields that a step takes from the request; none for a new row if the request may leave fields out. */
export function requestedBy(step: Step, one: Effective): readonly string[] {
  const request = one.settings.request?.value;
  if (!('from' in step) || !step.from || !request || request === 'none') return [];
  return request.optional && step.verb !== 'Change' ? [] : request.fields.map((field) => field.text);
}

/** The unique rules all of whose fields an Ensure gives a value. */
export function filledRules(step: Ensuring, resource: Resource, one: Effective): UniqueRule[] {
  const filled = new Set([...requestedBy(step, one), ...step.with.map((given) => given.field.text)]);
  return uniqueRules(resource).filter((rule) => rule.fields.every((field) => filled.has(field)));
}

/**
 * The unique rules by which an Ensure looks for an existing row: those without a condition, and those with the condition
 * that the step repeats.
 */
export const ensuredRules = (step: Ensuring, resource: Resource, one: Effective): UniqueRule[] =>
  filledRules(step, resource, one).filter(
    ({ condition }) =>
      condition === null || (step.condition !== null && sameText(condition) === sameText(step.condition)),
  );

type Ensuring = Extract<Step, { verb: 'Ensure' }>;

/** The text of a condition, with a single space for white space outside of its string literals. */
const sameText = ({ text }: Token): string =>
  text.trim().replace(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\s+/g, (_, literal: string | undefined) => literal ?? ' ');

/**
 * The name of a unique rule that two statements agree on: its fields, its condition, and whether case is ignored where
 * the rule ignores it.
 */
export const ruleText = ({ fields, ignoringCase, condition }: UniqueRule, ignores: boolean): string =>
  JSON.stringify([fields, ignores && ignoringCase.length > 0, condition && sameText(condition)]);
