import type { AuditFact, AuditRule } from '../../language/resources.ts';
import type { Located, Name } from '../../syntax/names.ts';
import type { Field, Resource } from '../statements/resources.ts';
import type { Resolved } from './resolve.ts';

/** A resource whose changes are recorded, and the statement that says so. */
export interface Audited {
  readonly resource: Resource;
  readonly stated: Located<AuditRule>;
}

/** The audited resources, by the names of the resources of their entries; where two share one, the first. */
export function auditsOf(r: Resolved): ReadonlyMap<string, Audited> {
  const out = new Map<string, Audited>();
  for (const resource of r.model.resources.list) {
    const { audited } = resource;
    const entries = audited?.value.entries.text;
    if (audited && entries !== undefined && !out.has(entries)) out.set(entries, { resource, stated: audited });
  }
  return out;
}

/** The facts of a change that a field holds. */
export const factsOf = ({ givenBy }: Field): AuditFact[] =>
  (givenBy?.value ?? []).flatMap((giving) => (giving.from === 'audit' ? [giving.fact] : []));

/** The field or the resource that a fact names. */
export const namedBy = (fact: AuditFact): Name | null =>
  'field' in fact ? fact.field : 'resource' in fact ? fact.resource : null;
