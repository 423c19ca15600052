import type { Row, Value } from '../expression/values/value.ts';
import type { TransitionPlan } from '../plan/step.ts';
import { call, type Program } from '../store/store.ts';
import { timedThings } from '../store/tables.ts';
import type { Engine } from './engine/engine.ts';
import { evaluate, NO_NAMES } from './expressions/layout.ts';
import { OperatorError } from './operator-error.ts';
import type { ReferringRows } from './operator-forms.ts';
import { OperatorMoves } from './operator-moves.ts';
import { derivedJson, rowOf } from './operator-values.ts';
import { OperatorWork } from './operator-work.ts';
import type { Resource } from './resources/rules.ts';
import type { UnitOfWork } from './resources/unit-of-work.ts';

/** A transition, for one row. */
interface RowMove {
  readonly plan: TransitionPlan;
  /** The reason why the row can't make the transition; null where it can. */
  readonly refused: string | null;
  /** When the timed transition is due, in milliseconds since the epoch; null where none is due. */
  readonly due: number | null;
}

/** A recorded event of a row. */
interface RowEvent {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  /** The payload, as JSON. */
  readonly data: string;
}

/** One row, with all details that the operator may see. */
interface RowDetails {
  readonly row: Row;
  readonly moves: readonly RowMove[];
  /** Newest first. */
  readonly events: readonly RowEvent[];
  readonly referredBy: readonly ReferringRows[];
  /** The derived values of the row by name, in their JSON form. */
  readonly derived: Readonly<Record<string, unknown>>;
}

/** The most events that are shown of a row. */
const MOST_EVENTS = 100;

/** Reads one row, its events and the rows that refer to it. */
export class OperatorRow {
  private readonly engine: Engine;
  private readonly moves: OperatorMoves;

  constructor(engine: Engine) {
    this.engine = engine;
    this.moves = new OperatorMoves(engine);
  }

  /** Returns the current row. Rejects with OperatorError where it doesn't exist. */
  async details(resource: Resource, id: string): Promise<RowDetails> {
    const { engine } = this;
    const work = new OperatorWork(engine);
    const { store } = engine;
    return work.readAsDue(() =>
      this.program(resource, id, engine.work('operator', store.now(), engine.newRerunState())),
    );
  }

  /** Returns the current row; null where it doesn't exist. */
  find(resource: Resource, id: string): Promise<Row | null> {
    return new OperatorWork(this.engine).readAsDue(() => rowOf(resource, id));
  }

  private *program(resource: Resource, id: string, work: UnitOfWork): Program<RowDetails> {
    const row = yield* rowOf(resource, id);
    if (!row)
      throw new OperatorError(
        `There is no ${resource.plan.name} “${id}”. \`rows FILE list ${resource.plan.name}\` shows the rows.`,
        false,
        { missing: true, plain: `There is no ${resource.plan.name} “${id}”.` },
      );
    const judged = yield* this.moves.judge(work, resource, row);
    const moves = [...judged].map(([plan, refused]) => ({ plan, refused, due: this.due(resource, plan, row) }));
    return {
      row,
      moves,
      events: yield* this.events(resource, row),
      referredBy: yield* this.references(resource, row),
      derived: yield* this.derived(resource, row, work),
    };
  }

  private due(resource: Resource, { name }: TransitionPlan, row: Row): number | null {
    const timed = timedThings(resource.plan).find((one) => one.what === 'move' && one.name === name);
    const at = timed ? row[this.engine.expressions.column(resource.plan.name, timed.column)] : null;
    return typeof at === 'number' && at > 0 ? at : null;
  }

  private *events(resource: Resource, row: Row): Program<RowEvent[]> {
    const statement = this.engine.store.prepare({ kind: 'system', name: 'events of row' });
    const rows = yield* call(statement, [resource.plan.name, String(row[resource.identity]), MOST_EVENTS]);
    const out: RowEvent[] = [];
    for (const [id, type, at, packed] of rows) {
      const data = yield* this.engine.skeletons.unpack(String(packed));
      out.push({ id: String(id), type: String(type), at: Number(at), data });
    }
    return out;
  }

  private *references(resource: Resource, row: Row): Program<RowDetails['referredBy']> {
    const { store, plan } = this.engine;
    const own: Value = row[resource.identity] ?? null;
    const out = [];
    for (const other of plan.resources)
      for (const { name, reference, references } of other.columns) {
        if ((references ?? reference) !== resource.plan.name) continue;
        const statement = store.prepare({ kind: 'pointing count', resource: other.name, field: name });
        const [found] = yield* call(statement, [own]);
        out.push({ resource: other.name, field: name, rows: Number(found?.[0] ?? 0) });
      }
    return out;
  }

  private *derived(resource: Resource, row: Row, work: UnitOfWork): Program<Readonly<Record<string, unknown>>> {
    const { expressions } = this.engine;
    const { frame } = work;
    const out: Array<[string, unknown]> = [];
    for (const { name, value } of resource.plan.derived) {
      const compiled = expressions.seeingAll().compile(value, NO_NAMES);
      frame.row = row;
      const result = yield* evaluate(compiled, frame);
      frame.row = null;
      out.push([name, derivedJson(value.type, (result ?? null) as Value)]);
    }
    return Object.fromEntries(out);
  }
}
