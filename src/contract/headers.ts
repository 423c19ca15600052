import type { Expr } from '../expression/tree/expression.ts';
import type { HeaderContract } from './endpoint.ts';
import { expression, type PlanReader } from './plan-reader.ts';

/** A header that is always present. */
export const header = (name: string, value: string | null = null): HeaderContract => ({
  name,
  presence: 'always',
  value,
  expression: null,
});

/**
 * The `Vary` and CORS headers of every answer (the CORS protocol of the Fetch Standard). `options`: whether the answer
 * may be one to OPTIONS, which has no `Access-Control-Expose-Headers`.
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

/** A header with an expression. If the expression has no result, the header is absent. */
export const computedHeader = (r: PlanReader, name: string, value: Expr): HeaderContract => ({
  name,
  presence: r.mayBeAbsent(value) ? 'sometimes' : 'always',
  value: null,
  expression: expression(value),
});
