import { emptyFrame } from '../expression/value.ts';
import { Browsers } from '../parts/authentication/browsers.enforce.ts';
import { Callers } from '../parts/authentication/enforce.ts';
import { Issuers } from '../parts/authentication/issue.enforce.ts';
import { keysOf, type Secrets, type TokenKeys } from '../parts/authentication/signingkeys.ts';
import { type Answering, compileAnswer } from '../parts/endpoints/answer.enforce.ts';
import { bodyReader, bodyRefuser, contentChecker } from '../parts/endpoints/body.enforce.ts';
import { columnsRead } from '../parts/endpoints/columnsread.ts';
import type { Following } from '../parts/endpoints/handlers/calls.ts';
import { Handlers } from '../parts/endpoints/handlers/handlers.enforce.ts';
import { KeptAnswers, type KeyPlan } from '../parts/endpoints/idempotency.enforce.ts';
import { Cursors, pageReader } from '../parts/endpoints/pages.enforce.ts';
import { parameterReader } from '../parts/endpoints/parameters.enforce.ts';
import { bodyValidator } from '../parts/endpoints/payload.enforce.ts';
import type { Run, Step, StepContext } from '../parts/endpoints/steps/context.ts';
import { compileStep } from '../parts/endpoints/steps.enforce.ts';
import { Errors, type Refusal } from '../parts/errors/enforce.ts';
import { Recorder } from '../parts/events/enforce.ts';
import { Payloads } from '../parts/events/payloads.ts';
import { ReaderPayloads } from '../parts/events/readerpayloads.ts';
import { Sights } from '../parts/events/sights.ts';
import { type StreamContext, Streams } from '../parts/events/streams.ts';
import { Rates } from '../parts/limits/enforce.ts';
import { Aside } from '../parts/resources/aside.ts';
import { Resource } from '../parts/resources/enforce.ts';
import { Invariants } from '../parts/resources/invariants.enforce.ts';
import { Passwords } from '../parts/resources/passwords.enforce.ts';
import { Ready, shownWhole } from '../parts/resources/ready.enforce.ts';
import { type ShowContext, View } from '../parts/resources/shown.ts';
import { Work } from '../parts/resources/work.ts';
import { Timers } from '../parts/states/enforce.ts';
import { Versions } from '../parts/versioning/enforce.ts';
import { everyInside, issues } from '../plan/inside.ts';
import type { BeforeStep, EndpointPlan, InsideStep, PagePlan, Plan, ResourcePlan, ViewMember } from '../plan/step.ts';
import { call, type Program, type Store } from '../store/store.ts';
import type { Exchange } from './exchange.ts';
import { Expressions, type Names, NO_NAMES } from './layout.ts';
import { namesOf } from './names.ts';
import { header } from './wire/headers.ts';
import { accepts } from './wire/media.ts';

/** One step before the transaction: a refusal stops the request. */
export type Before = (x: Exchange) => Refusal | null | Promise<Refusal | null>;

/** An endpoint, compiled: nothing in it is looked up by name while it runs. */
export interface Endpoint {
  readonly plan: EndpointPlan;
  readonly before: readonly Before[];
  readonly inside: readonly Step[];
  readonly answer: Answering;
  readonly key: KeyPlan | null;
  /** What its answers say in Vary, beside what they state themselves; null where that is nothing. */
  readonly vary: string | null;
  /** Whether the caller's credentials are looked at once more in the transaction: it writes, or hands out others. */
  readonly again: boolean;
}

/** How much is forgotten in one transaction. */
const FORGOTTEN_AT_ONCE = 500;

/** A plan compiled onto a store: everything that requests, timers and the operator's commands share. */
export class Engine {
  readonly plan: Plan;
  readonly store: Store;
  /** Where the service lives; null where nobody said so. */
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
  readonly payloads: Payloads;
  readonly streams: Streams | null;
  readonly endpoints: readonly Endpoint[];
  private readonly expressions: Expressions;
  private readonly cursors: Cursors;

