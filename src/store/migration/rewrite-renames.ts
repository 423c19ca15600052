import type { Value } from '../../expression/values/value.ts';
import { ownMember } from '../../text/own-members.ts';
import type { ResourceShape } from '../shape.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { columnName, FORMS_OF_FIELDS, quoted, tableName } from '../tables.ts';
import { isOld, type Migration } from './migration.ts';
import { split } from './renames.ts';
import { all, type MigrationStep, run } from './rewriter.ts';

/**
 * The columns of the service’s own tables whose values begin with the name of a resource, and the text after that name.
 */
const NAMED: ReadonlyArray<readonly [table: string, column: string, ends: string]> = [
  ['ninefold_event', 'resource', ''],
  ['ninefold_delivery', 'line', ' '],
  ['ninefold_delivery', 'receiver', ' '],
  ['ninefold_subscription', 'receiver', ' '],
  ['ninefold_receiver', 'id', ' '],
  ['ninefold_key', 'mark', ''],
  ['ninefold_key', 'mark', '/'],
  ['ninefold_answer', 'caller', '/'],
];

/** The tables of these columns, and the table of sequences, whose names consist of a resource and a field. */
export const NAMED_TABLES = [...new Set([...NAMED.map(([table]) => table), 'ninefold_sequence'])];

/** Renames tables in two steps, through temporary names, since two resources may exchange their names. */
export function* renameResources({ to, changes }: Migration): MigrationStep<void> {
  const renames = changes.flatMap((change) => (change.kind === 'rename resource' ? [change] : []));
  const rename = (what: string, from: string, into: string): MigrationStep<void> =>
    run(what, `ALTER TABLE ${quoted(from)} RENAME TO ${quoted(into)}`);
  const temporaryName = (i: number): string => `ninefold_renamed_${i}`;
  for (const [i, { from, resource }] of renames.entries())
    if (tableName(from) !== tableName(resource)) yield* rename(`${from} is renamed`, tableName(from), temporaryName(i));
  for (const [i, { from, resource }] of renames.entries()) {
    if (tableName(from) === tableName(resource)) continue;
    yield* rename(`${from} is renamed`, temporaryName(i), tableName(resource));
    yield* run(`${from} is renamed`, sql`DELETE FROM ninefold_meta WHERE key = ${`table ${tableName(from)}`}`);
  }
  if (renames.length === 0) return;
  yield* to.loosely(renameInside(to.items(JSON.stringify(renames.map(({ from, resource }) => [from, resource])))));
}

/** Renames resources in the service’s own tables. */
function* renameInside(names: Sql): MigrationStep<void> {
  // One statement renames all values of a column, so that resources can exchange their names.
  for (const [name, column, ends] of NAMED) {
    const value = `${name}.${column}`;
    const begins =
      ends === ''
        ? `${value} = j.value ->> 0`
        : `substr(${value}, 1, length(j.value ->> 0) + 1) = (j.value ->> 0) || '${ends}'`;
    yield* run(
      `${name} bears the new names`,
      sql`${raw(`UPDATE ${name} SET ${column} = (j.value ->> 1) || substr(${value}, length(j.value ->> 0) + 1)`)}
       FROM ${names} WHERE ${raw(begins)}`,
    );
  }
  // The hashes of kept answers include the caller: `takeAnswers` writes them again.
  yield* run('Kept answers bear the new names', 'UPDATE ninefold_answer SET hash = NULL');
}

/** Renames the columns of fields, and the columns that hold another form of fields. */
export function* renameFields({ to, changes }: Migration): MigrationStep<void> {
  const fields = changes.flatMap((change) => (change.kind === 'rename field' ? [change] : []));
  const renames: Array<{ table: string; from: string; into: string }> = [];
  for (const change of fields) {
    const table = tableName(change.resource);
    const there = yield* to.columns(table);
    for (const kept of ['', ...FORMS_OF_FIELDS]) {
      const [from, into] = [columnName(kept + change.from), columnName(kept + change.field)];
      if (there.has(from)) renames.push({ table, from, into });
    }
  }
  const rename = (table: string, from: string, into: string): MigrationStep<void> =>
    run(`${table}.${from} is renamed`, `ALTER TABLE ${quoted(table)} RENAME COLUMN ${quoted(from)} TO ${quoted(into)}`);
  const temporaryName = (i: number): string => `ninefold_renamed_${i}`;
  for (const [i, { table, from }] of renames.entries()) yield* rename(table, from, temporaryName(i));
  for (const [i, { table, into }] of renames.entries()) yield* rename(table, temporaryName(i), into);
}

