import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Answer, Request } from '../target/exchange.ts';
import { pathPattern, plainPath } from '../target/path-pattern.ts';

/** An answer that differs from the one that the document requires. */
export interface WrongAnswer {
  readonly request: Request;
  readonly answer: Answer;
  readonly prediction: Prediction;
  readonly differences: readonly Difference[];
}

/** The endpoints whose path may match the path of a request, whatever its prefix is, such as a version. */
export function endpointsAt({ endpoints }: Plan, { target }: Request): EndpointPlan[] {
  const names = plainPath(target.split('?')[0] ?? '')
    .split('/')
    .slice(1);
  return endpoints.filter(({ path }) => {
    const parts = path.split('/').slice(1);
    const own = names.slice(names.length - parts.length);
    const fits = (part: string, i: number): boolean =>
      part === own[i] || (part.includes('{') && pathPattern(part).test(own[i] ?? ''));
    return names.length >= parts.length && parts.every(fits);
  });
}
