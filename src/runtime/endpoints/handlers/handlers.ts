import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UuidSource } from '../../../expression/values/uuid.ts';
import type { Value } from '../../../expression/values/value.ts';
import type { HandlerField, HandlerPlan, Plan, WirePlan } from '../../../plan/step.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../../store/store.ts';
import { computedValidator, type Validator, validator } from '../../../validation/validate.ts';
import { valueWriter, type WriteValue } from '../../../validation/wire.ts';
import { Pause, type RerunState } from '../../context/rerun-state.ts';
import { HandlerProcess } from './process.ts';
import { Patience, PureHandler, type PureRun } from './pure.ts';
import { HandlerError, type Outcome } from './thread.ts';

/**
 * The result of a handler: its values in the order in which the document states them, or one of the failures that the
 * document states.
 */
export type HandlerResult = { readonly values: readonly Value[] } | { readonly refused: string };

/** The text in the place of a credential. */
const MASK = '***';

interface Field {
  readonly plan: HandlerField;
  readonly write: WriteValue;
  readonly check: Validator;
  /** The check of a value that an expression computed. */
  readonly checkComputed: Validator;
}

/** A run of a pure handler that has not ended. */
class Running extends Pause {
  private readonly run: PureRun;
  private readonly name: string;
  private readonly rerunState: RerunState;

  constructor(run: PureRun, name: string, rerunState: RerunState) {
    super();
    this.run = run;
    this.name = name;
    this.rerunState = rerunState;
  }

  async settle(deadline: number): Promise<boolean> {
    await this.run.over(deadline);
    if (this.run.outcome) this.rerunState.keep(this.name, this.run.outcome);
    return !this.run.refused;
  }
}

/** A loaded handler: its inputs are written as JSON, and its outputs are validated like those of requests. */
export class LoadedHandler {
  readonly plan: HandlerPlan;
  /** The process that runs a handler that reaches outside; null where the handler is pure. */
  readonly process: HandlerProcess | null;
  private readonly pure: PureHandler | null;
  private readonly takes: readonly Field[];
  private readonly gives: readonly Field[];
  /** The arguments for which steps give an issued credential. */
  private readonly credentials = new Set<string>();

  private constructor(plan: HandlerPlan, wire: WirePlan, process: HandlerProcess | PureHandler) {
    this.plan = plan;
    this.process = process instanceof HandlerProcess ? process : null;
    this.pure = process instanceof PureHandler ? process : null;
    const field = (one: HandlerField): Field => ({
      plan: one,
      write: valueWriter(one.rule, wire),
      check: validator(one.rule, wire),
      checkComputed: computedValidator(one.rule),
    });
    this.takes = plan.takes.map(field);
    this.gives = plan.gives.map(field);
  }

  /**
   * Loads a handler; rejects with HandlerError where its module is missing or broken, or doesn't export the function.
   */
  static async load(plan: HandlerPlan, document: string, wire: WirePlan, patience: Patience): Promise<LoadedHandler> {
    const path = resolve(dirname(document), plan.file);
    if (!existsSync(path)) throw new HandlerError(`The handler “${plan.name}” is not there: ${path}`);
    const url = pathToFileURL(path).href;
    const process =
      plan.kind === 'pure' ? await PureHandler.load(plan, url, patience) : await HandlerProcess.load(plan, url);
    return new LoadedHandler(plan, wire, process);
  }

  /** Returns the outcome of a pure handler for an input in JSON. Throws a Pause where the run has not ended yet. */
  computed(takes: string, rerunState: RerunState): Outcome {
    const name = `run ${this.plan.name} ${takes}`;
    const known = rerunState.get(name) as Outcome | undefined;
    if (known) return known;
    const run = this.pure!.run(takes);
    if (!run.outcome) throw new Running(run, name, rerunState);
    rerunState.keep(name, run.outcome);
    return rerunState.get(name) as Outcome;
  }

  async close(): Promise<void> {
    await Promise.all([this.process?.close(), this.pure?.close()]);
  }

  /** Returns the handler's input as JSON. Throws StoreError where a value is not allowed by the document. */
  written(values: readonly Value[]): string {
    const members = this.takes.map((field, i) => {
      const value = this.allowed(field, values[i] ?? null);
      return `${JSON.stringify(field.plan.name)}:${value === null ? 'null' : field.write(value)}`;
    });
    return `{${members.join(',')}}`;
  }

