import { lineKey, type StatementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { latestOf } from '../oracle/trace.ts';
import type { Request } from '../target/exchange.ts';
import { endpointsAt } from './wrong-answer.ts';

/** The statements that a header of an answer breaks, the likeliest first; none where the answer’s own step says it. */
export function ofHeader(
  plan: Plan,
  { endpoint, trace, expected }: Prediction,
  request: Request,
  difference: Difference,
): StatementId[] {
  const name = difference.at.slice('header '.length).toLowerCase();
  const { expected: ours, actual: theirs } = difference;
  const isThere = ours !== null && theirs !== null;
  const latest = (kind: StatementId['kind']): StatementId[] => latestOf(trace, kind);
  const of = (fact: 'conditional' | 'pages' | 'payloads'): StatementId[] =>
    endpoint ? [lineKey.endpoint(endpoint.name, fact)] : [];
  const stepSays = expected.code === null && endpoint?.after.headers.some((one) => one.name.toLowerCase() === name);
  if (name.startsWith('access-control-')) {
    const headings = name === 'access-control-allow-methods' ? ofMethods(plan, request, difference) : [];
    return [...headings, lineKey.part('authentication', 'origins')];
  }
  switch (name) {
    case 'etag':
      return isThere || stepSays ? [] : of('conditional');
    case 'link':
      return of('pages');
    case 'ratelimit':
    case 'ratelimit-policy':
      return isThere ? [...ratesOf(plan, difference), ...latest('rate')] : ofRateHeaders(plan, difference);
    case 'retry-after':
      return isThere ? latest('rate') : [lineKey.part('limits', 'rateHeaders')];
    case 'deprecation':
    case 'sunset':
      return isThere ? latest('version') : [lineKey.part('versioning', 'policy'), ...latest('version')];
    case 'vary':
      return [lineKey.part('versioning', 'scheme'), ...of('payloads')];
    case 'www-authenticate':
      return plan.schemes.map((scheme) => lineKey.scheme(scheme.name, 'header'));
    case 'content-type':
      if (expected.status >= 400) return [lineKey.part('errors', 'payload')];
      return [
        ...(plan.versions?.by.kind === 'media type' ? [lineKey.part('versioning', 'scheme')] : []),
        ...of('payloads'),
      ];
    case 'content-length':
      return endpoint?.head ? [lineKey.endpoint(endpoint.name, 'HEAD')] : [];
    case 'allow':
      return ofMethods(plan, request, difference);
    default:
      return [];
  }
}

/** Headers that none of the rates have, or the rates that they lack. */
function ofRateHeaders(plan: Plan, difference: Difference): StatementId[] {
  return [lineKey.part('limits', 'rateHeaders'), ...ratesOf(plan, difference)];
}

/** The rates in which two headers differ. */
function ratesOf({ rates }: Plan, { expected, actual }: Difference): StatementId[] {
  const [ours, theirs] = [expected, actual].map((text) => (text ?? '').split(', '));
  const others = [
    ...(ours ?? []).filter((item) => !theirs?.includes(item)),
    ...(theirs ?? []).filter((item) => !ours?.includes(item)),
  ];
  return others.flatMap((item) => {
    const at = rates.findIndex(({ name }) => item.startsWith(`"${name}";`));
    return at < 0 ? [] : [lineKey.rate(at)];
  });
}

/** The headings of the endpoints of a path whose methods one of two lists lacks. */
function ofMethods(plan: Plan, request: Request, { expected, actual }: Difference): StatementId[] {
  const [ours, theirs] = [expected, actual].map((text) => (text ?? '').split(/\s*,\s*/));
  const at = endpointsAt(plan, request);
  const isGone = ({ method }: EndpointPlan): boolean => (ours?.includes(method) ?? false) && !theirs?.includes(method);
  const gone = at.filter(isGone).map(({ name }) => lineKey.heading(name));
  const heads = ours?.includes('HEAD') === theirs?.includes('HEAD') ? [] : at.filter(({ method }) => method === 'GET');
  return [
    ...gone,
    ...heads.map(({ name }) => lineKey.endpoint(name, 'HEAD')),
    ...at.map(({ name }) => lineKey.heading(name)),
  ];
}
