import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../src/contract/endpoint.ts';
import { type Sent, values } from '../invention/sent.ts';
import { headerOf, type Reply } from '../invention/wire.ts';
import { misfits } from './misfits.ts';

/** What HTTP says of itself, whatever a document states. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'content-type',
  'transfer-encoding',
]);

/** What an answer says that its contract doesn’t, in words; nothing where one of its answers is this one. */
export function contractFaults(contract: Contract, sent: Sent, reply: Reply): string[] {
  const head = sent.method === 'HEAD';
  // Only problem details have the code at a place that is always the same.
  const coded = contract.errors.payload?.kind === 'RFC 9457' && !head;
  const code = coded ? codeIn(reply) : null;
  const found = versionsOf(contract, sent).flatMap((version) =>
    answersTo(contract, version, sent).map((answer) => ({ version, answer })),
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

/** Every answer that a request may get in a version. */
function answersTo(contract: Contract, version: VersionContract, sent: Sent): readonly AnswerContract[] {
  if (sent.broken) return [...contract.errors.wire, ...BARE];
  const { method } = sent;
  const there = version.endpoints.filter((one) => leads(one.path, sent.target));
  const found = there.find((one) => one.method === method || (one.head && method === 'HEAD'));
  return found?.answers ?? version.elsewhere;
}

/** Framing that HTTP can’t read is answered by a status alone. */
const BARE: readonly AnswerContract[] = [408, 413].map((status) => ({
  status,
  code: null,
  title: null,
  because: { kind: 'condition', name: 'malformed HTTP', text: 'HTTP' },
  headers: [],
  body: null,
  lines: [],
}));

/**
 * The version that a header of the request names and that answers, and where it names none of those, the current one;
 * every one that answers, where versions are named otherwise.
 */
function versionsOf({ versions, versioning }: Contract, sent: Sent): readonly VersionContract[] {
  const answering = versions.filter((one) => one.status !== 'retired');
  if (versioning?.by.kind !== 'header') return answering;
  const asked = values(sent, versioning.by.header)[0];
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
    const sent = headerOf(reply, name);
    if (sent === undefined && presence === 'always') yield `${status} ${code} without ${name}`;
    if (sent !== undefined && value !== null && sent !== value) yield `${name} is ${sent}, not ${value}`;
  }
  for (const [name] of reply.headers)
    if (!OF_HTTP.has(name.toLowerCase()) && !headers.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      yield `${status} ${code} with ${name}`;
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
  if (headerOf(reply, 'content-type') !== body.mediaType)
    yield `Content-Type is ${headerOf(reply, 'content-type')}, not ${body.mediaType}`;
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
