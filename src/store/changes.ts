import { type Expr, show } from '../expression/expr.ts';
import type { Value } from '../expression/value.ts';
import type { ColumnShape, OverlapShape, TimedShape, UniqueShape } from './shape.ts';

/** What rows that are there get where the new document wants a value that they don't have. */
export type Fill =
  | { readonly kind: 'value'; readonly value: Value }
  | {
      /** An expression of the row. */
      readonly kind: 'expression';
      readonly expr: Expr;
      /** Whether a row gets nothing of it only where it has no result, as beyond the bounds of numbers. */
      readonly always: boolean;
      /** The values that the field may hold, as people read them. */
      readonly allowed: string;
    }
  /** Numbers from 1, in the order of the rows. */
  | { readonly kind: 'sequence' };

/** How stored values of one type become those of another, where nothing is lost. */
export type Conversion =
  | { readonly how: 'multiply' | 'divide'; readonly by: number }
  | { readonly how: 'uuid to text' | 'text to uuid' };

/** One thing that stored rows go through. Names are those of the new document, but where something old goes. */
export type Change =
  | { readonly kind: 'add resource'; readonly resource: string }
  | { readonly kind: 'drop resource'; readonly resource: string }
  | { readonly kind: 'rename resource'; readonly resource: string; readonly from: string }
  | { readonly kind: 'add field'; readonly resource: string; readonly field: string; readonly fill: Fill | null }
  | { readonly kind: 'drop field'; readonly resource: string; readonly field: string }
  | { readonly kind: 'rename field'; readonly resource: string; readonly field: string; readonly from: string }
  | {
      readonly kind: 'convert field';
      readonly resource: string;
      readonly field: string;
      readonly conversion: Conversion;
      readonly from: ColumnShape;
      readonly to: ColumnShape;
    }
  | { readonly kind: 'widen values'; readonly resource: string; readonly field: string }
  | { readonly kind: 'narrow values'; readonly resource: string; readonly field: string; readonly to: ColumnShape }
  | {
      readonly kind: 'replace value';
      readonly resource: string;
      readonly field: string;
      readonly value: string;
      readonly by: string;
    }
  | { readonly kind: 'require field'; readonly resource: string; readonly field: string; readonly fill: Fill | null }
  | { readonly kind: 'free field'; readonly resource: string; readonly field: string }
  | { readonly kind: 'refer'; readonly resource: string; readonly field: string; readonly to: string | null }
  | { readonly kind: 'add unique'; readonly resource: string; readonly rule: UniqueShape }
  | { readonly kind: 'drop unique'; readonly resource: string; readonly rule: UniqueShape }
  | { readonly kind: 'add holds'; readonly resource: string; readonly rule: Expr }
  | { readonly kind: 'drop holds'; readonly resource: string; readonly rule: Expr }
  | { readonly kind: 'add overlap'; readonly resource: string; readonly rule: OverlapShape }
  | { readonly kind: 'drop overlap'; readonly resource: string; readonly rule: OverlapShape }
  | { readonly kind: 'add timer'; readonly resource: string; readonly timed: TimedShape }
  | { readonly kind: 'drop timer'; readonly resource: string; readonly timed: TimedShape }
  | {
      readonly kind: 'change timer';
      readonly resource: string;
      readonly timed: TimedShape;
      readonly before: TimedShape;
    }
  | {
      readonly kind: 'change sequence';
      readonly resource: string;
      readonly field: string;
      readonly to: ColumnShape['sequence'];
    }
  /** What the service keeps of rows for itself, and what only new rows are given. */
  | { readonly kind: 'keep'; readonly resource: string; readonly what: string };

export type Kind = Change['kind'];
type Of<K extends Kind> = Extract<Change, { readonly kind: K }>;

/** What each kind of change is: how it is told, the name that accepts it, and whether nodes with the old document may go on. */
interface Meaning<K extends Kind> {
  readonly text: (change: Of<K>) => string;
  /** The name under which the operator accepts that values are lost; null where none are. */
  readonly accept: ((change: Of<K>) => string) | null;
  /**
   * Whether a process with the old document may run beside the new one: it goes on reading and writing the columns
   * that it knows, and breaks no rule of the new document by that.
   */
  readonly besides: (change: Of<K>) => boolean;
}

