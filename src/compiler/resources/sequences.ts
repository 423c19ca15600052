import { fieldsOf } from '../../expression/tree/expression.ts';
import type { Giving } from '../../language/resources.ts';
import type { Name } from '../../syntax/names.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The sequence that gives a field its numbers. */
export function sequenceOf(field: Field): Extract<Giving, { from: 'sequence' }> | null {
  return field.givenBy?.value.find((giving) => giving.from === 'sequence') ?? null;
}

/**
 * Checks a field whose values come from a sequence: the field has no other statements, and the reference in `per` is
 * always present.
 */
export function checkSequence(r: Resolved, resource: Resource, field: Field, per: Name | null): void {
  const { findings } = r.notes;
  const params = { field: `${resource.name.text}.${field.name.text}` };
  const { type, presence, givenBy, unique, allowed } = field;
  const whole = type?.value.kind === 'integer' && allowed?.value.kind === 'any' && presence?.value === 'always';
  if (type && allowed && presence && !whole) findings.push(d.report.sequenceType(field.name, params));
  if (givenBy && givenBy.value.length > 1) findings.push(d.report.sequenceAlone(givenBy, params));
  if (unique?.value.kind === 'yes') findings.push(d.report.sequenceUnique(unique, params));
  r.afterAll(() => {
    if (tellsHidden(r, resource, field, per))
      findings.push(d.report.sequenceTells(field.name, { ...params, resource: resource.name.text }, []));
  });
  if (!per) return;
  if (unique?.value.kind === 'identity') findings.push(d.report.sequenceIdentity(per, params));
  const counted = r.field(resource, per);
  const reference = counted?.type?.value.kind === 'reference' && counted.presence?.value === 'always';
  if (counted?.type && counted.presence && !reference) findings.push(d.report.sequencePer(per, { name: per.text }));
}

/**
 * Whether a shown number counts rows that some callers may not see. A caller who sees one row of a reference sees all
 * of them where `Visible` reads nothing but the reference that the sequence counts for.
 */
function tellsHidden(r: Resolved, resource: Resource, field: Field, per: Name | null): boolean {
  const visible = resource.visible?.value;
  const condition = visible && visible !== 'everyone' ? r.expr(visible) : undefined;
  const forms = [resource.shown?.value ?? [], ...resource.views.map((view) => view.members)];
  if (!condition || !forms.some((members) => members.some((member) => member.field.text === field.name.text)))
    return false;
  return !per || [...fieldsOf(condition, 'this')].some((name) => name !== per.text);
}

/** Whether a sequence ensures that no two rows have the same values in these fields. */
export function keptApart(resource: Resource, names: readonly string[]): boolean {
  return resource.fields.some((field) => {
    const sequence = sequenceOf(field);
    if (!sequence || !names.includes(field.name.text)) return false;
    return sequence.per === null || names.includes(sequence.per.text);
  });
}
