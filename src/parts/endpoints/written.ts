import type { Name } from '../../source/read.ts';
import type { Scheme } from '../authentication/model.ts';
import { type Resource, uniqueKeys } from '../resources/model.ts';
import type { Effective } from './effective.ts';
import { everyStep, type Step } from './model.ts';

/** The verbs that change rows. */
export const WRITES = ['Create', 'Ensure', 'Change', 'Move', 'Remove', 'Remove every'] as const;

export type Write = Extract<Step, { verb: (typeof WRITES)[number] }>;

/** True if a step changes rows itself; those nested in it aside. */
export function isWrite(step: Step): step is Write {
  return (WRITES as readonly string[]).includes(step.verb);
}

/** True if a step changes what outlasts the request: rows, what is queued for a handler, or who may call. */
export function stores(step: Step, schemes: readonly Scheme[]): boolean {
  if (step.verb === 'Issue') return isKept(step.scheme.text, schemes);
  return isWrite(step) || (step.verb === 'Run' && step.as === null) || step.verb === 'Revoke';
}

/** True for a scheme of whose credentials a hash is kept; of a token that is issued, nothing is. */
export function isKept(scheme: string, schemes: readonly Scheme[]): boolean {
  return schemes.some((one) => one.name === scheme && one.kind?.value === 'API key');
}

/**
 * The steps that change rows, nested ones too, each with the resource of its rows; null where the row is one that no
 * step has named.
 */
export function writesOf(
  steps: readonly Step[],
  rows = new Map<string, string>(),
): Array<{ step: Write; resource: string | null }> {
  const out: Array<{ step: Write; resource: string | null }> = [];
  for (const step of everyStep(steps)) {
    const named = namedBy(step, rows);
    if (named && 'as' in step && step.as) rows.set(step.as.text, named);
    if (isWrite(step))
      out.push({ step, resource: 'row' in step ? (rows.get(step.row.text) ?? null) : step.resource.text });
  }
  return out;
}

/** The resource of the rows that a step gives a name to. */
export function namedBy(step: Step, rows: ReadonlyMap<string, string>): string | null {
  if (step.verb === 'For each')
    return (step.over.kind === 'rows' ? step.over.resource.text : rows.get(step.over.list.text)) ?? null;
  return 'as' in step && 'resource' in step ? (step.resource as Name).text : null;
}

/** The fields that a step takes from the request: those that it need not hold are left out for a row that is made. */
export function requestedBy(step: Step, one: Effective): readonly string[] {
  const request = one.settings.request?.value;
  if (!('from' in step) || !step.from || !request || request === 'none') return [];
  return request.optional && step.verb !== 'Change' ? [] : request.fields.map((field) => field.text);
}

/** The unique keys that an Ensure fills, by which it tells whether its row is there already. */
export function ensured(
  step: Extract<Step, { verb: 'Create' | 'Ensure' }>,
  resource: Resource,
  one: Effective,
): string[][] {
  const filled = new Set([...requestedBy(step, one), ...step.with.map((given) => given.field.text)]);
  return uniqueKeys(resource).filter((key) => key.every((field) => filled.has(field)));
}
