import type { Row, Value } from '../expression/values/value.ts';
import { isSecretColumn } from '../plan/rows.ts';
import type { ColumnPlan, ResourcePlan } from '../plan/step.ts';
import { call, type Program } from '../store/store.ts';
import { getOrMake } from '../text/lists.ts';
import type { Engine } from './engine/engine.ts';
import type { Labels } from './operator-forms.ts';
import { OperatorWork } from './operator-work.ts';

/** The most characters of a label. */
const MOST_CHARACTERS = 60;

const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u;

/** The most rows of a resource whose labels are read for one answer. */
const MOST_ROWS = 1000;

/**
 * The field by which people tell rows of a resource apart: the first text, other than the identity, that no two rows
 * share. Null where there is none: rows are then known by their identities.
 */
export function labelField({ columns, identity, uniques }: ResourcePlan): string | null {
  const isUnique = (column: ColumnPlan): boolean =>
    column.name !== identity &&
    column.rule.kind === 'text' &&
    !isSecretColumn(column) &&
    uniques.some(({ fields, condition }) => condition === null && fields.length === 1 && fields[0] === column.name);
  return columns.find(isUnique)?.name ?? null;
}

/** The label of a row; null where the row has none. */
export function labelOf(plan: ResourcePlan, row: Row): string | null {
  const field = labelField(plan);
  const value = field === null ? null : row[plan.columns.findIndex(({ name }) => name === field)];
  const label = typeof value === 'string' ? value.slice(0, MOST_CHARACTERS).toWellFormed() : '';
  // Spaces and invisible characters alone are a label that nobody sees, and a link that nobody can choose.
  return VISIBLE.test(label) ? label : null;
}

/** Reads the labels of the rows to which rows refer. */
export class OperatorLabels {
  private readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** The labels of the targets of all references in rows of a resource. */
  async targetsOf(plan: ResourcePlan, rows: readonly Row[]): Promise<Labels> {
    const { resources, store } = this.engine;
    const out: Record<string, Record<string, string>> = {};
    const targets = [...targetsIn(plan, rows)].flatMap(([name, identities]) => {
      const resource = resources.get(name);
      if (!resource || labelField(resource.plan) === null) return [];
      const statement = store.prepare({ kind: 'rows', resource: name });
      return [{ name, resource, statement, identities: JSON.stringify([...identities].slice(0, MOST_ROWS)) }];
    });
    if (targets.length === 0) return out;
    await new OperatorWork(this.engine).readAsDue(function* program(): Program<void> {
      for (const { name, resource, statement, identities } of targets)
        for (const row of yield* call(statement, [identities])) {
          const label = labelOf(resource.plan, row);
          if (label === null) continue;
          // An identity may be any text, such as `__proto__`.
          out[name] ??= Object.create(null) as Record<string, string>;
          out[name][String(row[resource.identity])] = label;
        }
    });
    return out;
  }
}

/** The identities of the targets of references, by resource. */
function targetsIn({ columns }: ResourcePlan, rows: readonly Row[]): Map<string, Set<Value>> {
  const found = new Map<string, Set<Value>>();
  for (const [at, { reference, references }] of columns.entries()) {
    const resource = references ?? reference;
    if (resource === null) continue;
    const known = getOrMake(found, resource, () => new Set<Value>());
    for (const row of rows)
      for (const identity of [row[at] ?? null].flat() as Value[]) if (identity !== null) known.add(identity);
  }
  return found;
}
