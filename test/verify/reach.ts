import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { EndpointContract } from '../../src/contract/endpoint.ts';
import { exampleKey, FixedSources } from '../../src/exchanges/fixed-sources.ts';
import { headerIn } from '../../src/exchanges/record.ts';
import { World } from '../../src/exchanges/world.ts';
import type { Json } from '../../src/export/json.ts';
import type { Plan } from '../../src/plan/step.ts';
import { Engine } from '../../src/runtime/engine/engine.ts';
import type { Answer } from '../../src/runtime/http/message.ts';
import { Operator } from '../../src/runtime/operator.ts';
import { Handler } from '../../src/runtime/request/handle.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { randomCandidate } from '../../src/verify/requests/by-chance.ts';
import type { Candidate } from '../../src/verify/requests/candidate.ts';
import { candidatesFor } from '../../src/verify/requests/candidates.ts';
import { elsewhere } from '../../src/verify/requests/elsewhere.ts';
import type { Credentials, Known, KnownRow } from '../../src/verify/requests/known.ts';
import { Random } from '../../src/verify/requests/random.ts';

const START = Date.UTC(2026, 10, 23, 9);
const DAY_MS = 86_400_000;
/** So many requests that change something are sent before the rows are looked at again. */
const WRITES_UNSEEN = 5;
/** What no request alone can bring about. */
const UNREACHED: ReadonlySet<string> = new Set([
  'unavailable',
  'rate exceeded',
  'conflict',
  'storage full',
  'time-out',
  'upstream failed',
  'failure',
  'idempotency key in flight',
  'credentials expired',
]);

export interface Reach {
  /** `endpoint status code`, as the contract has them and as a request can bring them about. */
  readonly expected: readonly string[];
  readonly met: ReadonlySet<string>;
  readonly sent: number;
  /** Answers of 500. */
  readonly failures: readonly string[];
  /** Of those meant to be accepted, how many were. */
  readonly valid: { readonly sent: number; readonly taken: number };
}

/** The milliseconds between two requests, with which no rate refuses one. */
function betweenOf({ rates }: Contract): number {
  return Math.ceil(Math.max(1, ...rates.map((one) => (1.2 * one.milliseconds) / (one.requests ?? one.by?.least ?? 1))));
}

/** Sends candidates to a service in memory, and tells which answers of the contract they bring about. */
export async function reachOf(plan: Plan, seed: number, rounds: number, perEndpoint: number): Promise<Reach> {
  const quick = plan.passwords ? { ...plan, passwords: { ...plan.passwords, cost: 2 } } : plan;
  const fixed = new FixedSources(START);
  const store = new SqliteStore(':memory:', quick, 'successor', fixed);
  try {
    const engine = await Engine.start(quick, store, plan.address.url ?? 'https://service.example', exampleKey);
    const contract = contractOf(quick);
    const between = betweenOf(contract);
    const service = new Service(contract, engine, fixed, new World(quick, engine, fixed, between), between);
    await service.begin();
    const random = new Random(seed);
    const sunsets = contract.versions.flatMap((one) => (one.sunset === null ? [] : [Date.parse(one.sunset)]));
    for (let round = 0; round < rounds; round++) {
      if (round > 0 && round === rounds - 1)
        fixed.pass(Math.max(0, ...sunsets.map((one) => one + DAY_MS - fixed.now())));
      for (const version of contract.versions) {
        for (const endpoint of random.shuffled(version.endpoints)) {
          await service.grow(quick, random);
          await service.visit(version, endpoint, random, quick, perEndpoint);
        }
        for (const one of elsewhere(contract, version, service.known(), random)) await service.send(one);
      }
    }
    await engine.handlers.close();
    return service.reach(contract);
  } finally {
    await store.close();
  }
}

class Service {
  private readonly handler: Handler;
  private readonly operator: Operator;
  private readonly contract: Contract;
  private readonly fixed: FixedSources;
  private readonly world: World;
  private readonly met = new Set<string>();
  private readonly failures: string[] = [];
  private sent = 0;
  private validSent = 0;
  private validTaken = 0;
  private credentials: Credentials[] = [];
  private readonly tags: Array<{ target: string; tag: string }> = [];
  private readonly places: Array<Known['places'][number]> = [];
  private readonly keys: Array<Known['keys'][number]> = [];
  private rows = new Map<string, readonly KnownRow[]>();
  private readonly gone = new Map<string, string[]>();
  private unseen = 0;
  private readonly between: number;

  constructor(contract: Contract, engine: Engine, fixed: FixedSources, world: World, between: number) {
    this.contract = contract;
    this.fixed = fixed;
    this.world = world;
    this.handler = new Handler(engine, { failed: () => {}, recorded: () => {} });
    this.operator = new Operator(engine);
    this.between = between;
  }

  async begin(): Promise<void> {
    await this.world.furnish();
    await this.look();
    await this.issue();
  }

  /** Credentials of each caller: with all scopes, with each alone, with none, and revoked ones. */
  private async issue(): Promise<void> {
    this.credentials = [];
    for (const scheme of this.contract.schemes)
      for (const caller of await this.world.callers([scheme.name])) {
        const all = scheme.scopes.map((one) => one.name);
        const sets = [all, ...(all.length > 1 ? all.map((one) => [one]) : []), ...(all.length ? [[]] : [])];
        for (const [i, scopes] of sets.entries()) {
          const text = await this.world.credentials(caller, scopes);
          if (text === null) continue;
          const identity = String(caller.identity);
          const own = { scheme: scheme.name, text, resource: scheme.caller, identity, scopes, claims: {} };
          this.credentials.push({ ...own, standing: 'good' });
          if (i > 0 || !scheme.issuedBy.includes('operator')) continue;
          const { id, key } = await this.operator.issueKey(scheme.caller, identity, scopes, scheme.name);
          await this.operator.revokeKey(id);
          this.credentials.push({ ...own, text: key, standing: 'revoked' });
        }
      }
  }

