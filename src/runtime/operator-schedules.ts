import { whenText } from '../plan/schedule-facts.ts';
import { StoreError } from '../store/store.ts';
import { Refusal } from './context/refusal.ts';
import type { Engine } from './engine/engine.ts';
import { mustBeOneOf, OperatorError } from './operator-error.ts';
import { refusalText } from './operator-work.ts';
import type { Schedules } from './schedules/schedules.ts';

/** A schedule and its runs, as the operator sees them. Null where there has been no run, or no service yet. */
interface ListedSchedule {
  readonly name: string;
  readonly when: string;
  readonly next: string | null;
  /** When it would be due next by the present clock, where that is earlier: the clock was set back. */
  readonly expected: string | null;
  /** The due instant of the last run, when it began, and its result: `done`, or why it failed. */
  readonly last: string | null;
  readonly began: string | null;
  readonly result: string | null;
}

const instant = (at: number | null | undefined): string | null =>
  typeof at === 'number' ? new Date(at).toISOString() : null;

/** The schedules of a document: the operator lists their runs, and makes one. */
export class OperatorSchedules {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async list(): Promise<ListedSchedule[]> {
    const schedules = this.schedules();
    if (!schedules) return [];
    const states = await this.engine.store.read(() => schedules.states());
    return (this.engine.plan.schedules ?? []).map((plan): ListedSchedule => {
      const state = states.find(({ name }) => name === plan.name);
      return {
        name: plan.name,
        when: whenText(plan),
        next: instant(state?.due),
        expected: instant(state?.expected),
        last: instant(state?.lastDue),
        began: instant(state?.lastAt),
        result: state?.lastResult ?? null,
      };
    });
  }

  /** Makes a run of a schedule now, for the present instant. Its due instants stay as they are. */
  async run(name: string): Promise<void> {
    const schedules = this.scheduleNamed(name);
    const { store } = this.engine;
    // The steps were compiled just now, and may need functions of the database.
    await store.furnish?.();
    try {
      const result = await schedules.runNow(name);
      if (result === 'under way') throw new OperatorError(`A node runs ${name} at this moment. Run the command again.`);
      if (result === 'time-out')
        throw new OperatorError(`The run took longer than “Within” of ${name} allows. Nothing was changed.`);
    } catch (error) {
      if (error instanceof Refusal) throw new OperatorError(refusalText(error), false, { refusal: error });
      if (error instanceof StoreError && error.kind === 'constraint') throw new OperatorError(error.message);
      throw error;
    }
  }

  /** Makes a schedule that waits since the clock was set back due at the next instant of its times. Returns that. */
  async reset(name: string): Promise<string> {
    const schedules = this.scheduleNamed(name);
    const due = await this.engine.store.write(() => schedules.reset(name));
    if (due === null)
      throw new OperatorError(`${name} is due at the next instant of its times. There is nothing to reset.`);
    return instant(due)!;
  }

  private scheduleNamed(name: string): Schedules {
    const schedules = this.schedules();
    if (!schedules) throw new OperatorError('The document has no schedules.');
    const known = (this.engine.plan.schedules ?? []).map((one) => one.name);
    mustBeOneOf(name, known, 'schedule');
    return schedules;
  }

  /** The log is that of the service: a command prints the result itself. */
  private schedules(): Schedules | null {
    return this.engine.schedules(() => {});
  }
}
