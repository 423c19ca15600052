import { mock } from 'node:test';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import { StoredOutbox } from '../../src/runtime/events/outbox.ts';
import type { Streaming } from '../../src/runtime/http/message.ts';
import { Operator } from '../../src/runtime/operator.ts';
import { Handler } from '../../src/runtime/request/handle.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { StoreError } from '../../src/store/store.ts';

/** A request, with all that it says. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string | null;
  /** How long ago it came, in milliseconds. */
  readonly late: number;
}

/** What is said to a service: by a caller, by the operator, or by time, which passes. */
export type Turn =
  | { readonly say: 'request'; readonly request: Request }
  | { readonly say: 'add'; readonly resource: string; readonly fields: ReadonlyMap<string, string | null> }
  | {
      readonly say: 'change';
      readonly resource: string;
      readonly id: string;
      readonly fields: ReadonlyMap<string, string | null>;
    }
  | { readonly say: 'remove'; readonly resource: string; readonly id: string }
  | { readonly say: 'list'; readonly resource: string }
  | {
      readonly say: 'key';
      readonly resource: string;
      readonly id: string;
      readonly scopes: readonly string[];
      readonly scheme: string;
    }
  | { readonly say: 'receiver'; readonly events: readonly string[]; readonly version: string | null }
  | { readonly say: 'wait'; readonly milliseconds: number }
  /** A request whose answer goes on: what it says later is heard with what is said then. */
  | { readonly say: 'open'; readonly request: Request }
  /** From here on the store fails so, or the service is stopping. */
  | { readonly say: 'trouble'; readonly what: StoreError['kind'] | 'stopping' }
  /** The same request many times, while the clock stands. */
  | { readonly say: 'burst'; readonly request: Request; readonly times: number };

/** What a service says: to callers, to the operator, and to receivers. */
export interface Said {
  readonly text: string;
  readonly status: number | null;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string | null;
}

/** A plan in force in this process, without sockets. */
export class Side {
  readonly plan: Plan;
  readonly engine: Engine;
  private readonly operator: Operator;
  private readonly handler: Handler;
  private readonly outbox: StoredOutbox | null;
  private readonly failures: string[] = [];
  private failing = false;
  /** What open streams have said since the last turn. */
  private readonly heard: string[] = [];
  private listening = false;
  private hangUp: () => void = () => {};
  now: number;

  private constructor(plan: Plan, engine: Engine) {
    this.plan = plan;
    this.engine = engine;
    this.now = Date.now();
    this.operator = new Operator(engine);
    this.handler = new Handler(engine, {
      failed: (_endpoint, error) => this.failures.push(`failed: ${(error as Error).message}`),
      recorded: () => engine.streams?.wake(),
    });
    this.outbox = plan.webhook && new StoredOutbox(engine, null);
  }

  static async start(plan: Plan, secrets: (scheme: string) => string): Promise<Side> {
    const store = new SqliteStore(':memory:', plan);
    return new Side(plan, await Engine.start(plan, store, plan.address.url ?? 'https://service.example', secrets));
  }

  /** Says one turn, and gives what comes of it. A second passes. */
  async say(turn: Turn): Promise<Said> {
    this.now += turn.say === 'wait' ? turn.milliseconds : 1000;
    mock.timers.setTime(this.now);
    if (turn.say === 'burst') for (let i = 1; i < turn.times; i++) await this.request(turn.request);
    const said = 'request' in turn ? await this.request(turn.request, turn.say === 'open') : await this.operate(turn);
    // What is told by streams comes a little later.
    if (this.listening) for (let i = 0; i < 4; i++) await new Promise(setImmediate);
    const told = [...(await this.delivered()), ...this.heard.splice(0), ...this.failures.splice(0)];
    return { ...said, text: [said.text, ...told].join('\n') };
  }

  /** The rows of a resource, for whoever makes up what to say next; nobody hears of it. */
  rows(resource: string): Promise<Array<Record<string, unknown>>> {
    return this.operator.list(resource);
  }

