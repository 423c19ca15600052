import type { Rate } from '../../src/compiler/statements/limits.ts';
import { headerOf, type Reply } from './wire.ts';

/** What the document’s answers may carry, and HTTP’s own floor. */
const KNOWN = new Set([
  ...['location', 'etag', 'ratelimit-policy', 'ratelimit', 'retry-after', 'deprecation', 'sunset', 'vary'],
  ...[
    'date',
    'content-type',
    'content-length',
    'connection',
    'keep-alive',
    'transfer-encoding',
    'allow',
    'www-authenticate',
  ],
]);

const IMF_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Headers that neither the document nor HTTP has, headers twice, and what HTTP wants and isn’t there. */
export function* stray(reply: Reply): Generator<string> {
  const seen = new Set<string>();
  for (const [name] of reply.headers) {
    const lower = name.toLowerCase();
    if (!KNOWN.has(lower)) yield `the header ${name}, which nobody states`;
    if (seen.has(lower)) yield `the header ${name} twice`;
    seen.add(lower);
  }
  if (!IMF_DATE.test(headerOf(reply, 'date') ?? '')) yield `Date is ${headerOf(reply, 'date')}`;
  if (reply.status !== 204 && !seen.has('content-length') && !seen.has('transfer-encoding'))
    yield 'an answer without framing';
  if (reply.status === 204 && (seen.has('content-length') || seen.has('content-type')))
    yield '204 with headers of a body';
  if (reply.body === '' && seen.has('content-type') && headerOf(reply, 'content-length') === '0')
    yield 'a Content-Type without a body';
  const policies = reply.headers.filter(([name]) => name === 'RateLimit-Policy').length;
  if (policies !== reply.headers.filter(([name]) => name === 'RateLimit').length)
    yield 'RateLimit and RateLimit-Policy apart';
}

/** The rates of the answer are those stated, in order; `maybe` are those that may not have been counted yet. */
export function* rateFaults(reply: Reply, rates: readonly Rate[], maybe: readonly Rate[]): Generator<string> {
  const policy = headerOf(reply, 'ratelimit-policy');
  const limit = headerOf(reply, 'ratelimit');
  if (!rates.length) {
    if (policy ?? limit) yield `rates where none is counted: ${policy}`;
    return;
  }
  const stated = (list: readonly Rate[]): string =>
    list
      .map((rate) => `${rate.count}/${rate.milliseconds / 1000}`)
      .sort()
      .join(' ');
  const policies = [...(policy ?? '').matchAll(/"([a-z]+)";q=(\d+);w=(\d+)/g)];
  const said = policies
    .map(([, , q, w]) => `${q}/${w}`)
    .sort()
    .join(' ');
  if (said !== stated(rates) && said !== stated(rates.filter((rate) => !maybe.includes(rate))))
    yield `RateLimit-Policy is ${policy}, stated ${stated(rates)}`;
  const left = [...(limit ?? '').matchAll(/"([a-z]+)";r=(\d+);t=(\d+)/g)];
  const sound = left.every(([, name, r, t], i) => {
    const [, policyName, q, w] = policies[i] ?? [];
    return name === policyName && Number(r) <= Number(q) && Number(t) >= 0 && Number(t) <= Number(w);
  });
  if (left.length !== policies.length || !sound) yield `RateLimit is ${limit}, by the policy ${policy}`;
}
