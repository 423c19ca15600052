import type { Expr } from '../expression/tree/expression.ts';
import { LANGUAGES, type WordForm } from '../expression/tree/word-form.ts';
import { fieldOfColumn } from '../plan/files.ts';
import { transitionsIn } from '../plan/machines.ts';
import { named } from '../plan/named.ts';
import type { ColumnKind, ColumnPlan, ResourcePlan, UniquePlan } from '../plan/step.ts';

/** A stored column of a resource: a field of the document, or a column of the service. */
export interface StoredColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  readonly reference: string | null;
}

/** The columns that the service adds. Their names begin with a space, as no field’s name can. */
export const REVISION = ' revision';
const DUE = ' due ';
const AT = ' at ';
export const FOLDED = ' folded ';
/**
 * The beginning of the name of a hidden column with the words of a field: another form of words has another column, so
 * that a document with another form is another shape.
 */
const wordsPrefix = ({ language, accents }: WordForm): string =>
  `${language ? ` ${language.toLowerCase()}` : ''}${accents === 'distinct' ? ' words ' : ' plain '}`;

const WORDS: readonly string[] = [undefined, ...LANGUAGES].flatMap((language) =>
  (['distinct', 'ignored'] as const).map((accents) => wordsPrefix({ ...(language && { language }), accents })),
);
/** The row’s own shown form as cached JSON; see `CachedJson` for its validity. It may be missing in any row. */
export const SHOWN = ' shown';

/** The fields that a unique rule compares without regard to case, each with the hidden column for its folded value. */
export function foldedFields(resource: ResourcePlan): Array<{ field: string; column: string }> {
  const fields = new Set(resource.uniques.flatMap((rule) => rule.ignoringCase));
  return [...fields].map((field) => ({ field, column: FOLDED + field }));
}

/** The beginnings of the names of hidden columns that hold another form of one field. */
export const FORMS_OF_FIELDS: readonly string[] = [FOLDED, ...WORDS];

/** The name of the hidden column with the words of a field. */
export const wordsColumn = (field: string, form: WordForm): string => wordsPrefix(form) + field;

/** Whether a column holds the words of a field. They are written and searched, and no statement reads them back. */
export const holdsWords = (column: string): boolean => WORDS.some((one) => column.startsWith(one));

/** The fields that a search reads, each with the hidden column for its words. */
export const searchedFields = ({ search }: Pick<ResourcePlan, 'search'>): Array<{ field: string; column: string }> =>
  search?.fields.map(({ field }) => ({ field, column: wordsColumn(field, search) })) ?? [];

/** The columns that a unique rule compares. */
export function uniqueColumns(rule: Pick<UniquePlan, 'fields' | 'ignoringCase'>): string[] {
  return rule.fields.map((field) => (rule.ignoringCase.includes(field) ? FOLDED + field : field));
}

/**
 * A timed event or transition of a resource’s rows, and its hidden column. A positive instant in the column is still to
 * come; a negative one has passed, and does not come again.
 */
export interface Timed {
  readonly column: string;
  /** The event, or the transition. */
  readonly name: string;
  readonly what: 'event' | 'move';
}

/**
 * The timed events and transitions of a resource. Events come first: at the same instant, events are emitted before
 * moves.
 */
export function timedThings(resource: ResourcePlan): Timed[] {
  const events = resource.events.filter((event) => event.timed !== null);
  return [
    ...events.map(({ name }): Timed => ({ column: AT + name, name, what: 'event' })),
    ...timedTransitions(resource).map(({ name }): Timed => ({ column: DUE + name, name, what: 'move' })),
  ];
}

/** Whether the resource’s own shown form has members. */
const isShown = (resource: ResourcePlan): boolean =>
  resource.views.some(({ name, members }) => name === resource.name && members.length > 0);

/**
 * The columns of a resource, in the order of its rows: fields, revision, instants of timers, folded fields, words,
 * cached JSON.
 */
