import { emptyFrame } from '../../expression/values/value.ts';
import type { Cause, Plan, ResourcePlan } from '../../plan/step.ts';
import { call, type Program, type Store } from '../../store/store.ts';
import { REVISION } from '../../store/tables.ts';
import { Callers } from '../authentication/authenticate.ts';
import { Browsers } from '../authentication/browsers.ts';
import { Issuers } from '../authentication/issue.ts';
import { keysOf, type Secrets, type TokenKeys } from '../authentication/signing-keys.ts';
import { RerunState } from '../context/rerun-state.ts';
import { type Describe, Descriptions } from '../endpoints/descriptions.ts';
import type { Following } from '../endpoints/handlers/calls.ts';
import { Handlers } from '../endpoints/handlers/handlers.ts';
import { KeptAnswers } from '../endpoints/idempotency.ts';
import { Cursors } from '../endpoints/steps/cursors.ts';
import { Errors } from '../errors/refusal.ts';
import { EventVisibility } from '../events/event-visibility.ts';
import { Recorder } from '../events/events.ts';
import { Payloads } from '../events/payloads.ts';
import { ReaderPayloads } from '../events/reader-payloads.ts';
import { Retention } from '../events/retention.ts';
import { Streams } from '../events/streams.ts';
import { Expressions } from '../expressions/layout.ts';
import { Files } from '../files/files.ts';
import { Rates } from '../limits/limits.ts';
import { Skeletons } from '../packing/skeletons.ts';
import { CachedJson, shownWhole } from '../resources/cached-json.ts';
import { Invariants } from '../resources/invariants.ts';
import { Passwords } from '../resources/passwords.ts';
import { Resource } from '../resources/rules.ts';
import type { ShowContext } from '../resources/shown.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import { type RunLog, Schedules } from '../schedules/schedules.ts';
import { Timers } from '../states/states.ts';
import { Versions } from '../versioning/versions.ts';
import { type Endpoint, EndpointCompiler } from './endpoint-compiler.ts';

/** The most rows of a kind that one transaction deletes. */
const FORGOTTEN_AT_ONCE = 500;

/** A plan compiled onto a store: everything that requests, timers and the operator's commands share. */
export class Engine {
  readonly plan: Plan;
  readonly store: Store;
  /** The URL of the service; null where none is configured. */
  readonly url: string | null;
  readonly errors: Errors;
  readonly versions: Versions;
  readonly rates: Rates;
  readonly expressions: Expressions;
  readonly browsers: Browsers | null;
  readonly keys: ReadonlyMap<string, TokenKeys>;
  readonly issuers: Issuers;
  readonly callers: Callers | null;
  readonly keptAnswers: KeptAnswers;
  readonly handlers: Handlers;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly recorder: Recorder;
  readonly payloads: Payloads;
  readonly timers: Timers;
  readonly streams: Streams | null;
  readonly endpoints: readonly Endpoint[];
  readonly skeletons: Skeletons;
  readonly files: Files;
  /** Checks invariants, and records the events of all changes: the end of every transaction that changes rows. */
  readonly finish: (work: UnitOfWork) => Program<void>;
  private readonly passwords: Passwords | null;
  private readonly retention: Retention;
  private readonly compiler: EndpointCompiler;

  private constructor(plan: Plan, store: Store, basis: Basis, rows: RowParts, requests: RequestParts) {
    this.plan = plan;
    this.store = store;
    this.url = basis.url;
    this.errors = basis.errors;
    this.versions = basis.versions;
    this.rates = basis.rates;
    this.expressions = basis.expressions;
    this.browsers = basis.browsers;
    this.keys = basis.keys;
    this.issuers = basis.issuers;
    this.callers = basis.callers;
    this.keptAnswers = basis.keptAnswers;
    this.skeletons = basis.skeletons;
    this.files = basis.files;
    this.passwords = basis.passwords;
    this.retention = basis.retention;
    this.resources = rows.resources;
    this.recorder = rows.recorder;
    this.payloads = rows.payloads;
    this.timers = rows.timers;
    this.finish = rows.finish;
    this.handlers = requests.handlers;
    this.streams = requests.streams;
    this.compiler = requests.compiler;
    this.endpoints = requests.endpoints;
  }

