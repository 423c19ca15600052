import type { Contract, SchemeContract, VersionContract } from '../contract/contract.ts';
import type { EndpointContract } from '../contract/endpoint.ts';
import { transitionsIn } from '../contract/machines.ts';
import { sampleBytes } from '../contract/samples/bytes.ts';
import { successStatuses } from '../contract/successes.ts';
import type { Exchange } from '../export/exchange.ts';
import type { Json } from '../export/json.ts';
import type { Condition } from '../plan/conditions.ts';
import { isJson } from '../plan/media-types.ts';
import type { EndpointPlan, Plan } from '../plan/step.ts';
import { KeyError } from '../runtime/authentication/signing-keys.ts';
import { HandlerError } from '../runtime/endpoints/handlers/thread.ts';
import { Engine } from '../runtime/engine/engine.ts';
import type { Answer } from '../runtime/http/message.ts';
import { gathered } from '../runtime/request/finite-stream.ts';
import { Handler } from '../runtime/request/handle.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { exampleKey, FixedSources, signsAlike } from './fixed-sources.ts';
import { spoilt } from './invalid-drafts.ts';
import { type Draft, incomingOf, parameterKey, withParameter } from './request.ts';
import { waysToFind } from './request-values.ts';
import { type Caller, World } from './world.ts';

/** The date of examples, unless the version is not in force then. */
const START = Date.UTC(2026, 0, 5, 9);
const DAY_MS = 86_400_000;
/** The interval between requests, which stays within most rates. */
const BETWEEN_MS = 10_000;
/** The least number of requests between the creation of a row and its first timed transition. */
const BEFORE_TIMED = 200;
/** The number of endpoints above which the refusals of the document's own rules are not searched for. */
const MANY = 200;
/** The number of combinations of rows that are tried for one caller. */
const WAYS = 8;
/** The number of bodies that are tried for each combination. */
const BODIES = 4;
/** The number of allowed values of a parameter that are tried. */
const MOST_CHOICES = 8;
/** The number of rounds in which endpoints without a success are retried, after others have created rows. */
const ROUNDS = 3;
/** The number of rows that each creating endpoint creates. */
const MADE = 3;
/** Conditions that single requests cannot cause, or only very many requests. */
const UNREACHED: ReadonlySet<string> = new Set([
  'unavailable',
  'rate exceeded',
  'conflict',
  'storage full',
  'time-out',
  'upstream failed',
  'failure',
] satisfies Condition[]);
/** The longest answer that replaces a shorter one as the example. */
const LONG_BYTES = 2_000;
/** The cost of password hashing: the passwords of examples need no protection. */
const LEAST_COST = 2;

/**
 * Runs one version of a service in memory, and sends requests that its contract accepts, and some that it refuses.
 * Returns one exchange for each success and each code, deterministically. Empty if the service cannot start, for
 * example without the files of its handlers.
 */
export async function exchangesOf(plan: Plan, contract: Contract, version: VersionContract): Promise<Exchange[]> {
  const fixed = new FixedSources(startOf(contract, version));
  const quick = plan.passwords ? { ...plan, passwords: { ...plan.passwords, cost: LEAST_COST } } : plan;
  const store = new SqliteStore(':memory:', quick, 'successor', fixed);
  try {
    const engine = await Engine.start(quick, store, plan.address.url ?? 'https://service.example', exampleKey);
    try {
      const recorder = new Recorder(plan, contract, version, engine, fixed);
      return await recorder.record();
    } finally {
      await engine.handlers.close();
    }
  } catch (error) {
    if (error instanceof HandlerError || error instanceof KeyError) return [];
    throw error;
  } finally {
    await store.close();
  }
}

