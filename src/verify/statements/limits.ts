import { show } from '../../expression/tree/expression.ts';
import { statementId } from '../../plan/lines.ts';
import type { Plan, RatePlan } from '../../plan/step.ts';
import { type Draft, need, needAny } from './statement.ts';

const numberText = ({ count }: RatePlan): string => (typeof count === 'number' ? String(count) : show(count));

/** Rates, and what answers say of them. Other limits are an endpoint’s. */
export function rateDrafts({ rates }: Plan): Draft[] {
  const own = rates.map((rate, i): Draft => {
    const id = statementId.rate(i);
    return {
      id,
      item: 'limits/rate limits',
      needs: [
        need('a request is counted', id, 'counted'),
        need(`${numberText(rate)} requests are taken and one more is refused`, id, 'refused'),
        ...(typeof rate.count === 'number'
          ? []
          : [need('so are those of a caller with another number', id, 'refused past another number')]),
        ...(rate.per === 'row'
          ? [need('the requests of two callers with one row count together', id, 'refused together')]
          : []),
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
