import { type StatementId, statementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { latestOf } from '../oracle/trace.ts';
import type { Request } from '../target/exchange.ts';
import { answerGiven } from './places.ts';
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
  const of = (fact: 'conditional' | 'deprecated' | 'pages' | 'payloads'): StatementId[] =>
    endpoint ? [statementId.endpoint(endpoint.name, fact)] : [];
  const ending = endpoint?.deprecation ? of('deprecated') : [];
  const stepSays =
    expected.code === null &&
    answerGiven({ endpoint, expected })?.headers.some((one) => one.name.toLowerCase() === name);
  if (name.startsWith('access-control-')) {
    const headings = name === 'access-control-allow-methods' ? ofMethods(plan, request, difference) : [];
    return [...headings, statementId.part('authentication', 'origins')];
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
      return isThere ? latest('rate') : [statementId.part('limits', 'rateHeaders')];
    case 'deprecation':
    case 'sunset':
      return isThere
        ? [...ending, ...latest('version')]
        : [...ending, statementId.part('versioning', 'policy'), ...latest('version')];
    case 'vary':
      return [statementId.part('versioning', 'scheme'), ...of('payloads')];
    case 'set-cookie':
      return plan.schemes.flatMap(({ name: of, cookie }) => (cookie ? [statementId.scheme(of, 'cookie')] : []));
    case 'www-authenticate':
      return [
        ...plan.schemes.flatMap(({ name: of, basic }) => (basic ? [statementId.scheme(of, 'realm')] : [])),
        ...plan.schemes.map((scheme) => statementId.scheme(scheme.name, 'header')),
      ];
    case 'content-type':
      if (expected.status >= 400) return [statementId.part('errors', 'payload')];
      return [
        ...(plan.versions?.by.kind === 'media type' ? [statementId.part('versioning', 'scheme')] : []),
        ...of('payloads'),
      ];
    case 'content-length':
      return endpoint?.head ? [statementId.endpoint(endpoint.name, 'HEAD')] : [];
    case 'allow':
      return ofMethods(plan, request, difference);
    default:
      return [];
  }
}

/** Headers that none of the rates have, or the rates that they lack. */
function ofRateHeaders(plan: Plan, difference: Difference): StatementId[] {
  return [statementId.part('limits', 'rateHeaders'), ...ratesOf(plan, difference)];
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
    return at < 0 ? [] : [statementId.rate(at)];
  });
}

/** The headings of the endpoints of a path whose methods one of two lists lacks. */
function ofMethods(plan: Plan, request: Request, { expected, actual }: Difference): StatementId[] {
  const [ours, theirs] = [expected, actual].map((text) => (text ?? '').split(/\s*,\s*/));
  const at = endpointsAt(plan, request);
  const isGone = ({ method }: EndpointPlan): boolean => (ours?.includes(method) ?? false) && !theirs?.includes(method);
  const gone = at.filter(isGone).map(({ name }) => statementId.heading(name));
  const heads = ours?.includes('HEAD') === theirs?.includes('HEAD') ? [] : at.filter(({ method }) => method === 'GET');
  return [
    ...gone,
    ...heads.map(({ name }) => statementId.endpoint(name, 'HEAD')),
    ...at.map(({ name }) => statementId.heading(name)),
  ];
}