/** A time at which the version has the status that the contract states. */
function startOf({ versions }: Contract, { sunset, endpoints }: VersionContract): number {
  const own = endpoints.flatMap(({ deprecation }) => deprecation ?? []);
  const deprecated = [...versions.flatMap((one) => one.deprecated ?? []), ...own.map(({ from }) => from)];
  const ends = [...(sunset === null ? [] : [sunset]), ...own.flatMap(({ until }) => until?.date ?? [])];
  const start = Math.max(START, ...deprecated.map((one) => Date.parse(one) + DAY_MS));
  return Math.min(start, ...ends.map((one) => Date.parse(one) - DAY_MS));
}

/** The kinds of answers that have no example. */
const WITHOUT: readonly string[] = ['stream', 'description'];

const IGNORED = { failed: () => {}, recorded: () => {} };

class Recorder {
  private readonly plan: Plan;
  private readonly contract: Contract;
  private readonly version: VersionContract;
  private readonly handler: Handler;
  private readonly world: World;
  private readonly fixed: FixedSources;
  private readonly host: string;
  /** The recorded exchanges, by endpoint, status and code, in the order of their first occurrence. */
  private readonly met = new Map<string, Exchange>();
  /** The caller that succeeded at each endpoint. */
  private readonly good = new Map<string, Caller | null>();
  /** The statuses of the successes of each endpoint so far. */
  private readonly statuses = new Map<string, Set<number>>();
  private readonly between: number;
  /** Whether refusals of the document's own rules are searched for, which takes too long for very many endpoints. */
  private readonly thorough: boolean;
  private keys = 0;

  constructor(plan: Plan, contract: Contract, version: VersionContract, engine: Engine, fixed: FixedSources) {
    this.plan = plan;
    this.contract = contract;
    this.version = version;
    this.fixed = fixed;
    this.handler = new Handler(engine, IGNORED);
    const timed = contract.resources.flatMap((resource) =>
      transitionsIn(resource).flatMap((one) => (one.timed ? [one.timed.afterMilliseconds] : [])),
    );
    this.between = Math.max(1, Math.floor(Math.min(BETWEEN_MS, ...timed.map((after) => after / BEFORE_TIMED))));
    this.world = new World(plan, engine, fixed, this.between);
    this.thorough = version.endpoints.length <= MANY;
    this.host = new URL(engine.url ?? 'https://service.example').host;
  }

  async record(): Promise<Exchange[]> {
    await this.world.furnish();
    // Endpoints that remove rows come last.
    const removes = (one: EndpointContract): boolean => one.steps.some((step) => step.do === 'remove');
    // A stream has no end, and a description would be an example of itself.
    const all = this.version.endpoints.filter((one) => !WITHOUT.includes(one.answers.at(-1)?.body?.type.kind ?? ''));
    const removing = all.filter(removes).sort((a, b) => b.path.split('/').length - a.path.split('/').length);
    const sorted = [...all.filter((one) => !removes(one)), ...removing];
    for (const endpoint of sorted) await this.succeed(endpoint);
    for (let round = 0; round < ROUNDS; round++) await this.goOn(sorted);
    for (const endpoint of sorted) await this.spoil(endpoint);
    return [...this.met.values()];
  }

  /** Creates and moves rows once more, and retries the endpoints without a success after each. */
  private async goOn(sorted: readonly EndpointContract[]): Promise<void> {
    const left = (): EndpointContract[] => sorted.filter((one) => !this.good.has(one.name) || this.isOpen(one, null));
    for (const endpoint of sorted) {
      if (left().length === 0) return;
      if (!endpoint.writes || !(await this.tryEach(endpoint))) continue;
      for (const one of left()) await this.tryEach(one);
    }
  }

  /** Sends requests to an endpoint until one succeeds. */
  private async succeed(endpoint: EndpointContract): Promise<void> {
    const makes = endpoint.steps.some((step) => step.do === 'create');
    for (let made = 0; made < (makes ? MADE : 1); made++) if (!(await this.tryEach(endpoint))) return;
  }

