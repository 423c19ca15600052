import type { AuditPlan } from '../../plan/rows.ts';
import { factsOf, namedBy } from '../document/audits.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Resource } from '../statements/resources.ts';

/** The plan of an audit; undefined while it is not settled. */
export function planAudit(r: Resolved, resource: Resource): AuditPlan | undefined {
  const { value } = resource.audited!;
  const entries = r.resourceNamed(value.entries.text);
  if (!entries?.fields.every(({ givenBy }) => givenBy)) return undefined;
  return {
    fields: value.fields.map(({ text }) => text),
    creation: value.creation,
    removal: value.removal,
    entries: entries.name.text,
    removedBy: value.removedBy?.text ?? null,
    facts: entries.fields.flatMap((field) =>
      factsOf(field).map((fact) => ({ entry: field.name.text, fact: fact.kind, of: namedBy(fact)?.text ?? null })),
    ),
  };
}
