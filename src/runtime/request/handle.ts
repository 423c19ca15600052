import { addVary, header } from '../../http/headers.ts';
import type { Condition } from '../../plan/conditions.ts';
import { ahead, type Call, Change, type Program, type Snapshot, StoreError } from '../../store/store.ts';
import { WrongCaller } from '../authentication/authenticate.ts';
import { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import { runWithPauses } from '../context/rerun-state.ts';
import type { RowsAnswer } from '../endpoints/rows.ts';
import { newRun } from '../endpoints/steps/context.ts';
import type { Endpoint } from '../engine/endpoint-compiler.ts';
import type { Engine } from '../engine/engine.ts';
import type { Answer, Answerer, Handled, Incoming, Outlet } from '../http/message.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { Deadlines } from './deadlines.ts';
import { BrokenOff, fileStream, Places, rowStream } from './finite-stream.ts';
import { headSizeOf } from './head-size.ts';
import { newExchange } from './new-exchange.ts';
import { Router } from './router.ts';

/** Receives events about requests, for the operator's log. */
interface Observer {
  /** Reports a failure that the request did not cause. Gets no values of the request; `id` is its trace id. */
  failed(endpoint: string, error: unknown, id: string | undefined): void;
  /** The store could not run a request in time, and may do so later. */
  unavailable?(endpoint: string, why: string, id: string | undefined): void;
  /** A stream has ended. */
  streamed?(endpoint: string, seconds: number, id: string | undefined): void;
  /** Events may have been recorded. */
  recorded(): void;
  /** Makes the spans of transactions; absent or null where tracing is off. */
  readonly tracing?: Tracing | null;
}

/** Answers requests by the document, through all their stages. */
export class Handler implements Answerer {
  private readonly engine: Engine;
  private readonly observer: Observer;
  private readonly router = new Router();
  /** The URL to whose host requests must be addressed; null where the document refuses no host. */
  private readonly host: URL | null;
  private readonly deadlines = new Deadlines();
  private readonly places = new Places();
  private underWay = 0;
  private whenIdle: (() => void) | null = null;
  /** The longest time-out, in milliseconds; null where some endpoint has none. */
  readonly timeout: number | null;
  readonly headSize: number;
  /** True once the service is stopping: requests that still come are refused. */
  draining = false;

  constructor(engine: Engine, observer: Observer) {
    this.engine = engine;
    this.observer = observer;
    this.timeout = engine.plan.timeout;
    this.headSize = headSizeOf(engine.plan.endpoints);
    const { url, errors } = engine;
    this.host = url !== null && errors.states('host not served') ? new URL(url) : null;
    for (const endpoint of engine.endpoints) {
      const { method, path, head } = endpoint.plan;
      this.router.add(method, path, endpoint);
      if (head) this.router.add('HEAD', path, endpoint);
    }
    for (const { method, path } of engine.plan.unsettled) this.router.add(method, path, null);
  }

  /**
   * Routes, limits, authenticates and validates a request, runs its steps in one transaction, and answers. Never throws
   * or rejects. Returns a promise only where something must be waited for: most reads are answered in the turn in which
   * they arrive.
   */
  handle(incoming: Incoming): Handled | Promise<Handled> {
    const handled = this.route(incoming);
    if (!this.engine.browsers) return handled;
    if (handled instanceof Promise) return handled.then((one) => this.forBrowsers(incoming, one));
    return this.forBrowsers(incoming, handled);
  }

  private forBrowsers(incoming: Incoming, handled: Handled): Handled {
    this.engine.browsers?.addHeaders(incoming, handled.answer.headers);
    return handled;
  }

  /** The time of a request that begins now, by the store's clock. */
  now(): number {
    return this.engine.store.now();
  }

  /**
   * Returns the document's answer to input that is not a valid request; null where the document states none, and HTTP's
   * own applies.
   */
  wire(condition: Condition): Answer | null {
    const { errors } = this.engine;
    return errors.states(condition) ? errors.answer(errors.condition(condition)) : null;
  }

  /** Tells the store that all requests of a turn have begun. */
  begun(): void {
    this.engine.store.begun?.();
  }

  private route(incoming: Incoming): Handled | Promise<Handled> {
    const { engine } = this;
    if (this.host !== null && !isFor(incoming, this.host))
      return { answer: this.wire('host not served')!, endpoint: null };
    const { path, version } = engine.versions.split(incoming.path, (bare) => this.router.methods(bare).length > 0);
    const found = this.router.find(incoming.method, path);
    if (!found) return { answer: this.notRouted(incoming, path), endpoint: null };
    const { endpoint, segments } = found;
    if (!endpoint) return { answer: { status: 501, headers: [], body: null }, endpoint: null };
    const x = newExchange(engine, endpoint, segments, version, incoming);
    this.underWay++;
    let answer: Answer | Promise<Answer>;
    try {
      answer = this.answer(endpoint, x);
    } catch (error) {
      answer = this.refused(endpoint, error, x);
    }
    if (!(answer instanceof Promise)) return this.ended(endpoint, x, answer);
    return x.deadline === Number.POSITIVE_INFINITY
      ? answer.then(
          (late) => this.ended(endpoint, x, late),
          (error: unknown) => this.ended(endpoint, x, this.refused(endpoint, error, x)),
        )
      : this.inTime(endpoint, x, answer);
  }

  /** Resolves to the answer, or, once the time-out has passed, to its refusal, whatever is still running. */
  private inTime(endpoint: Endpoint, x: RequestContext, answer: Promise<Answer>): Promise<Handled> {
    return new Promise((resolve) => {
      let over = false;
      const end = (given: Answer): void => {
        if (over) {
          this.engine.keptAnswers.release(x);
          given.stream?.drop?.();
        } else resolve(this.ended(endpoint, x, given));
        over = true;
        deadline.remove();
      };
      const deadline = this.deadlines.add(x.deadline - Date.now(), () => {
        const { change } = x;
        change?.giveUp();
        // The answer to a committed change follows at once: nothing else is waited for.
        if (change?.stage === 'committed') return;
        over = true;
        const undone = change?.stage !== 'committing';
        if (undone && !x.awaitsBody) this.observer.unavailable?.(endpoint.plan.name, TIMED_OUT, x.incoming.trace?.id);
        const late = undone ? this.engine.errors.condition('time-out') : inDoubt();
        resolve(this.finished(endpoint, x, this.refused(endpoint, late, x)));
      });
      answer.then(end, (error: unknown) => {
        // The outcome was in doubt and has been answered: it is not reported as a failure again.
        if (over) this.engine.keptAnswers.release(x);
        else end(this.refused(endpoint, error, x));
      });
    });
  }

  /** Releases the request's idempotency key, and finishes its answer. */
  private ended(endpoint: Endpoint, x: RequestContext, answer: Answer): Handled {
    this.engine.keptAnswers.release(x);
    return this.finished(endpoint, x, answer);
  }

  /**
   * Adds the headers that all answers of an endpoint have. Called directly for a change that may still commit: the key
   * stays claimed until its outcome is known.
   */
  private finished(endpoint: Endpoint, x: RequestContext, answer: Answer): Handled {
    const { engine } = this;
    if (--this.underWay === 0) this.whenIdle?.();
    // Bytes that no row has taken go at once.
    for (const { id, kept } of x.received?.uploads.values() ?? [])
      if (!kept || answer.status >= 400) void engine.files.drop(id);
    for (const one of answer.cookies ?? []) answer.headers.push('Set-Cookie', one);
    engine.rates.addHeaders(x, answer.headers);
    const apiVersion = x.versionKnown ? x.apiVersion : null;
    if (endpoint.ending) answer.headers.push(...endpoint.ending(apiVersion));
    else if (apiVersion) answer.headers.push(...apiVersion.headers);
    if (endpoint.vary !== null) addVary(answer.headers, endpoint.vary);
    const key = x.known?.keyId ?? null;
    const caller = x.holder === null ? null : x.callerKey;
    return { answer: this.watched(answer, endpoint.plan.name, x), endpoint: endpoint.plan.name, key, caller };
  }

  /** Logs a failing stream and ends it: its head has been sent, so that no other answer is possible. */
  private watched(answer: Answer, endpoint: string, { incoming }: RequestContext): Answer {
    const { stream } = answer;
    if (!stream) return answer;
    const run = async (out: Outlet): Promise<void> => {
      try {
        await stream.run(out);
      } catch (error) {
        if (stream.finite) out.breakOff?.();
        const late = error instanceof BrokenOff;
        if (late) this.observer.unavailable?.(endpoint, error.message, incoming.trace?.id);
        else this.observer.failed(endpoint, error, incoming.trace?.id);
      }
      this.observer.streamed?.(endpoint, (Date.now() - incoming.arrived) / 1000, incoming.trace?.id);
    };
    return { ...answer, stream: { ...stream, run } };
  }

  /** Resolves once no request is in progress. */
  idle(): Promise<void> {
    if (this.underWay === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenIdle = resolve;
    });
  }

  private answer(endpoint: Endpoint, x: RequestContext): Answer | Promise<Answer> {
    if (this.draining) throw this.engine.errors.condition('unavailable');
    if (!x.assumes) return this.before(endpoint, x, 0);
    let answer: Answer | Promise<Answer>;
    try {
      answer = this.before(endpoint, x, 0);
    } catch (error) {
      return this.unlessWrong(endpoint, x, error);
    }
    return answer instanceof Promise ? answer.catch((error) => this.unlessWrong(endpoint, x, error)) : answer;
  }

  /**
   * Throws the error of a request that assumes its caller, once the caller is confirmed. Where the caller is another one by
   * now, the request begins anew, and reads it first.
   */
  private async unlessWrong(endpoint: Endpoint, x: RequestContext, error: unknown): Promise<Answer> {
    const { callers, store, keptAnswers } = this.engine;
    let wrong = error;
    const { known } = x;
    if (error instanceof Refusal && known?.assumed)
      try {
        await store.read(() => callers!.confirmed(known, x.frame.now));
      } catch (other) {
        wrong = other;
      }
    if (!(wrong instanceof WrongCaller)) throw wrong;
    keptAnswers.release(x);
    const { segments, version, incoming, rates, sent, received } = x;
    const anew = newExchange(this.engine, endpoint, segments, version, incoming);
    Object.assign(x, { ...anew, counted: rates, sent, received, assumes: false });
    return this.before(endpoint, x, 0);
  }

  /** Runs the steps before the transaction from `from` on, then the transaction. */
  private before(endpoint: Endpoint, x: RequestContext, from: number): Answer | Promise<Answer> {
    const { before } = endpoint;
    for (let i = from; i < before.length; i++) {
      const given = before[i]!(x);
      if (given instanceof Promise)
        return given.then((refusal) => {
          if (refusal) throw refusal;
          return this.before(endpoint, x, i + 1);
        });
      if (given) throw given;
    }
    // Due moves are made before any step can see their rows.
    if (this.engine.timers.isDue(x.frame.now)) return this.afterDue(endpoint, x);
    return this.inside(endpoint, x);
  }

  /**
   * Makes due moves, then answers. If the moves can't be stored, a read continues, and shows rows as if the moves had
   * been stored.
   */
  private async afterDue(endpoint: Endpoint, x: RequestContext): Promise<Answer> {
    const { timers } = this.engine;
    const { now } = x.frame;
    const made = endpoint.plan.writes ? await timers.makeDue(now) : await timers.makeDueToRead(now);
    if (made === null && streamsRows(endpoint, x)) throw this.engine.errors.condition('unavailable');
    if (made === null) return this.transact(endpoint, x, (run) => timers.shown(now, run, x.rerunState));
    if (made) this.observer.recorded();
    return this.inside(endpoint, x);
  }

  private inside(endpoint: Endpoint, x: RequestContext): Answer | Promise<Answer> {
    if (endpoint.plan.writes) return this.write(endpoint, x);
    if (streamsRows(endpoint, x)) return this.rows(endpoint, x);
    const answer = this.transact(endpoint, x, (run) => this.engine.store.read(run));
    if (endpoint.plan.after?.body?.kind !== 'file') return answer;
    return answer instanceof Promise ? answer.then((one) => this.file(x, one)) : this.file(x, answer);
  }

  /** Sends the bytes of a file after the transaction that has found them. */
  private file(x: RequestContext, answer: Answer): Answer {
    const { file } = answer;
    if (!file) return answer;
    this.underWay++;
    return fileStream(answer, this.engine.files.pieces(file), x.deadline, () => {
      if (--this.underWay === 0) this.whenIdle?.();
    });
  }

  /** Runs the steps on a snapshot that stays until the rows of the answer have been sent. */
  private async rows(endpoint: Endpoint, x: RequestContext): Promise<Answer> {
    const { places, engine } = this;
    await places.take();
    try {
      const left = x.deadline - Date.now();
      // The request has been answered while it waited.
      if (left <= 0) throw engine.errors.condition('time-out');
      let snapshot: Snapshot<RowsAnswer> | null = null;
      await this.transact(endpoint, x, async (run) => {
        snapshot = await engine.store.snapshot(run as () => Program<RowsAnswer>, ({ rows }) => rows.call, left);
        return snapshot.value;
      });
      this.underWay++;
      return rowStream(snapshot!, x.deadline, () => {
        places.give();
        if (--this.underWay === 0) this.whenIdle?.();
      });
    } catch (error) {
      places.give();
      throw error;
    }
  }

  private async write(endpoint: Endpoint, x: RequestContext): Promise<Answer> {
    try {
      x.change = new Change();
      const { change } = x;
      const answer = await this.transact(endpoint, x, (run) => this.engine.store.write(run, change));
      this.observer.recorded();
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal) || !error.stated || !endpoint.key || !x.key) throw error;
      return await this.keepRefusal(endpoint.key, x, error);
    }
  }

  /** Runs an endpoint's transaction by the given function of the store. */
  private transact(
    endpoint: Endpoint,
    x: RequestContext,
    by: (run: () => Program<Answer>) => Answer | Promise<Answer>,
  ): Answer | Promise<Answer> {
    const settled = (run: () => Program<Answer>): Answer | Promise<Answer> =>
      x.rerunState ? runWithPauses(x.rerunState, x.deadline, () => by(run)) : by(run);
    const run = (): Program<Answer> => this.run(endpoint, x);
    const span = this.observer.tracing?.transaction(x.incoming.trace, endpoint.plan.writes);
    return span ? span.around(() => settled(() => span.attempt(run())), failureOf) : settled(run);
  }

  /** Runs the endpoint's steps, in one transaction. May run again after a conflict. */
  private *run(endpoint: Endpoint, x: RequestContext): Program<Answer> {
    x.rerunState?.begin();
    if (Date.now() > x.deadline) throw this.engine.errors.condition('time-out');
    const work = new UnitOfWork('request', x.frame, x.apiVersion.wire, x.rerunState);
    const run = newRun(x, work);
    if (endpoint.ahead) yield ahead(this.callsAhead(endpoint.ahead(run), x));
    if (endpoint.again && this.engine.callers) yield* this.engine.callers.again(x, work);
    if (x.key) {
      const kept = yield* this.engine.keptAnswers.replay(x);
      if (kept) return kept;
    }
    work.trace = x.incoming.trace ?? null;
    for (const step of endpoint.inside) yield* step(run);
    const answer = yield* endpoint.answer(run);
    if (endpoint.plan.writes) yield* this.engine.finish(run.work);
    if (endpoint.key && x.key) {
      const { recorded } = run.work;
      yield* this.engine.keptAnswers.keep(x, endpoint.key, answer, recorded);
    }
    return run.cookies ? { ...answer, cookies: [...run.cookies.values()] } : answer;
  }

  /** The calls with which a transaction begins, before those of its steps. */
  private callsAhead(ofSteps: readonly Call[], x: RequestContext): Call[] {
    const first = x.key ? this.engine.keptAnswers.looking(x) : [];
    return [...(x.known?.asking ? [x.known.asking] : []), ...first, ...ofSteps];
  }

  /**
   * Stores the refusal by a step or rule for the request's key, like an answer; its effect was rolled back, so it is
   * written in a transaction of its own. If the key's claim has ended and another request has been answered, that
   * answer is returned.
   */
  private async keepRefusal(key: NonNullable<Endpoint['key']>, x: RequestContext, refusal: Refusal): Promise<Answer> {
    const answer = this.engine.errors.answer(refusal);
    const { keptAnswers } = this.engine;
    const keep = function* (): Program<Answer> {
      const before = yield* keptAnswers.replay(x);
      if (before) return before;
      yield* keptAnswers.keep(x, key, answer);
      return answer;
    };
    return this.engine.store.write(keep, x.change!);
  }

  private refused(endpoint: Endpoint, error: unknown, { incoming }: RequestContext): Answer {
    const { errors } = this.engine;
    if (error instanceof Refusal) return errors.answer(error);
    const { name } = endpoint.plan;
    if (error instanceof StoreError && error.kind === 'busy')
      this.observer.unavailable?.(name, error.message, incoming.trace?.id);
    else this.observer.failed(name, error, incoming.trace?.id);
    return errors.answer(errors.condition(conditionOf(error, endpoint.plan.writes)));
  }

  private notRouted(incoming: Incoming, path: string): Answer {
    const { errors, browsers } = this.engine;
    const { method } = incoming;
    const allowed = this.router.methods(path);
    if (allowed.length === 0 || method === 'CONNECT') return errors.answer(errors.condition('no such endpoint'));
    const preflight = browsers?.preflight(incoming, allowed, this.router.requestHeaders(path));
    if (preflight) return preflight;
    // A 405 lists the allowed methods (RFC 9110, section 15.5.6).
    return errors.answer(errors.condition('method not allowed', [], ['Allow', allowed.join(', ')]));
  }
}

