import type { Scheme } from '../statements/authentication.ts';
import { everyStep, type RowWrite, type Step } from '../statements/endpoints.ts';
import { type Resource, uniqueKeys } from '../statements/resources.ts';
import type { Effective } from './effective.ts';

/** True if a step changes what outlasts the request: rows, what is queued for a handler, or who may call. */
export function stores({ does: { writes, keeps } }: Step, schemes: readonly Scheme[]): boolean {
  return writes !== null || (typeof keeps === 'object' ? isKept(keeps.credentialOf, schemes) : keeps);
}

/** True for a scheme of whose credentials a hash is kept; of a token that is issued, nothing is. */
export function isKept(scheme: string, schemes: readonly Scheme[]): boolean {
  return schemes.some((one) => one.name === scheme && one.kind?.value === 'API key');
}

/** A step that changes rows, and the resource of those; null where the row is one that no step has named. */
interface Write {
  readonly step: Step;
  readonly does: RowWrite['does'];
  readonly resource: string | null;
}

/** The steps that change rows, nested ones too; `rows` are those that have a name before them. */
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

/** The fields that a step takes from the request: those that it need not hold are left out for a row that is made. */
export function requestedBy(step: Step, one: Effective): readonly string[] {
  const request = one.settings.request?.value;
  if (!('from' in step) || !step.from || !request || request === 'none') return [];
  return request.optional && step.verb !== 'Change' ? [] : request.fields.map((field) => field.text);
}

/** The unique keys that an Ensure fills, by which it tells whether its row is there already. */
export function ensuredKeys(
  step: Extract<Step, { verb: 'Create' | 'Ensure' }>,
  resource: Resource,
  one: Effective,
): string[][] {
  const filled = new Set([...requestedBy(step, one), ...step.with.map((given) => given.field.text)]);
  return uniqueKeys(resource).filter((key) => key.every((field) => filled.has(field)));
}
