import { z } from 'zod';
import { absence, isShort, isText, pointerTo } from './orders/draft.ts';
import type { Fault } from './orders/problems.ts';
import { type FaultCode, QUANTITY, SKU } from './orders/terms.ts';
import { trimmed } from './orders/white-space.ts';

/** The body of `POST /orders` in Zod, as Express and Hono are commonly used with. */
export const DRAFT = z.strictObject({
  sku: z.string().overwrite(trimmed).regex(SKU),
  quantity: z.int().min(QUANTITY.least).max(QUANTITY.most),
  note: z
    .string()
    .overwrite(trimmed)
    .refine((note) => isText(note) && isShort(note))
    .nullish(),
});

type Issue = z.core.$ZodIssue;

/** The faults that Zod has found, one for each field, in the order of the fields; what is unknown comes last. */
export function faultsOf(error: { readonly issues: readonly Issue[] }, body: unknown): Fault[] {
  const faults = new Map<string, FaultCode>();
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) faults.set(pointerTo(key), 'unknown_field');
    else {
      const name = issue.path.map((part) => `/${String(part)}`).join('');
      if (!faults.has(name)) faults.set(name, faultOf(issue, valueAt(body, issue.path[0])));
    }
  }
  return [...faults].map(([pointer, code]) => ({ pointer, code }));
}

const valueAt = (body: unknown, name: PropertyKey | undefined): unknown =>
  name === undefined ? body : (body as Record<PropertyKey, unknown>)[name];

function faultOf(issue: Issue, sent: unknown): FaultCode {
  switch (issue.code) {
    case 'too_small':
      return 'too_small';
    case 'too_big':
      return 'too_large';
    case 'custom':
      return typeof sent === 'string' && !isText(sent) ? 'not_text' : 'too_long';
    case 'invalid_type': {
      if (issue.expected === 'object') return 'not_an_object';
      // Whatever is too large for JavaScript is no number for Zod.
      if (typeof sent === 'number' && !Number.isFinite(sent)) return sent > 0 ? 'too_large' : 'too_small';
      return absence(sent) ?? (issue.expected === 'string' ? 'not_text' : 'not_integer');
    }
    case 'invalid_union':
      return 'not_text';
    default:
      return typeof sent === 'string' && !isText(sent) ? 'not_text' : 'not_matching';
  }
}
