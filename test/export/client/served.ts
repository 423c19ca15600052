import assert from 'node:assert/strict';
import { compile } from '../../../src/compiler/compile.ts';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { clientOf } from '../../../src/export/client/client.ts';
import { Engine } from '../../../src/runtime/engine/engine.ts';
import { Operator } from '../../../src/runtime/operator.ts';
import { Service } from '../../../src/runtime/service.ts';
import { SqliteStore } from '../../../src/store/sqlite/store.ts';
import { TestKeys } from '../../tokens.ts';
import { imported } from './made.ts';

/** A document that is served in this process, over rows in memory, with the client of its current version. */
export class Served {
  // biome-ignore lint/suspicious/noExplicitAny: each document has its own client
  readonly module: any;
  /** The client’s text. */
  readonly text: string;
  readonly url: string;
  readonly engine: Engine;
  readonly operator: Operator;
  private readonly service: Service;

  private constructor(text: string, module: unknown, service: Service, engine: Engine) {
    this.text = text;
    this.module = module;
    this.service = service;
    this.engine = engine;
    this.operator = new Operator(engine);
    this.url = `http://127.0.0.1:${service.port}`;
  }

  /** `name`: the file of the document, beside which its handlers are. */
  static async start(document: string, version: string | null = null, name = 'document.md'): Promise<Served> {
    const { plan, findings } = compile(name, document);
    assert.ok(plan && findings.length === 0, findings.map((one) => one.message).join('\n'));
    const contract = contractOf(plan);
    const chosen = contract.versions.find((one) => version === null || one.name === version);
    assert.ok(chosen);
    const text = clientOf(contract, chosen);
    const keys = new TestKeys(plan);
    const service = new Service({
      host: '127.0.0.1',
      port: 0,
      admin: null,
      url: 'https://service.example',
      secrets: (scheme) => keys.secret(scheme),
      allowPrivate: true,
      log: () => {},
    });
    const store = new SqliteStore(':memory:', plan);
    await service.start(plan, store);
    const engine = await Engine.start(plan, store, 'https://service.example', (scheme) => keys.secret(scheme));
    return new Served(text, await imported(text), service, engine);
  }

  // biome-ignore lint/suspicious/noExplicitAny: each document has its own client
  client(options: object = {}): any {
    return this.module.createClient({ baseUrl: this.url, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
  }
}
