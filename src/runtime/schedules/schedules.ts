import { hash, randomUUID } from 'node:crypto';
import { emptyFrame, type Frame } from '../../expression/values/value.ts';
import { DueInstants } from '../../plan/due-instants.ts';
import type { SchedulePlan } from '../../plan/step.ts';
import { Cancelled, Change, call, type Program, type Statement, type Store, StoreError } from '../../store/store.ts';
import type { SystemStatement } from '../../store/system.ts';
import { Refusal } from '../context/refusal.ts';
import { type RerunState, runWithPauses } from '../context/rerun-state.ts';
import { Alarm, within } from '../http/alarm.ts';
import type { UnitOfWork } from '../resources/unit-of-work.ts';

/** The compiled steps of a schedule. Their first name is `scheduled`. */
export type ScheduledSteps = (work: UnitOfWork, frame: Frame) => Program<void>;

/** The parts of an engine that run schedules. */
interface ScheduleParts {
  readonly store: Store;
  readonly schedules: readonly SchedulePlan[];
  readonly steps: ReadonlyMap<string, ScheduledSteps>;
  readonly newRerunState: () => RerunState;
  readonly newWork: (now: number, rerunState: RerunState) => UnitOfWork;
  readonly finish: (work: UnitOfWork) => Program<void>;
  /** Makes the timed moves that are due: no other change of a row comes before them. */
  readonly makeMoves: () => Promise<unknown>;
}

/** Logs an event of a schedule. */
export type RunLog = (level: 'info' | 'warn' | 'error', event: string, fields: Record<string, unknown>) => void;

/** How a run ended; the text of `refused` and `failed` says why. */
type RunOutcome = 'done' | 'refused' | 'time-out' | 'failed';

/** A schedule with its times. */
interface Compiled {
  readonly plan: SchedulePlan;
  readonly instants: DueInstants;
  /** The stored text of its times: an instant that other times have made due is not run by these. */
  readonly rule: string;
  readonly steps: ScheduledSteps;
}

/** The stored state of a schedule. Times are in milliseconds since the epoch. */
interface ScheduleState {
  readonly name: string;
  readonly rule: string;
  readonly due: number;
  /** When it would be due by the present clock, where that is earlier: the clock was set back. */
  readonly expected: number | null;
  readonly lastDue: number | null;
  readonly lastAt: number | null;
  readonly lastResult: string | null;
}

/** A row of `list schedules`. */
type StoredSchedule = [
  name: string,
  rule: string,
  due: number,
  pendingUntil: number | null,
  lastDue: number | null,
  lastAt: number | null,
  lastResult: string | null,
];

/** The instant for which a run is made, and the stored state of the schedule before it. */
interface Picked {
  readonly due: number;
  readonly target: number;
  /** When the service began to run the instants that are due. */
  readonly pendingUntil: number;
}

/** An attempt at a schedule: the run that it made, or the instants that it passed over. */
type Attempt =
  | { readonly kind: 'ran'; readonly picked: Picked }
  | { readonly kind: 'passed'; readonly due: number; readonly next: number }
  /** Nothing is due: another node has run it, or runs it now. */
  | { readonly kind: 'nothing' };

/** The interval of reads of the table, to which other nodes write, in milliseconds. */
const POLL_INTERVAL_MS = 1000;

/** How long the schedules of a node count as stated after it has said so, and how often it does, in milliseconds. */
const STATED_MS = 20_000;
const STATING_MS = 5000;

/** Due instants of a schedule that has none any more. */
const NEVER = 8.64e15;

/** By how much the clocks of nodes may differ, in milliseconds. */
const CLOCKS_DIFFER_MS = 60_000;

const STATEMENTS = [
  'list schedules',
  'find schedule',
  'insert schedule',
  'change schedule',
  'remove schedule',
  'pass schedule',
  'end run',
  'end extra run',
] as const;

/** The statements of nodes that share a store, and may have different documents. */
const NODE_STATEMENTS = ['claim key', 'state schedule', 'stated schedules', 'forget stated schedules'] as const;

