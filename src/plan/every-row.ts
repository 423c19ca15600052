import { named } from './named.ts';
import type { EndpointPlan, ResourcePlan } from './step.ts';

/** The members of a plan's parts that tell of rows. */
interface PlanPart {
  readonly op?: unknown;
  readonly do?: unknown;
  readonly among?: unknown;
  readonly every?: unknown;
  readonly resource?: unknown;
  readonly of?: { readonly type?: { readonly resource?: unknown } };
  readonly member?: unknown;
  readonly derived?: unknown;
  readonly view?: { readonly resource: string; readonly name: string } | null;
}

/**
 * The resources of which every row counts at an endpoint, also rows that the caller may not see: in its steps and its
 * answer, and in the derived fields and shown forms that these read. Sorted; empty where only visible rows count.
 */
export function countedWhole({ inside, after }: EndpointPlan, resources: readonly ResourcePlan[]): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const once = (key: string, of: () => unknown): void => {
    if (seen.has(key)) return;
    seen.add(key);
    walk(of());
  };
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { op, do: does, among, every, resource, of, member, derived, view }: PlanPart = part;
    if (typeof resource === 'string' && ((op === 'rows' && among === 'every') || (does === 'group' && every === true)))
      found.add(resource);
    const owner = of?.type?.resource;
    if (op === 'get' && derived === true && typeof owner === 'string' && typeof member === 'string')
      once(`${owner}.${member}`, () => named(named(resources, owner).derived, member).value);
    if (view)
      once(`${view.resource} ${view.name}`, () => named(named(resources, view.resource).views, view.name).members);
    for (const [key, one] of Object.entries(part)) if (key !== 'type') walk(one);
  };
  walk([inside, after]);
  return [...found].sort();
}
