import type { Row } from '../expression/values/value.ts';
import { call, type Program, StoreError } from '../store/store.ts';
import type { SystemStatement } from '../store/system.ts';
import { Refusal } from './context/refusal.ts';
import { runWithPauses } from './context/rerun-state.ts';
import type { Engine } from './engine/engine.ts';
import { OperatorError } from './operator-error.ts';
import type { UnitOfWork } from './resources/unit-of-work.ts';

/** Reads and changes stored data for the operator's commands. */
export class OperatorWork {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  system(name: SystemStatement) {
    return this.engine.store.prepare({ kind: 'system', name });
  }

  async read(name: SystemStatement): Promise<Row[]> {
    const statement = this.system(name);
    return this.engine.store.read(() => call(statement, []));
  }

  /**
   * Reads rows after the due moves have been made; where the store can't write, the rows are shown as if they had been.
   */
  async readAsDue<T>(program: () => Program<T>): Promise<T> {
    const { store, timers } = this.engine;
    const now = store.now();
    if ((await timers.makeDueToRead(now)) !== null) return store.read(program);
    const rerunState = this.engine.newRerunState();
    return runWithPauses(rerunState, Number.POSITIVE_INFINITY, () => timers.shown(now, program, rerunState));
  }

  /** Runs a change; a refusal by a rule becomes a message with the rule's code. */
  async change<T>(program: (work: () => UnitOfWork, now: number) => Program<T>): Promise<T> {
    await this.engine.timers.makeDue(this.engine.store.now());
    try {
      const now = this.engine.store.now();
      const rerunState = this.engine.newRerunState();
      const write = () =>
        this.engine.store.write(() => program(() => this.engine.work('operator', now, rerunState), now));
      return await runWithPauses(rerunState, Number.POSITIVE_INFINITY, write);
    } catch (error) {
      if (error instanceof Refusal) throw new OperatorError(refusalText(error), false, { refusal: error });
      if (error instanceof StoreError && error.kind === 'constraint') throw new OperatorError(error.message);
      throw error;
    }
  }
}

/** A refusal as a message for the operator. */
export function refusalText(refusal: Refusal): string {
  if (refusal.outcome) return `${refusal.outcome.code}: ${refusal.outcome.title}`;
  return `A rule of the document refuses this: ${refusal.rule ?? refusal.condition}.`;
}