/** Whether the rows of an answer are sent after its transaction: HEAD has none. */
const streamsRows = ({ plan }: Endpoint, { incoming }: RequestContext): boolean =>
  plan.after?.body?.kind === 'rows' && incoming.method !== 'HEAD';

/** Whether a request is addressed to a host; the scheme's default port is optional. */
function isFor({ authority, rawHeaders }: Incoming, { host, port, protocol }: URL): boolean {
  const sent = (authority ?? header(rawHeaders, 'host') ?? '').toLowerCase();
  const own = protocol === 'https:' ? ':443' : ':80';
  return sent === host || (port === '' && (sent === `${host}${own}` || sent === `${host}:`));
}

/**
 * Returns the condition that answers an error. A read causes no conflicts and needs no disk space itself: where the due
 * moves before it need space, the service is unavailable.
 */
function conditionOf(error: unknown, writes: boolean): Condition {
  if (!(error instanceof StoreError)) return 'failure';
  if (error.kind === 'busy' || error.kind === 'shape') return 'unavailable';
  if (error.kind === 'full') return writes ? 'storage full' : 'unavailable';
  return writes && error.kind === 'constraint' ? 'conflict' : 'failure';
}

/** Returns the kind of failure that ended a transaction; null for a refusal by the document's rules. */
function failureOf(error: unknown): string | null {
  if (error instanceof Refusal) return null;
  return error instanceof StoreError ? `store ${error.kind}` : 'failure';
}

/** The error of a time-out while a change was being committed. */
const inDoubt = (): StoreError =>
  new StoreError('failed', 'The time-out passed before a commit was answered: the change may be committed or not.');

/** The reason of a time-out without a change, for the log. */
const TIMED_OUT = 'The time-out passed, and nothing was changed.';
