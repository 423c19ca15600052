import { LANGUAGES, type Language } from '../expression/tree/word-form.ts';
import type { Text } from '../syntax/markdown.ts';
import { type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import { keysOf } from '../text/own-members.ts';
import { expected, orEmpty } from './common-values.ts';
import {
  checked,
  choice,
  code,
  constant,
  count,
  either,
  elseCode,
  flag,
  type Grammar,
  led,
  list,
  made,
  name,
  oneOf,
  optional,
  sequence,
  shown,
  type ValueOf,
  words,
} from './grammar.ts';
import type { BulletStatements, Rule, Stated, Statements } from './statement.ts';
import { ALLOWED, DERIVED_TYPE, FIELD_TYPE, FORMAT, PRESENCE } from './values.ts';

/** `### Order` */
export const RESOURCE_NAME = name('the name of a resource', 'Order', 'declaration');

/** `quantity`, `address.street` */
export const FIELD_NAME = name('the name of a field', 'quantity', 'declaration');

/** Sources of a field's value, for a reader who has never seen one. */
const SOURCES =
  '“request” (the caller sends it), “on create” with an expression in inline code such as `uuid()`, “operator”, “steps”, “transitions”, “sequence” or “audit”';

/** A fact of a change that a field of an audit's entries holds. */
const AUDIT_FACT = either(
  sequence({ kind: words('before') }, { field: name('a field of the audited resource', 'status') }),
  sequence({ kind: words('after') }, { field: name('a field of the audited resource', 'status') }),
  sequence({ kind: words('caller') }, { resource: name('a resource', 'Member') }),
  sequence({ kind: oneOf('row', 'action', 'cause') }),
);
export type AuditFact = ValueOf<typeof AUDIT_FACT>;

/** One source of a field's value, such as the request or an expression that is evaluated on create. */
const GIVING = either(
  sequence(
    { from: constant('on', 'moment') },
    { moment: name('create, change or a transition', 'create') },
    { value: code('expression', 'an expression in inline code, such as `uuid()`, `now()` or `caller`', 'now()') },
  ),
  sequence(
    { from: words('request') },
    // Endpoints take the value from the request, and the operator gives it to the rows that the operator adds.
    { orOperator: flag('or operator') },
    { otherwise: optional(', else', code('expression', 'an expression in inline code', '0')) },
  ),
  sequence({ from: words('operator') }),
  sequence({ from: words('steps') }),
  sequence({ from: words('transitions') }),
  // Numbers begin with 1, separately for each row that the reference `per` points at; without `per`, all rows share one
  // sequence.
  sequence({ from: words('sequence') }, { per: optional('per', name('a reference', 'customer')) }),
  sequence({ from: words('audit') }, { fact: AUDIT_FACT }),
  expected(SOURCES),
);
export type Giving = ValueOf<typeof GIVING>;

/** The columns of the table of fields; `meaning`: what blank cells most often mean, where the document says it. */
export const FIELD = {
  Type: { member: 'type', value: FIELD_TYPE, meaning: 'string' },
  Format: { member: 'format', value: FORMAT, meaning: 'none' },
  'Allowed values': { member: 'allowed', value: ALLOWED, meaning: 'any' },
  'Given by': { member: 'givenBy', value: list(GIVING, ';'), meaning: 'request' },
  Presence: { member: 'presence', value: PRESENCE, meaning: 'always' },
  Unique: {
    member: 'unique',
    value: either(
      sequence({ kind: words('identity') }),
      sequence({ kind: words('yes') }, { ignoringCase: flag(', ignoring case') }, { code: elseCode('name_taken') }),
      sequence({ kind: words('no') }),
    ),
    meaning: 'no',
  },
} as const satisfies Statements & Readonly<Record<string, { readonly meaning: string }>>;
export type FieldColumn = keyof typeof FIELD;
export type FieldCells = Stated<typeof FIELD>;

/** The meaning of the blank cells of a column. */
export interface BlankCell {
  readonly column: Name & { readonly text: FieldColumn };
  readonly text: Text;
}

/** `Format none, Presence always` */
export const BLANK_CELLS: Grammar<readonly BlankCell[]> = {
  read: (phrase) => {
    const all: BlankCell[] = [];
    do {
      const start = phrase.peek()?.from ?? phrase.text.to;
      const column = phrase.choose(keysOf(FIELD));
      const from = phrase.peek()?.from ?? phrase.text.to;
      let to = from;
      const value = column ? `a value for “${column}”, such as “${FIELD[column].meaning}”` : 'a value';
      do to = phrase.word('word', value)?.to ?? to;
      while (phrase.peek() && phrase.peek()?.kind !== 'mark');
      if (!column || phrase.failed) return undefined;
      const name = { text: column, from: start, to: start + column.length };
      all.push({ column: name, text: { source: phrase.text.source, from, to, inTable: false } });
    } while (phrase.mark(','));
    return all;
  },
  print: (all) => all.map(({ column, text }) => `${column.text} ${onOneLine(text)}`).join(', '),
  writes: Array.isArray,
  samples: ['Format none, Presence always, Unique no'],
};

/** A text with single spaces between its words. */
export const onOneLine = (text: Text): string => text.source.slice(text.from, text.to).replace(/\s+/g, ' ');

/** The bullets of the part: how it treats what its fields leave open. */
export const RESOURCES = {
  Timestamps: {
    member: 'timestamps',
    value: either(
      led('RFC 3339, UTC,', oneOf('milliseconds', 'seconds')),
      constant('Unix time, seconds', 'Unix seconds'),
    ),
  },
  Dates: { member: 'dates', value: oneOf('RFC 3339') },
  Durations: { member: 'durations', value: led('ISO 8601,', oneOf('whole seconds', 'milliseconds')) },
  Decimals: {
    member: 'decimals',
    value: sequence({ as: oneOf('strings', 'numbers') }, ',', {
      rounding: either(
        constant('more digits refused', 'refused'),
        led('rounded', oneOf('half even', 'half up', 'down')),
      ),
    }),
  },
  Text: { member: 'text', value: oneOf('trimmed', 'as sent') },
  'Missing values in answers': { member: 'missing', value: oneOf('left out', 'null') },
  'Null in requests': { member: 'nulls', value: oneOf('clears') },
  'Empty text in requests': { member: 'emptyText', value: oneOf('kept', 'null') },
  'Unknown fields': { member: 'unknownFields', value: oneOf('refused', 'ignored') },
  // The parameters of scrypt, which RFC 7914 calls N, r and p.
  Passwords: {
    member: 'passwords',
    value: sequence(
      'scrypt (RFC 7914), N',
      { cost: count('a power of 2 such as 131072', '131072') },
      ', r',
      { blocks: count('a number such as 8', '8') },
      ', p',
      { lanes: count('a number', '1') },
    ),
  },
  'Blank cells': { member: 'blank', value: BLANK_CELLS },
} as const satisfies BulletStatements;
/** The rules for all fields of the part; null where the document does not state one. */
export type WireRules = Omit<Stated<typeof RESOURCES>, 'blank'>;

/** One member of a shown form: a field, and for a reference the field or view of its target to show instead. */
const SHOWN_MEMBER = sequence(
  { field: name('a field', 'customer') },
  { as: optional('as', name('a field or a view of the reference', 'id')) },
);
export type Shown = ValueOf<typeof SHOWN_MEMBER>;

/** `id, sku, customer as id` */
const SHOWN = shown(
  checked(list(SHOWN_MEMBER), (members, { findings }) =>
    refuseRepeats(
      members.map((member) => member.field),
      findings,
    ),
  ),
  'id, sku, customer as id',
);

const NEVER: Grammar<readonly Shown[]> = made(
  words('never'),
  (): readonly Shown[] => [],
  () => 'never' as const,
  (given) => Array.isArray(given) && given.length === 0,
);

/** Names with commas between them, up to `, else`. */
const FIELDS: Grammar<readonly Name[]> = {
  read: (phrase) => {
    const all: Name[] = [];
    while (!phrase.failed) {
      // Two words in a row: the first is `else`, or was meant to be.
      if (all.length && phrase.peek(1)?.kind === 'word') phrase.expect('else');
      const one = takeName(phrase, 'use', 'a field');
      if (one) all.push(one);
      if (phrase.peek(1)?.text === 'else' || !phrase.mark(',')) break;
    }
    return phrase.failed ? undefined : all;
  },
  print: (all) => all.map(({ text }) => text).join(', '),
  writes: Array.isArray,
  samples: ['customer, order'],
};

const condition = (sample: string) => code('expression', 'a condition in inline code', sample);

/** `customer and sku`: names of fields, each once. */
const together = <T>(grammar: Grammar<T>, nameOf: (one: T) => Name): Grammar<readonly T[]> =>
  checked(list(grammar, 'and'), (all, { findings }) => refuseRepeats(all.map(nameOf), findings));

/** `by room`: the fields that have to be the same; none where they are not stated. */
const BY = orEmpty(
  optional(
    'by',
    together(name('a field', 'room'), (field) => field),
  ),
);

interface Unique {
  readonly fields: readonly Name[];
  /** The fields that are compared ignoring case. */
  readonly ignoringCase: readonly Name[];
  readonly condition: ValueOf<ReturnType<typeof condition>> | null;
  readonly code: Name | null;
}

/** ``customer and sku while `status == "draft"`, else code``, `owner and name ignoring case` */
const UNIQUE: Grammar<Unique> = made(
  sequence(
    {
      keys: together(
        sequence({ field: name('a field', 'sku') }, { ignoringCase: flag('ignoring case') }),
        ({ field }) => field,
      ),
    },
    { condition: optional('while', condition('status == "draft"')) },
    { code: elseCode('already_open') },
  ),
  ({ keys, ...rest }): Unique => ({
    fields: keys.map(({ field }) => field),
    ignoringCase: keys.filter((key) => key.ignoringCase).map(({ field }) => field),
    ...rest,
  }),
  ({ fields, ignoringCase, ...rest }) => ({
    keys: fields.map((field) => ({ field, ignoringCase: ignoringCase.includes(field) })),
    ...rest,
  }),
  (given) => typeof given === 'object',
);

/** `title weight 4` */
const SEARCHED = sequence(
  { field: name('a field', 'title') },
  { weight: shown(optional('weight', count('a number such as 4', '4')), '') },
);

/** ``title weight 4, body weight 1; in no language; accents ignored`` */
const SEARCH = sequence(
  {
    fields: shown(
      checked(list(SEARCHED), (fields, { findings }) =>
        refuseRepeats(
          fields.map(({ field }) => field),
          findings,
        ),
      ),
      'title weight 4, body weight 1',
    ),
  },
  ';',
  {
    language: choice<'none' | Language>({
      none: 'in no language',
      ...(Object.fromEntries(LANGUAGES.map((one) => [one, `in ${one}`])) as Record<Language, string>),
    }),
  },
  '; accents',
  { accents: oneOf('ignored', 'distinct') },
);

const RECORDED = either(constant('recorded', true), constant('not recorded', false));

/** ``status, assignee; creation recorded; removal recorded; in TicketChange; kept for ever`` */
const AUDITED = sequence(
  {
    fields: shown(
      checked(list(name('a field', 'status')), (fields, { findings }) => refuseRepeats(fields, findings)),
      'status, assignee',
    ),
  },
  '; creation',
  { creation: RECORDED },
  '; removal',
  { removal: RECORDED },
  '; in',
  { entries: name('a resource', 'TicketChange') },
  // The schedule that removes entries; null where they are kept.
  { removedBy: either(constant('; kept for ever', null), led('; removed by', name('a schedule', 'prune'))) },
);

/** The bullets of a resource. */
export const RESOURCE = {
  'Derived ': {
    member: 'derived',
    rules: 'several',
    named: { what: 'the name of a derived field', sample: 'total' },
    value: sequence({ type: DERIVED_TYPE }, ',', {
      value: code('expression', 'an expression in inline code', 'quantity * price'),
    }),
  },
  // An empty list means never.
  Shown: { member: 'shown', value: either(NEVER, SHOWN) },
  // Another form in which rows are shown.
  'Shown as ': {
    member: 'views',
    rules: 'several',
    named: { what: 'the name of a view', sample: 'Short' },
    value: sequence({ members: SHOWN }),
  },
  Visible: {
    member: 'visible',
    value: either(
      words('everyone'),
      code('expression', '“everyone”, or a condition in inline code such as `owner == caller`', 'customer == caller'),
    ),
  },
  Unique: {
    member: 'uniques',
    rules: 'several',
    value: shown(UNIQUE, 'customer and sku ignoring case while `status == "draft"`, else already_open'),
  },
  // The fields in which lists search for words.
  Search: { member: 'search', value: SEARCH },
  // The fields whose changes are recorded as rows of another resource.
  Audited: { member: 'audited', value: AUDITED },
  // A condition that every row must satisfy at the end of each transaction.
  Holds: {
    member: 'holds',
    rules: 'several',
    value: sequence({ test: condition('quantity <= 100') }, { code: elseCode('too_many') }),
  },
  // No two rows with the same `by` cover a common instant.
  'No overlap': {
    member: 'overlaps',
    rules: 'several',
    value: sequence(
      { start: code('expression', 'when it starts, in inline code', 'starts') },
      'to',
      { end: code('expression', 'when it ends, in inline code', 'ends') },
      { by: BY },
      { condition: optional('while', condition('status == "confirmed"')) },
      { code: elseCode('room_taken') },
    ),
  },
  // The row is removed when the row that its reference points at is removed.
  'Removed with': { member: 'removedWith', rules: 'one', value: sequence({ fields: FIELDS }) },
  // The reference becomes absent when the row that it points at is removed.
  'Cleared with': { member: 'cleared', rules: 'one', value: sequence({ fields: FIELDS }) },
  // A row cannot be removed while these references point at it.
  Keeps: {
    member: 'keeps',
    rules: 'several',
    value: sequence({ fields: FIELDS }, { code: elseCode('still_used') }),
  },
} as const satisfies BulletStatements;
type Bullets = typeof RESOURCE;
export type ResourceBullets = Stated<Bullets>;
export type DerivedField = Rule<Bullets['Derived ']>;
export type SearchRule = ValueOf<typeof SEARCH>;
export type AuditRule = ValueOf<typeof AUDITED>;
export type HoldsRule = Rule<Bullets['Holds']>;
export type OverlapRule = Rule<Bullets['No overlap']>;
