import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../src/contract/endpoint.ts';
import { headerOf } from '../../src/verify/target/exchange.ts';
import { misfits } from './misfits.ts';

type Headers = ReadonlyArray<readonly [name: string, value: string]>;

/** What was asked. */
interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
}

/** What was answered. */
interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** What HTTP says of itself, whatever a document states. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'transfer-encoding',
]);

/** What is told of what pages may ask (Fetch, section 3.3.3). */
const OF_PREFLIGHTS: ReadonlySet<string> = new Set([
  'vary',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
]);

/** The fields of an answer that neither HTTP has nor others that are known. */
const strayOf = ({ headers, status }: Reply, known: ReadonlySet<string>): string[] =>
  headers.flatMap(([name]) =>
    OF_HTTP.has(name.toLowerCase()) || known.has(name.toLowerCase()) ? [] : [`${status} with ${name}`],
  );

/** What an answer says that its contract doesn’t, in words; nothing where one of its answers is this one. */
export function contractFaults(contract: Contract, sent: Sent, reply: Reply): string[] {
  // What a browser is told before it asks is no answer of an endpoint, nor is what is told where no HTTP was sent.
  if (contract.browsers && isPreflight(sent)) return strayOf(reply, OF_PREFLIGHTS);
  if (!isHttp(sent)) return strayOf(reply, new Set());
  const head = sent.method === 'HEAD';
  // Only problem details have the code at a place that is always the same.
  const coded = contract.errors.payload?.kind === 'RFC 9457' && !head;
  const code = coded ? codeIn(reply) : null;
  const found = versionsOf(contract, sent).flatMap((version) =>
    answersTo(version, sent).map((answer) => ({ version, answer })),
  );
  const alike = found.filter(({ answer }) => answer.status === reply.status && (!coded || answer.code === code));
  if (alike.length === 0)
    return [`the contract has no answer ${reply.status} ${code ?? 'without a code'} to ${sent.method} ${sent.target}`];
  const faults = alike.map(({ version, answer }) => [
    ...headerFaults(answer, reply),
    ...bodyFaults(contract, version, sent, answer, reply),
  ]);
  return faults.reduce((least, one) => (one.length < least.length ? one : least));
}

/** Whether the values of its fields have no control characters (RFC 9110, section 5.5). */
const isHttp = ({ headers }: Sent): boolean => !headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));

/** A request of a browser that asks whether another may be sent (Fetch, section 3.3.2). */
const isPreflight = ({ method, headers }: Sent): boolean =>
  method === 'OPTIONS' && ['Origin', 'Access-Control-Request-Method'].every((name) => headerOf(headers, name) !== null);

/** Every answer that a request may get in a version. */
function answersTo(version: VersionContract, sent: Sent): readonly AnswerContract[] {
  const { method } = sent;
  const there = version.endpoints.filter((one) => leads(one.path, sent.target));
  const found = there.find((one) => one.method === method || (one.head && method === 'HEAD'));
  return found?.answers ?? version.elsewhere;
}

/**
 * The version that a header of the request names and that answers, and where it names none of those, the current one;
 * every one that answers, where versions are named otherwise.
 */
function versionsOf({ versions, versioning }: Contract, sent: Sent): readonly VersionContract[] {
  const answering = versions.filter((one) => one.status !== 'retired');
  if (versioning?.by.kind !== 'header') return answering;
  const asked = headerOf(sent.headers, versioning.by.header);
  const found = answering.find((one) => one.name === asked);
  return found ? [found] : answering.slice(0, 1);
}

function leads(path: EndpointContract['path'], target: string): boolean {
  const [asked = ''] = target.replace(/^https?:\/\/[^/?#]+/i, '').split('?');
  if (asked.includes('#')) return false;
  try {
    const [stated, segments] = [path.split('/'), asked.split('/').map(decodeURIComponent)];
    return (
      stated.length === segments.length &&
      stated.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
    );
  } catch {
    // What can't be decoded is no path.
    return false;
  }
}

function codeIn({ status, body }: Reply): string | null {
  if (status < 400 || body === '') return null;
  try {
    return (JSON.parse(body) as { code?: string }).code ?? null;
  } catch {
    return null;
  }
}

/** Headers that are missing, that say something else, and that nobody states. */
function* headerFaults({ headers, status, code }: AnswerContract, reply: Reply): Generator<string> {
  for (const { name, presence, value } of headers) {
    const sent = headerOf(reply.headers, name);
    if (sent === null && presence === 'always') yield `${status} ${code} without ${name}`;
    if (sent !== null && value !== null && sent !== value) yield `${name} is ${sent}, not ${value}`;
  }
  yield* strayOf(reply, new Set(headers.map((one) => one.name.toLowerCase())));
}

function* bodyFaults(
  contract: Contract,
  version: VersionContract,
  sent: Sent,
  answer: AnswerContract,
  reply: Reply,
): Generator<string> {
  if (sent.method === 'HEAD') return;
  const { body } = answer;
  if (!body) {
    if (reply.body !== '') yield `a body where the contract has none: ${reply.body}`;
    return;
  }
  if (headerOf(reply.headers, 'content-type') !== body.mediaType)
    yield `Content-Type is ${headerOf(reply.headers, 'content-type')}, not ${body.mediaType}`;
  let value: unknown;
  try {
    value = JSON.parse(reply.body);
  } catch {
    return yield `no JSON: ${reply.body}`;
  }
  yield* misfits(contract, version, body.type, value, '');
  if (
    contract.errors.payload?.kind === 'RFC 9457' &&
    answer.title !== null &&
    (value as { title?: string }).title !== answer.title
  )
    yield `the title is ${(value as { title?: string }).title}`;
}
