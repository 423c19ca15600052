import type { Finding } from '../../syntax/diagnostic.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/**
 * Bounds of the memory of one hash, in bytes, and of its work: the least work is that of the weakest parameters of
 * OWASP.
 */
const MOST_MEMORY = 268_435_456;
const LEAST_WORK = 8192 * 8 * 10;
const MOST_WORK = LEAST_WORK * 64;

/**
 * Checks that the hashing of passwords is stated once, with parameters that are neither too weak nor beyond any
 * machine.
 */
export function checkPasswords(r: Resolved): void {
  const { rules, list } = r.model.resources;
  const fields = list.flatMap((resource) => resource.fields).filter(isPassword);
  const rule = rules.passwords;
  for (const { fields: own, uniques, overlaps, name } of list)
    for (const one of [...uniques.flatMap((rule) => rule.fields), ...overlaps.flatMap((rule) => rule.by)])
      if (own.some((field) => field.name.text === one.text && isPassword(field))) {
        const params = { field: `${name.text}.${one.text}`, use: 'identify rows' };
        r.notes.findings.push(d.report.passwordUse(one, params));
      }
  if (!rule && fields.length) r.notes.findings.push(d.report.passwordHash(null));
  if (!rule) return;
  if (fields.length === 0) r.notes.findings.push(d.report.ruleUnused(rule, { reason: 'no field is a password' }));
  const { cost, blocks, lanes } = rule.value;
  const work = cost * blocks * lanes;
  const memory = 128 * cost * blocks;
  if (Math.log2(cost) % 1 !== 0 || cost < 8192 || blocks < 8 || work < LEAST_WORK)
    r.notes.findings.push(d.report.passwordWeak(rule));
  else if (memory > MOST_MEMORY || work > MOST_WORK) r.notes.findings.push(d.report.passwordHeavy(rule));
}

export const isPassword = (field: Pick<Field, 'format'>): boolean => field.format?.value === 'password';

/** The one field of a resource that holds its password. */
export function passwordOf(resource: Resource): Field | null {
  return resource.fields.find(isPassword) ?? null;
}

/**
 * Reports a password field that is unique, computed, bounded by anything but its length, or the second of its resource.
 */
export function checkPasswordField(field: Field, path: string, others: readonly Field[]): Finding[] {
  if (!isPassword(field)) return [];
  const out: Finding[] = [];
  const { type, allowed, unique, givenBy } = field;
  if (type?.value.kind === 'string' && allowed && allowed.value.kind !== 'length')
    out.push(d.report.passwordLength(allowed, { field: path }));
  if (type && type.value.kind !== 'string') return out;
  if (unique && unique.value.kind !== 'no') out.push(d.report.passwordUse(unique, { field: path, use: 'be unique' }));
  for (const giving of givenBy?.value ?? [])
    if (giving.from === 'moment' || ['transitions', 'sequence', 'audit'].includes(giving.from))
      out.push(d.report.passwordUse(givenBy, { field: path, use: 'be computed' }));
  if (others.find(isPassword) !== field) out.push(d.report.passwordSecond(field.name, { field: path }));
  return out;
}