  private async tryEach(endpoint: EndpointContract): Promise<boolean> {
    const plan = this.planOf(endpoint);
    let succeeded = false;
    for (const caller of await this.callersOf(endpoint)) {
      let ways = 0;
      for await (const values of waysToFind(this.world, plan, caller)) {
        for (let attempt = 0; attempt < attemptsAt(endpoint); attempt++) {
          const draft = await this.draft(endpoint, caller, values, attempt);
          if (!draft) continue;
          const answer = await this.send(endpoint, draft, caller);
          if (answer.status >= 400) continue;
          succeeded = true;
          this.good.set(endpoint.name, caller);
          await this.askAgain(endpoint, draft, answer, caller);
          if (!this.isOpen(endpoint, answer.status)) return true;
        }
        if (++ways === WAYS) break;
      }
    }
    return succeeded;
  }

  /** Whether an endpoint has answers to requests that succeed that no request has had so far. */
  private isOpen(endpoint: EndpointContract, status: number | null): boolean {
    const met = this.statuses.get(endpoint.name) ?? new Set();
    if (status !== null) this.statuses.set(endpoint.name, met.add(status));
    return successStatuses(endpoint).some((one) => !met.has(one));
  }

  /** Repeats a request with If-None-Match, to record the 304. */
  private async askAgain(
    endpoint: EndpointContract,
    draft: Draft,
    answer: Answer,
    caller: Caller | null,
  ): Promise<void> {
    const tag = headerIn(answer.headers, 'etag');
    const named = endpoint.parameters.find((one) => one.role === 'precondition' && one.name === 'If-None-Match');
    if (tag !== null && named) await this.send(endpoint, withParameter(draft, parameterKey(named), tag), caller);
  }

  private planOf({ name }: EndpointContract): EndpointPlan {
    const found = this.plan.endpoints.find((one) => one.name === name);
    if (!found) throw new Error(`The plan has no endpoint ${name}`);
    return found;
  }

  /** The callers to try. Without a caller first if anyone has access. */
  private async callersOf({ access }: EndpointContract): Promise<Array<Caller | null>> {
    const callers = await this.world.callers(access.schemes);
    if (!access.withoutCredentials) return callers;
    return access.kind === 'anyone' ? [null, ...callers] : [...callers, null];
  }

  private async draft(
    endpoint: EndpointContract,
    caller: Caller | null,
    said: ReadonlyMap<string, Json>,
    attempt: number,
  ): Promise<Draft | null> {
    const { values } = this.world;
    const credentials = caller && (await this.credentialsOf(caller));
    if (caller && credentials === null) return null;
    const { body } = endpoint;
    if (body) await this.world.lookUp(body.type.members);
    const made = body && !body.bytes ? values.body(body.type, body.patch, attempt) : undefined;
    const parameters = new Map<string, string>();
    for (const one of endpoint.parameters) {
      const key = parameterKey(one);
      const known = said.get(key);
      if (known !== undefined) parameters.set(key, String(known));
      else if (one.role === 'idempotency key') parameters.set(key, this.newKey());
      else if (one.role === 'version') parameters.set(key, this.version.name ?? '');
      else if (one.role === 'precondition') {
        const tag = one.required ? await this.tagOf(endpoint, parameters, caller, credentials) : null;
        if (tag !== null) parameters.set(key, tag);
      } else if (one.required) parameters.set(key, String(values.of(one.type, one.name, attempt)));
    }
    const inBody = [...said].flatMap(([key, value]) => (key.startsWith('request ') ? [[key.slice(8), value]] : []));
    const whole = made && { ...made, ...Object.fromEntries(inBody.filter(([name = '']) => String(name) in made)) };
    if (!body?.bytes) return { parameters, body: whole, credentials, headers: new Map() };
    const [mediaType = ''] = body.mediaTypes;
    const headers = new Map([['Content-Type', mediaType]]);
    return { parameters, body: undefined, credentials, headers, bytes: sampleBytes(body.bytes, mediaType, attempt) };
  }

  /** Credentials with all scopes. */
  private credentialsOf(caller: Caller): Promise<string | null> {
    const scopes = this.schemeOf(caller)?.scopes.map((one) => one.name) ?? [];
    return this.world.credentials(caller, scopes);
  }

