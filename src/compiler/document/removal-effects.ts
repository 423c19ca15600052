import { addTo } from '../../text/lists.ts';
import type { RowWrite } from '../statements/endpoints.ts';
import type { Resource } from '../statements/resources.ts';
import { targetOf } from './field-types.ts';
import type { Resolved } from './resolve.ts';

/** The effects of removing a row on the rows that refer to it, directly or through other removed rows. */
interface RemovalEffects {
  /** The resources whose rows may be removed: its own, and those that are removed with it. */
  readonly removed: ReadonlySet<string>;
  /** The references that become null, by the resource of their rows. */
  readonly cleared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The effects of removing a row of the resource. */
export const removalEffects = (r: Resolved, resource: string): RemovalEffects =>
  r.once(allEffects).get(resource) ?? { removed: new Set([resource]), cleared: new Map() };

/** The references that become null when a step writes rows of the resource: none, unless the step removes them. */
export const clearedBy = (r: Resolved, does: RowWrite['does'], resource: string): RemovalEffects['cleared'] =>
  does === 'Remove' ? removalEffects(r, resource).cleared : new Map();

function allEffects(r: Resolved): ReadonlyMap<string, RemovalEffects> {
  const removals = pointing(r, (resource) => resource.removedWith);
  const clearings = pointing(r, (resource) => resource.cleared);
  return new Map(
    r.model.resources.list.map(({ name }) => [name.text, effectsOfRemoving(name.text, removals, clearings)]),
  );
}

function effectsOfRemoving(resource: string, removals: Pointing, clearings: Pointing): RemovalEffects {
  const removed = new Set([resource]);
  const cleared = new Map<string, Set<string>>();
  // The iteration of a set also visits the elements that are added meanwhile.
  for (const one of removed) {
    for (const { holder } of removals.get(one) ?? []) removed.add(holder);
    for (const { holder, field } of clearings.get(one) ?? [])
      cleared.set(holder, (cleared.get(holder) ?? new Set()).add(field));
  }
  return { removed, cleared };
}

/** The references that a rule names, by the resource that they point at. */
type Pointing = ReadonlyMap<string, ReadonlyArray<{ readonly holder: string; readonly field: string }>>;

function pointing(r: Resolved, rulesOf: (resource: Resource) => Resource['removedWith']): Pointing {
  const out = new Map<string, Array<{ holder: string; field: string }>>();
  for (const resource of r.model.resources.list)
    for (const { text: field } of rulesOf(resource).flatMap((rule) => rule.fields)) {
      const target = targetOf(resource.fields.find((one) => one.name.text === field)?.type?.value);
      if (target) addTo(out, target.text, { holder: resource.name.text, field });
    }
  return out;
}