/** The kinds of changes after which every row, and every value, that was possible before still is. */
const WIDENING: Readonly<Record<Kind, boolean>> = {
  'add resource': true,
  'drop resource': false,
  'rename resource': true,
  'add field': true,
  'drop field': false,
  'rename field': true,
  'convert field': false,
  'widen values': true,
  'narrow values': false,
  'replace value': false,
  'require field': false,
  'free field': true,
  refer: false,
  'add unique': false,
  'drop unique': true,
  'add holds': false,
  'drop holds': true,
  'add overlap': false,
  'drop overlap': true,
  'add timer': true,
  'drop timer': true,
  'change timer': true,
  'change sequence': true,
  keep: true,
};

/** Whether a change only adds and widens: nothing has to be looked at or given up for it. */
export const widens = (change: Change): boolean => WIDENING[change.kind];

const yes = (): boolean => true;
const no = (): boolean => false;
const path = ({ resource, field }: { resource: string; field: string }): string => `${resource}.${field}`;

/** The kinds of changes. The type makes a forgotten one a compile error. */
const MEANINGS: { readonly [K in Kind]: Meaning<K> } = {
  'add resource': { text: ({ resource }) => `${resource} is added`, accept: null, besides: yes },
  'drop resource': {
    text: ({ resource }) => `${resource} goes, with its rows`,
    accept: ({ resource }) => `drop ${resource}`,
    besides: no,
  },
  'rename resource': {
    text: ({ resource, from }) => `${from} is called ${resource}`,
    accept: null,
    besides: no,
  },
  'add field': {
    text: (change) =>
      `${path(change)} is added${change.fill ? `, ${fillText(change.fill)} in the rows there are` : ''}`,
    accept: null,
    // An old node would write rows without a value that the new document wants.
    besides: ({ fill }) => fill === null,
  },
  'drop field': {
    text: (change) => `${path(change)} goes, with its values`,
    accept: (change) => `drop ${path(change)}`,
    besides: no,
  },
  'rename field': {
    text: (change) => `${change.resource}.${change.from} is called ${path(change)}`,
    accept: null,
    besides: no,
  },
  'convert field': {
    text: (change) => `${path(change)} is ${typeText(change.to)}, and was ${typeText(change.from)}`,
    accept: null,
    besides: no,
  },
  'widen values': { text: (change) => `${path(change)} may hold more values`, accept: null, besides: yes },
  'narrow values': { text: (change) => `${path(change)} may hold fewer values`, accept: null, besides: no },
  'replace value': {
    text: (change) => `${path(change)} is ${change.by} where it is ${change.value}`,
    accept: null,
    besides: no,
  },
  'require field': {
    text: (change) =>
      `${path(change)} is always present${change.fill ? `, ${fillText(change.fill)} where it is absent` : ''}`,
    accept: null,
    besides: no,
  },
  'free field': { text: (change) => `${path(change)} is optional`, accept: null, besides: yes },
  refer: {
    text: (change) => `${path(change)} ${change.to ? `refers to ${change.to}` : 'is no reference any more'}`,
    accept: null,
    besides: ({ to }) => to === null,
  },
  'add unique': {
    text: ({ resource, rule }) => `${resource}: no two rows have the same ${uniqueText(rule)}`,
    accept: null,
    besides: no,
  },
  'drop unique': {
    text: ({ resource, rule }) => `${resource}: two rows may have the same ${uniqueText(rule)}`,
    accept: null,
    besides: yes,
  },
  'add holds': { text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` holds`, accept: null, besides: no },
  'drop holds': {
    text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` need not hold any more`,
    accept: null,
    besides: yes,
  },
  'add overlap': {
    text: ({ resource, rule }) => `${resource}: no overlap of ${spanText(rule)}`,
    accept: null,
    besides: no,
  },
  'drop overlap': {
    text: ({ resource, rule }) => `${resource}: ${spanText(rule)} may overlap`,
    accept: null,
    besides: yes,
  },
  'add timer': {
    text: ({ resource, timed }) => `${resource}: ${timed.name} happens by itself, ${timingText(timed)}`,
    accept: null,
    // An old node would write rows without the instant.
    besides: no,
  },
  'drop timer': {
    text: ({ resource, timed }) => `${resource}: ${timed.name} does not happen by itself any more`,
    accept: null,
    besides: no,
  },
  'change timer': {
    text: ({ resource, timed, before }) =>
      `${resource}: ${timed.name} happens ${timingText(timed)}, and did ${timingText(before)}`,
    accept: null,
    besides: no,
  },
  'change sequence': {
    text: (change) =>
      `${path(change)} is ${change.to ? 'numbered anew from the highest there is' : 'numbered no more'}`,
    accept: null,
    besides: no,
  },
  keep: { text: ({ resource, what }) => `${resource}: ${what}`, accept: null, besides: yes },
};

const meaningOf = <K extends Kind>(change: Of<K>): Meaning<K> => MEANINGS[change.kind] as unknown as Meaning<K>;

