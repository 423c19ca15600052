import type { Evaluate } from '../../expression/javascript.ts';
import type { Frame } from '../../expression/values/value.ts';
import type { ResourcePlan, UniquePlan } from '../../plan/step.ts';
import type { Argument, Statement, Store } from '../../store/store.ts';
import { uniqueColumns } from '../../store/tables.ts';
import { type Expressions, NO_NAMES } from '../expressions/layout.ts';

/** A unique rule, with the statement that finds another row with equal values. */
export interface UniqueRule {
  readonly plan: UniquePlan;
  readonly columns: readonly number[];
  readonly condition: Evaluate | null;
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
}

export function uniqueRule(unique: UniquePlan, plan: ResourcePlan, store: Store, expressions: Expressions): UniqueRule {
  const { condition } = unique;
  const fields = uniqueColumns(unique);
  const statement = store.prepare({ kind: 'taken', resource: plan.name, fields, while: condition });
  return {
    plan: unique,
    columns: fields.map((field) => expressions.column(plan.name, field)),
    condition: condition && expressions.plain(condition),
    statement,
    args: expressions.parameters(statement, NO_NAMES),
  };
}

/** A reference of another resource, with the statements that find the rows that refer to given ones. */
export interface Pointer {
  readonly resource: string;
  readonly column: number;
  /** Finds the rows that refer to one row. */
  readonly alone: Statement;
  /** Finds the rows that refer to any of many rows, with the row they refer to. */
  readonly many: Statement;
}

/** A reference that removes its row, or is cleared, when the row that it refers to is removed. */
export interface Pointing extends Pointer {
  readonly removes: boolean;
}

export function pointingAt(plan: ResourcePlan, store: Store, expressions: Expressions): Pointing[] {
  const one = (rule: ResourcePlan['takes'][number], removes: boolean): Pointing => ({
    ...pointer(rule, store, expressions),
    removes,
  });
  return [...plan.takes.map((rule) => one(rule, true)), ...plan.clears.map((rule) => one(rule, false))];
}

/** A reference that prevents the removal of the row that it refers to. */
export interface Keeper {
  /** Finds one such row, if the reference is the only one of its field: takes an identity and null. */
  readonly statement: Statement | null;
  /** Finds all such rows. */
  readonly pointing: Pointer;
  readonly code: string | null;
  readonly by: string;
}

export function keeper(rule: ResourcePlan['keptBy'][number], store: Store, expressions: Expressions): Keeper {
  const one = !expressions.holdsMany(rule.resource, rule.field);
  const fields = [rule.field];
  const statement = one ? store.prepare({ kind: 'taken', resource: rule.resource, fields, while: null }) : null;
  const pointing = pointer(rule, store, expressions);
  return { statement, pointing, code: rule.code, by: `${rule.resource}.${rule.field}` };
}

function pointer(rule: ResourcePlan['takes'][number], store: Store, expressions: Expressions): Pointer {
  const { resource, field } = rule;
  const column = expressions.column(resource, field);
  return {
    resource,
    column,
    alone: store.prepare({ kind: 'pointing', resource, field, many: false }),
    many: store.prepare({ kind: 'pointing', resource, field, many: true }),
  };
}
