import { RE2JS } from 're2js';
import { codePoints } from '../../expression/javascript.ts';
import type { Value } from '../../expression/value.ts';
import type { ValueRule, WirePlan } from '../../plan/step.ts';
import type { Fault } from '../errors/conditions.ts';

/** What a value turned out to be: allowed, in the form it is stored in, or at fault. */
export type Validated = { readonly value: Value } | { readonly fault: Fault };

/** Checks one value that is not null. */
export type Validator = (raw: unknown) => Validated;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The addr-spec of HTML’s `<input type=email>` (WHATWG HTML, “valid e-mail address”), which is linear to match. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

/** Compiles a rule to a check of JSON values. `trim` says whether white space around text is taken off first. */
export function validator(rule: ValueRule, wire: Pick<WirePlan, 'text' | 'timestamps'>): Validator {
  switch (rule.kind) {
    case 'text':
      return textValidator(rule, wire.text === 'trimmed');
    case 'uuid':
      return (raw) =>
        typeof raw === 'string' && UUID.test(raw) ? { value: raw.toLowerCase() } : { fault: 'not_uuid' };
    case 'integer':
      return (raw) => {
        if (typeof raw !== 'number' || !Number.isInteger(raw)) return { fault: 'not_integer' };
        if (rule.min !== null && raw < rule.min) return { fault: 'too_small' };
        if (rule.max !== null && raw > rule.max) return { fault: 'too_large' };
        return { value: raw === 0 ? 0 : raw };
      };
    case 'boolean':
      return (raw) => (typeof raw === 'boolean' ? { value: raw } : { fault: 'not_boolean' });
    case 'timestamp':
      return (raw) => timestamp(raw, wire.timestamps === 'seconds');
  }
}

function textValidator(rule: ValueRule, trimmed: boolean): Validator {
  const { min, max, oneOf } = rule;
  const pattern = rule.pattern === null ? null : RE2JS.compile(rule.pattern);
  return (raw) => {
    // Half of a surrogate pair is no character, and U+0000 is none that every store can keep.
    if (typeof raw !== 'string' || !raw.isWellFormed() || raw.includes('\0')) return { fault: 'not_text' };
    const value = trimmed ? raw.trim() : raw;
    if (oneOf && !oneOf.includes(value)) return { fault: 'not_one_of' };
    if (max !== null && value.length > max && codePoints(value) > max) return { fault: 'too_long' };
    if (min !== null && min > 0 && codePoints(value) < min) return { fault: 'too_short' };
    if (pattern && !pattern.test(value)) return { fault: 'not_matching' };
    if (rule.format === 'email' && !EMAIL.test(value)) return { fault: 'not_email' };
    return { value };
  };
}

/** RFC 3339 in UTC, written with `Z`, as precise as the document states. */
function timestamp(raw: unknown, seconds: boolean): Validated {
  if (typeof raw !== 'string' || !TIMESTAMP.test(raw)) return { fault: 'not_timestamp' };
  const at = Date.parse(raw);
  const [whole = ''] = raw.split(/[.Z]/);
  if (!Number.isFinite(at) || !new Date(at).toISOString().startsWith(whole)) return { fault: 'not_timestamp' };
  return seconds && at % 1000 !== 0 ? { fault: 'not_timestamp' } : { value: at };
}

/** The same check for text that stands in a path or a query. */
export function textParameter(
  rule: ValueRule,
  wire: Pick<WirePlan, 'text' | 'timestamps'>,
): (raw: string) => Validated {
  const check = validator(rule, wire);
  if (rule.kind === 'integer')
    return (raw) => (/^-?\d{1,16}$/.test(raw) ? check(Number(raw)) : { fault: 'not_integer' });
  if (rule.kind === 'boolean')
    return (raw) => (raw === 'true' || raw === 'false' ? check(raw === 'true') : { fault: 'not_boolean' });
  return check;
}
