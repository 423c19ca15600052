import type { BrowsersPlan } from '../../plan/callers.ts';
import { statementId } from '../../plan/lines.ts';
import type { EndpointPlan } from '../../plan/step.ts';
import type { Expected } from './errors.ts';
import type { Trace } from './trace.ts';

type Sent = (name: string) => string | undefined;

const ORIGINS = statementId.part('authentication', 'origins');

/** Whether the request comes from an origin that is stated: compared as text, as browsers write it. */
function isAllowed({ origins }: BrowsersPlan, sent: Sent): boolean {
  const origin = sent('origin');
  return origin !== undefined && (origins === 'any' || origins.includes(origin));
}

/** Whether a request is a preflight request (Fetch Standard, section 4.8) from an allowed origin. */
export const isPreflight = (plan: BrowsersPlan | null, method: string, sent: Sent): plan is BrowsersPlan =>
  plan !== null && method === 'OPTIONS' && sent('access-control-request-method') !== undefined && isAllowed(plan, sent);

/** The answer to a preflight: the methods of a path, and the request headers that its endpoints read. */
export function preflightAnswer(
  { kept }: BrowsersPlan,
  methods: readonly string[],
  endpoints: readonly EndpointPlan[],
  trace: Trace[],
): Expected {
  trace.push({ statement: ORIGINS, what: 'preflight' });
  const read = [...new Set(endpoints.flatMap(({ requestHeaders }) => requestHeaders))].sort();
  const headers: Array<readonly [string, string]> = [['Access-Control-Allow-Methods', methods.join(', ')]];
  if (read.length) headers.push(['Access-Control-Allow-Headers', read.join(', ')]);
  headers.push(['Access-Control-Max-Age', String(kept)]);
  return { status: 204, code: null, headers, body: undefined, statements: [ORIGINS] };
}

/** The CORS headers of every answer (Fetch Standard, section 3.3). */
export function browserHeaders(
  plan: BrowsersPlan | null,
  method: string,
  sent: Sent,
  trace: Trace[],
): Array<readonly [string, string]> {
  if (!plan) {
    // The document allows no page of another origin to read answers.
    if (sent('origin') !== undefined) trace.push({ statement: ORIGINS, what: 'not allowed' });
    return [];
  }
  const { origins, credentials, shown } = plan;
  const headers: Array<readonly [string, string]> = origins === 'any' ? [] : [['Vary', 'Origin']];
  const allowed = isAllowed(plan, sent);
  if (sent('origin') !== undefined) trace.push({ statement: ORIGINS, what: allowed ? 'allowed' : 'not allowed' });
  if (origins !== 'any' && !allowed) return headers;
  headers.push(['Access-Control-Allow-Origin', origins === 'any' ? '*' : (sent('origin') ?? '')]);
  if (credentials) headers.push(['Access-Control-Allow-Credentials', 'true']);
  if (shown.length && method !== 'OPTIONS') headers.push(['Access-Control-Expose-Headers', shown.join(', ')]);
  return headers;
}