  known(): Known {
    return {
      now: this.fixed.now(),
      origin: 'https://service.example',
      credentials: this.credentials,
      rows: (resource) => this.rows.get(resource) ?? [],
      tags: this.tags,
      places: this.places,
      keys: this.keys,
      removed: (resource) => this.gone.get(resource) ?? [],
    };
  }

  /** Looks at all rows, as the operator sees them. */
  private async look(): Promise<void> {
    this.unseen = 0;
    for (const { name, identity, states } of this.contract.resources) {
      if (identity === null) continue;
      const rows = (await this.operator.list(name)).map((fields): KnownRow => {
        const state = states ? String(fields[states.field]) : null;
        return { resource: name, identity: String(fields[identity]), fields: fields as Record<string, Json>, state };
      });
      const there = new Set(rows.map((one) => one.identity));
      const gone = (this.rows.get(name) ?? []).map((one) => one.identity).filter((one) => !there.has(one));
      this.gone.set(name, [...(this.gone.get(name) ?? []), ...gone]);
      this.rows.set(name, rows);
    }
  }

  /** Has random requests make rows and move them on. */
  async grow(plan: Plan, random: Random): Promise<void> {
    if (this.contract.schemes.some((one) => one.kind !== 'API key')) {
      this.world.changed();
      await this.issue();
    }
    for (let i = 0; i < 60; i++) {
      const one = randomCandidate(this.contract, this.known(), random, plan);
      if (one && one.request.method !== 'DELETE') await this.send(one);
    }
  }

  async visit(
    version: VersionContract,
    endpoint: EndpointContract,
    random: Random,
    plan: Plan,
    most: number,
  ): Promise<void> {
    let sent = 0;
    for (const one of candidatesFor(this.contract, version, endpoint, this.known(), random, plan)) {
      if (sent++ === most) return;
      await this.send(one);
    }
  }

  async send(one: Candidate): Promise<void> {
    this.sent++;
    this.fixed.pass(this.between);
    const { method, target, headers, body } = one.request;
    const at = target.indexOf('?');
    const rawHeaders = ['Host', 'service.example', ...headers.flat()];
    const has = (name: string): boolean => headers.some(([header]) => header.toLowerCase() === name);
    if (body && !has('content-type')) rawHeaders.push('Content-Type', 'application/json');
    if (body && !has('content-length')) rawHeaders.push('Content-Length', String(body.length));
    const handled = this.handler.handle({
      method,
      path: at < 0 ? target : target.slice(0, at),
      query: at < 0 ? null : target.slice(at + 1),
      rawHeaders,
      address: '192.0.2.1',
      arrived: Date.now(),
      now: this.fixed.now(),
      body: (most) => (body && body.length > most ? 'too large' : (body ?? Buffer.alloc(0))),
    });
    this.handler.begun();
    const { answer, endpoint } = await handled;
    await answer.stream?.run({ write: async () => false, gone: Promise.resolve() });
    this.learn(one, answer, endpoint);
    if (method === 'GET' || method === 'HEAD' || answer.status >= 400) return;
    if (++this.unseen >= WRITES_UNSEEN) await this.look();
  }

  private learn(one: Candidate, answer: Answer, endpoint: string | null): void {
    const { status, body } = answer;
    if (one.valid) {
      this.validSent++;
      if (status < 400) this.validTaken++;
    }
    if (status >= 500) this.failures.push(`${status} ${one.what}`);
    if (status < 400 || answer.code !== undefined)
      this.met.add(`${endpoint ?? 'nowhere'} ${status} ${answer.code ?? null}`);
    const { target, headers } = one.request;
    const tag = headerIn(answer.headers, 'etag');
    if (tag !== null && status < 300) this.tags.push({ target, tag });
    const key = one.request.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
    if (key !== undefined && endpoint !== null && status < 500)
      this.keys.push({ endpoint, key, status, isKept: status < 400, request: one.request });
    const found = this.contract.versions[0]?.endpoints.find((each) => each.name === endpoint);
    const next = found?.page?.payload?.find((each) => each.value === 'next');
    if (!next || body === null || status !== 200) return;
    const place = (JSON.parse(body) as Record<string, unknown>)[next.name];
    if (typeof place === 'string') this.places.push({ target, headers, place });
  }

  reach({ versions }: Contract): Reach {
    const expected = new Set<string>();
    for (const { endpoints, elsewhere: others } of versions) {
      for (const { name, answers } of endpoints)
        for (const { status, code, because } of answers)
          if (!UNREACHED.has(because.name) && because.kind !== 'stream') expected.add(`${name} ${status} ${code}`);
      for (const { status, code, because } of others)
        if (!UNREACHED.has(because.name)) expected.add(`nowhere ${status} ${code}`);
    }
    const { met, sent, failures, validSent, validTaken } = this;
    return { expected: [...expected], met, sent, failures, valid: { sent: validSent, taken: validTaken } };
  }
}
