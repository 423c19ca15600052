import { sameValue, type Value } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { isMark, isMarked } from '../oracle/marks.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import type { Fields } from '../setup/setup.ts';
import type { Subject } from './subject.ts';

/** The kinds of values that the test cannot know exactly. */
const BY_TIME: ReadonlySet<string> = new Set(['timestamp', 'date']);

/** Finds values that the service draws and no answer shows: the setup lists the stored rows for the operator. */
export class Unseen {
  /** The rows that were looked up, by the marks in them. */
  private readonly asked = new Set<string>();

  /** The state with the values of new rows that the operator lists; unchanged where no value is unknown. */
  async toldOf(oracle: Oracle, { plan, setup }: Subject, { endpoint }: Prediction): Promise<Oracle> {
    if (!setup.list || !endpoint?.writes) return oracle;
    let told = oracle;
    for (const resource of plan.resources) {
      const rows = oracle.state.rows.all(resource.name).filter((row) => this.isNew(resource, row));
      if (rows.length === 0) continue;
      const stored = await setup.list(resource.name);
      told = told === oracle ? oracle.copy() : told;
      for (const row of rows) tell(told, resource, row, stored);
    }
    return told;
  }

  private isNew({ name, columns }: ResourcePlan, row: OracleRow): boolean {
    const marks = columns.flatMap((column) => (isMarked(row.get(column.name)) ? String(row.get(column.name)) : []));
    const key = `${name} ${marks.join(' ')}`;
    if (marks.length === 0 || this.asked.has(key)) return false;
    this.asked.add(key);
    return true;
  }
}

/**
 * Learns the values of a row from the only stored row that it can be. If several stored rows are possible, nothing is
 * learned.
 */
function tell(oracle: Oracle, { columns }: ResourcePlan, row: OracleRow, stored: readonly Fields[]): void {
  const { checks } = oracle.state;
  const read = (column: ResourcePlan['columns'][number], fields: Fields): Value | undefined => {
    const raw = fields[column.name] ?? null;
    const found = raw === null ? { value: null } : checks.value(column.rule)(raw);
    return 'value' in found ? found.value : undefined;
  };
  const isLike = (fields: Fields): boolean =>
    columns.every((column) => {
      const ours = row.get(column.name);
      if (column.password || BY_TIME.has(column.rule.kind) || isMarked(ours)) return true;
      const theirs = read(column, fields);
      return theirs !== undefined && sameValue(ours, theirs);
    });
  const open = columns.filter((column) => isMarked(row.get(column.name)));
  const others = oracle.state.rows.all(row.resource);
  // A drawn value that another row has is not that of this row.
  const isOther = (fields: Fields): boolean =>
    open.some((column) => {
      const theirs = read(column, fields) ?? null;
      return theirs !== null && others.some((other) => sameValue(other.get(column.name), theirs));
    });
  const [found, another] = stored.filter((fields) => isLike(fields) && !isOther(fields));
  if (!found || another) return;
  for (const column of open) {
    const mark = row.get(column.name);
    const value = isMark(mark) ? read(column, found) : undefined;
    if (isMark(mark) && value !== undefined) oracle.state.tell(mark, value);
  }
}