  private allowed({ plan, checkComputed }: Field, value: Value): Value {
    if (value === null && plan.nullable) return null;
    const checked = value === null ? { fault: 'missing' } : checkComputed(value);
    if ('value' in checked) return checked.value;
    throw new StoreError('failed', `“${this.plan.name}” was given a “${plan.name}” that is ${checked.fault}`);
  }

  /** Notes that a step gives an issued credential for an argument. */
  takesCredential(argument: string): void {
    this.credentials.add(argument);
  }

  /** A text that the handler wrote about a call, such as its error, without the credentials that the call was given. */
  masked(text: string, takes: string): string {
    const given = JSON.parse(takes) as Record<string, unknown>;
    return [...this.credentials]
      .map((name) => given[name])
      .filter((value) => typeof value === 'string' && value !== '')
      .reduce<string>((masked, value) => masked.replaceAll(value as string, MASK), text);
  }

  /** Reads the handler's input from JSON. */
  taken(text: string): Value[] {
    return this.read(this.takes, JSON.parse(text) as Record<string, unknown>);
  }

  /** Reads the handler's result from JSON. Throws HandlerError where the document does not allow the result. */
  given(text: string): HandlerResult {
    const given: unknown = JSON.parse(text);
    if (given === null || typeof given !== 'object' || Array.isArray(given))
      throw new HandlerError(`“${this.plan.name}” gave something other than an object`);
    const { refused } = given as { refused?: unknown };
    if (refused === undefined) return { values: this.read(this.gives, given as Record<string, unknown>) };
    if (typeof refused === 'string' && this.plan.fails.includes(refused)) return { refused };
    throw new HandlerError(`“${this.plan.name}” failed in a way that the document does not state`);
  }

  private read(fields: readonly Field[], given: Record<string, unknown>): Value[] {
    const values = fields.map(({ plan, check }) => {
      const raw = Object.hasOwn(given, plan.name) ? given[plan.name] : null;
      if (raw === null || raw === undefined) {
        if (plan.nullable) return null;
        throw new HandlerError(`“${this.plan.name}” gave no “${plan.name}”`);
      }
      const checked = check(raw);
      if ('value' in checked) return checked.value;
      throw new HandlerError(`“${this.plan.name}” gave a “${plan.name}” that is not allowed: ${checked.fault}`);
    });
    for (const name of Object.keys(given))
      if (!fields.some((field) => field.plan.name === name))
        throw new HandlerError(`“${this.plan.name}” gave “${name}”, which the document does not state`);
    return values;
  }
}

/** The handlers of a document, and the queue of those that reach outside. */
export class Handlers {
  readonly all: ReadonlyMap<string, LoadedHandler>;
  private readonly queue: Statement;
  private readonly ids: UuidSource;

  private constructor(all: ReadonlyMap<string, LoadedHandler>, store: Store) {
    this.all = all;
    this.ids = new UuidSource(store.random);
    this.queue = store.prepare({ kind: 'system', name: 'queue call' });
  }

  /** Loads all handlers. Rejects with HandlerError where one can't be loaded. */
  static async load(plan: Plan, store: Store): Promise<Handlers> {
    const patience = new Patience();
    const loading = plan.handlers.map((one) => LoadedHandler.load(one, plan.document, plan.wire, patience));
    const all = await Promise.allSettled(loading);
    const failed = all.find((one) => one.status === 'rejected');
    const loaded = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const handlers = new Handlers(new Map(loaded.map((one) => [one.plan.name, one])), store);
    if (!failed) return handlers;
    await handlers.close();
    throw failed.reason;
  }

  /** Whether any handler reaches outside. */
  get any(): boolean {
    return [...this.all.values()].some(({ plan }) => plan.kind === 'outside');
  }

  /** Whether any handler is pure. */
  get pure(): boolean {
    return [...this.all.values()].some(({ plan }) => plan.kind === 'pure');
  }

  /** Queues an outside handler, in the transaction of the step: it runs once that has been committed. */
  *enqueue(handler: LoadedHandler, takes: string, now: number): Program<void> {
    yield* call(this.queue, [`call_${this.ids.next(now)}`, handler.plan.name, takes, now, now]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.all.values()].map((one) => one.close()));
  }
}
