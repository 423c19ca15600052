import { type Condition, FAULTS, STAGES } from '../../src/plan/conditions.ts';
import { contractFaults } from '../contract/judge.ts';
import { fitsVary, variesBy } from '../varies.ts';
import { wireName } from '../wirename.ts';
import type { Contract, Stated } from './contract.ts';
import { rateFaults, stray } from './headers.ts';
import { type Sent, values } from './sent.ts';
import { successFaults } from './shapes.ts';
import { headerOf, type Reply } from './wire.ts';

/** The conditions whose answers list what is at fault. */
const FAULTY: readonly Condition[] = ['invalid request', 'unknown field', 'unknown parameter'];
/** The conditions of the service’s own that aren’t failures. */
const BUSY: readonly Condition[] = ['time-out', 'unavailable'];
/** The stages that come before the version of a request is known. */
const BEFORE_VERSION: readonly Condition[] = [
  ...STAGES.Routing,
  ...STAGES.Pressure,
  ...STAGES.Caller,
  ...STAGES.Version,
];

/** What an answer says that the document doesn’t, in words; nothing where the document states all of it. */
export function judge(contract: Contract, sent: Sent, reply: Reply): string[] {
  const published = contract.published ? contractFaults(contract.published, sent, reply) : [];
  return [...published, ...statedFaults(contract, sent, reply)];
}

function statedFaults(contract: Contract, sent: Sent, reply: Reply): string[] {
  const faults = [...stray(reply)];
  if (sent.broken) return [...faults, ...bareFaults(reply)];
  const place = contract.place(sent.method, sent.target);
  if (place === null || 'allow' in place) {
    const condition = place === null ? 'no such endpoint' : 'method not allowed';
    const outcome = contract.outcome(condition);
    if (reply.status !== outcome?.status) faults.push(`${reply.status} where the document has ${condition}`);
    else faults.push(...problemFaults(contract, sent, reply, [outcome], null));
    const allow = headerOf(reply, 'allow')?.split(', ').sort().join(', ');
    const expected = place && [...place.allow].sort().join(', ');
    if (allow !== (expected ?? undefined)) faults.push(`Allow is ${allow}, not ${expected}`);
    return [...faults, ...headerFaults(contract, sent, reply, null)];
  }
  const { endpoint } = place;
  if (reply.status === endpoint.answer.status.value) faults.push(...successFaults(contract, endpoint, sent, reply));
  else faults.push(...problemFaults(contract, sent, reply, contract.outcomes(endpoint), endpoint));
  return [...faults, ...headerFaults(contract, sent, reply, endpoint)];
}

/** The code of an answer; its bare status where it has none. */
export function codeOf(reply: Reply): string {
  if (reply.status < 400) return String(reply.status);
  try {
    return (JSON.parse(reply.body) as { code: string }).code;
  } catch {
    return `bare ${reply.status}`;
  }
}

function* bareFaults(reply: Reply): Generator<string> {
  if (reply.body !== '') yield `HTTP’s own ${reply.status} has a body: ${reply.body}`;
  if (![400, 408, 413, 431].includes(reply.status)) yield `${reply.status} to what is no HTTP`;
  if (!reply.last) yield 'the connection goes on after what HTTP couldn’t read';
  for (const [name] of reply.headers)
    if (!['date', 'content-length', 'connection'].includes(name.toLowerCase()))
      yield `HTTP’s own answer has the header ${name}`;
}

function* problemFaults(
  contract: Contract,
  sent: Sent,
  reply: Reply,
  outcomes: ReadonlyArray<{ code: string; status: number; title: string }>,
  endpoint: Stated | null,
): Generator<string> {
  if (reply.status >= 500 && !BUSY.some((one) => contract.outcome(one)?.code === codeOf(reply)))
    yield `${reply.status}: ${reply.body}`;
  if (headerOf(reply, 'content-type') !== 'application/problem+json')
    yield `an error with the Content-Type ${headerOf(reply, 'content-type')}`;
  if (sent.method === 'HEAD') return;
  let problem: Record<string, unknown>;
  try {
    problem = JSON.parse(reply.body) as Record<string, unknown>;
  } catch {
    return yield `an error without problem details: ${reply.body}`;
  }
  const { title, status, code, errors, ...rest } = problem;
  if (Object.keys(rest).length) yield `problem details with ${Object.keys(rest)}`;
  const outcome = outcomes.find((one) => one.code === code);
  if (!outcome) return yield `the code ${code}, which nothing ${endpoint ? `at ${endpoint.name}` : 'there'} raises`;
  if (status !== reply.status || status !== outcome.status)
    yield `${code} with the status ${reply.status}, stated ${outcome.status}`;
  if (title !== outcome.title) yield `${code} with the title ${title}`;
  const faulty = FAULTY.some((condition) => contract.outcome(condition)?.code === code);
  if (faulty !== Array.isArray(errors)) return yield `${code} ${faulty ? 'without' : 'with'} errors`;
  if (!faulty || !endpoint) return;
  if ((errors as unknown[]).length === 0) yield `${code} names nothing at fault`;
  for (const one of errors as Array<Record<string, unknown>>) yield* faultFaults(contract, endpoint, sent, one);
}

