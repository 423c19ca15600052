import type { Plan, WebhookPlan } from '../plan/step.ts';
import { type News, type Store, StoreError } from '../store/store.ts';
import type { AdminServer, Asked } from './admin/admin.ts';
import { Metrics } from './admin/metrics.ts';
import { Readiness } from './admin/readiness.ts';
import type { RerunState } from './context/rerun-state.ts';
import { Calls } from './endpoints/handlers/calls.ts';
import { Engine } from './engine/engine.ts';
import type { Attempt } from './events/attempts.ts';
import { Dispatcher, type TestEvent } from './events/dispatch.ts';
import { StoredOutbox } from './events/outbox.ts';
import { ReceiverRows } from './events/receiver-rows.ts';
import { BEYOND } from './expressions/layout.ts';
import { forgetExpired } from './forgetting.ts';
import { within } from './http/alarm.ts';
import { listenError } from './http/listening.ts';
import { type AnsweredRequest, HttpServer, type Malformed } from './http/server.ts';
import { describeError, REQUEST } from './log.ts';
import { strandedIn } from './receivers.ts';
import { Handler } from './request/handle.ts';
import { HoldingHandler } from './request/holding-handler.ts';
import { LogMembers } from './request/log-members.ts';
import type { UnitOfWork } from './resources/unit-of-work.ts';
import type { Schedules } from './schedules/schedules.ts';
import type { ServiceOptions } from './service-options.ts';

/** A document in use: its engine, and the work that needs no request. */
interface InForce {
  readonly engine: Engine;
  readonly handler: Handler;
  readonly readiness: Readiness;
  readonly dispatcher: Dispatcher | null;
  readonly outbox: StoredOutbox | null;
  /** The queued calls of handlers that reach outside; null where there are none. */
  readonly calls: Calls | null;
  /** The schedules; null where the document states none. */
  readonly schedules: Schedules | null;
  timer: NodeJS.Timeout | null;
  /** When the timer fires, in milliseconds since the epoch. */
  timerAt: number;
  /** The end of the pause after the store has failed: due work is not retried before it. */
  failedUntil: number;
  stopped: boolean;
  /** Settles once the plan's service has ended; null while it runs. */
  ended: Promise<void> | null;
}

/** Opens the store for the next plan, or, if that fails, for the old one. */
type Make = (before: Plan) => Promise<{ readonly plan: Plan; readonly store: Store }>;

/** The interval of reads of the store for the writes of other processes, in milliseconds. */
const POLL_INTERVAL_MS = 1000;
/** The interval between deletions of expired data, in milliseconds. */
const EXPIRY_INTERVAL_MS = 30_000;
/**
 * The longest time for which a stopping service waits for deliveries and handler calls, in milliseconds; and for
 * requests, if the document states no time-out.
 */
const STOP_GRACE_MS = 10_000;
/**
 * The longest time for deliveries and handler calls to finish while requests wait for another document, in
 * milliseconds: after it, their leases end, and the next document's service repeats them.
 */
const RELOAD_GRACE_MS = 250;
/** The reason why the service is not ready any more. */
const STOPPING = 'the service stops';

/** A running service: the port, the timers, the deliveries and the operator’s port. */
export class Service {
  readonly metrics = new Metrics();
  port = 0;
  adminPort: number | null = null;
  private readonly options: ServiceOptions;
  private http: HttpServer | null = null;
  private admin: AdminServer | null = null;
  private current: InForce | null = null;
  /** The reason why the service is not ready, whatever the store's state is; null where the store decides. */
  private away: string | null = 'the service starts';
  private readonly logMembers = new LogMembers();
  /** Settles once no change of the document is in progress. Never rejects. */
  private changing: Promise<unknown> = Promise.resolve();
  private stopping: Promise<void> | null = null;

  constructor(options: ServiceOptions) {
    this.options = options;
  }

