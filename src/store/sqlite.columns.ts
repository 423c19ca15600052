import type { Change, Conversion } from './changes.ts';
import { isOld, type Migration } from './sqlite.migration.ts';
import { columnName, FOLDED, foldedFields, quoted, SHOWN, storedColumns, tableName } from './tables.ts';

/** A value of one type as another, or null where it has no equal there. */
function converted(column: string, conversion: Conversion): string {
  switch (conversion.how) {
    case 'multiply':
      return `CASE WHEN abs(${column}) <= 9007199254740991 / ${conversion.by} THEN ${column} * ${conversion.by} END`;
    case 'divide':
      return `CASE WHEN ${column} % ${conversion.by} = 0 THEN ${column} / ${conversion.by} END`;
    case 'uuid to text':
      return `ninefold_uuid_text(${column})`;
    case 'text to uuid': {
      const bytes = `unhex(replace(${column}, '-', ''))`;
      return `CASE WHEN ${column} LIKE '________-____-____-____-____________' AND length(${bytes}) = 16 THEN ${bytes} END`;
    }
  }
}

/** A column is made anew where its type or what it refers to changes: SQLite can change neither. */
function remade(
  { to }: Migration,
  { resource, field }: { resource: string; field: string },
  value: (column: string) => string,
  check: (was: string, is: string) => void,
): void {
  const table = tableName(resource);
  const name = columnName(field);
  const made = `ninefold_made_${name}`;
  const { rule, reference } = to.resource(resource).columns.find((column) => column.name === field)!;
  to.addColumn(table, made, rule.kind, reference);
  const what = `${resource}.${field} is made anew`;
  to.run(what, `UPDATE ${quoted(table)} SET ${quoted(made)} = ${value(quoted(name))}${to.alsoChanged(resource)}`);
  check(`t.${quoted(name)}`, `t.${quoted(made)}`);
  to.run(what, `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(name)}`);
  to.run(what, `ALTER TABLE ${quoted(table)} RENAME COLUMN ${quoted(made)} TO ${quoted(name)}`);
}

export function convert(m: Migration, change: Extract<Change, { kind: 'convert field' }>): void {
  remade(
    m,
    change,
    (column) => converted(column, change.conversion),
    (was, is) =>
      m.checks.count(change, 'not converted', tableName(change.resource), `${was} IS NOT NULL AND ${is} IS NULL`),
  );
}

export function refer(m: Migration, change: Extract<Change, { kind: 'refer' }>): void {
  const same = (one: Change): boolean =>
    one.kind === 'convert field' && one.resource === change.resource && one.field === change.field;
  if (m.changes.some(same)) return;
  remade(
    m,
    change,
    (column) => column,
    () => {},
  );
}

/** What has been counted so far says nothing any more: the next number follows the highest there is. */
export function sequence({ to }: Migration, { resource, field }: Extract<Change, { kind: 'change sequence' }>): void {
  to.run(
    `${resource}.${field} is counted anew`,
    'DELETE FROM ninefold_sequence WHERE name = ?',
    `${resource}.${field}`,
  );
}

const HIDDEN = /^ninefold_(?:due|at|folded)_/;

/** The columns that the service keeps beside the fields come and go with what needs them. */
export function hiddenColumns(m: Migration): void {
  const { to, plan } = m;
  for (const resource of plan.resources) {
    if (!isOld(m, resource.name)) continue;
    const table = tableName(resource.name);
    const there = to.columns(table);
    const wanted = new Map(
      storedColumns(resource)
        .filter(({ name }) => name !== SHOWN)
        .map((column) => [columnName(column.name), column] as const),
    );
    for (const name of there.keys()) {
      if (wanted.has(name) || !HIDDEN.test(name)) continue;
      for (const [index] of to.all(
        `SELECT s.name FROM sqlite_schema s, pragma_index_info(s.name) i
         WHERE s.type = 'index' AND s.tbl_name = ? AND i.name = ? AND s.sql IS NOT NULL`,
        table,
        name,
      ))
        to.run(`${index} is let go`, `DROP INDEX ${quoted(String(index))}`);
      to.run(`${table} loses ${name}`, `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(name)}`);
    }
    for (const [name, { kind, reference }] of wanted) if (!there.has(name)) to.addColumn(table, name, kind, reference);
  }
}

/** What hidden columns hold is computed of rows that have changed, and of all rows where what it follows from has. */
export function timers(m: Migration, touched: (resource: string) => boolean): void {
  const { to, next, rules, changes, notes } = m;
  for (const resource of next.resources) {
    const was = m.was.resources.find((one) => one.name === resource.name);
    if (!was || !isOld(m, resource.name)) continue;
    const table = quoted(tableName(resource.name));
    for (const { field, column } of foldedFields(to.resource(resource.name))) {
      if (was.stored.includes(FOLDED + field) && !touched(resource.name)) continue;
      const folded = `ninefold_folded(${quoted(columnName(field))})`;
      to.run(`${resource.name}.${field} is folded`, `UPDATE ${table} SET ${quoted(columnName(column))} = ${folded}`);
    }
    for (const change of changes) if (change.resource === resource.name) notes.push(...waiting(m, change));
    for (const timed of resource.timed) {
      const before = was.timed.find(({ column }) => column === timed.column) ?? null;
      const changed = changes.some(
        (change) => 'timed' in change && change.resource === resource.name && change.timed.column === timed.column,
      );
      if (!changed && !touched(resource.name)) continue;
      const what = `${resource.name}: when ${timed.name} is due`;
      const due = rules.due(resource.name, timed, before, to.now);
      const call = to.ofRow(what, resource.name, (row, held) => due(row, held as number | null));
      const column = quoted(columnName(timed.column));
      to.run(what, `UPDATE ${table} AS t SET ${column} = ${call(`t.${column}`)}`);
      if (!changed) continue;
      const [all, some] = to.first(`SELECT count(*), count(*) FILTER (WHERE ${column} > 0) FROM ${table}`);
      notes.push(
        `${resource.name}: ${timed.name} is to come for ${some} of ${all} rows. For the others nothing starts its time, or it has passed already, and then nothing happens.`,
      );
    }
  }
}

/** What had fallen due and was not done yet, since nothing ran, is not done by the new document. */
function waiting({ to }: Migration, change: Change): string[] {
  if (change.kind !== 'drop timer' && change.kind !== 'change timer') return [];
  const name = columnName(change.timed.column);
  if (!to.columns(tableName(change.resource)).has(name)) return [];
  const [rows] = to.first(
    `SELECT count(*) FROM ${quoted(tableName(change.resource))} WHERE ${quoted(name)} BETWEEN 1 AND ?`,
    to.now,
  );
  return rows === 0
    ? []
    : [
        `${change.resource}: ${change.timed.name} had fallen due for ${rows} rows while nothing ran, and is not made up for. To have it done, serve the old document once first.`,
      ];
}

/** What is always present takes no null from here on, and what is optional does. */
export function tighten(m: Migration): void {
  const { to, plan } = m;
  for (const resource of plan.resources) {
    if (!isOld(m, resource.name)) continue;
    const table = tableName(resource.name);
    const there = to.columns(table);
    for (const { name, nullable } of storedColumns(resource)) {
      const column = columnName(name);
      if (!there.has(column) || there.get(column) === !nullable) continue;
      const sql = `ALTER TABLE ${quoted(table)} ALTER COLUMN ${quoted(column)} ${nullable ? 'DROP' : 'SET'} NOT NULL`;
      to.run(`${resource.name}.${name} ${nullable ? 'may be' : 'is never'} absent`, sql);
    }
  }
}
