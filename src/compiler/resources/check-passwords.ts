import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
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

/** The characters of a secret: 256 random bits in base64url. */
const SECRET_LENGTH = 43;

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
      for (const field of own.filter((field) => field.name.text === one.text && isHashed(field)))
        r.notes.findings.push(hashedUse(one, `${name.text}.${one.text}`, isSecret(field), 'identify rows'));
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

const isPassword = ({ format }: Formatted): boolean => format?.value === 'password';

/** Whether the service draws the values of a field, and stores only their hashes. */
export const isSecret = ({ format }: Formatted): boolean => format?.value === 'secret';

/** Whether the service stores only hashes of the values of a field: of a password or of a secret. */
export const isHashed = (field: Formatted): boolean => isPassword(field) || isSecret(field);

type Formatted = Pick<Field, 'format'>;

/** The one field of a resource that holds its password, or its secret. */
export function passwordOf(resource: Resource, secret: boolean): Field | null {
  return resource.fields.find(secret ? isSecret : isPassword) ?? null;
}

/** The finding on a use of a password or a secret that would need more than its hash. */
export const hashedUse = (at: Span | null, field: string, secret: boolean, use: string): Finding =>
  d.report.passwordUse(at, { field, use, is: secret ? 'secret' : 'password' });

/**
 * Reports a password field that is unique, computed, bounded by anything but its length, or the second of its resource;
 * and a secret that does not come from Issue alone.
 */
export function checkPasswordField(field: Field, path: string, others: readonly Field[]): Finding[] {
  if (!isHashed(field)) return [];
  const out: Finding[] = [];
  const { type, allowed, unique, givenBy } = field;
  const secret = isSecret(field);
  if (type?.value.kind === 'string' && allowed && !fitsLength(field))
    out.push((secret ? d.report.secretLength : d.report.passwordLength)(allowed, { field: path }));
  if (type && type.value.kind !== 'string') return out;
  if (unique && unique.value.kind !== 'no') out.push(hashedUse(unique, path, secret, 'be unique'));
  if (secret) out.push(...checkSource(field, path));
  else
    for (const giving of givenBy?.value ?? [])
      if (giving.from === 'moment' || ['transitions', 'sequence', 'audit'].includes(giving.from))
        out.push(hashedUse(givenBy, path, secret, 'be computed'));
  if (others.find(secret ? isSecret : isPassword) !== field)
    out.push(d.report.passwordSecond(field.name, { field: path, is: secret ? 'secret' : 'password' }));
  return out;
}

/** Whether the allowed values are a length; of a secret, one that a drawn secret has. */
function fitsLength({ allowed, format }: Field): boolean {
  if (allowed?.value.kind !== 'length') return false;
  return !isSecret({ format }) || (allowed.value.min <= SECRET_LENGTH && SECRET_LENGTH <= allowed.value.max);
}

/** Only the step Issue gives a secret, to a row that is there: a new row has none yet. */
function checkSource({ givenBy, presence }: Field, path: string): Finding[] {
  const bySteps = givenBy?.value.length === 1 && givenBy.value[0]?.from === 'steps';
  return [
    ...(givenBy && !bySteps ? [d.report.secretGiven(givenBy, { field: path })] : []),
    ...(presence && presence.value !== 'optional' ? [d.report.secretPresence(presence, { field: path })] : []),
  ];
}