  /** Starts to serve a plan from a store. Rejects where a port is not available. */
  async start(plan: Plan, store: Store): Promise<void> {
    const { host, port, socket, proxies, admin, describe, log } = this.options;
    this.current = await this.putInForce(plan, store);
    // Before the first request: bytes that an earlier process of this store has received belong to no request any more.
    await this.reconcile(this.current, store.travels !== true);
    this.http = new HttpServer(this.current.handler, {
      answered: (request) => this.answered(request),
      malformed: (what) => this.malformed(what),
      proxies: proxies ?? null,
      tracing: this.options.tracing ?? null,
      untrusted: () =>
        log('warn', 'proxy.untrusted', { remedy: 'Name the proxy with --trust-proxy, if there is one.' }),
    });
    // The operator's port comes first: a failing start must not leave the service port open.
    if (admin) {
      const { AdminServer } = await import('./admin/admin.ts');
      const described =
        describe && (async (...of: Asked) => (await describe(this.current?.engine.plan ?? plan))(...of));
      const metrics = { counted: this.metrics, inForce: () => this.engine };
      this.admin = new AdminServer(metrics, () => this.notReady(), described ?? null, this.options.pages, admin.names);
      this.adminPort = await this.admin.listen(admin.host, admin.port).catch((error: unknown) => {
        throw listenError(error, admin, '--admin');
      });
    }
    const place = socket ?? { host, port };
    try {
      this.port = (await this.http.listen(place)) ?? 0;
    } catch (error) {
      await this.admin?.close();
      throw listenError(error, place, socket ? '--listen' : '--host and --port');
    }
    this.begin(this.current);
    this.away = null;
  }

  /** Lets go of bytes that no row has. A service whose store refuses changes starts nevertheless. */
  private async reconcile({ engine }: InForce, isAlone: boolean): Promise<void> {
    try {
      await engine.files.reconcile(isAlone);
    } catch (error) {
      this.options.log('error', 'timer.failed', describeError(error));
    }
  }

  /** Resolves to the reason why requests can't be answered now; to null where they can. */
  async notReady(): Promise<string | null> {
    return this.away ?? (await this.current!.readiness.ask());
  }

  /** The engine of the current document, for an operator in the same process; null before the start. */
  get engine(): Engine | null {
    return this.current?.engine ?? null;
  }

  /**
   * Makes the due moves, runs, deliveries and handler calls by the store's clock, and waits for their ends. Resolves to
   * the time of the next due move, run or delivery, or to infinity. For a clock that is moved, which timers don't follow.
   */
  async catchUp(): Promise<number> {
    if (!this.current) return Number.POSITIVE_INFINITY;
    const { engine, calls, dispatcher, schedules } = this.current;
    await this.makeMoves(this.current, engine.store.now());
    const nextRun = (await schedules?.caughtUp()) ?? Number.POSITIVE_INFINITY;
    // The steps that follow a handler's answer may record events for receivers.
    await calls?.caughtUp();
    await dispatcher?.caughtUp();
    engine.streams?.wake();
    return Math.min(engine.timers.next, nextRun, (await dispatcher?.nextDue()) ?? Number.POSITIVE_INFINITY);
  }

  /** Replaces the plan. Requests in progress finish under the old one. */
  replace(plan: Plan, store: Store): Promise<void> {
    return this.change(() => this.replaceNow(plan, store));
  }

  private async replaceNow(plan: Plan, store: Store): Promise<void> {
    const next = await this.putInForce(plan, store);
    const before = this.current!;
    store.follow(before.engine.store);
    this.current = next;
    this.http!.use(next.handler);
    this.begin(next);
    await this.end(before);
  }

  /**
   * Replaces the plan where rows change with it: work in progress finishes under the old plan, new requests wait, and
   * nothing else uses the store while `make` opens it for the new plan or, if that fails, for the old one.
   */
  exchange(make: Make): Promise<void> {
    return this.change(() => this.exchangeNow(make));
  }

  private async exchangeNow(make: Make): Promise<void> {
    const before = this.current!;
    const waiting = new HoldingHandler(before.handler);
    this.http!.use(waiting);
    this.away = 'a migration changes the rows';
    await this.end(before, RELOAD_GRACE_MS);
    const { plan, store } = await make(before.engine.plan);
    const next = await this.putInForce(plan, store);
    store.follow(before.engine.store);
    this.current = next;
    this.http!.use(next.handler);
    void this.reconcile(next, false);
    waiting.release(next.handler);
    this.away = this.stopping ? STOPPING : null;
    this.begin(next);
  }

  /** Runs a change of the document. A stop waits for a change in progress, and refuses later ones. */
  private change(work: () => Promise<void>): Promise<void> {
    if (this.stopping) return Promise.reject(new StoreError('busy', 'The service stops.'));
    const changed = work();
    this.changing = changed.catch(() => {});
    return changed;
  }

  /**
   * Stops in order: takes no new connections, lets requests and deliveries in progress finish, and closes the store. A
   * second call waits for the same stop.
   */
  stop(): Promise<void> {
    this.stopping ??= this.stopNow();
    return this.stopping;
  }

