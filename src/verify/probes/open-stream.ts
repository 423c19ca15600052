import { statementId } from '../../plan/lines.ts';
import type { EndpointPlan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import { EventStream, type StreamMessage } from '../target/event-stream.ts';
import { type Exchange, headerOf, type Request } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import type { Drive } from './drive.ts';
import type { Reading } from './reader.ts';

/** A message of an event. */
export interface Message {
  readonly event: string;
  readonly data: string;
  /** Empty where the stream says none. */
  readonly id: string;
}

/** The most messages that are kept. */
const MOST_MESSAGES = 5000;

/** A requested stream, with its messages; or the answer in its place. */
export class OpenStream {
  readonly messages: Message[] = [];
  /** The reconnection time that was sent, in milliseconds; null before any. */
  retry: number | null = null;
  /** The answer in place of a stream; null where the stream was opened. */
  readonly refusal: Exchange | null;
  private readonly stream: EventStream | null;

  private constructor(answer: EventStream | Exchange) {
    this.stream = answer instanceof EventStream ? answer : null;
    this.refusal = answer instanceof EventStream ? null : answer;
  }

  static async open(target: Target, request: Request): Promise<OpenStream> {
    return new OpenStream(await target.follow(request));
  }

  /** The status of the answer, or the reason why there is no answer. */
  get status(): number | string {
    if (!this.refusal) return 200;
    const { outcome } = this.refusal;
    return 'failed' in outcome ? outcome.detail : outcome.status;
  }

  /** Waits for a number of messages, then for a moment for unexpected ones. All of them are recorded. */
  async receive(count: number, milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (this.stream && this.messages.length < MOST_MESSAGES) {
      const left = this.messages.length < count ? end - performance.now() : LATER_MS;
      const message = await this.stream.next(Math.max(0, left));
      if (!message) return;
      if (message.retry !== null) this.retry = message.retry;
      this.take(message);
    }
  }

  close(): void {
    this.stream?.close();
  }

  private take({ event, data, id }: StreamMessage): void {
    if (data !== null) this.messages.push({ event, data, id: id ?? '' });
  }
}

/** The wait for unexpected messages, in milliseconds. */
const LATER_MS = 20;

/** Asks for a stream; the request counts like any other. */
export async function attempt(drive: Drive, request: Request): Promise<OpenStream> {
  const stream = await OpenStream.open(drive.session.subject.target, request);
  await drive.session.counted(request, drive.name());
  return stream;
}

/** A request that an endpoint answers with the stream, by a caller who sees the most; null where none was found. */
export async function findReading(drive: Drive, random: Random, endpoint: EndpointPlan): Promise<Reading | null> {
  return (
    (await asThingsAre(drive, random, endpoint)) ??
    ((await drive.issueCredentials()) ? asThingsAre(drive, random, endpoint) : null)
  );
}

/** The traces of a stream that was opened: the oracle judges no answer that has no end. */
const takenBy = ({ name, after }: EndpointPlan): Trace[] => [
  { statement: statementId.heading(name), what: 'taken' },
  { statement: statementId.endpoint(name, 'access'), what: 'taken' },
  ...(after ? [{ statement: statementId.step(after), what: 'done' }] : []),
];

async function asThingsAre(drive: Drive, random: Random, endpoint: EndpointPlan): Promise<Reading | null> {
  const { session } = drive;
  const { contract, plan } = session.subject;
  const [version] = contract.versions;
  const stated = version?.endpoints.find(({ name }) => name === endpoint.name);
  if (!version || !stated) return null;
  const known = session.known(await session.now());
  for (const { request, valid } of candidatesFor(contract, version, stated, known, random, plan)) {
    if (!valid || request.method !== endpoint.method || headerOf(request.headers, 'Last-Event-ID') !== null) continue;
    const stream = await attempt(drive, request);
    stream.close();
    if (stream.refusal) return null;
    for (const { statement, what } of takenBy(endpoint)) drive.findings.meet(statement, what);
    const caller = known.credentials.find(({ text }) => request.headers.some(([, value]) => value.endsWith(text)));
    return { endpoint, request, caller: caller ?? null, version: version.name ?? '' };
  }
  return null;
}
