import { FixedSources } from '../../exchanges/fixed-sources.ts';
import { descriptions } from '../../export/served/descriptions.ts';
import type { Plan } from '../../plan/step.ts';
import { Engine } from '../../runtime/engine/engine.ts';
import type { Incoming } from '../../runtime/http/message.ts';
import { type GatheredAnswer, gathered } from '../../runtime/request/finite-stream.ts';
import { Handler } from '../../runtime/request/handle.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import type { Setup } from '../../verify/setup/setup.ts';
import type { EventStream } from '../../verify/target/event-stream.ts';
import type { Exchange, NoAnswer, Request } from '../../verify/target/exchange.ts';
import type { Target } from '../../verify/target/target.ts';
import { withFastHashes } from './hashing.ts';
import { MovedStore } from './moved-store.ts';
import { OwnOperator } from './own-operator.ts';
import { TestKeys, withOwnKeys } from './tokens.ts';

/** The client's address: one of those for documentation (RFC 5737). */
const CLIENT = '192.0.2.1';
/** The largest number of instants at which due work runs while the clock is advanced. */
const MOST_STOPS = 1000;

const IGNORED = { failed: () => {}, recorded: () => {} };

/**
 * A document’s service in this process, in memory, without a socket: requests are passed to its handler. Its clock
 * stands still until a test advances it, and its random values are the same in each run. It sends no webhooks.
 */
export class MemoryService implements Target {
  private readonly plan: Plan;
  private readonly start: number;
  private readonly keys = new TestKeys();
  private clock: FixedSources;
  private readonly source: FixedSources;
  private store: MovedStore | null = null;
  private engine: Engine | null = null;
  private handler: Handler | null = null;
  readonly setup: Setup;
  readonly serviceUrl: string;
  readonly gone = null;
  readonly silence = null;
  sent = 0;

  private constructor(plan: Plan, start: number) {
    this.plan = withFastHashes({ ...plan, schemes: plan.schemes.map(withOwnKeys) });
    this.start = start;
    this.clock = new FixedSources(start);
    this.source = this.clock;
    this.serviceUrl = plan.address.url ?? 'https://service.example';
    const operator = (): OwnOperator => new OwnOperator(this.inForce().engine, this.keys);
    this.setup = {
      row: (resource, fields) => operator().row(resource, fields),
      caller: (...of) => operator().caller(...of),
      clock: { now: async () => this.clock.now(), pass: (milliseconds) => this.pass(milliseconds) },
      reset: () => this.begin(),
    };
  }

  /** `start`: the first time of its clock, in milliseconds since the epoch. */
  static async of(plan: Plan, start: number): Promise<MemoryService> {
    const made = new MemoryService(plan, start);
    await made.begin();
    return made;
  }

  private async begin(): Promise<void> {
    await this.stop();
    this.clock = new FixedSources(this.start);
    const machine = { now: this.clock.now, random: this.source.random };
    this.store = new MovedStore(new SqliteStore(':memory:', this.plan, 'successor', machine), machine);
    this.engine = await Engine.start(this.plan, this.store, this.serviceUrl, this.keys.secrets, descriptions());
    this.handler = new Handler(this.engine, IGNORED);
  }

  private inForce(): { readonly engine: Engine; readonly handler: Handler } {
    const { engine, handler } = this;
    if (!engine || !handler) throw new Error('The service has stopped.');
    return { engine, handler };
  }

  async stop(): Promise<void> {
    const { engine, store } = this;
    this.engine = null;
    this.handler = null;
    this.store = null;
    await engine?.handlers.close();
    await store?.close();
  }

  /** Advances the clock. Work that becomes due on the way runs at its own instant. */
  private async pass(milliseconds: number): Promise<void> {
    const until = this.clock.now() + milliseconds;
    const { engine } = this.inForce();
    const { timers, store } = engine;
    for (let stops = 0; timers.any && stops < MOST_STOPS; stops++) {
      await store.read(() => timers.look());
      if (timers.next > until) break;
      this.clock.pass(Math.max(0, timers.next - this.clock.now()));
      if ((await timers.makeDue(this.clock.now())) === 0) break;
    }
    this.clock.pass(until - this.clock.now());
  }

  async send(request: Request): Promise<Exchange> {
    this.sent++;
    const { handler } = this.inForce();
    const at = this.clock.now();
    const handled = handler.handle(this.incoming(request));
    handler.begun();
    const answer = await gathered((await handled).answer);
    // A test in memory has no reader of streams, so that each stream ends at once.
    await answer.stream?.run({ write: async () => false, gone: Promise.resolve() });
    return { request, outcome: outcomeOf(answer, request.method === 'HEAD'), sentAt: at, endedAt: at };
  }

  private incoming({ method, target, headers, body }: Request): Incoming {
    const at = target.indexOf('?');
    const rawHeaders = headers.flat();
    const has = (name: string): boolean => headers.some(([one]) => one.toLowerCase() === name);
    if (!has('host')) rawHeaders.push('Host', new URL(this.serviceUrl).host);
    if (body !== null && !has('content-length')) rawHeaders.push('Content-Length', String(body.length));
    return {
      method,
      path: at < 0 ? target : target.slice(0, at),
      query: at < 0 ? null : target.slice(at + 1),
      rawHeaders,
      address: CLIENT,
      // Time-outs use the clock of the machine; everything else uses the clock of the store.
      arrived: Date.now(),
      now: this.clock.now(),
      body: (most) => (body && body.length > most ? 'too large' : (body ?? Buffer.alloc(0))),
    };
  }

  async reach(): Promise<NoAnswer | null> {
    return null;
  }

  async race(requests: readonly Request[]): Promise<Exchange[]> {
    const out: Exchange[] = [];
    for (const one of requests) out.push(await this.send(one));
    return out;
  }

  async follow(request: Request): Promise<EventStream | Exchange> {
    return this.send(request);
  }
}

/** An answer in the form in which an HTTP client would receive it. */
function outcomeOf({ status, headers, bytes }: GatheredAnswer, isHead: boolean): Exchange['outcome'] {
  const named: Array<[string, string]> = [];
  for (let i = 0; i + 1 < headers.length; i += 2) named.push([headers[i] ?? '', headers[i + 1] ?? '']);
  if (bytes !== null && !named.some(([name]) => name.toLowerCase() === 'content-length'))
    named.push(['Content-Length', String(bytes.length)]);
  return { status, headers: named, body: isHead || bytes === null ? Buffer.alloc(0) : bytes };
}