/** Runs the schedules of a document: each due instant once among all nodes, in one transaction with its record. */
export class Schedules {
  private readonly parts: ScheduleParts;
  private readonly all: readonly Compiled[];
  private readonly statements: Readonly<Record<(typeof STATEMENTS)[number], Statement>>;
  /** Null where one process has the store. */
  private readonly among: Readonly<Record<(typeof NODE_STATEMENTS)[number], Statement>> | null;
  /** The name of this process among nodes, and when it next says which schedules it has, on the monotonic clock. */
  private readonly node = randomUUID();
  private nextStating = 0;
  private readonly log: RunLog;
  private readonly underWay = new Map<string, { readonly change: Change; readonly ended: Promise<void> }>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  /** Whether this process has brought the table to its document. */
  private entered = false;
  /** The due instants of which the log says that they come late by the clock. */
  private readonly late = new Map<string, number>();
  private stopped = true;
  /** The next due instant, as far as this process knows; infinity before the first read. */
  private next = Number.POSITIVE_INFINITY;
  /** Called once a run has been committed. */
  onRan: () => void = () => {};
  /** Called for each run that has ended. */
  onEnded: (schedule: string, outcome: RunOutcome) => void = () => {};

  constructor(parts: ScheduleParts, log: RunLog) {
    this.parts = parts;
    this.log = log;
    const { store, schedules, steps } = parts;
    this.all = schedules.map((plan) => ({
      plan,
      instants: new DueInstants(plan),
      rule: JSON.stringify([plan.cron, plan.zone, plan.skipped, plan.repeated]),
      steps: steps.get(plan.name)!,
    }));
    const prepared = <const N extends SystemStatement>(names: readonly N[]): Record<N, Statement> =>
      Object.fromEntries(names.map((name) => [name, store.prepare({ kind: 'system', name })])) as Record<N, Statement>;
    this.statements = prepared(STATEMENTS);
    this.among = store.travels ? prepared(NODE_STATEMENTS) : null;
  }

  start(): void {
    this.stopped = false;
    this.wake();
  }

  /** Looks for due instants now. */
  wake(): void {
    if (this.stopped || this.looking) return;
    if (this.timer) clearTimeout(this.timer);
    this.looking = this.look()
      .then(
        () => this.next - this.parts.store.now(),
        (error: unknown) => {
          this.log('error', 'schedule.failed', { error: (error as Error).message });
          return POLL_INTERVAL_MS;
        },
      )
      .then((wait) => {
        this.looking = null;
        if (this.stopped) return;
        this.timer = setTimeout(() => this.wake(), Math.min(POLL_INTERVAL_MS, Math.max(0, wait)));
        this.timer.unref();
      });
  }

  /** Resolves to the next due instant, once every instant that is due now has been run. */
  async caughtUp(): Promise<number> {
    for (let isRunning = true; isRunning && !this.stopped; ) {
      await this.looking;
      this.wake();
      await this.looking;
      const ended = [...this.underWay.values()].map((one) => one.ended);
      isRunning = ended.length > 0;
      await Promise.all(ended);
    }
    return this.next;
  }

