import { statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { type Draft, need, needAny } from './statement.ts';

/** Rates, and what answers say of them. Other limits are an endpoint’s. */
export function rateDrafts({ rates }: Plan): Draft[] {
  const own = rates.map((rate, i): Draft => {
    const id = statementId.rate(i);
    return {
      id,
      item: 'limits/rate limits',
      needs: [
        need('a request is counted', id, 'counted'),
        need(`${rate.count} requests are taken and one more is refused`, id, 'refused'),
      ],
    };
  });
  const headers = rates.some((one) => one.headers.rateLimit || one.headers.retryAfter);
  const counted = rates.map((_, i) => ({ statement: statementId.rate(i), what: 'counted' }));
  const id = statementId.part('limits', 'rateHeaders');
  return headers
    ? [...own, { id, item: 'limits/rate limits', needs: [needAny('a request is counted', counted)] }]
    : own;
}