export function storedColumns(resource: ResourcePlan): StoredColumn[] {
  const fields = resource.columns.map((column: ColumnPlan) => ({
    name: column.name,
    kind: column.rule.kind,
    nullable: column.nullable,
    reference: column.reference,
  }));
  const due = timedThings(resource).map(({ column }) => ({
    name: column,
    kind: 'timestamp' as const,
    nullable: true,
    reference: null,
  }));
  const folded = foldedFields(resource).map(({ field, column }) => {
    const nullable = named(resource.columns, field).nullable;
    return { name: column, kind: 'text' as const, nullable, reference: null };
  });
  const words = searchedFields(resource).map(({ field, column }) => {
    const { nullable } = named(resource.columns, field);
    return { name: column, kind: 'text' as const, nullable, reference: null };
  });
  const shown = isShown(resource) ? [{ name: SHOWN, kind: 'text' as const, nullable: true, reference: null }] : [];
  return [
    ...fields,
    { name: REVISION, kind: 'integer', nullable: false, reference: null },
    ...due,
    ...folded,
    ...words,
    ...shown,
  ];
}

/** The timed transitions of a resource. */
function timedTransitions(resource: ResourcePlan) {
  return transitionsIn(resource.machines).filter((transition) => transition.timed !== null);
}

/** A name of the document in the convention of SQL: `OrderLine` → `order_line`. */
export function tableName(resource: string): string {
  const name = resource.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
  return name.replace(/^(ninefold|sqlite)_/, '$1__');
}

/** The name of a stored column: the field’s own name, or the service’s name with a prefix that no document can use. */
export function columnName(name: string): string {
  if (name === REVISION) return 'ninefold_revision';
  if (name === SHOWN) return 'ninefold_shown';
  if (name.startsWith(DUE)) return `ninefold_due_${name.slice(DUE.length)}`;
  if (name.startsWith(AT)) return `ninefold_at_${name.slice(AT.length)}`;
  for (const prefix of WORDS)
    if (name.startsWith(prefix)) return `ninefold_${prefix.trim().replace(' ', '_')}_${name.slice(prefix.length)}`;
  const bytes = fieldOfColumn(name);
  if (bytes !== null) return `ninefold_bytes_${bytes}`;
  if (name.startsWith(FOLDED)) return `ninefold_folded_${name.slice(FOLDED.length)}`;
  return name.replace(/^ninefold_/, 'ninefold__');
}

/** The longest name in PostgreSQL, in bytes: longer names are cut. */
const LONGEST_NAME = 63;

/** Shortens a name that PostgreSQL would cut, so that it might equal another: its end becomes a hash of the whole. */
export function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
  let sum = 0;
  for (const byte of Buffer.from(name)) sum = (sum * 31 + byte) >>> 0;
  return `${name.slice(0, LONGEST_NAME - 9)}_${sum.toString(16).padStart(8, '0')}`;
}

/** Quotes an identifier (SQL:2016, delimited identifier). */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The field of the row that an expression is; null for any other expression. */
export const fieldOfRow = (by: Expr | null): string | null =>
  by?.op === 'get' && by.of.op === 'name' && by.of.name === 'this' ? by.member : null;

/** The fields of the identity that decide the order of rows with equal sort keys. */
export function tieBreakers(identity: readonly string[], keys: ReadonlyArray<Expr | null>): readonly string[] {
  return identity.length === 1 && keys.some((by) => fieldOfRow(by) === identity[0]) ? [] : identity;
}

/** A resource in its stored form. */
export interface StoredResource {
  readonly plan: ResourcePlan;
  readonly columns: readonly StoredColumn[];
  readonly table: string;
  readonly identity: StoredColumn;
}

export function storedResource(plan: ResourcePlan): StoredResource {
  const columns = storedColumns(plan);
  const identity = named(columns, plan.identity);
  return { plan, columns, table: quoted(tableName(plan.name)), identity };
}