  private async request(request: Request, open = false): Promise<Said> {
    const { method, path, query, headers, body } = request;
    const { answer } = await this.handler.handle({
      method,
      path,
      query,
      rawHeaders: headers.flat(),
      address: '192.0.2.1',
      arrived: this.now - request.late,
      now: this.now - request.late,
      body: (most) => {
        const bytes = Buffer.from(body ?? '');
        return bytes.length > most ? 'too large' : bytes;
      },
    });
    const pairs = answer.headers.flatMap((name, i) => (i % 2 ? [] : [[name, answer.headers[i + 1]!] as const]));
    const streamed = answer.stream ? await this.listen(answer.stream, open) : null;
    const text = [
      `${method} ${path}${query === null ? '' : `?${query}`}`,
      answer.status,
      ...pairs.map(([name, value]) => `${name}: ${value}`).sort(),
      answer.body ?? streamed ?? '',
    ].join('\n');
    return { text, status: answer.status, headers: pairs, body: answer.body };
  }

  /** What a stream says before its reader goes; one that stays is heard with later turns. */
  private async listen(stream: Streaming, stay: boolean): Promise<string> {
    const texts: string[] = stay ? this.heard : [];
    const write = async (piece: string): Promise<boolean> => {
      texts.push(`stream ${piece}`);
      return true;
    };
    this.listening ||= stay;
    const gone = stay ? new Promise<void>((resolve) => (this.hangUp = resolve)) : Promise.resolve();
    const run = stream.run({ write, gone });
    if (!stay) await run;
    return texts.join('');
  }

  private async operate(turn: Exclude<Turn, { say: 'request' | 'burst' | 'open' }>): Promise<Said> {
    const plain = (given: unknown, headers: Said['headers'] = []): Said => ({
      text: `${turn.say}: ${JSON.stringify(given)}`,
      status: null,
      headers,
      body: null,
    });
    try {
      switch (turn.say) {
        case 'add':
          return plain(await this.operator.add(turn.resource, turn.fields));
        case 'change':
          return plain(await this.operator.edit(turn.resource, turn.id, turn.fields));
        case 'remove':
          return plain(await this.operator.remove(turn.resource, turn.id));
        case 'list':
          return plain(await this.operator.list(turn.resource));
        case 'key': {
          const { key } = await this.operator.issueKey(turn.resource, turn.id, turn.scopes, turn.scheme);
          return plain(key, [['key', key]]);
        }
        case 'receiver':
          return plain(await this.operator.receivers.add('http://192.0.2.9/', turn.events, turn.version, true));
        case 'trouble':
          this.trouble(turn.what);
          return plain(turn.what);
        case 'wait':
          await this.engine.timers.makeDue(this.now);
          return plain('waited');
      }
    } catch (error) {
      return plain(`refused: ${(error as Error).message}`);
    }
  }

  private trouble(what: StoreError['kind'] | 'stopping'): void {
    this.handler.draining = what === 'stopping';
    if (what === 'stopping') return;
    const { store } = this.engine;
    const failing = (): never => {
      throw new StoreError(what, 'The disk is gone');
    };
    this.failing = true;
    store.read = failing;
    store.write = async () => failing();
  }

  /** What receivers hear now; they take it. */
  private async delivered(): Promise<string[]> {
    const out: string[] = [];
    for (;;) {
      const due = this.failing ? [] : ((await this.outbox?.lease(this.now, 60_000, 100, new Set())) ?? []);
      if (due.length === 0) return out;
      for (const { delivery, type, timestamp, data } of due) {
        out.push(`event ${type} ${timestamp} ${data}`);
        const taken = { kind: 'delivered', at: this.now, status: 200, attempts: '[]' } as const;
        await this.outbox!.settle(delivery, this.now + 60_000, taken);
      }
    }
  }

  async stop(): Promise<void> {
    this.hangUp();
    this.engine.streams?.close();
    await this.engine.store.close();
  }
}