/** Each fault names a place in the request, or what the document wants there, with words that are published. */
function* faultFaults(
  contract: Contract,
  endpoint: Stated,
  sent: Sent,
  fault: Record<string, unknown>,
): Generator<string> {
  const { pointer, parameter, header, code, detail, ...rest } = fault;
  const text = JSON.stringify(fault);
  if (Object.keys(rest).length) yield `a fault with ${Object.keys(rest)}`;
  if ([pointer, parameter, header].filter((one) => typeof one === 'string').length !== 1)
    yield `a fault at no one place: ${text}`;
  if (FAULTS[code as keyof typeof FAULTS] !== detail) yield `a fault in words of its own: ${text}`;
  if (typeof header === 'string' && values(sent, header).length === 0)
    yield `a fault in a header that wasn’t sent: ${text}`;
  const version = values(sent, contract.model.versioning.header!.value)[0] ?? null;
  if (typeof pointer === 'string' && !pointed(contract, endpoint, sent, version, pointer, code === 'missing'))
    yield `a fault at a member that isn’t there: ${text}`;
  if (typeof parameter !== 'string') return;
  const query = sent.target.includes('?') ? sent.target.slice(sent.target.indexOf('?') + 1) : '';
  // A question mark that leads is part of a name; the class would take it off.
  if (!new URLSearchParams(`&${query}`).has(parameter)) yield `a fault at a parameter that wasn’t sent: ${text}`;
}

function pointed(
  contract: Contract,
  endpoint: Stated,
  sent: Sent,
  version: string | null,
  pointer: string,
  missing: boolean,
): boolean {
  const body = JSON.parse(sent.body!.toString()) as unknown;
  if (pointer === '') return typeof body !== 'object' || body === null || Array.isArray(body);
  const name = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  if (!missing) return Object.hasOwn(body as object, name);
  const request = endpoint.effective.settings.request!.value;
  if (request === 'none' || Object.hasOwn(body as object, name)) return false;
  return request.fields.some(
    (field) => wireName(contract.model.versioning, version, request.resource.text, field.text) === name,
  );
}

/** The headers that the document states, each where it states it and nowhere else. */
function* headerFaults(contract: Contract, sent: Sent, reply: Reply, endpoint: Stated | null): Generator<string> {
  const { versioning, limits, authentication } = contract.model;
  const code = codeOf(reply);
  const isA = (conditions: readonly Condition[]): boolean =>
    conditions.some((one) => contract.outcome(one)?.code === code);
  const known = endpoint !== null && sent.method !== 'HEAD' && (reply.status < 300 || !isA(BEFORE_VERSION));
  const asked = values(sent, versioning.header!.value)[0] ?? versioning.current!.value;
  const version = known ? versioning.versions.find((one) => one.name === asked) : undefined;
  const deprecation = version?.deprecated ? `@${version.deprecated.value / 1000}` : undefined;
  const sunset = version?.sunset ? new Date(version.sunset.value).toUTCString() : undefined;
  if (headerOf(reply, 'deprecation') !== deprecation)
    yield `Deprecation is ${headerOf(reply, 'deprecation')}, not ${deprecation}`;
  if (headerOf(reply, 'sunset') !== sunset) yield `Sunset is ${headerOf(reply, 'sunset')}, not ${sunset}`;
  const vary = headerOf(reply, 'vary');
  const varies = endpoint && variesBy(contract.model, endpoint.effective);
  if (varies?.possible.size ? !fitsVary(vary ?? '', varies) : vary !== undefined) yield `Vary is ${vary}`;
  const scheme = authentication.schemes[0]!.header!.value.scheme!;
  const challenge = headerOf(reply, 'www-authenticate');
  if ((reply.status === 401) !== (challenge?.startsWith(scheme) ?? false))
    yield `${reply.status} with the challenge ${challenge}`;
  if ((reply.status === 429) !== (headerOf(reply, 'retry-after') !== undefined))
    yield `${reply.status} with Retry-After`;
  if (reply.status !== 405 && headerOf(reply, 'allow') !== undefined) yield `${reply.status} with Allow`;
  const counted = endpoint !== null && !isA(['unavailable']) ? limits.rates : [];
  const anonymous = isA(['credentials missing', 'credentials not accepted']);
  const maybe = isA(['rate exceeded']) ? counted.filter((rate) => rate.per === 'caller') : [];
  yield* rateFaults(
    reply,
    counted.filter((rate) => !anonymous || rate.per === 'address'),
    maybe,
  );
  const answered =
    reply.status < 300 && endpoint ? endpoint.answer.headers.map((one) => one.field.text.toLowerCase()) : [];
  for (const name of ['etag', 'location'])
    if (answered.includes(name) !== (headerOf(reply, name) !== undefined)) yield `${name} is ${headerOf(reply, name)}`;
}