/** A change as people read it. */
export const describeChange = (change: Change): string => meaningOf(change).text(change as never);

/** The name that accepts a change by which values are lost; null where none are. */
export const acceptedAs = (change: Change): string | null => meaningOf(change).accept?.(change as never) ?? null;

/** Whether a process with the old document may go on beside one with the new. */
export const runsBeside = (change: Change): boolean => meaningOf(change).besides(change as never);

/** Why a change can’t be made to the rows there are. */
export type Obstacle =
  | 'lost'
  | 'unfilled'
  | 'no result'
  | 'filled wrongly'
  | 'not allowed'
  | 'not unique'
  | 'does not hold'
  | 'overlaps'
  | 'refers to nothing'
  | 'not converted';

/** What stands in a change’s way: how many rows, and one of them. */
export interface Hindrance {
  readonly change: Change;
  readonly why: Obstacle;
  readonly rows: number;
  /** The identity of such a row; null where it says nothing. */
  readonly example: string | null;
}

/** What each obstacle says, and what the operator may do about it. */
const OBSTACLES: Readonly<Record<Obstacle, (change: Change, rows: number) => readonly [says: string, remedy: string]>> =
  {
    lost: (change, rows) => [
      `${counted(rows, change.kind === 'drop field' ? 'value' : 'row')} would be lost`,
      `Accept that by name: --accept "${acceptedAs(change)}". Or, if it has another name now, say so: --rename ${nameOf(change)}=NEW.`,
    ],
    unfilled: (change, rows) => [
      `${counted(rows, 'row')} without a value, and the document states none`,
      `Say what they get: --fill ${nameOf(change)}=VALUE, or an expression of the row in backquotes. Or let it be optional.`,
    ],
    'no result': (change, rows) => [
      `what --fill says has no result for ${counted(rows, 'row')}`,
      `It goes beyond what numbers, times or texts can be. ${fillAnew(change)}`,
    ],
    'filled wrongly': (change, rows) => [
      `what --fill says is not allowed in ${counted(rows, 'row')}`,
      fillAnew(change),
    ],
    'not allowed': (change, rows) => [
      `${counted(rows, 'row')} with a value that is not allowed any more`,
      `Change those rows first, with the old document; or, where the value was one of an enumeration, say what takes its place: --replace ${nameOf(change)}:OLD=NEW.`,
    ],
    'not unique': (_change, rows) => [
      `${counted(rows, 'row')} with the values of another`,
      'Change those rows first, with the old document.',
    ],
    'does not hold': (_change, rows) => [
      `it does not hold for ${counted(rows, 'row')}`,
      'Change those rows first, with the old document.',
    ],
    overlaps: (_change, rows) => [
      `${counted(rows, 'row')} overlapping another`,
      'Change those rows first, with the old document.',
    ],
    'refers to nothing': (change, rows) => [
      `${counted(rows, 'row')} with a reference to a row that is not there`,
      `Change those rows first, with the old document, or keep what ${nameOf(change)} refers to.`,
    ],
    'not converted': (_change, rows) => [
      `${counted(rows, 'row')} with a value that has no equal in the new type`,
      'Change those rows first, with the old document; or add a field of the new type, and remove the old one.',
    ],
  };

const fillAnew = (change: Change): string => {
  const fill = 'fill' in change ? change.fill : null;
  const allowed = fill?.kind === 'expression' ? ` that is ${fill.allowed}` : '';
  return `Say something else: --fill ${nameOf(change)}=VALUE, or an expression of the row in backquotes${allowed}.`;
};

const counted = (rows: number, what: string): string => `${rows} ${what}${rows === 1 ? '' : 's'}`;

/** What stands in a change’s way, as people read it. */
export function describeHindrance({ change, why, rows, example }: Hindrance): string {
  const [says, remedy] = OBSTACLES[why](change, rows);
  const one = example === null ? '' : ` (such as ${change.resource} ${example})`;
  return `${says}${one}. ${remedy}`;
}

/** What a change is about, as the document calls it. */
export function nameOf(change: Change): string {
  return 'field' in change ? `${change.resource}.${change.field}` : change.resource;
}

const fillText = (fill: Fill): string => {
  if (fill.kind === 'sequence') return 'numbered from 1 in the order of the rows';
  return fill.kind === 'value' ? JSON.stringify(fill.value) : `\`${show(fill.expr)}\``;
};

const typeText = ({ rule, reference, password }: ColumnShape): string => {
  if (reference) return `a reference to ${reference}`;
  if (password) return 'a password';
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