  /**
   * Compiles a plan onto a store; `url` is the URL of the service, `secrets` finds the keys of its tokens, and
   * `describe` makes its descriptions: only endpoints need any of them. Rejects with StoreError where the store can't
   * be used, and with KeyError where a key can't.
   */
  static async start(
    plan: Plan,
    store: Store,
    url: string | null = null,
    secrets: Secrets | null = null,
    describe: Describe | null = null,
  ): Promise<Engine> {
    const statement = store.prepare({ kind: 'system', name: 'read meta' });
    const secret = Buffer.from(await store.read(() => readSecret(statement)), 'base64');
    const handlers = await Handlers.load(plan, store);
    const descriptions = await Descriptions.made(plan, describe);
    const basis = basisOf(plan, store, url, secrets);
    await store.read(() => basis.skeletons.load());
    const rows = rowPartsOf(plan, store, basis);
    const requests = requestPartsOf(plan, store, basis, rows, { secret, handlers, descriptions });
    const engine = new Engine(plan, store, basis, rows, requests);
    await store.furnish?.();
    if (engine.timers.any) await store.read(() => engine.timers.look());
    return engine;
  }

  /** Deletes some expired answers and events in one transaction; resolves to whether there may be more. */
  async forget(now: number): Promise<boolean> {
    const { keptAnswers, streams, retention } = this;
    const { answers, streamed, delivered } = await this.store.write(function* () {
      return {
        answers: yield* keptAnswers.forget(now, FORGOTTEN_AT_ONCE),
        streamed: streams ? yield* streams.forget(now, FORGOTTEN_AT_ONCE) : 0,
        delivered: yield* retention.forget(now, FORGOTTEN_AT_ONCE),
      };
    });
    retention.committed(delivered);
    return Math.max(answers, streamed, delivered.count) === FORGOTTEN_AT_ONCE;
  }

  /** Returns a unit of work outside any request. */
  work(cause: Cause, now: number, rerunState: RerunState): UnitOfWork {
    rerunState.begin();
    const { version, wire } = this.versions.current;
    return new UnitOfWork(cause, emptyFrame(now, version, rerunState), wire, rerunState);
  }

  /** Returns an empty `RerunState` for one unit of work. */
  newRerunState(): RerunState {
    return new RerunState(this.passwords);
  }

  /** Whether anything is computed outside transactions. */
  get pauses(): boolean {
    return this.passwords !== null || this.handlers.pure;
  }

  /** Compiles the steps that run after handlers that reach outside. The keys are names of handlers. */
  following(): ReadonlyMap<string, Following> {
    return this.compiler.following();
  }

  /** Runs the schedules of the document, and logs their runs; null where the document states none. */
  schedules(log: RunLog): Schedules | null {
    const { plan, store, timers, finish } = this;
    if (!plan.schedules) return null;
    return new Schedules(
      {
        store,
        schedules: plan.schedules,
        steps: this.compiler.scheduled(),
        newRerunState: () => this.newRerunState(),
        newWork: (now, rerunState) => this.work('schedule', now, rerunState),
        finish,
        makeMoves: async () => timers.any && timers.makeDue(store.now()),
      },
      log,
    );
  }
}

function* readSecret(statement: ReturnType<Store['prepare']>): Program<string> {
  return (yield* call(statement, ['secret']))[0]![0] as string;
}

/** The parts that need neither rows nor steps. */
type Basis = ReturnType<typeof basisOf>;

function basisOf(plan: Plan, store: Store, url: string | null, secrets: Secrets | null) {
  const errors = new Errors(plan.errors, plan.wire);
  const expressions = new Expressions(plan, store, url);
  const keys = keysOf(plan.schemes, secrets);
  const passwords = plan.passwords && new Passwords(plan.passwords);
  const skeletons = new Skeletons(store);
  return {
    url,
    errors,
    expressions,
    keys,
    versions: new Versions(plan.versions, errors),
    rates: new Rates(plan.rates, store, errors, expressions.seeingAll()),
    passwords,
    browsers: plan.browsers && new Browsers(plan.browsers),
    issuers: new Issuers(plan, store, keys),
    callers: plan.schemes.length ? new Callers(plan, store, errors, keys, expressions, url, passwords) : null,
    skeletons,
    files: new Files(plan, store),
    keptAnswers: new KeptAnswers(store, errors, skeletons),
    retention: new Retention(store, plan.webhook?.kept ?? null),
  };
}

