import type { Expr } from '../expression/tree/expression.ts';
import type { HeaderContract } from './endpoint.ts';
import { expression, type PlanReader } from './plan-reader.ts';

/** A header that every such answer has. */
export const header = (name: string, value: string | null = null): HeaderContract => ({
  name,
  presence: 'always',
  value,
  expression: null,
});

/**
 * What every answer says to caches, and to pages of other origins (the CORS protocol of the Fetch Standard). `options`:
 * whether it may answer OPTIONS, where no headers are shown to a page.
 */
export function browserHeaders(
  { plan: { browsers } }: PlanReader,
  vary: readonly string[],
  options: boolean,
): HeaderContract[] {
  const any = browsers?.origins === 'any';
  const varies = browsers && !any ? [...vary, 'Origin'] : vary;
  const out = varies.length ? [header('Vary', varies.join(', '))] : [];
  if (!browsers) return out;
  const corsHeader = (name: string, value: string | null): HeaderContract => ({
    ...header(name, value),
    presence: any ? 'always' : 'sometimes',
  });
  out.push(corsHeader('Access-Control-Allow-Origin', any ? '*' : null));
  if (browsers.credentials) out.push(corsHeader('Access-Control-Allow-Credentials', 'true'));
  if (browsers.shown.length) {
    const shown = corsHeader('Access-Control-Expose-Headers', browsers.shown.join(', '));
    out.push(options ? { ...shown, presence: 'sometimes' } : shown);
  }
  return out;
}

/** A header whose value the document computes; one of which there is no result is not set. */
export const computedHeader = (r: PlanReader, name: string, value: Expr): HeaderContract => ({
  name,
  presence: r.mayBeAbsent(value) ? 'sometimes' : 'always',
  value: null,
  expression: expression(value),
});