  private async stopNow(): Promise<void> {
    if (!this.current) return;
    this.away = STOPPING;
    this.current.handler.draining = true;
    this.current.engine.streams?.close();
    const begun = performance.now();
    await this.http?.close(this.current.engine.plan.timeout ?? STOP_GRACE_MS);
    await this.changing;
    // Calls and deliveries that still run have had as much time as the requests: their leases end by themselves.
    await this.end(this.current, Math.max(0, STOP_GRACE_MS - (performance.now() - begun)));
    await this.admin?.close();
    this.current = null;
  }

  private async putInForce(plan: Plan, store: Store): Promise<InForce> {
    const { log, url, secrets, describe } = this.options;
    const engine = await Engine.start(plan, store, plan.address.url ?? url, secrets ?? null, describe ?? null);
    engine.timers.onEarlier = (due) => store.tell?.({ due });
    engine.expressions.missing.onMissing = (field) => log('warn', 'value.missing', { field, why: BEYOND });
    engine.timers.tracing = this.options.tracing ?? null;
    engine.timers.onRefused = (move, rule) => {
      this.metrics.refused();
      log('warn', 'move.refused', { move, rule });
    };
    const rows = ReceiverRows.of(plan.webhook?.receivers, engine.resources, this.options.allowPrivate ?? false);
    const outbox = plan.webhook && new StoredOutbox(engine, rows);
    for (const { becomes, id, url, version, why } of await strandedIn(engine))
      log('warn', becomes === 'waits' ? 'receiver.waits' : 'receiver.untold', { receiver: id, url, version, why });
    const dispatcher = outbox && plan.webhook && this.dispatcher(plan.webhook, outbox, () => store.now());
    const calls = engine.handlers.any ? this.calls(engine) : null;
    const schedules = engine.schedules(log);
    const inForce: InForce = {
      engine,
      dispatcher,
      outbox: outbox ?? null,
      calls,
      schedules,
      readiness: new Readiness(engine.store),
      handler: new Handler(engine, {
        failed: (endpoint, error, id) => log('error', 'request.failed', { id, endpoint, ...describeError(error) }),
        unavailable: (endpoint, why, id) => log('warn', 'request.unavailable', { id, endpoint, why }),
        streamed: (endpoint, seconds, id) => log('info', 'stream.ended', { id, endpoint, seconds }),
        recorded: () => this.recorded(inForce),
        tracing: this.options.tracing ?? null,
      }),
      timer: null,
      timerAt: 0,
      failedUntil: 0,
      stopped: false,
      ended: null,
    };
    if (schedules) {
      schedules.onRan = () => this.recorded(inForce);
      schedules.onEnded = (schedule, outcome) => this.metrics.ran(schedule, outcome);
    }
    await store.furnish?.();
    store.hear?.((news) => this.heard(inForce, news));
    return inForce;
  }

  /** Handles changes of rows by an operator in this process at once, without waiting for the next read of the store. */
  noticed(): void {
    if (this.current) this.recorded(this.current);
  }

  /**
   * Sends a test event to a receiver, once, by the code of deliveries. `make` makes the event in the version of the
   * receiver. Null where the service has no such receiver.
   */
  async sendTest(id: string, make: (version: string) => TestEvent): Promise<Attempt | null> {
    const { outbox = null, dispatcher = null } = this.current ?? {};
    const found = (await outbox?.receiver(id)) ?? null;
    return found && dispatcher ? dispatcher.test(make(found.version), found.receiver) : null;
  }

  private recorded(inForce: InForce): void {
    const { engine, dispatcher, calls } = inForce;
    // Most writes cause no events, and each wake-up costs a query to the store.
    if (engine.recorder.takeNews()) {
      dispatcher?.wake();
      engine.streams?.wake();
    }
    calls?.wake();
    this.schedule(inForce);
  }

  /** Takes a message from another process that shares the store. */
  private heard(inForce: InForce, news: News): void {
    const { engine, dispatcher, calls } = inForce;
    if (typeof news === 'object') {
      engine.timers.note(news.due);
      this.schedule(inForce);
      return;
    }
    engine.streams?.wake();
    if (news === 'streamed') return;
    dispatcher?.wake();
    calls?.wake();
  }

  private calls(engine: Engine): Calls {
    const work = {
      newRerunState: () => engine.newRerunState(),
      make: (now: number, rerunState: RerunState) => engine.work('handler', now, rerunState),
      finish: (done: UnitOfWork) => engine.finish(done),
    };
    return new Calls(engine.handlers, engine.store, engine.following(), work, this.options.log);
  }