/** Renames sequences, whose key is the numbered field. */
export function* renameSequences({ to, changes, old }: Migration): MigrationStep<void> {
  const fields = new Map<string, string>();
  const resources = new Map<string, string>();
  for (const change of changes) {
    if (change.kind === 'rename resource') resources.set(change.resource, change.from);
    if (change.kind === 'rename field') fields.set(`${change.resource}.${change.field}`, change.from);
  }
  const [ofField, ofResource] = [
    new Map([...fields].map(([path, from]) => [`${split(path)[0]}.${from}`, path])),
    new Map([...resources].map(([a, b]) => [b, a])),
  ];
  const renames = old.resources.flatMap((resource) =>
    resource.columns.flatMap(({ name, sequence }) => {
      if (!sequence) return [];
      const path = `${ofResource.get(resource.name) ?? resource.name}.${name}`;
      const now = ofField.get(path) ?? path;
      return now === `${resource.name}.${name}` ? [] : [[`${resource.name}.${name}`, now]];
    }),
  );
  if (renames.length === 0) return;
  yield* run(
    'Sequences bear the new names',
    sql`UPDATE ninefold_sequence SET name = j.value ->> 1 FROM ${to.items(JSON.stringify(renames))}
      WHERE ninefold_sequence.name = j.value ->> 0`,
  );
}

/** Migrates the copies of rows that decide who sees an event of a stream: names and values take their new form. */
export function* glimpses(m: Migration): MigrationStep<void> {
  const { next, changes } = m;
  for (const resource of next.resources) {
    const was = m.was.resources.find((one) => one.name === resource.name);
    if (!was || !isOld(m, resource.name) || !changes.some((change) => change.resource === resource.name)) continue;
    const kept = yield* all(
      sql`SELECT s.event, s."row" FROM ninefold_streamed s JOIN ninefold_event e ON e.seq = s.event
        WHERE e.resource = ${resource.name} AND s."row" IS NOT NULL`,
    );
    const moved = namedValues(was, resource, m);
    for (const [event, row] of kept) {
      const now = JSON.stringify(moved(JSON.parse(row as string) as StoredRow));
      yield* run(
        `What is streamed of ${resource.name} is kept`,
        sql`UPDATE ninefold_streamed SET "row" = ${now} WHERE event = ${event}`,
      );
    }
  }
}

/** The values of a row by name. Older versions stored them in the order of the columns. */
type StoredRow = readonly Value[] | Readonly<Record<string, Value>>;

function namedValues(
  was: ResourceShape,
  next: ResourceShape,
  { changes, rules }: Migration,
): (row: StoredRow) => Record<string, Value> {
  const own = changes.filter((change) => change.resource === next.name);
  const renamed = new Map(own.flatMap((one) => (one.kind === 'rename field' ? [[one.field, one.from]] : [])));
  const values = next.stored.map((column): readonly [name: string, of: (row: StoredRow) => Value] => {
    const at = was.stored.indexOf(column);
    const field = own.filter((change) => 'field' in change && change.field === column);
    const filled = field.find((change) => change.kind === 'add field' || change.kind === 'require field');
    const fill = filled && 'fill' in filled && filled.fill?.kind === 'value' ? filled.fill.value : null;
    const added = at < 0 || field.some((change) => change.kind === 'add field');
    if (added) return [column, () => fill];
    const converted = field.find((change) => change.kind === 'convert field');
    const conversion = converted?.kind === 'convert field' ? converted.conversion : null;
    const replaced = new Map(
      field.flatMap((change) =>
        change.kind === 'replace value' && typeof change.by === 'string' ? [[change.value, change.by]] : [],
      ),
    );
    const name = renamed.get(column) ?? column;
    return [
      column,
      (row) => {
        const value = (Array.isArray(row) ? row[at] : ownMember(row as Record<string, Value>, name)) ?? null;
        if (typeof value === 'string') return replaced.get(value) ?? value;
        if (typeof value !== 'number' || !conversion || !('by' in conversion)) return value ?? fill;
        return conversion.how === 'multiply' ? value * conversion.by : value / conversion.by;
      },
    ];
  });
  const split = own.flatMap((change) => {
    if (change.kind !== 'replace value' || typeof change.by === 'string') return [];
    return [
      { at: next.stored.indexOf(change.field), value: change.value, of: rules.computed(next.name, change.by.expr) },
    ];
  });
  return (row) => {
    const held = values.map(([, of]) => of(row));
    const now = [...held];
    for (const { at, value, of } of split) if (held[at] === value) now[at] = of(held) ?? value;
    return Object.fromEntries(values.flatMap(([name], i) => (now[i] === null ? [] : [[name, now[i] as Value]])));
  };
}
