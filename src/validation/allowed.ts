import { RE2JS } from 're2js';
import { codePoints } from '../expression/values/text.ts';
import type { Value } from '../expression/values/value.ts';
import type { Fault } from '../plan/conditions.ts';
import type { ValueRule } from '../plan/step.ts';
import { FORMATS } from './formats.ts';

/** Checks a value in its computed form; null where it is allowed. */
export type Check = (value: Value) => Fault | null;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Compiles the limits of a rule to a check, for values from any source; items have checks of their own. */
export function allowedBy(rule: ValueRule): Check {
  const { min, max } = rule;
  switch (rule.kind) {
    case 'text':
      return textCheck(rule);
    case 'uuid':
      return (value) => (UUID.test(value as string) ? null : 'not_uuid');
    case 'integer':
    case 'decimal':
    case 'duration':
      return (value) => {
        if (min !== null && (value as number) < min) return 'too_small';
        return max !== null && (value as number) > max ? 'too_large' : null;
      };
    case 'timestamp': {
      const { whole } = rule;
      return (value) => (whole !== null && (value as number) % whole !== 0 ? 'not_whole_minutes' : null);
    }
    case 'boolean':
    case 'date':
      return () => null;
    case 'list':
    case 'set':
    case 'map':
      return (value) => {
        const count = value instanceof Map ? value.size : (value as readonly Value[]).length;
        if (min !== null && count < min) return 'too_few';
        return max !== null && count > max ? 'too_many' : null;
      };
  }
}

function textCheck(rule: ValueRule): Check {
  const { min, max, oneOf } = rule;
  const format = rule.format && FORMATS[rule.format];
  const pattern = rule.pattern === null ? null : RE2JS.compile(rule.pattern);
  return (given) => {
    const value = given as string;
    if (oneOf && !oneOf.includes(value)) return 'not_one_of';
    if (max !== null && value.length > max && codePoints(value) > max) return 'too_long';
    if (min !== null && min > 0 && codePoints(value) < min) return 'too_short';
    if (pattern && !pattern.test(value)) return 'not_matching';
    return format && !format.test(value) ? format.fault : null;
  };
}
