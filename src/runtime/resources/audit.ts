import { type Row, sameValue, type Value } from '../../expression/values/value.ts';
import type { AuditAction, AuditFactPlan, AuditPlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { Resource } from './rules.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A change of a row: its values before, and after. */
type Change = readonly [action: AuditAction, before: Row | null, after: Row | null];

type FactOf = (work: UnitOfWork, change: Change) => Value;

/** Records changes of a resource's rows, each as a row of another resource, in the transaction of the change. */
export class Audit {
  private readonly plan: AuditPlan;
  private readonly audited: Resource;
  private readonly column: (name: string) => number;
  private readonly fields: readonly number[];
  private facts: ReadonlyMap<number, FactOf> | null = null;

  /** `column` returns the column of a field of the audited resource. */
  constructor(plan: AuditPlan, audited: Resource, column: (name: string) => number) {
    this.plan = plan;
    this.audited = audited;
    this.column = column;
    this.fields = plan.fields.map(column);
  }

  /** Whether the removal of a row is an entry, for which the row has to be read. */
  get recordsRemoval(): boolean {
    return this.plan.removal;
  }

  *created(work: UnitOfWork, row: Row): Program<void> {
    if (this.plan.creation) yield* this.record(work, ['created', null, row]);
  }

  /** Records a change where it gives one of the audited fields another value. */
  *changed(work: UnitOfWork, before: Row, after: Row): Program<void> {
    if (this.fields.every((column) => sameValue(before[column] ?? null, after[column] ?? null))) return;
    yield* this.record(work, ['changed', before, after]);
  }

  *removed(work: UnitOfWork, row: Row): Program<void> {
    if (this.plan.removal) yield* this.record(work, ['removed', row, null]);
  }

  private *record(work: UnitOfWork, change: Change): Program<void> {
    const entries = this.audited.other(this.plan.entries);
    // The resource of the entries may be made after this one.
    this.facts ??= new Map(this.plan.facts.map((one) => [entries.column(one.entry), this.factOf(one)]));
    const values = [...this.facts].map(([column, factOf]) => [column, factOf(work, change)] as const);
    yield* entries.create(work, new Map(values));
  }

  private factOf({ fact, of }: AuditFactPlan): FactOf {
    const { audited } = this;
    if (fact === 'action') return (_, [action]) => action;
    if (fact === 'cause') return ({ cause }) => cause;
    if (fact === 'row') return (_, [, before, after]) => (after ?? before)![audited.identity]!;
    if (fact === 'caller') {
      const { identity } = audited.other(of!);
      return ({ outer: { caller, callerOf } }) => (callerOf === of ? (caller?.[identity] ?? null) : null);
    }
    const column = this.column(of!);
    return (_, [, before, after]) => (fact === 'before' ? before : after)?.[column] ?? null;
  }
}
