import type { Type } from '../../expression/tree/types.ts';
import type { ValueRule } from '../../plan/step.ts';
import { type FieldWords, meantBy, wordsText } from '../../plan/words.ts';
import type { Validated } from '../../validation/validate.ts';
import type { ApiVersion } from '../context/request-context.ts';

/** Checks a value that is not null; `raw` is JSON, or a text. */
type Check<Raw> = (raw: Raw) => Validated;

/**
 * Compiles the check of a value by version: the words of an older version for the values of `field` are read as the
 * values that they mean. `inBody`: as the value of a field, which is one of those that a word shows.
 */
export function inWords<Raw>(
  field: string | undefined,
  rule: ValueRule,
  inBody: boolean,
  compile: (rule: ValueRule) => Check<Raw>,
): (apiVersion: ApiVersion) => Check<Raw> {
  const plain = compile(rule);
  if (field === undefined || rule.oneOf === null) return () => plain;
  const known = new Map<FieldWords, Check<Raw>>();
  return (apiVersion) => {
    const words = apiVersion.words(field);
    if (!words) return plain;
    const made = known.get(words) ?? reading(words, inBody, compile({ ...rule, oneOf: wordsText(words, inBody) }));
    known.set(words, made);
    return made;
  };
}

const reading =
  <Raw>(words: FieldWords, inBody: boolean, check: Check<Raw>): Check<Raw> =>
  (raw) => {
    const checked = check(raw);
    return 'value' in checked ? { value: meantBy(words, checked.value as string, inBody) } : checked;
  };

/** The words of a version for the values of a type; null where they are the values themselves. */
export const wordsOfType = (type: Type, apiVersion: ApiVersion): FieldWords | null =>
  type.kind === 'string' && type.oneOf !== null && type.owner !== null ? apiVersion.words(type.owner) : null;