/** The parts that write rows: the rules of each resource, the events of changes, and due moves. */
type RowParts = ReturnType<typeof rowPartsOf>;

function rowPartsOf(plan: Plan, store: Store, { expressions, errors, versions, skeletons, files }: Basis) {
  const { current } = versions;
  const cachedJson = new Map<string, CachedJson | null>();
  const showing = (seen: Expressions): ShowContext => ({
    store,
    expressions: seen,
    wire: plan.wire,
    current,
    resource: (name) =>
      found(
        plan.resources.find((one) => one.name === name),
        name,
      ),
    cachedJson: (name) => cachedJson.get(name) ?? null,
  });
  const show = showing(expressions);
  for (const name of shownWhole(plan))
    cachedJson.set(name, CachedJson.of(name, expressions.column(name, REVISION), show));
  const payloads = new Payloads(versions, plan);
  const readerPayloads = new ReaderPayloads(plan.resources, 'stream', show);
  const recorder = new Recorder(plan, current, store, {
    show: showing(expressions.seeingAll()),
    differ: (event) => readerPayloads.differ(event),
    payloads,
    skeletons,
    toReceivers: plan.webhook?.receivers
      ? new ReaderPayloads(plan.resources, 'webhook', showing(expressions.seeingAsReceiver()))
      : null,
  });
  const invariants = new Invariants(plan, expressions.seeingAll(), store, errors);
  const resources = new Map<string, Resource>();
  const resource = (name: string): Resource => found(resources.get(name), name);
  for (const one of plan.resources) {
    const marks = plan.schemes.flatMap((scheme) => (scheme.resource === one.name ? [scheme.mark] : []));
    const own = cachedJson.get(one.name) ?? null;
    const removals = recorder.removalsOf(one, own);
    const watched = invariants.watches(one.name);
    const parts = { store, expressions, errors, files, marks, cachedJson: own, removals, watched, other: resource };
    resources.set(one.name, new Resource(one, parts));
  }
  function* finish(work: UnitOfWork): Program<void> {
    if (!work.happened.length && !work.emitted.length) return;
    yield* invariants.check(work);
    yield* recorder.record(work);
  }
  const timers = new Timers(resources.values(), store, expressions, current, finish);
  return { show, payloads, readerPayloads, recorder, resources, resource, finish, timers };
}

function found<Found extends Resource | ResourcePlan>(one: Found | undefined, name: string): Found {
  if (!one) throw new Error(`The plan has no resource ${name}`);
  return one;
}

/** The parts that answer requests. */
type RequestParts = ReturnType<typeof requestPartsOf>;

function requestPartsOf(
  plan: Plan,
  store: Store,
  basis: Basis,
  { show, payloads, readerPayloads, recorder, resources, resource }: RowParts,
  { secret, ...loaded }: { secret: Buffer; handlers: Handlers; descriptions: Descriptions },
) {
  const { errors, callers, versions, expressions, skeletons } = basis;
  const streams =
    plan.stream &&
    new Streams(plan.stream, {
      store,
      errors,
      callers,
      versions,
      payloads,
      skeletons,
      eventVisibility: new EventVisibility(resources.values(), plan, expressions.seeingAll(), readerPayloads),
      secret,
    });
  const cursors = new Cursors(secret);
  const compiler = new EndpointCompiler({
    ...basis,
    ...loaded,
    plan,
    store,
    cursors,
    streams,
    recorder,
    show,
    resource,
  });
  // Steps write rows of any resource, so that resources get their reactions once all of them exist.
  for (const one of resources.values()) compiler.addReactions(one);
  const endpoints = plan.endpoints.map((one) => compiler.compile(one));
  return { handlers: loaded.handlers, streams, compiler, endpoints };
}
