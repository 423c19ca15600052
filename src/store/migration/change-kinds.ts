import { show } from '../../expression/tree/expression.ts';
import { fieldOfColumn } from '../../plan/files.ts';
import type { ColumnShape, OverlapShape, TimedShape, UniqueShape } from '../shape.ts';
import { raw, type Sql, sql } from '../sql/fragment.ts';
import { columnName, FORMS_OF_FIELDS, quoted, tableName } from '../tables.ts';
import type { Change, Fill, Kind, Of, Replacement } from './changes.ts';
import { convert, refer, sequence } from './columns.ts';
import { beginsWith } from './kept-answers.ts';
import { type Migration, shapeIn } from './migration.ts';
import { type MigrationStep, run } from './rewriter.ts';
import { checkFilled, checkValues, columnOf, fillField, lose, replaceValue } from './values.ts';

/** The phases of a migration, in their order: each phase is done for all changes before the next. */
export type Phase = 'count' | 'drop' | 'cut' | 'make' | 'replace' | 'fill' | 'check' | 'rule';

/** Everything about one kind of change: its description, the values that it loses, and its work on rows. */
interface ChangeKind<K extends Kind> {
  readonly text: (change: Of<K>) => string;
  /** The name under which the operator accepts that values are lost; null where none are. */
  readonly accept: ((change: Of<K>) => string) | null;
  /**
   * Whether a process with the old document may run beside the new one: it continues to use the columns that it knows,
   * and breaks no rule of the new document.
   */
  readonly besides: (change: Of<K>) => boolean;
  /** Whether all rows and values that were allowed before are still allowed, so that none has to be examined. */
  readonly widens: boolean;
  /**
   * Whether values of rows change, so that all rules about those rows have to be examined. No old rule contains a new
   * field.
   */
  readonly touches: boolean;
  /** Whether indexed columns are added, dropped or renamed. */
  readonly moves: boolean;
  /** The change’s own work, by phase. Work that all changes have in common is elsewhere. */
  readonly steps: Partial<Record<Phase, (m: Migration, change: Of<K>) => MigrationStep<void>>>;
}

/**
 * Defaults of a kind of change: no value is lost, no row is examined, no index is moved. Each kind states its
 * differences.
 */
const PLAIN = { accept: null, touches: false, moves: false, steps: {} } as const;

const yes = (): boolean => true;
const no = (): boolean => false;

/** The name of a field in the document. */
const path = ({ resource, field }: { readonly resource: string; readonly field: string }): string =>
  pathTo(resource, field);

/** A field, or the bytes of one. */
function pathTo(resource: string, field: string): string {
  const bytes = fieldOfColumn(field);
  return bytes === null ? `${resource}.${field}` : `the bytes of ${resource}.${bytes}`;
}

