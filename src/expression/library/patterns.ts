import { RE2JS } from 're2js';
import { memo } from './memo.ts';

/** Patterns are compiled for a linear-time engine, so that no value makes them slow. */
const compiled = memo((pattern: string): RE2JS | null => {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
});

/** True for a pattern of RE2 syntax. */
export function isPattern(text: string): boolean {
  return compiled(text) !== null;
}

/** Whether a pattern is found anywhere in a text (cel-spec, “matches”). */
export function matches(text: string, pattern: string): boolean {
  return compiled(pattern)!.test(text);
}
