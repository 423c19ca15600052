import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import type { Answer as WrittenAnswer } from '../../src/runtime/http/message.ts';
import { Operator } from '../../src/runtime/operator.ts';
import { OperatorError } from '../../src/runtime/operator-error.ts';
import { Handler } from '../../src/runtime/request/handle.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { call, type Statement, type Store } from '../../src/store/store.ts';
import { ContractJudge } from '../../src/verify/contract/answers.ts';
import { faultText } from '../contract/fault-text.ts';
import type { Request } from './http.ts';
import type { Command } from './operate.ts';
import type { Answer } from './show.ts';

/** Opens an empty store for a plan. */
export type OpenStore = (plan: Plan) => Store | Promise<Store>;

export const inMemory: OpenStore = (plan) => new SqliteStore(':memory:', plan);

/** A row without the key that the store gives it where it has no identity of its own. */
function withoutKey({ ' key': _key, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}

/** The compiled plan on its store, without sockets; what the clock says is what each request says. */
export class Compiled {
  private readonly engine: Engine;
  private readonly declared: ContractJudge;
  private readonly handler: Handler;
  private readonly operator: Operator;
  /** What the engine tells the operator of: nothing of the kind is expected. */
  readonly failures: unknown[] = [];
  /** What the latest answer said that the contract doesn’t. */
  unstated: readonly string[] = [];
  private readonly last: Statement;
  private readonly over = Promise.withResolvers<void>();
  private readonly open: Array<Promise<void>> = [];

  private constructor(engine: Engine) {
    this.engine = engine;
    this.declared = new ContractJudge(contractOf(engine.plan), 'all declared');
    this.operator = new Operator(engine);
    this.last = engine.store.prepare({ kind: 'system', name: 'last streamed' });
    this.handler = new Handler(engine, { failed: (_endpoint, error) => this.failures.push(error), recorded: () => {} });
  }

  static async start(plan: Plan, open: OpenStore): Promise<Compiled> {
    return new Compiled(await Engine.start(plan, await open(plan), 'https://service.example'));
  }

  async handle(request: Request): Promise<Answer> {
    mock.timers.setTime(request.at);
    const { method, path, query, headers, at } = request;
    const { answer } = await this.handler.handle({
      method,
      path,
      query,
      rawHeaders: headers.flat(),
      address: '127.0.0.1',
      arrived: at,
      now: at,
      body: (most) => {
        const bytes = Buffer.from(request.body ?? '');
        return bytes.length > most ? 'too large' : bytes;
      },
    });
    this.judge(request, answer);
    // What answers say to caches is for the tests that know the endpoint by its document alone.
    const pairs = answer.headers.flatMap(
      (name, i): Array<[string, string]> => (i % 2 === 0 && name !== 'Vary' ? [[name, answer.headers[i + 1]!]] : []),
    );
    return { status: answer.status, headers: pairs, body: answer.body };
  }

  /** What is answered has to be among the answers of the contract. */
  private judge({ method, path, query, headers }: Request, { status, headers: sent, body }: WrittenAnswer): void {
    const pairs = sent.flatMap((name, i): Array<[string, string]> => (i % 2 === 0 ? [[name, sent[i + 1] ?? '']] : []));
    const target = query === null ? path : `${path}?${query}`;
    const answer = { status, headers: pairs, body: Buffer.from(body ?? '') };
    this.unstated = this.declared.faults({ method, target, headers }, answer).map(faultText);
  }

  /** Opens a stream; gives what it sends from then on, or null where it is refused. */
  async follow(path: string, headers: ReadonlyArray<readonly [string, string]>, now: number): Promise<string[] | null> {
    mock.timers.setTime(now);
    const rawHeaders = headers.flat();
    const body = () => Buffer.from('');
    const asked = { method: 'GET', path, query: null, rawHeaders, address: '127.0.0.1', arrived: now, now, body };
    const { stream } = (await this.handler.handle(asked)).answer;
    if (!stream) return null;
    const messages: string[] = [];
    const write = async (text: string): Promise<boolean> => messages.push(text) > 0;
    this.open.push(stream.run({ gone: this.over.promise, write }));
    return messages;
  }

  /** Resolves once every open stream has sent what there is. */
  async drained(): Promise<void> {
    const { streams, store } = this.engine;
    if (!streams) return;
    streams.wake();
    const latest = (await store.read(() => call(this.last, [])))[0]![0] as number;
    const { readers } = streams as unknown as { readers: ReadonlySet<{ seq: number; news: boolean }> };
    while ([...readers].some((one) => one.news || one.seq < latest)) await nextTurn();
    await nextTurn();
  }

  async operate(command: Command, now: number): Promise<string> {
    mock.timers.setTime(now);
    try {
      if (command.do === 'add') {
        const row = await this.operator.add(command.resource, command.fields);
        return String(row[this.engine.resources.get(command.resource)!.plan.identity]);
      }
      if (command.do === 'change') await this.operator.edit(command.resource, command.id, command.fields);
      else await this.operator.remove(command.resource, command.id);
      return 'done';
    } catch (error) {
      if (!(error instanceof OperatorError)) return 'refused';
      const code = /^([a-z][a-z0-9_]*): /.exec(error.message)?.[1];
      return code && !['conflict', 'reference_unknown'].includes(code) ? `refused: ${code}` : 'refused';
    }
  }

  async issueKey(resource: string, id: string, scopes: readonly string[], now: number): Promise<string> {
    mock.timers.setTime(now);
    return (await this.operator.issueKey(resource, id, scopes)).key;
  }

  /** All rows as they are stored, one on a line. */
  async state(now: number): Promise<string> {
    mock.timers.setTime(now);
    const lines: string[] = [];
    for (const name of this.engine.resources.keys())
      for (const row of await this.operator.list(name)) lines.push(`${name} ${JSON.stringify(withoutKey(row))}`);
    return lines.join('\n');
  }

  async stop(): Promise<void> {
    this.over.resolve();
    await Promise.all(this.open);
    await this.engine.store.close();
  }
}
