import { emptyFrame } from '../../expression/values/value.ts';
import { header } from '../../http/headers.ts';
import { accepts } from '../../http/media.ts';
import { allNested, issues, mapInside } from '../../plan/nested-steps.ts';
import { declaredBy } from '../../plan/slots.ts';
import type { BeforeStep, EndpointPlan, InsideStep, PagePlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { call, type Program, type Store } from '../../store/store.ts';
import { Callers } from '../authentication/authenticate.ts';
import { Browsers } from '../authentication/browsers.ts';
import { Issuers } from '../authentication/issue.ts';
import { keysOf, type Secrets, type TokenKeys } from '../authentication/signing-keys.ts';
import type { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import { RerunState } from '../context/rerun-state.ts';
import { type Answering, compileAnswer, viewsOf } from '../endpoints/answer.ts';
import { bodyReader, bodyRefuser, contentChecker } from '../endpoints/body.ts';
import { isLookedThrough, representationOf } from '../endpoints/conditional.ts';
import { type Describe, Descriptions } from '../endpoints/descriptions.ts';
import type { Following } from '../endpoints/handlers/calls.ts';
import { Handlers } from '../endpoints/handlers/handlers.ts';
import { KeptAnswers, type KeyPlan } from '../endpoints/idempotency.ts';
import { parameterReader } from '../endpoints/parameters.ts';
import { bodyValidator } from '../endpoints/payload.ts';
import type { Representation, Step, StepContext, StepRun } from '../endpoints/steps/context.ts';
import { Cursors, pageReader } from '../endpoints/steps/cursors.ts';
import { compileStep } from '../endpoints/steps.ts';
import { Errors } from '../errors/refusal.ts';
import { EventVisibility } from '../events/event-visibility.ts';
import { Recorder } from '../events/events.ts';
import { Payloads } from '../events/payloads.ts';
import { ReaderPayloads } from '../events/reader-payloads.ts';
import { Retention } from '../events/retention.ts';
import { type StreamContext, Streams } from '../events/streams.ts';
import { Expressions, type Names, NO_NAMES, namesOf } from '../expressions/layout.ts';
import { Rates } from '../limits/limits.ts';
import { CachedJson, shownWhole } from '../resources/cached-json.ts';
import { Invariants } from '../resources/invariants.ts';
import { Passwords } from '../resources/passwords.ts';
import { Resource } from '../resources/rules.ts';
import type { ShowContext } from '../resources/shown.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import { Timers } from '../states/states.ts';
import { Versions } from '../versioning/versions.ts';

/** One step before the transaction: a refusal stops the request. */
type Before = (x: RequestContext) => Refusal | null | Promise<Refusal | null>;

/** An endpoint, compiled: nothing in it is looked up by name while it runs. */
export interface Endpoint {
  readonly plan: EndpointPlan;
  readonly before: readonly Before[];
  readonly inside: readonly Step[];
  readonly answer: Answering;
  readonly key: KeyPlan | null;
  /** The value of Vary in the endpoint's answers, beside what an answer adds; null where there is none. */
  readonly vary: string | null;
  /**
   * Whether the caller's credentials are checked once more in the transaction: the endpoint writes, or issues
   * credentials.
   */
  readonly again: boolean;
}

/** The most rows of a kind that one transaction deletes. */
const FORGOTTEN_AT_ONCE = 500;

/** A plan compiled onto a store: everything that requests, timers and the operator's commands share. */
export class Engine {
  readonly plan: Plan;
  readonly store: Store;
  /** The URL of the service; null where none is configured. */
  readonly url: string | null;
  readonly errors: Errors;
  readonly handlers: Handlers;
  readonly versions: Versions;
  readonly rates: Rates;
  readonly browsers: Browsers | null;
  readonly passwords: Passwords | null;
  readonly keys: ReadonlyMap<string, TokenKeys>;
  readonly issuers: Issuers;
  readonly callers: Callers | null;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly timers: Timers;
  readonly recorder: Recorder;
  private readonly others: ReaderPayloads;
  private readonly invariants: Invariants;
  readonly kept: KeptAnswers;
  private readonly retention: Retention;
  readonly payloads: Payloads;
  readonly streams: Streams | null;
  readonly endpoints: readonly Endpoint[];
  readonly expressions: Expressions;
  private readonly cursors: Cursors;
  private readonly descriptions: Descriptions;

  private constructor(
    plan: Plan,
    store: Store,
    handlers: Handlers,
    secret: Buffer,
    url: string | null,
    secrets: Secrets | null,
    descriptions: Descriptions,
  ) {
    this.plan = plan;
    this.store = store;
    this.url = url;
    this.handlers = handlers;
    this.descriptions = descriptions;
    this.errors = new Errors(plan.errors, plan.wire.missing);
    this.versions = new Versions(plan.versions, this.errors);
    this.rates = new Rates(plan.rates, store, this.errors);
    this.expressions = new Expressions(plan, store, url);
    this.passwords = plan.passwords && new Passwords(plan.passwords);
    this.browsers = plan.browsers && new Browsers(plan.browsers);
    this.keys = keysOf(plan.schemes, secrets);
    this.issuers = new Issuers(plan, store, this.keys);
    this.callers = plan.schemes.length ? new Callers(plan, store, this.errors, this.keys, this.expressions) : null;
    this.resources = new Map(plan.resources.map((one) => [one.name, this.resourceOf(one)]));
    this.prepareCachedJson();
    this.payloads = new Payloads(this.versions, plan.resources);
    this.others = new ReaderPayloads(plan.resources, 'stream', this.showing(this.expressions));
    this.recorder = new Recorder(plan, this.versions.current, store, {
      show: this.showing(this.expressions.seeingAll()),
      differ: (event) => this.others.differ(event),
      payloads: this.payloads,
      toReceivers: plan.webhook?.receivers
        ? new ReaderPayloads(plan.resources, 'webhook', this.showing(this.expressions.seeingAsReceiver()))
        : null,
    });
    this.invariants = new Invariants(plan, this.expressions.seeingAll(), store, this.errors);
    for (const [name, resource] of this.resources) {
      resource.other = (other) => this.resource(other);
      resource.compared ||= this.invariants.watches(name);
    }
    for (const resource of this.resources.values()) this.compileReactions(resource);
    for (const resource of this.resources.values())
      if (resource.plan.events.length || plan.webhook?.receivers?.resource === resource.plan.name)
        this.recorder.watchRemovals(resource);
    this.timers = new Timers(this.resources.values(), store, this.expressions, this.versions.current, (work) =>
      this.finish(work),
    );
    this.kept = new KeptAnswers(store, this.errors);
    this.retention = new Retention(store, plan.webhook?.kept ?? null);
    this.cursors = new Cursors(secret);
    this.streams = plan.stream && new Streams(plan.stream, this.streamContext(secret));
    this.endpoints = plan.endpoints.map((one) => this.compile(one));
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
    const secret = await store.read(() => readSecret(statement));
    const handlers = await Handlers.load(plan, store);
    const descriptions = await Descriptions.made(plan, describe);
    const engine = new Engine(plan, store, handlers, Buffer.from(secret, 'base64'), url, secrets, descriptions);
    await store.furnish?.();
    if (engine.timers.any) await store.read(() => engine.timers.look());
    return engine;
  }

  /** Checks invariants, and records the events of all changes: the end of every transaction that changes rows. */
  *finish(work: UnitOfWork): Program<void> {
    if (!work.happened.length) return;
    yield* this.invariants.check(work);
    yield* this.recorder.record(work);
  }

  /** Deletes some expired answers and events; returns whether there may be more. */
  *forget(now: number): Program<boolean> {
    const answers = yield* this.kept.forget(now, FORGOTTEN_AT_ONCE);
    const events = this.streams ? yield* this.streams.forget(now, FORGOTTEN_AT_ONCE) : 0;
    const told = yield* this.retention.forget(now, FORGOTTEN_AT_ONCE);
    return Math.max(answers, events, told) === FORGOTTEN_AT_ONCE;
  }

  /** Returns a unit of work outside any request. */
  work(now: number, rerunState: RerunState): UnitOfWork {
    rerunState.begin();
    const { version, wire } = this.versions.current;
    return new UnitOfWork(emptyFrame(now, version, rerunState), wire, rerunState);
  }

  /** Returns an empty `RerunState` for one unit of work. */
  newRerunState(): RerunState {
    return new RerunState(this.passwords);
  }

  /** Whether anything is computed outside transactions. */
  get pauses(): boolean {
    return this.passwords !== null || this.handlers.pure;
  }

  /**
   * Compiles the steps that follow transitions: they run in the same transaction, without a caller, and see every row.
   */
  private compileReactions(resource: Resource): void {
    for (const { name, then } of resource.plan.states?.transitions ?? []) {
      if (then.length === 0) continue;
      const steps = this.compileUnasked(then, ['moved']);
      resource.reactions.set(name, (work, row) => {
        const { now, version, drawn } = work.frame;
        return steps(work, { ...emptyFrame(now, version, drawn), vars: [row] });
      });
    }
  }

  /**
   * Compiles steps that run without a request: they see every row, and the frame holds the values of their `first`
   * names.
   */
  private compileUnasked(then: readonly InsideStep[], first: readonly string[]): Following['answers'] {
    const made = [...allNested(then)].flatMap(declaredBy);
    const names: Names = { ...NO_NAMES, vars: [...first, ...new Set(made)] };
    const context = this.stepContext(names, this.expressions.seeingAll(), new Map());
    const steps = then.map((step) => compileStep(step, context));
    return function* unasked(work, frame) {
      // These steps have no request: `check` refuses steps here that read one.
      const x = null as unknown as RequestContext;
      const run: StepRun = { x, work: work.within(frame), page: null, after: null, extras: [] };
      for (const step of steps) yield* step(run);
    };
  }

  /**
   * Compiles the steps that run after handlers that reach outside: after an answer, and after the last failure. The
   * keys are names of handlers.
   */
  following(): ReadonlyMap<string, Following> {
    const outside = this.plan.handlers.filter((handler) => handler.kind === 'outside');
    return new Map(
      outside.map((handler) => [
        handler.name,
        {
          answers: this.compileUnasked(handler.answers, ['given', 'answer']),
          fails: this.compileUnasked(handler.failing, ['given', 'failure']),
        },
      ]),
    );
  }

  private stepContext(
    names: Names,
    expressions: Expressions,
    views: StepContext['views'],
    page: PagePlan | null = null,
    writes = true,
  ): StepContext {
    return {
      writes,
      store: this.store,
      expressions,
      errors: this.errors,
      handlers: this.handlers,
      cursors: this.cursors,
      issuers: this.issuers,
      passwords: this.passwords,
      wire: this.plan.wire,
      page,
      names,
      resource: (name: string) => this.resource(name),
      representation: (get: string) => this.representation(get),
      first: [],
      views,
    };
  }

  /** A resource that the plan names. */
  private resource(name: string): Resource {
    const found = this.resources.get(name);
    if (!found) throw new Error(`The plan has no resource ${name}`);
    return found;
  }

  private showing(expressions: Expressions): ShowContext {
    const resource = (name: string): ResourcePlan => this.resource(name).plan;
    const cachedJson: ShowContext['cachedJson'] = (name) => this.resource(name).cachedJson;
    return {
      store: this.store,
      expressions,
      wire: this.plan.wire,
      current: this.versions.current,
      resource,
      cachedJson,
    };
  }

  /** Compiles the cached JSON of resources that answers or events show in their own form. */
  private prepareCachedJson(): void {
    const show = this.showing(this.expressions);
    for (const name of shownWhole(this.plan)) {
      const resource = this.resource(name);
      resource.cachedJson = CachedJson.of(name, resource.revision, show);
    }
  }

  private streamContext(secret: Buffer): StreamContext {
    const { store, errors, callers, versions, payloads, expressions } = this;
    const eventVisibility = new EventVisibility(this.resources.values(), expressions.seeingAll(), this.others);
    return { store, errors, callers, versions, payloads, eventVisibility, secret };
  }

  private resourceOf(plan: ResourcePlan): Resource {
    const marks = this.plan.schemes.flatMap((scheme) => (scheme.resource === plan.name ? [scheme.mark] : []));
    return new Resource(plan, this.store, this.expressions, this.errors, marks);
  }

  private compile(plan: EndpointPlan): Endpoint {
    const { errors, streams, descriptions } = this;
    const names = namesOf(plan);
    const page = plan.before.find((step) => step.do === 'read page')?.page ?? null;
    const show = this.showing(this.expressions);
    const views = viewsOf(plan, show);
    const context = this.stepContext(names, this.expressions, views, page, plan.writes);
    const references = plan.inside.filter((step) => step.do === 'find references');
    const rest = plan.inside.filter((step) => step.do !== 'find references');
    const steps = [...references, ...rest].map((step) => compileStep(step, context));
    return {
      plan,
      before: this.compileBefore(plan, page),
      inside: [...context.first, ...steps],
      answer: compileAnswer(plan.after, { ...show, errors, names, page, views, streams, descriptions }),
      key: plan.before.find((step) => step.do === 'claim key') ?? null,
      vary: plan.vary.join(', ') || null,
      again: plan.writes || issues(plan.inside),
    };
  }

  /** Compiles a GET for use within a write; a GET that is not settled has no validators. */
  private representation(name: string): Representation {
    const plan = this.plan.endpoints.find((one) => one.name === name);
    if (!plan) throw new Error(`The plan has no endpoint ${name}`);
    const read = plan.before
      .filter(isLookedThrough)
      .map((step) => (step.do === 'read parameters' ? { ...step, unknown: 'ignored' as const } : step));
    // A row that a later step of the write may change is read whole.
    const inside = mapInside(plan.inside, (step) => ('reads' in step ? { ...step, reads: null } : step));
    const { before, inside: steps, answer } = this.compile({ ...plan, before: read, inside, writes: true });
    return representationOf({ name, before, inside: steps, answer });
  }

  /**
   * Compiles the steps before the transaction. Once parameters and body have been read, their faults are answered
   * together.
   */
  private compileBefore(plan: EndpointPlan, page: PagePlan | null): Before[] {
    const last = plan.before.findLastIndex((step) => step.do === 'read parameters' || step.do === 'validate body');
    const rates = plan.before.flatMap((step) => (step.do === 'limit' ? [step.rate] : []));
    const nobody = rates.filter((rate) => this.plan.rates[rate]!.per === 'nobody');
    return plan.before.flatMap((step, i) => {
      const plain = this.compileOne(step, plan, page);
      const one = step.do === 'authenticate' && nobody.length ? this.rates.guard(plain, nobody) : plain;
      return i === last ? [one, contentChecker(this.errors)] : [one];
    });
  }

  private compileOne(step: BeforeStep, endpoint: EndpointPlan, page: PagePlan | null): Before {
    const { errors, plan } = this;
    switch (step.do) {
      case 'limit':
        return (x) => this.rates.take(x, step.rate, step.callers);
      case 'authenticate':
        return this.callers!.authenticator(step);
      case 'require scope':
        return (x) => this.callers!.requireScope(x, step.scope);
      case 'choose version':
        return (x) => this.versions.choose(x);
      case 'negotiate':
        return (x) =>
          accepts(header(x.incoming.rawHeaders, 'accept'), offeredIn(step.offered, x))
            ? null
            : errors.condition('not acceptable');
      case 'read body':
        return bodyReader(step, errors, this.versions);
      case 'refuse body':
        return bodyRefuser(step, errors);
      case 'read parameters':
        return parameterReader(step, page, { wire: plan.wire, expressions: this.expressions, errors });
      case 'validate body':
        return bodyValidator(step, {
          wire: plan.wire,
          expressions: this.expressions,
          errors,
          resource: (name) => this.resource(name).plan,
        });
      case 'read page':
        return pageReader(step.page, errors);
      case 'claim key':
        return this.kept.claimer(step, endpoint.name);
    }
  }
}

/** Returns the media type to offer: for JSON, that of the request's version. */
function offeredIn(offered: string, x: RequestContext): string {
  return offered === 'application/json' ? x.apiVersion.mediaType : offered;
}

function* readSecret(statement: ReturnType<Store['prepare']>): Program<string> {
  return (yield* call(statement, ['secret']))[0]![0] as string;
}