/** The kinds of changes. The type makes a forgotten one a compile error. */
const KINDS: { readonly [K in Kind]: ChangeKind<K> } = {
  'add resource': {
    ...PLAIN,
    text: ({ resource }) => `${resource} is added`,
    besides: yes,
    widens: true,
    steps: { make: ({ to }, { resource }) => to.addTable(to.resource(resource)) },
  },
  'drop resource': {
    ...PLAIN,
    text: ({ resource }) => `${resource} is removed, with its rows`,
    accept: dropsResource,
    besides: no,
    widens: false,
    touches: true,
    moves: true,
    steps: { count: (m, change) => lose(m, change, dropsResource(change), '1 = 1'), drop: dropTable },
  },
  'rename resource': {
    ...PLAIN,
    text: ({ resource, from }) => `${from} is renamed to ${resource}`,
    besides: no,
    widens: true,
    moves: true,
  },
  'add field': {
    ...PLAIN,
    text: (change) => `${path(change)} is added${change.fill ? `, ${fillText(change.fill)} in stored rows` : ''}`,
    // A node with the old document would write rows without a value that the new document requires.
    besides: ({ fill }) => fill === null,
    widens: true,
    steps: {
      make: ({ to }, { resource, field }) => {
        const { rule, reference } = columnOf(to.resource(resource), field);
        return to.addColumn(tableName(resource), columnName(field), rule.kind, reference);
      },
      fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill),
      check: checkFilled,
    },
  },
  'drop field': {
    ...PLAIN,
    text: (change) => `${path(change)} is removed, with its values`,
    accept: dropsField,
    besides: no,
    widens: false,
    moves: true,
    steps: {
      count: (m, change) => lose(m, change, dropsField(change), `${quoted(columnName(change.field))} IS NOT NULL`),
      cut: ({ to }, { resource, field }) => to.dropColumn(tableName(resource), columnName(field)),
    },
  },
  'rename field': {
    ...PLAIN,
    text: (change) => `${pathTo(change.resource, change.from)} is renamed to ${path(change)}`,
    besides: no,
    widens: true,
    moves: true,
  },
  'convert field': {
    ...PLAIN,
    text: (change) => `${path(change)} is ${typeText(change.to)}, and was ${typeText(change.from)}`,
    besides: no,
    widens: false,
    touches: true,
    moves: true,
    steps: { make: convert, check: checkValues },
  },
  'widen values': {
    ...PLAIN,
    text: (change) => `${path(change)} may hold more values`,
    besides: yes,
    widens: true,
  },
  'narrow values': {
    ...PLAIN,
    text: (change) => `${path(change)} may hold fewer values`,
    besides: no,
    widens: false,
    steps: { check: checkValues },
  },
  'replace value': {
    ...PLAIN,
    text: (change) => `${path(change)} is ${replacementText(change.by)} where it is ${change.value}`,
    besides: no,
    widens: false,
    touches: true,
    steps: { replace: replaceValue },
  },
  'require field': {
    ...PLAIN,
    text: (change) =>
      `${path(change)} is always present${change.fill ? `, ${fillText(change.fill)} where it is absent` : ''}`,
    besides: no,
    widens: false,
    touches: true,
    steps: { fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill), check: checkFilled },
  },
  'free field': {
    ...PLAIN,
    text: (change) => `${path(change)} is optional`,
    besides: yes,
    widens: true,
  },
  refer: {
    ...PLAIN,
    text: (change) => `${path(change)} ${change.to ? `refers to ${change.to}` : 'is no longer a reference'}`,
    besides: ({ to }) => to === null,
    widens: false,
    touches: true,
    moves: true,
    steps: {
      make: refer,
      check: ({ checks, next }, change) => checks.reference(change, shapeIn(next, change.resource), change.field, next),
    },
  },
  'refer items': {
    ...PLAIN,
    text: (change) =>
      `${path(change)} ${change.to ? `holds references to ${change.to}` : 'no longer holds references'}`,
    besides: ({ to }) => to === null,
    widens: false,
    touches: true,
    steps: {
      check: ({ checks, next }, change) => checks.reference(change, shapeIn(next, change.resource), change.field, next),
    },
  },
  'add unique': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: no two rows have the same ${uniqueText(rule)}`,
    besides: no,
    widens: false,
    moves: true,
    steps: { rule: ({ checks, next }, { resource, rule }) => checks.unique(shapeIn(next, resource), rule) },
  },
  'drop unique': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: two rows may have the same ${uniqueText(rule)}`,
    besides: yes,
    widens: true,
    moves: true,
  },
  'add holds': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` holds`,
    besides: no,
    widens: false,
    steps: { rule: ({ checks, next }, { resource, rule }) => checks.holds(shapeIn(next, resource), rule) },
  },
  'drop holds': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` no longer has to hold`,
    besides: yes,
    widens: true,
  },
  'add overlap': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: no overlap of ${spanText(rule)}`,
    besides: no,
    widens: false,
    steps: { rule: ({ checks, next }, { resource, rule }) => checks.overlap(shapeIn(next, resource), rule) },
  },
  'drop overlap': {
    ...PLAIN,
    text: ({ resource, rule }) => `${resource}: ${spanText(rule)} may overlap`,
    besides: yes,
    widens: true,
  },
  'add timer': {
    ...PLAIN,
    text: ({ resource, timed }) => `${resource}: ${timed.name} happens by itself, ${timingText(timed)}`,
    // A node with the old document would write rows without the instant.
    besides: no,
    widens: true,
  },
  'drop timer': {
    ...PLAIN,
    text: ({ resource, timed }) => `${resource}: ${timed.name} no longer happens by itself`,
    besides: no,
    widens: true,
  },
  'change timer': {
    ...PLAIN,
    text: ({ resource, timed, before }) =>
      `${resource}: ${timed.name} happens ${timingText(timed)}, and did ${timingText(before)}`,
    besides: no,
    widens: true,
  },
  'change sequence': {
    ...PLAIN,
    text: (change) =>
      `${path(change)} is ${change.to ? 'numbered by another sequence, from the highest number' : 'no longer numbered'}`,
    besides: no,
    widens: true,
    steps: { make: sequence },
  },
  'change search': {
    ...PLAIN,
    text: ({ resource, columns }) =>
      columns.length === 0
        ? `${resource} is no longer searched`
        : `${resource} is searched: the words of ${columns.map(fieldOfForm).join(', ')}`,
    // A node with the old document would write rows without their words.
    besides: no,
    widens: true,
  },
  'change audit': {
    ...PLAIN,
    text: ({ resource, fields }) =>
      fields.length === 0
        ? `changes of ${resource} are no longer recorded`
        : `other changes of ${resource} are recorded: those of ${fields.join(', ')}`,
    // A node with the old document would change rows without the entries.
    besides: no,
    widens: true,
  },
  unrecorded: {
    ...PLAIN,
    text: (change) => `${path(change)} is changed, and no entry records it`,
    accept: changesUnrecorded,
    besides: no,
    widens: false,
    // Columns have been added by then, and have their new names.
    steps: { make: countUnrecorded },
  },
  keep: { ...PLAIN, text: ({ resource, what }) => `${resource}: ${what}`, besides: yes, widens: true },
};

/** The properties of a change’s kind, with functions that accept that change. */
export const kindOf = <C extends Change>(change: C): ChangeKind<C['kind']> =>
  KINDS[change.kind] as unknown as ChangeKind<C['kind']>;

/** Describes a change for people. */
export const describeChange = (change: Change): string => kindOf(change).text(change as never);

/** The name by which the operator accepts the loss of values; null where none are lost. */
export const acceptedAs = (change: Change): string | null => kindOf(change).accept?.(change as never) ?? null;

/** Whether a process with the old document can run beside one with the new document. */
export const runsBeside = (change: Change): boolean => kindOf(change).besides(change as never);

/** Whether a change only adds and widens, so that no row is examined and no value lost. */
export const widens = (change: Change): boolean => kindOf(change).widens;

function dropsResource({ resource }: Of<'drop resource'>): string {
  return `drop ${resource}`;
}

/** Drops a table, with its sequences, and with the keys, kept answers, subscriptions and deliveries of its rows. */
function* dropTable(_m: Migration, change: Of<'drop resource'>): MigrationStep<void> {
  const { resource } = change;
  const what = `${resource} goes`;
  const begins = (column: string, end: string): Sql => beginsWith(raw(column), resource + end);
  yield* run(what, `DROP TABLE ${quoted(tableName(resource))}`);
  yield* run(what, sql`DELETE FROM ninefold_key WHERE mark = ${resource} OR ${begins('mark', '/')}`);
  yield* run(what, sql`DELETE FROM ninefold_answer WHERE ${begins('caller', '/')}`);
  yield* run(what, sql`DELETE FROM ninefold_sequence WHERE ${begins('name', '.')}`);
  for (const table of ['ninefold_delivery', 'ninefold_subscription'])
    yield* run(what, sql`DELETE FROM ${raw(table)} WHERE ${begins('receiver', ' ')}`);
  yield* run(what, sql`DELETE FROM ninefold_receiver WHERE ${begins('id', ' ')}`);
  yield* run(what, sql`DELETE FROM ninefold_meta WHERE key = ${`table ${tableName(resource)}`}`);
}

/** The field whose words a hidden column holds. */
const fieldOfForm = (column: string): string =>
  column.slice(FORMS_OF_FIELDS.find((form) => column.startsWith(form))?.length ?? 0);

/** The bytes of a field go by the name of the field; its members have names of their own. */
function dropsField({ resource, field }: Of<'drop field'>): string {
  return `drop ${resource}.${fieldOfColumn(field) ?? field}`;
}

function* countUnrecorded({ to, checks, answers }: Migration, change: Of<'unrecorded'>): MigrationStep<void> {
  if (answers.accepted.has(changesUnrecorded(change))) return;
  const { resource, field, value } = change;
  const is = value === null ? 'IS NULL' : `= ${to.constant(value, 'text')}`;
  yield* checks.count(change, 'unrecorded', tableName(resource), `t.${quoted(columnName(field))} ${is}`);
}

function changesUnrecorded(change: Of<'unrecorded'>): string {
  return `change ${path(change)}`;
}

const fillText = (fill: Fill): string => {
  if (fill.kind === 'sequence') return 'numbered from 1 in the order of the rows';
  return fill.kind === 'value' ? fill.written : `\`${show(fill.expr)}\``;
};

