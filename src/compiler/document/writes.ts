import type { Scheme } from '../statements/authentication.ts';
import { everyStep, type RowWrite, type Step } from '../statements/endpoints.ts';
import { type Resource, uniqueKeys } from '../statements/resources.ts';
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

/** The unique keys that an Ensure fills, by which it looks for an existing row. */
export function ensuredKeys(
  step: Extract<Step, { verb: 'Create' | 'Ensure' }>,
  resource: Resource,
  one: Effective,
): string[][] {
  const filled = new Set([...requestedBy(step, one), ...step.with.map((given) => given.field.text)]);
  return uniqueKeys(resource).filter((key) => key.every((field) => filled.has(field)));
}
