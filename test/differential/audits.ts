import type { Resource } from '../../src/compiler/statements/resources.ts';
import type { AuditFact, AuditRule } from '../../src/language/resources.ts';
import { resourceOf } from './evaluate.ts';
import { Instant, type Ref, same, type Val } from './value.ts';
import type { Doing } from './writes.ts';

type Values = ReadonlyMap<string, Val>;

/** Records a change of a row, if the document has it recorded: without values before, a creation, and without values after, a removal. */
export function record(doing: Doing, ref: Ref, before: Values | null, after: Values | null): void {
  const rule = resourceOf(doing, ref.resource).audited?.value;
  if (!rule || !isRecorded(rule, before, after)) return;
  const entries = resourceOf(doing, rule.entries.text);
  const action = before === null ? 'created' : after === null ? 'removed' : 'changed';
  const values = new Map<string, Val>();
  for (const { name, givenBy } of entries.fields)
    for (const giving of givenBy!.value) {
      if (giving.from === 'audit') values.set(name.text, factOf(doing, ref, giving.fact, { action, before, after }));
      if (giving.from === 'sequence') values.set(name.text, next(doing, entries, name.text));
      if (giving.from === 'moment') values.set(name.text, new Instant(doing.now));
    }
  doing.rows.add(rule.entries.text, values);
}

/** Whether the rows of a resource are the entries of an audit. */
export const holdsEntries = ({ model }: Pick<Doing, 'model'>, resource: string): boolean =>
  model.resources.list.some(({ audited }) => audited?.value.entries.text === resource);

function isRecorded({ creation, removal, fields }: AuditRule, before: Values | null, after: Values | null): boolean {
  if (before === null) return creation;
  if (after === null) return removal;
  return fields.some(({ text }) => !same(before.get(text)!, after.get(text)!));
}

function next({ rows }: Doing, { name }: Resource, field: string): number {
  const of = `${name.text}.${field} `;
  const number = (rows.numbers.get(of) ?? 0) + 1;
  rows.numbers.set(of, number);
  return number;
}

function factOf(
  { rows, cause, caller }: Doing,
  ref: Ref,
  fact: AuditFact,
  { action, before, after }: { readonly action: string; readonly before: Values | null; readonly after: Values | null },
): Val {
  switch (fact.kind) {
    case 'row':
      return rows.identity(ref);
    case 'action':
      return action;
    case 'cause':
      return cause;
    case 'caller':
      return caller === null ? null : rows.identity(caller);
    case 'before':
      return before?.get(fact.field.text) ?? null;
    case 'after':
      return after?.get(fact.field.text) ?? null;
  }
}