  private newKey(): string {
    return `example-${++this.keys}`;
  }

  private schemeOf(caller: Caller | null): SchemeContract | null {
    return this.contract.schemes.find((one) => one.name === caller?.scheme) ?? null;
  }

  /** The entity tag that a GET of the same path returns. */
  private async tagOf(
    { path }: EndpointContract,
    parameters: ReadonlyMap<string, string>,
    caller: Caller | null,
    credentials: string | null,
  ): Promise<string | null> {
    const read = this.version.endpoints.find((one) => one.method === 'GET' && one.path === path);
    if (!read) return '*';
    const own = [...parameters].filter(([key]) => key.startsWith('path '));
    for (const one of read.parameters)
      if (one.role === 'version') own.push([parameterKey(one), this.version.name ?? '']);
    const draft = { parameters: new Map(own), body: undefined, credentials, headers: new Map() };
    const { headers } = await this.answerTo(read, draft, caller);
    return headerIn(headers, 'etag') ?? '*';
  }

  /** Sends requests with a single fault, to record as many codes of the endpoint as possible. */
  private async spoil(endpoint: EndpointContract): Promise<void> {
    const callers = await this.callersOf(endpoint);
    const before = this.good.get(endpoint.name) ?? null;
    // The row of the caller that succeeded may have been removed meanwhile.
    const known = before && callers.find((one) => one?.scheme === before.scheme && one.identity === before.identity);
    const caller = known ?? callers[0] ?? null;
    const plan = this.planOf(endpoint);
    const values = await first(waysToFind(this.world, plan, caller));
    const good = await this.draft(endpoint, caller, values ?? new Map(), 0);
    if (!good) return;
    const narrow = caller && endpoint.access.kind === 'scope' ? await this.world.credentials(caller, []) : null;
    const others: string[] = [];
    for (const other of callers) {
      const own = other && other.identity !== caller?.identity ? await this.credentialsOf(other) : null;
      if (own !== null) others.push(own);
    }
    const retired = this.contract.versions.flatMap((one) => (one.status === 'retired' && one.name ? [one.name] : []));
    for (const one of spoilt(good, { endpoint, retired, others, narrow })) {
      const unmet = this.unmet(endpoint);
      if (unmet.size === 0) return;
      if (one.aim === null ? !this.thorough : !unmet.has(one.aim)) continue;
      const draft = this.withOwnKey(endpoint, one.draft, good);
      const sent = [this.send(endpoint, draft, caller)];
      if (one.oneKey) sent.push(this.send(endpoint, draft, caller));
      await Promise.all(sent);
      const other = one.oneKey ? await this.draft(endpoint, caller, values ?? new Map(), 0) : null;
      if (other) await this.send(endpoint, { ...draft, body: other.body }, caller);
    }
    if (this.thorough) await this.visitOthers(endpoint, caller);
  }

  /** Sends valid requests for other rows, which may be in other states. */
  private async visitOthers(endpoint: EndpointContract, caller: Caller | null): Promise<void> {
    let ways = 0;
    for await (const values of waysToFind(this.world, this.planOf(endpoint), caller)) {
      if (ways++ === WAYS || this.unmet(endpoint).size === 0) return;
      const draft = await this.draft(endpoint, caller, values, 0);
      if (draft) await this.send(endpoint, draft, caller);
    }
  }

  /**
   * The refusals of an endpoint that are not recorded yet: names of conditions, and codes of the document's own rules.
   */
  private unmet({ name, answers }: EndpointContract): ReadonlySet<string> {
    return new Set(
      answers.flatMap(({ status, code, because }) => {
        if (code === null || this.met.has(`${name} ${status} ${code}`) || UNREACHED.has(because.name)) return [];
        return [because.kind === 'condition' ? because.name : code];
      }),
    );
  }

