import { fieldsOf } from '../../expression/tree/expression.ts';
import type { Row } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { Resource } from './rules.ts';

/** The most rows of one statement: their values are computed in a few milliseconds. */
const MOST_ROWS = 500;
/** The number of characters of text after which a statement takes no further rows. */
const MUCH_TEXT = 1_000_000;

/** The writes of rows of one resource in a loop, each of which sets the same columns. Many are one statement. */
export class DeferredWrites {
  readonly resource: Resource;
  private rows: Row[] = [];
  private columns: readonly number[] = [];
  private characters = 0;

  constructor(resource: Resource) {
    this.resource = resource;
  }

  *add(row: Row, columns: readonly number[]): Program<void> {
    this.rows.push(row);
    this.columns = columns;
    for (const column of columns) this.characters += String(row[column] ?? '').length;
    if (this.rows.length === MOST_ROWS || this.characters > MUCH_TEXT) yield* this.flush();
  }

  /** Sends the writes that wait. */
  *flush(): Program<void> {
    const { rows, resource } = this;
    if (rows.length === 0) return;
    this.rows = [];
    this.characters = 0;
    const changed: Row[] = yield resource.replacements.writeMany(rows, this.columns);
    // As if the rows were written one after the other: a row that is no longer there is a conflict.
    for (let i = 0; i < rows.length; i++) resource.changedOne([[changed[i] ? 1 : 0]]);
  }
}

/**
 * Whether writes of fields can be sent together, after all values are computed, with the same results: no constraint of
 * the store concerns the fields (of unique rules and references), no number is drawn for a row, and each value is a
 * scalar.
 */
export function canDefer(
  { columns, uniques, givings }: ResourcePlan,
  moments: readonly string[],
  fields: readonly string[],
): boolean {
  const given = givings.flatMap(({ field, moment }) => (moments.includes(moment) ? [field] : []));
  const written = new Set([...fields, ...given]);
  if (columns.some(({ sequence }) => sequence !== null)) return false;
  const compared = uniques.flatMap((rule) => [
    ...rule.fields,
    ...(rule.condition ? fieldsOf(rule.condition, 'this') : []),
  ]);
  if (compared.some((field) => written.has(field))) return false;
  return columns.every(
    ({ name, rule, password, reference }) =>
      !written.has(name) || (rule.items === null && !password && reference === null),
  );
}
