import { fieldsOf } from '../../expression/tree/expression.ts';
import type { Located, Name } from '../../syntax/names.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { LEAST_BITS, randomBits } from './random-texts.ts';
import { keptApart } from './sequences.ts';
import { canCollide } from './writers.ts';

/**
 * Whether a unique rule names a field that is unknown or incomplete. Such a rule may turn out to be the missing one
 * once the field is corrected.
 */
export const misnamesUnique = (resource: Resource): boolean =>
  resource.uniques.some((rule) =>
    rule.fields.some(({ text }) => {
      const field = resource.fields.find((one) => one.name.text === text);
      return !field?.type || !field.presence;
    }),
  );

/** Checks that each unique rule can be broken, and that the error for a request that breaks it is stated. */
export function checkUniques(r: Resolved, resource: Resource): void {
  checkImplied(r, resource);
  const name = resource.name.text;
  for (const rule of resource.uniques) {
    const known = rule.fields.map((field) => r.field(resource, field));
    for (const name of rule.ignoringCase) {
      const field = resource.fields.find((one) => one.name.text === name.text);
      if (field) checkIgnoringCase(r, field, name);
    }
    const condition = rule.condition && checkCondition(r, rule.condition, r.scope(new Map(), name), '“while”', 'index');
    const read = condition ? fieldsOf(condition, 'this') : [];
    const fields = rule.fields.map((field) => field.text);
    const ignored = new Set(rule.ignoringCase.map(({ text }) => text));
    const numbered = keptApart(resource, fields);
    if (rule.code && numbered) r.notes.findings.push(d.report.uniqueSequence(rule.code));
    if (rule.code) r.code(rule.code, 'rule');
    // If a field of the rule is not declared, the rule may still become one that no request breaks.
    else if (
      !numbered &&
      !known.includes(null) &&
      !known.some((field, i) => field && isDrawn(r, field, ignored.has(fields[i] ?? ''))) &&
      canCollide(r, resource, { ...keyOf(rule), condition: rule.condition }, read)
    )
      r.notes.findings.push(
        d.report.uniqueCode(rule.span, {
          resource: name,
          fields: fields.map((field) => `\`${field}\``).join(' and '),
          ...(rule.condition && { condition: rule.condition.text }),
        }),
      );
  }
  for (const field of resource.fields) {
    const { unique } = field;
    if (unique?.value.kind !== 'yes') continue;
    if (unique.value.ignoringCase) checkIgnoringCase(r, field, unique);
    const fields = [field.name.text];
    if (unique.value.code) r.code(unique.value.code, 'rule');
    else if (
      !keptApart(resource, fields) &&
      !isDrawn(r, field, unique.value.ignoringCase) &&
      canCollide(r, resource, { fields, ignoringCase: unique.value.ignoringCase ? fields : [], condition: null }, [])
    )
      r.notes.findings.push(d.report.uniqueCode(unique, { resource: name, fields: `\`${field.name.text}\`` }));
  }
}

/** Whether every row draws the field's value at random, once: no request sends the value, and no two rows share one. */
function isDrawn(r: Resolved, { givenBy }: Field, ignoringCase: boolean): boolean {
  const [giving, ...others] = givenBy?.value ?? [];
  if (giving?.from !== 'moment' || giving.moment.text !== 'create' || others.length > 0) return false;
  const value = r.expr(giving.value);
  return value !== undefined && randomBits(value, ignoringCase) >= LEAST_BITS;
}

/** Only the characters of text have a case. */
function checkIgnoringCase(r: Resolved, field: Field, at: Name | Located<unknown>): void {
  const text = field.type?.value.kind === 'string' && field.format?.value !== 'uuid';
  if (field.type && field.format && !text) r.notes.findings.push(d.report.noCase(at, { field: field.name.text }));
}

/** Fields that are unique together, and those of them that are compared ignoring case. */
interface Key {
  readonly fields: readonly string[];
  readonly ignoringCase: readonly string[];
}

/**
 * Reports a unique rule without effect: fewer of its fields are unique already, and compared no more finely than in the
 * rule.
 */
function checkImplied(r: Resolved, resource: Resource): void {
  const single = resource.fields.flatMap(({ name, unique }): Key[] => {
    if (!unique || unique.value.kind === 'no') return [];
    const ignoring = unique.value.kind === 'yes' && unique.value.ignoringCase;
    return [{ fields: [name.text], ignoringCase: ignoring ? [name.text] : [] }];
  });
  const keys = countedByFirst([...single, ...resource.uniques.filter((rule) => !rule.condition).map(keyOf)]);
  for (const rule of resource.uniques) {
    const own = keyOf(rule);
    let implying = 0;
    for (const first of new Set(own.fields))
      for (const { key, count } of keys.get(first) ?? [])
        if (key.fields.every((field) => covers(key, own, field))) implying += count;
    if (implying > (rule.condition ? 0 : 1))
      r.notes.findings.push(d.report.uniqueImplied(rule.span, { resource: resource.name.text }));
  }
}

/** Keys by the first of their fields, with equal keys counted as one, so that a rule is compared with few keys. */
function countedByFirst(keys: readonly Key[]): Map<string, Array<{ readonly key: Key; count: number }>> {
  const known = new Map<string, { readonly key: Key; count: number }>();
  const byFirst = new Map<string, Array<{ readonly key: Key; count: number }>>();
  for (const key of keys) {
    const text = JSON.stringify([key.fields, key.ignoringCase]);
    const same = known.get(text);
    if (same) same.count += 1;
    else {
      const one = { key, count: 1 };
      known.set(text, one);
      const first = key.fields[0] ?? '';
      const alike = byFirst.get(first);
      if (alike) alike.push(one);
      else byFirst.set(first, [one]);
    }
  }
  return byFirst;
}

/** Whether the other key has the field, and `key` ignores its case wherever the other key does. */
function covers(key: Key, other: Key, field: string): boolean {
  if (!other.fields.includes(field)) return false;
  return key.ignoringCase.includes(field) || !other.ignoringCase.includes(field);
}

function keyOf(rule: Resource['uniques'][number]): Key {
  return { fields: rule.fields.map((one) => one.text), ignoringCase: rule.ignoringCase.map((one) => one.text) };
}