  /**
   * Lets runs that are under way end, within `grace` milliseconds. A run that takes longer is rolled back, and its instant
   * stays due. The store is not used once this has resolved.
   */
  async stop(grace = Number.POSITIVE_INFINITY): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
    const running = [...this.underWay.values()];
    const ended = Promise.all(running.map((one) => one.ended));
    await within(ended, grace);
    for (const { change } of running) change.giveUp();
    await ended;
    const { among, node, parts } = this;
    if (!among || !this.entered) return;
    // Where the store fails, other nodes wait until this node no longer counts as running.
    const forget = (): Program<unknown> => call(among['forget stated schedules'], [node]);
    await within(
      Promise.resolve(parts.store.write(forget)).catch(() => {}),
      Math.max(grace, POLL_INTERVAL_MS),
    );
  }

  /** The stored state of each schedule of the document, in its order. */
  *states(): Program<readonly ScheduleState[]> {
    const now = this.parts.store.now();
    const listed = yield* this.listed();
    return this.all.flatMap((one): ScheduleState[] => {
      const state = listed.find(({ name }) => name === one.plan.name);
      return state ? [{ ...state, expected: this.expected(one, state.due, now) }] : [];
    });
  }

  /** The stored state of all schedules, also of those of other documents. */
  private *listed(): Program<readonly ScheduleState[]> {
    const rows = yield* call(this.statements['list schedules'], []);
    return rows.map((row): ScheduleState => {
      const [name, rule, due, , lastDue, lastAt, lastResult] = row as unknown as StoredSchedule;
      return { name, rule, due, expected: null, lastDue, lastAt, lastResult };
    });
  }

  /** Makes a schedule due at the next instant of its times, where it waits for a later one. Returns that instant. */
  *reset(name: string): Program<number | null> {
    const one = this.all.find(({ plan }) => plan.name === name)!;
    const now = this.parts.store.now();
    const state = (yield* this.states()).find((each) => each.name === name && each.rule === one.rule);
    if (!state || state.expected === null) return null;
    const due = one.instants.after(now) ?? NEVER;
    yield* call(this.statements['change schedule'], [one.rule, due, name, one.rule]);
    return due;
  }

  /** Makes a run now, beside the due instants. Rejects with Refusal or StoreError. */
  async runNow(name: string): Promise<'done' | 'under way' | 'time-out'> {
    const one = this.all.find(({ plan }) => plan.name === name)!;
    const change = new Change(one.plan.within);
    await this.parts.makeMoves();
    const begun = this.parts.store.now();
    const rerunState = this.parts.newRerunState();
    try {
      const isDone = await this.inTime(one, change, () => this.extra(one, begun, rerunState), rerunState);
      return isDone ? 'done' : 'under way';
    } catch (error) {
      if (reasonOf(error, change)?.outcome === 'time-out') return 'time-out';
      throw error;
    }
  }

  private *extra(one: Compiled, begun: number, rerunState: RerunState): Program<boolean> {
    if (!(yield* this.claims(one))) return false;
    yield* this.runSteps(one, begun, begun, rerunState);
    yield* call(this.statements['end extra run'], [begun, begun, 'done', one.plan.name]);
    return true;
  }

  private async look(): Promise<void> {
    const { store } = this.parts;
    if (!this.entered) await store.write(() => this.enter(store.now()));
    this.entered = true;
    let states = await store.read(() => this.listed());
    if (this.among && (this.misses(states) || performance.now() >= this.nextStating)) {
      const isWhole = this.isWhole(states);
      await store.write(() => (isWhole ? this.state() : this.enter(store.now())));
      if (!isWhole) states = await store.read(() => this.listed());
    }
    const now = store.now();
    this.next = Number.POSITIVE_INFINITY;
    for (const one of this.all) {
      const state = states.find(({ name, rule }) => name === one.plan.name && rule === one.rule);
      if (!state) continue;
      if (state.due > now) {
        this.next = Math.min(this.next, state.due);
        this.noteLate(one, state, now);
      } else if (!this.stopped && !this.underWay.has(state.name)) this.begin(one);
    }
  }

  /**
   * Brings the table to the document: a schedule that is new, or has other times, is first due after now. Of the nodes of
   * two documents, the one that started last decides the times of a schedule. No node removes the schedule of another.
   */
  private *enter(now: number): Program<void> {
    const { statements, all, entered } = this;
    const stored = new Map<string, string>();
    for (const [name, rule] of yield* call(statements['list schedules'], []))
      stored.set(name as string, rule as string);
    const elsewhere = yield* this.elsewhere();
    const isElsewhere = (name: string, rule: string): boolean => elsewhere.has(JSON.stringify([name, rule]));
    for (const { plan, rule, instants } of all) {
      const before = stored.get(plan.name);
      const due = instants.after(now) ?? NEVER;
      if (before === undefined) yield* call(statements['insert schedule'], [plan.name, rule, due]);
      else if (before !== rule && !(entered && isElsewhere(plan.name, before)))
        yield* call(statements['change schedule'], [rule, due, plan.name, before]);
    }
    for (const [name, rule] of stored)
      if (!all.some(({ plan }) => plan.name === name) && !isElsewhere(name, rule))
        yield* call(statements['remove schedule'], [name]);
    yield* this.state();
  }

  /** The schedules of other running nodes, each as JSON of its name and rule. */
  private *elsewhere(): Program<ReadonlySet<string>> {
    if (!this.among) return new Set();
    const rows = yield* call(this.among['stated schedules'], [this.node]);
    return new Set(rows.map((row) => JSON.stringify(row)));
  }

  /** Tells other nodes which schedules this one has. */
  private *state(): Program<void> {
    const { among, all, node } = this;
    if (!among) return;
    for (const { plan, rule } of all) yield* call(among['state schedule'], [node, plan.name, rule, STATED_MS]);
    this.nextStating = performance.now() + STATING_MS;
  }

  /** Whether the table lacks a schedule of the document, as after a node of another document has removed it. */
  private misses(states: readonly ScheduleState[]): boolean {
    return this.all.some(({ plan }) => states.every(({ name }) => name !== plan.name));
  }

  /** Whether the table has the schedules of the document with its times, and no others. */
  private isWhole(states: readonly ScheduleState[]): boolean {
    const isThere = ({ plan, rule }: Compiled): boolean =>
      states.some((state) => state.name === plan.name && state.rule === rule);
    return states.length === this.all.length && this.all.every(isThere);
  }

  /** Logs once that a schedule is due later than its times say. */
  private noteLate(one: Compiled, { name, due }: ScheduleState, now: number): void {
    const expected = this.expected(one, due, now);
    if (expected === null || this.late.get(name) === due) return;
    this.late.set(name, due);
    const [next, byTimes] = [due, expected].map((at) => new Date(at).toISOString());
    this.log('warn', 'schedule.waits', { schedule: name, next, expected: byTimes });
  }

  /** When a schedule would be due next by the present clock, where that is earlier; it was set back. Null otherwise. */
  private expected({ instants }: Compiled, due: number, now: number): number | null {
    const next = instants.after(now + CLOCKS_DIFFER_MS);
    return next !== null && next < due ? next : null;
  }

  private begin(one: Compiled): void {
    const { name } = one.plan;
    const change = new Change(one.plan.within);
    const ended = this.run(one, change)
      .catch((error: unknown) => {
        this.log('error', 'schedule.failed', { schedule: name, error: (error as Error).message });
        return false;
      })
      .then((isSettled) => {
        this.underWay.delete(name);
        // Where another node runs the schedule, or the store fails, the next look is that of the timer.
        if (isSettled) this.wake();
      });
    this.underWay.set(name, { change, ended });
  }

  /**
   * Makes the run that is due; a run that fails is recorded and not repeated. Resolves to whether the next due instant is
   * another now. Rejects where the store fails.
   */
  private async run(one: Compiled, change: Change): Promise<boolean> {
    const { store, makeMoves, newRerunState } = this.parts;
    await makeMoves();
    const begun = store.now();
    const rerunState = newRerunState();
    let attempt: Attempt;
    let reason: Reason = { outcome: 'done', text: 'done' };
    try {
      attempt = await this.inTime(one, change, () => this.attempt(one, begun, rerunState), rerunState);
    } catch (error) {
      if (this.stopped && change.givenUp) return false;
      const found = reasonOf(error, change);
      if (!found) throw error;
      reason = found;
      attempt = await store.write(() => this.record(one, begun, found.text));
    }
    this.report(one, attempt, reason);
    return attempt.kind !== 'nothing';
  }

  /** Runs a program in a transaction that is given up after the time of a run. */
  private async inTime<T>(
    { plan }: Compiled,
    change: Change,
    program: () => Program<T>,
    rerunState: RerunState,
  ): Promise<T> {
    const { store } = this.parts;
    const late = new Alarm(plan.within, () => change.giveUp());
    const deadline = Date.now() + plan.within;
    try {
      return await runWithPauses(rerunState, deadline, () => store.write(program, change));
    } finally {
      late.clear();
    }
  }

  private report({ plan: { name } }: Compiled, attempt: Attempt, { outcome, text }: Reason): void {
    if (attempt.kind === 'nothing') return;
    const iso = (at: number): string => new Date(at).toISOString();
    if (attempt.kind === 'passed') {
      this.log('warn', 'schedule.missed', { schedule: name, from: iso(attempt.due), next: iso(attempt.next) });
      return;
    }
    const { due, target } = attempt.picked;
    if (target > due) this.log('warn', 'schedule.missed', { schedule: name, from: iso(due), next: iso(target) });
    if (outcome === 'done') this.log('info', 'schedule.ran', { schedule: name, due: iso(target) });
    else this.log('warn', 'schedule.refused', { schedule: name, due: iso(target), outcome, reason: text });
    this.onEnded(name, outcome);
    this.onRan();
  }

  /** Runs the steps for the instant that is due, records the run, and sets the next due instant. */
  private *attempt(one: Compiled, begun: number, rerunState: RerunState): Program<Attempt> {
    if (!(yield* this.claims(one))) return { kind: 'nothing' };
    const picked = yield* this.pick(one, begun);
    if (picked.kind !== 'ran') return picked;
    yield* this.runSteps(one, picked.picked.target, begun, rerunState);
    yield* this.end(one, picked.picked, begun, 'done');
    return picked;
  }

  /** Records a run that has failed. Its own transaction, which is rolled back, may still have the claim. */
  private *record(one: Compiled, begun: number, reason: string): Program<Attempt> {
    const picked = yield* this.pick(one, begun);
    if (picked.kind === 'ran') yield* this.end(one, picked.picked, begun, reason);
    return picked;
  }

  private *runSteps({ steps }: Compiled, due: number, begun: number, rerunState: RerunState): Program<void> {
    const work = this.parts.newWork(begun, rerunState);
    const { now, version, drawn } = work.frame;
    yield* steps(work, { ...emptyFrame(now, version, drawn), vars: [due] });
    yield* this.parts.finish(work);
  }

  /** Whether this transaction may run a schedule: a run of another node keeps it from that until its end. */
  private *claims({ plan }: Compiled): Program<boolean> {
    if (!this.among) return true;
    const [[claimed] = []] = yield* call(this.among['claim key'], [hash('sha256', `schedule ${plan.name}`, 'base64')]);
    return claimed === 1;
  }

  /** Finds the due instant to run; passes over instants that were missed, where the document says so. */
  private *pick(one: Compiled, begun: number): Program<Attempt> {
    const { plan, instants, rule } = one;
    const [row] = yield* call(this.statements['find schedule'], [plan.name, rule]);
    if (!row) return { kind: 'nothing' };
    const [due, pending] = row as [number, number | null];
    if (due > begun) return { kind: 'nothing' };
    const pendingUntil = pending !== null && due <= pending ? pending : begun;
    const target = targetOf(plan, instants, due, begun);
    if (target <= begun) return { kind: 'ran', picked: { due, target, pendingUntil } };
    yield* call(this.statements['pass schedule'], [target, plan.name, rule, due]);
    return { kind: 'passed', due, next: target };
  }

  private *end(one: Compiled, { due, target, pendingUntil }: Picked, begun: number, result: string): Program<void> {
    const { plan, instants, rule } = one;
    const ended = this.parts.store.now();
    let next = instants.after(target) ?? NEVER;
    // Instants that were due before this run began are not of its time.
    if (plan.overlap === 'skipped' && next > pendingUntil && next <= ended) next = instants.after(ended) ?? NEVER;
    const args = [next, pendingUntil, target, begun, result, plan.name, rule, due];
    const [row] = yield* call(this.statements['end run'], args);
    if (!row) throw new StoreError('busy', `Another node has run the schedule ${plan.name}.`);
  }
}

/** The instant to run of those that are due, from `due` up to `begun`; a later one where all of these are passed over. */
function targetOf(plan: SchedulePlan, instants: DueInstants, due: number, begun: number): number {
  if (plan.missed === 'run once') return Math.max(due, instants.latest(begun) ?? due);
  if (plan.missedAfter === null || begun - due <= plan.missedAfter) return due;
  return instants.after(begun - plan.missedAfter - 1) ?? NEVER;
}

interface Reason {
  readonly outcome: RunOutcome;
  readonly text: string;
}

/** Why the steps of a run failed; null for a failure of the store, after which the run is made again. */
function reasonOf(error: unknown, change: Change): Reason | null {
  if (change.givenUp) return change.stage === 'open' ? { outcome: 'time-out', text: 'time-out' } : null;
  if (error instanceof Refusal) {
    const code = error.outcome?.code ?? error.rule ?? error.condition;
    return { outcome: 'refused', text: `refused: ${code}` };
  }
  const isOfStore = error instanceof StoreError && error.kind !== 'constraint' && !(error instanceof Cancelled);
  if (isOfStore) return null;
  // Messages of errors contain no values.
  return { outcome: 'failed', text: `failed: ${(error as Error).message}` };
}
