import type { Value } from '../../expression/values/value.ts';
import type { AuditAction, AuditFactPlan } from '../../plan/step.ts';
import { areSame } from './computed.ts';
import type { OracleRow } from './rows.ts';
import type { Transaction } from './scope.ts';

/** The values of a row. */
type Values = ReadonlyMap<string, Value>;

/** A change of a row: its values before and after. */
interface AuditedChange {
  readonly action: AuditAction;
  readonly row: OracleRow;
  readonly before: Values | null;
  readonly after: Values | null;
}

/** An entry of an audit: its resource, its values, and what it tells of the change. */
interface Entry {
  readonly entries: string;
  readonly given: ReadonlyMap<string, Value>;
  readonly tells: readonly string[];
}

/** The entry that records a change; null where none does. */
export function entryOf(work: Transaction, change: AuditedChange): Entry | null {
  const { audit } = work.rows.plan(change.row.resource);
  if (!audit) return null;
  const { action, before, after } = change;
  if ((action === 'created' && !audit.creation) || (action === 'removed' && !audit.removal)) return null;
  const other = audit.fields.filter(
    (field) => !areSame(work.draws, before?.get(field) ?? null, after?.get(field) ?? null),
  );
  if (action === 'changed' && other.length === 0) return null;
  return {
    entries: audit.entries,
    given: new Map(audit.facts.map((one) => [one.entry, factOf(work, change, one)])),
    tells: action === 'changed' ? other.map((field) => `changed ${field}`) : [action],
  };
}

function factOf(work: Transaction, { action, row, before, after }: AuditedChange, { fact, of }: AuditFactPlan): Value {
  const { rows, caller, cause } = work;
  switch (fact) {
    case 'action':
      return action;
    case 'cause':
      return cause;
    case 'row':
      return rows.identity(row);
    case 'caller':
      return caller?.row.resource === of ? rows.identity(caller.row) : null;
    case 'before':
      return before?.get(of ?? '') ?? null;
    case 'after':
      return after?.get(of ?? '') ?? null;
  }
}