  private dispatcher(webhook: WebhookPlan, outbox: StoredOutbox, now: () => number): Dispatcher {
    return new Dispatcher(outbox, webhook, {
      now,
      pollMs: POLL_INTERVAL_MS,
      tracing: this.options.tracing ?? null,
      log: (level, event, fields) => {
        this.options.log(level, event, fields);
        this.metrics.heard(event);
      },
    });
  }

  private begin(inForce: InForce): void {
    inForce.dispatcher?.start();
    const { calls, dispatcher } = inForce;
    if (calls) calls.onFollowed = () => dispatcher?.wake();
    calls?.start();
    inForce.schedules?.start();
    // The monotonic clock: if the system clock is set back, nothing would be deleted until it has caught up.
    let forgotten = Number.NEGATIVE_INFINITY;
    const tick = async (): Promise<void> => {
      const now = inForce.engine.store.now();
      const begun = performance.now();
      inForce.timer = null;
      try {
        await this.makeMoves(inForce, now);
        if (begun - forgotten > EXPIRY_INTERVAL_MS) {
          forgotten = Number.POSITIVE_INFINITY;
          // Moves don't wait for the deletions: there may be a whole day's answers.
          void forgetExpired(inForce.engine, now, () => inForce.stopped)
            .catch((error) => this.options.log('error', 'timer.failed', describeError(error)))
            .then(() => {
              forgotten = begun;
            });
        }
      } catch (error) {
        this.options.log('error', 'timer.failed', describeError(error));
        inForce.failedUntil = inForce.engine.store.now() + POLL_INTERVAL_MS;
      }
      if (!inForce.stopped) this.schedule(inForce, tick);
    };
    this.ticks.set(inForce, tick);
    void tick();
  }

  private readonly ticks = new WeakMap<InForce, () => Promise<void>>();

  /** Schedules the next look at due work: when the next move is due, or soon, since other processes write, too. */
  private schedule(inForce: InForce, tick = this.ticks.get(inForce)): void {
    if (inForce.stopped || !tick) return;
    const now = inForce.engine.store.now();
    const at = Math.min(now + POLL_INTERVAL_MS, Math.max(inForce.engine.timers.next, inForce.failedUntil));
    if (inForce.timer && inForce.timerAt <= at) return;
    if (inForce.timer) clearTimeout(inForce.timer);
    inForce.timerAt = at;
    inForce.timer = setTimeout(tick, Math.max(0, at - now));
    inForce.timer.unref();
  }

  private async makeMoves({ engine, dispatcher, calls }: InForce, now: number): Promise<void> {
    const { timers, store, streams } = engine;
    if (streams) await store.read(() => streams.look());
    if (!timers.any) return;
    await store.read(() => timers.look());
    const made = await timers.makeDue(now);
    if (made === 0) return;
    this.metrics.moved(made);
    this.options.log('info', 'moves.made', { moves: made });
    dispatcher?.wake();
    streams?.wake();
    calls?.wake();
  }

  /** Lets requests and deliveries in progress finish, each within its time, and closes the store. Never rejects. */
  private end(inForce: InForce, most?: number): Promise<void> {
    inForce.ended ??= this.endNow(inForce, most).catch((error: unknown) => {
      // An error at the end of an old plan changes nothing for the new one, which is already in use.
      this.options.log('error', 'end.failed', describeError(error));
    });
    return inForce.ended;
  }

  private async endNow(inForce: InForce, most: number | undefined): Promise<void> {
    inForce.stopped = true;
    inForce.engine.streams?.close();
    if (inForce.timer) clearTimeout(inForce.timer);
    const { engine, handler, dispatcher, calls, schedules } = inForce;
    const grace = (engine.plan.timeout ?? STOP_GRACE_MS) + 1000;
    // At once: from now on, due instants are those of the plan that follows.
    const ran = schedules?.stop(most);
    // The process stays alive for this: the work after it must be done even where nothing else keeps the process alive.
    await within(handler.idle(), grace);
    await ran;
    // Steps of schedules may run handlers.
    await Promise.all([dispatcher?.stop(most), calls ? calls.stop(most) : engine.handlers.close()]);
    await engine.store.close();
  }

  /** Logs invalid input, which has no trace and no endpoint. The log contains none of its bytes. */
  private malformed({ fault, answer }: Malformed): void {
    const { status, code } = answer;
    this.options.log('info', 'request.malformed', { status, code, fault: fault ?? undefined });
  }

  private answered(request: AnsweredRequest): void {
    const { answer, endpoint } = request.handled;
    this.metrics.answered(endpoint ?? 'none', answer.status, request.seconds);
    this.current?.readiness.note(answer.status);
    this.options.log('info', REQUEST, () => this.logMembers.of(request));
    this.options.answered?.(request);
  }
}
