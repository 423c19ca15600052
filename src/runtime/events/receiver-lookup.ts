import { both, type Expr } from '../../expression/tree/expression.ts';
import { BOOLEAN, rowOf, STRING } from '../../expression/tree/types.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import { named } from '../../plan/named.ts';
import type { Plan, ReceiversPlan } from '../../plan/step.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Expressions, Names } from '../expressions/layout.ts';

const NAMES: Names = { vars: ['about'], path: [], query: [], header: [], request: [] };

interface Lookup {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
}

/** Returns the id under which deliveries to a receiver that is a row are stored. */
export const receiverId = (resource: string, identity: Value): string => `${resource} ${identity}`;

/** Finds the receivers, rows of a resource, that may hear of an event. */
export class ReceiverLookup {
  readonly plan: ReceiversPlan;
  private readonly asked = new Map<string, Lookup>();
  private readonly row: Statement;
  private readonly ensure: Statement;
  private readonly removal: Statement;
  private readonly identity: number;
  private readonly url: number;
  private readonly version: string;

  /** `expressions` see every row. */
  constructor(receivers: ReceiversPlan, plan: Plan, expressions: Expressions, store: Store) {
    const { resource } = receivers;
    this.plan = receivers;
    this.version = plan.versions?.current ?? '';
    this.identity = expressions.identity(resource);
    this.url = expressions.column(resource, receivers.url);
    this.row = store.prepare({ kind: 'row', resource });
    this.ensure = store.prepare({ kind: 'system', name: 'ensure receiver' });
    this.removal = store.prepare({ kind: 'system', name: 'remove receiver' });
    for (const { name, events } of plan.resources)
      for (const event of events) {
        if (!event.to.includes('webhook')) continue;
        const { where } = named(receivers.hears, name);
        const condition = expressions.where(resource, both(chosen(receivers, event.name), where));
        const spec = { kind: 'select', resource, where: condition, order: null, after: false, limit: false } as const;
        const statement = store.prepare(spec);
        this.asked.set(event.name, { statement, args: expressions.parameters(statement, NAMES) });
      }
  }

  /** Returns the receivers that may hear of an event's row, as receivers are now. */
  *of(event: string, row: Row, frame: Frame): Program<Row[]> {
    const { statement, args } = this.asked.get(event)!;
    return yield* call(statement, args({ ...frame, vars: [row], row: null, caller: null, scopes: [] }));
  }

  /** Whether a receiver still exists. */
  *isThere(receiver: Row): Program<boolean> {
    return (yield* call(this.row, [receiver[this.identity]!])).length > 0;
  }

  /** Returns the id under which deliveries to a receiver are stored, and stores the receiver if it is new. */
  *known(receiver: Row, now: number): Program<string> {
    const id = receiverId(this.plan.resource, receiver[this.identity]!);
    yield* call(this.ensure, [id, receiver[this.url]!, this.version, now]);
    return id;
  }

  /** Deletes a stored receiver, so that nothing more is delivered to it. */
  *leave(receiver: Row): Program<void> {
    yield* call(this.removal, [receiverId(this.plan.resource, receiver[this.identity]!)]);
  }
}

/** Returns the condition that a receiver has subscribed to an event. */
function chosen({ resource, events }: ReceiversPlan, event: string): Expr | null {
  if (events === null) return null;
  const row: Expr = { op: 'name', name: 'this', type: rowOf(resource) };
  const field: Expr = { op: 'get', of: row, member: events, type: { kind: 'list', of: STRING, nullable: false } };
  return { op: 'call', fn: 'in', args: [{ op: 'const', value: event, type: STRING }, field], type: BOOLEAN };
}