  /** Gives each new request an idempotency key of its own. */
  private withOwnKey(endpoint: EndpointContract, draft: Draft, good: Draft): Draft {
    const one = endpoint.parameters.find((parameter) => parameter.role === 'idempotency key');
    const key = one && parameterKey(one);
    if (key === undefined || draft.parameters.get(key) !== good.parameters.get(key)) return draft;
    return { ...draft, parameters: new Map([...draft.parameters, [key, this.newKey()]]) };
  }

  private async answerTo(endpoint: EndpointContract, draft: Draft, caller: Caller | null): Promise<Answer> {
    this.fixed.pass(this.between);
    const { version, host } = this;
    const scheme = this.schemeOf(caller);
    const handled = this.handler.handle(incomingOf(endpoint, draft, { host, scheme, version, now: this.fixed.now() }));
    this.handler.begun();
    return gathered((await handled).answer);
  }

  private async send(endpoint: EndpointContract, draft: Draft, caller: Caller | null): Promise<Answer> {
    const answer = await this.answerTo(endpoint, draft, caller);
    if (endpoint.writes && answer.status < 400) this.world.changed();
    this.keep(endpoint, draft, answer);
    return answer;
  }

  private keep(endpoint: EndpointContract, draft: Draft, answer: Answer): void {
    const code = answer.code ?? null;
    const { status, body } = answer;
    // An error that is replayed for its idempotency key has no code.
    if (status >= 400 && code === null) return;
    if (status < 400 && !this.isSameEachTime(endpoint)) return;
    const key = `${endpoint.name} ${status} ${code}`;
    const known = this.met.get(key);
    if (known && !(status < 400 && !endpoint.writes && isBetter(body, known.answer.body))) return;
    this.met.set(key, {
      endpoint: endpoint.name,
      request: { parameters: draft.parameters, body: draft.body },
      answer: {
        status,
        code,
        headers: headersOf(answer),
        body: body === null || isFile(endpoint, status) ? undefined : bodyOf(answer, body),
      },
    });
  }

  /** Whether the endpoint answers deterministically: some signature algorithms are randomized. */
  private isSameEachTime({ steps }: EndpointContract): boolean {
    if (!steps.some((step) => step.do === 'issue')) return true;
    return this.plan.schemes.every(({ tokens }) => !tokens || signsAlike(tokens.algorithm));
  }
}

/** The number of attempts: the number of bodies, or of allowed values of a parameter. */
function attemptsAt({ body, parameters }: EndpointContract): number {
  const choices = parameters.map(({ type, required }) => (required && type.kind === 'text' && type.oneOf?.length) || 1);
  return Math.max(body ? BODIES : 1, ...choices.map((one) => Math.min(one, MOST_CHOICES)));
}

/** Whether the body of a success is bytes, which no example holds. */
const isFile = ({ answers }: EndpointContract, status: number): boolean =>
  status < 400 && answers.some((one) => one.status === status && one.body?.type.kind === 'bytes');

/** Whether a success is a better example than the recorded one: longer, but not too long. */
function isBetter(body: string | null, known: Json | undefined): boolean {
  const [length, before] = [body?.length ?? 0, known === undefined ? 0 : JSON.stringify(known).length];
  return length > before && length <= LONG_BYTES;
}

function headersOf({ headers }: Answer): ReadonlyMap<string, string> {
  const out = new Map<string, string>();
  for (let i = 0; i + 1 < headers.length; i += 2) out.set((headers[i] ?? '').toLowerCase(), headers[i + 1] ?? '');
  return out;
}

/** The value of a body of JSON, and the text of others. */
function bodyOf({ headers }: Answer, body: string): Json {
  return isJson(headerIn(headers, 'content-type') ?? '') ? (JSON.parse(body) as Json) : body;
}

/** The value of a header in a list of alternating names and values; null if absent. `name` is in lower case. */
export function headerIn(headers: readonly string[], name: string): string | null {
  const at = headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? null : (headers[at + 1] ?? null);
}

async function first<T>(all: AsyncGenerator<T>): Promise<T | undefined> {
  for await (const one of all) return one;
  return undefined;
}