const replacementText = (by: Replacement): string => (typeof by === 'string' ? by : `\`${show(by.expr)}\``);

const typeText = ({ rule, reference, references, password, secret }: ColumnShape): string => {
  if (references) return `a ${rule.kind} of references to ${references}`;
  if (reference) return `a reference to ${reference}`;
  if (password) return secret ? 'a secret' : 'a password';
  return rule.kind === 'decimal' ? `a decimal of ${rule.scale} digits` : rule.kind;
};

const uniqueText = ({ fields, ignoringCase, condition }: UniqueShape): string => {
  const names = fields.map((field) => (ignoringCase.includes(field) ? `${field} ignoring case` : field));
  return `${names.join(' and ')}${condition ? ` while \`${show(condition)}\`` : ''}`;
};

const spanText = ({ start, end, by, condition }: OverlapShape): string =>
  `\`${show(start)}\` to \`${show(end)}\`${by.length ? ` by ${by.join(' and ')}` : ''}${condition ? ` while \`${show(condition)}\`` : ''}`;

const timingText = ({ timing, condition, from }: TimedShape): string => {
  const since = timing.instant ? `\`${show(timing.instant)}\`` : timing.move;
  const states = from.length ? ` from ${from.join(', ')}` : '';
  const when = timing.after === 0 ? `at ${since}` : `${timing.after / 1000} seconds after ${since}`;
  return `${when}${states}${condition ? ` while \`${show(condition)}\`` : ''}`;
};