  private constructor(
    plan: Plan,
    store: Store,
    handlers: Handlers,
    secret: Buffer,
    url: string | null,
    secrets: Secrets | null,
  ) {
    this.plan = plan;
    this.store = store;
    this.url = url;
    this.handlers = handlers;
    this.errors = new Errors(plan.errors, plan.wire.missing);
    this.versions = new Versions(plan.versions, this.errors);
    this.rates = new Rates(plan.rates, store, this.errors);
    this.expressions = new Expressions(plan, store, url);
    this.passwords = plan.passwords && new Passwords(plan.passwords);
    this.browsers = plan.browsers && new Browsers(plan.browsers);
    this.keys = keysOf(plan.schemes, secrets);
    this.issuers = new Issuers(plan, store, this.keys);
    this.callers = plan.schemes.length ? new Callers(plan, store, this.errors, this.keys) : null;
    this.resources = new Map(plan.resources.map((one) => [one.name, this.resourceOf(one)]));
    this.makeReady();
    this.others = new ReaderPayloads(plan.resources, this.showing(this.expressions));
    this.recorder = new Recorder(
      plan,
      this.versions.current,
      store,
      this.showing(this.expressions.seeingAll()),
      (event) => this.others.differ(event),
    );
    this.invariants = new Invariants(plan, this.expressions.seeingAll(), store, this.errors);
    for (const [name, resource] of this.resources) {
      resource.other = (other) => this.resources.get(other)!;
      resource.compared ||= this.invariants.watches(name);
    }
    for (const resource of this.resources.values()) this.compileReactions(resource);
    for (const resource of this.resources.values())
      if (resource.plan.events.length || plan.webhook?.receivers?.resource === resource.plan.name)
        resource.onRemoving = (work, row) => this.recorder.leave(work, resource, row);
    this.timers = new Timers(this.resources.values(), store, this.expressions, this.versions.current, (work) =>
      this.finish(work),
    );
    this.kept = new KeptAnswers(store, this.errors);
    this.cursors = new Cursors(secret);
    this.payloads = new Payloads(this.versions, plan.resources);
    this.streams = plan.stream && new Streams(plan.stream, this.streamContext(secret));
    this.endpoints = plan.endpoints.map((one) => this.compile(one));
  }

  /**
   * Compiles a plan onto a store; `url` is where the service lives, and `secrets` finds the keys of its tokens: only
   * endpoints ask for either. Rejects with StoreError where the store can't be used, and with KeyError where a key can't.
   */
  static async start(
    plan: Plan,
    store: Store,
    url: string | null = null,
    secrets: Secrets | null = null,
  ): Promise<Engine> {
    const statement = store.prepare({ kind: 'system', name: 'read meta' });
    const secret = await store.read(() => readSecret(statement));
    const handlers = await Handlers.load(plan, store);
    const engine = new Engine(plan, store, handlers, Buffer.from(secret, 'base64'), url, secrets);
    await store.furnish?.();
    if (engine.timers.any) await store.read(() => engine.timers.look());
    return engine;
  }

  /** Checks what always holds, and records the events of what has happened: the last thing every transaction that changes rows does. */
  *finish(work: Work): Program<void> {
    if (!work.happened.length) return;
    yield* this.invariants.check(work);
    yield* this.recorder.record(work);
  }

  /** Forgets some of what was kept for a time that is over; gives whether there may be more. */
  *forget(now: number): Program<boolean> {
    const answers = yield* this.kept.forget(now, FORGOTTEN_AT_ONCE);
    const events = this.streams ? yield* this.streams.forget(now, FORGOTTEN_AT_ONCE) : 0;
    return Math.max(answers, events) === FORGOTTEN_AT_ONCE;
  }

  /** A piece of work outside any request. */
  work(now: number, aside: Aside): Work {
    aside.begin();
    const { version, wire } = this.versions.current;
    return new Work(emptyFrame(now, version, aside), wire, aside);
  }

  /** What a piece of work has computed beside its transactions. */
  aside(): Aside {
    return new Aside(this.passwords);
  }

  /** Whether anything is computed beside a transaction. */
  get pauses(): boolean {
    return this.passwords !== null || this.handlers.pure;
  }

  /** What follows a transition runs in its transaction, for nobody in particular, and sees every row. */
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

  /** Steps that nobody asks for: they see every row, and their first names stand in the frame that they are given. */
  private compileUnasked(then: readonly InsideStep[], first: readonly string[]): Following['answers'] {
    const made = [...everyInside(then)].flatMap((step) => ('as' in step && step.as !== null ? [step.as] : []));
    const names: Names = { ...NO_NAMES, vars: [...first, ...new Set(made)] };
    const context = this.stepContext(names, this.expressions.seeingAll(), new Map());
    const steps = then.map((step) => compileStep(step, context));
    return function* unasked(work, frame) {
      // No such step reads a request: check has refused those that do.
      const x = null as unknown as Exchange;
      const run: Run = { x, work: work.within(frame), page: null, after: null, extras: [] };
      for (const step of steps) yield* step(run);
    };
  }

