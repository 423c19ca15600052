import { UuidSource } from '../../../expression/uuid.ts';
import type { Value } from '../../../expression/value.ts';
import type { HandlerField, HandlerPlan, Plan, WirePlan } from '../../../plan/step.ts';
import { type Compiled, evaluate } from '../../../serve/layout.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../../store/store.ts';
import type { Errors } from '../../errors/enforce.ts';
import { valueWriter, type WriteValue } from '../../resources/shown.ts';
import { computedValidator, type Validator, validator } from '../../resources/validate.ts';
import type { Of, Run, Step, StepContext } from '../steps/context.ts';
import { HandlerError, HandlerProcess } from './process.ts';

/** What a handler turned out to give: values in the order stated, or one of the ways to fail that it states. */
export type Given = { readonly values: readonly Value[] } | { readonly refused: string };

interface Field {
  readonly plan: HandlerField;
  readonly write: WriteValue;
  readonly check: Validator;
  /** The same check for what an expression has computed. */
  readonly checkComputed: Validator;
}

/** A handler, loaded: what it takes is written as JSON, and what it gives is checked, as requests and answers are. */
export class LoadedHandler {
  readonly plan: HandlerPlan;
  readonly process: HandlerProcess;
  private readonly takes: readonly Field[];
  private readonly gives: readonly Field[];

  constructor(plan: HandlerPlan, document: string, wire: WirePlan) {
    this.plan = plan;
    this.process = HandlerProcess.load(plan, document);
    const field = (one: HandlerField): Field => ({
      plan: one,
      write: valueWriter(one.rule, wire),
      check: validator(one.rule, wire),
      checkComputed: computedValidator(one.rule),
    });
    this.takes = plan.takes.map(field);
    this.gives = plan.gives.map(field);
  }

  /** What it takes, as JSON. Throws StoreError where it is given what the document doesn’t let it take. */
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

  /** What it took, from JSON. */
  taken(text: string): Value[] {
    return this.read(this.takes, JSON.parse(text) as Record<string, unknown>);
  }

  /** What it gave, from JSON. Throws HandlerError where that is not what the document states. */
  given(text: string): Given {
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
  private readonly ids = new UuidSource();

  /** Throws HandlerError where one can’t be loaded. */
  constructor(plan: Plan, store: Store) {
    this.all = new Map(plan.handlers.map((one) => [one.name, new LoadedHandler(one, plan.document, plan.wire)]));
    this.queue = store.prepare({ kind: 'system', name: 'queue call' });
  }

  get any(): boolean {
    return [...this.all.values()].some(({ plan }) => plan.kind === 'outside');
  }

  /** Queues an outside handler, in the transaction of the step: it runs once that has been committed. */
  *enqueue(handler: LoadedHandler, takes: string, now: number): Program<void> {
    yield* call(this.queue, [`call_${this.ids.next(now)}`, handler.plan.name, takes, now, now]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.all.values()].map((one) => one.process.close()));
  }
}

/** Run: a pure handler gives its result a name at once; an outside one is queued. */
export function compileRun(step: Of<'run'>, c: StepContext): Step {
  const handler = c.handlers.all.get(step.handler)!;
  const takes = handler.plan.takes.map((field): Compiled | null => {
    const given = step.with.find((one) => one.field === field.name);
    return given ? c.expressions.compile(given.value, c.names) : null;
  });
  const identities = handler.plan.takes.map((field) => {
    const type = step.with.find((one) => one.field === field.name)?.value.type;
    return type?.kind === 'row' ? c.expressions.identity(type.resource) : null;
  });
  function* taken({ work }: Run): Program<string> {
    const values: Value[] = [];
    for (const [i, one] of takes.entries()) {
      const value = one ? ((yield* evaluate(one, work.frame)) as Value) : null;
      const identity = identities[i] ?? null;
      values.push(identity !== null && Array.isArray(value) ? (value[identity] as Value) : value);
    }
    return handler.written(values);
  }
  if (step.as === null)
    return function* queue(run) {
      yield* c.handlers.enqueue(handler, yield* taken(run), run.work.frame.now);
    };
  const slot = c.names.vars.indexOf(step.as);
  return function* compute(run) {
    const given = runNow(handler, yield* taken(run), c.errors);
    run.work.frame.vars[slot] = given as never;
  };
}

function runNow(handler: LoadedHandler, takes: string, errors: Errors): readonly Value[] {
  let given: Given;
  try {
    given = handler.given(handler.process.runNow(takes, ''));
  } catch (error) {
    if (error instanceof HandlerError) throw new StoreError('failed', error.message);
    throw error;
  }
  if ('refused' in given) throw errors.code(given.refused);
  return given.values;
}