  /** The steps that follow the handlers that reach outside. */
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
    read: StepContext['columnsRead'] = () => null,
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
      resource: (name: string) => this.resources.get(name)!,
      columnsRead: read,
      first: [],
      views,
    };
  }

  private showing(expressions: Expressions): ShowContext {
    const resource = (name: string): ResourcePlan => this.resources.get(name)!.plan;
    const ready: ShowContext['ready'] = (name) => this.resources.get(name)!.ready;
    return { store: this.store, expressions, wire: this.plan.wire, current: this.versions.current, resource, ready };
  }

  /** Text is kept of rows that answers or events show in their own form, as everyone sees them. */
  private makeReady(): void {
    const show = this.showing(this.expressions);
    for (const name of shownWhole(this.plan)) {
      const resource = this.resources.get(name)!;
      resource.ready = Ready.of(name, resource.revision, show);
    }
  }

  private streamContext(secret: Buffer): StreamContext {
    const { store, errors, callers, versions, payloads, expressions } = this;
    const sights = new Sights(this.resources.values(), expressions.seeingAll(), this.others);
    return { store, errors, callers, versions, payloads, sights, secret };
  }

  private resourceOf(plan: ResourcePlan): Resource {
    const marks = this.plan.schemes.flatMap((scheme) => (scheme.resource === plan.name ? [scheme.mark] : []));
    return new Resource(plan, this.store, this.expressions, this.errors, marks);
  }

  private compile(plan: EndpointPlan): Endpoint {
    const names = namesOf(plan);
    const page = plan.before.find((step) => step.do === 'read page')?.page ?? null;
    const show = this.showing(this.expressions);
    const views = viewsOf(plan, show);
    const read = (name: string, resource: string) => columnsRead(plan, name, this.resources.get(resource)!.plan);
    const context = this.stepContext(names, this.expressions, views, page, plan.writes, read);
    const references = plan.inside.filter((step) => step.do === 'find references');
    const rest = plan.inside.filter((step) => step.do !== 'find references');
    const steps = [...references, ...rest].map((step) => compileStep(step, context));
    return {
      plan,
      before: this.compileBefore(plan, page),
      inside: steps.toSpliced(references.length, 0, ...context.first),
      answer: compileAnswer(plan.after, { ...show, errors: this.errors, names, page, views, streams: this.streams }),
      key: plan.before.find((step) => step.do === 'claim key') ?? null,
      vary: plan.vary.join(', ') || null,
      again: plan.writes || issues(plan.inside),
    };
  }

  /** The steps before the transaction. Once parameters and body have been read, their faults are told together. */
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
          resource: (name) => this.resources.get(name)!.plan,
        });
      case 'read page':
        return pageReader(step.page, errors);
      case 'claim key':
        return this.kept.claimer(step, endpoint.name);
    }
  }
}

/** How an endpoint's answer shows the rows that its lists name: what is computed of them comes with the list. */
function viewsOf(plan: EndpointPlan, show: ShowContext): ReadonlyMap<string, View> {
  const { body } = plan.after;
  const shown = (name: string): ViewMember['view'] => {
    if (body?.kind === 'page') return body.list === name ? body.view : null;
    const all = body?.kind === 'value' ? [body.shown] : body?.kind === 'members' ? body.members : [];
    return all.find(({ value }) => value.op === 'name' && value.name === name)?.view ?? null;
  };
  // What a later step may change is computed once all steps are done.
  const lists = plan.inside.flatMap((step) => (step.do === 'list' && !(step.all && plan.writes) ? [step.as] : []));
  return new Map(
    lists.flatMap((name) => {
      const view = shown(name);
      return view ? [[name, new View(view.resource, view.name, show)] as const] : [];
    }),
  );
}

/** What would be answered: JSON has the media type of the version that the request speaks. */
function offeredIn(offered: string, x: Exchange): string {
  return offered === 'application/json' ? x.speech.mediaType : offered;
}

function* readSecret(statement: ReturnType<Store['prepare']>): Program<string> {
  return (yield* call(statement, ['secret']))[0]![0] as string;
}
