import { CONDITIONS } from '../plan/conditions.ts';
import { language } from '../syntax/messages.ts';
import { type Located, type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import { freeText, unless, word } from './common-values.ts';
import {
  code,
  constant,
  either,
  type Grammar,
  implied,
  integer,
  list,
  made,
  name,
  oneOf,
  optional,
  quoted,
  sequence,
  shown,
  type ValueOf,
  words,
} from './grammar.ts';
import type { BulletStatements, ColumnStatements } from './statement.ts';

const PAYLOADS =
  '“RFC 9457” (problem details, which replaces RFC 7807), “none”, or the name of a payload that a table under “Errors” declares, such as “Failure” for the column “Payload Failure”';

/** Reports a standard or a media type, which was not meant as the name of a payload. */
const refusesName = (phrase: Phrase): boolean => {
  const [first, second] = [phrase.peek(), phrase.peek(1)];
  const other = /^RFC-?\d+$|\//i.test(first?.text ?? '') || (second?.kind === 'word' && second.text !== 'as');
  return other && !phrase.fail(PAYLOADS);
};

/** The form of errors: a standard's, by a table of the document's own, or their status alone. */
const PAYLOAD = either(
  sequence(
    { kind: words('RFC 9457') },
    {
      type: optional(
        ', type',
        code(
          'value',
          'a URI with `{code}` in it, or `about:blank`, in inline code',
          'https://orders.example/problems/{code}',
        ),
      ),
    },
  ),
  sequence({ kind: words('none') }),
  sequence(
    { kind: implied('table') },
    { name: unless(name(PAYLOADS, 'Failure'), refusesName) },
    { mediaType: optional('as', code('value', 'a media type in inline code', 'application/vnd.example+json')) },
  ),
);

/**
 * A heading of several words is one name. Of words that are no heading, the last is the value, and the others are the
 * name.
 */
const column = (headings: readonly string[]): Grammar<Name> => ({
  read: (phrase) => {
    const words: string[] = [];
    for (let next = phrase.peek(); next?.kind === 'word'; next = phrase.peek(words.length)) words.push(next.text);
    const known = words.map((_, i) => i + 1).findLast((count) => headings.includes(words.slice(0, count).join(' ')));
    const what = 'a column of the errors';
    const count = known ?? words.length - 1;
    return (count > 1 ? phrase.several(count, 'use', what) : takeName(phrase, 'use', what)) ?? undefined;
  },
  print: ({ text }) => text,
  writes: (given) => typeof given === 'object',
  samples: ['Field', 'Kind'],
});

/** `Field none, Help page general`: what blank cells of further columns mean; `headings` are those of the table. */
export const blanks = (headings: readonly string[]) =>
  made(
    list(
      sequence(
        { column: column(headings) },
        { value: either(constant('none', null), word('“none”, or a value', 'general')) },
      ),
    ),
    (all, { findings }) => {
      const columns = all.map((one) => one.column);
      refuseRepeats(columns, findings, 'What a blank cell means under ');
      return all;
    },
    (all) => all,
    Array.isArray,
  );
/** The meaning of the blank cells of a further column. */
export type Blank = ValueOf<ReturnType<typeof blanks>>[number];

/** The bullets of `## Errors`. */
export const ERRORS = {
  Payload: { member: 'payload', value: PAYLOAD },
  Conditions: { member: 'common', value: oneOf('Ninefold common 1') },
  'Blank cells': { member: 'blanks', value: shown(blanks([]), 'Field none, Kind general') },
} as const satisfies BulletStatements;

/** Causes by which a code is raised, the most common first. */
const RAISED_BY = ['a step says so', 'a rule says so', ...CONDITIONS] as const;
type Raised = Located<(typeof RAISED_BY)[number]>;

/** `a step says so, invalid request`: causes, each once. Causes before a mistake count. */
const WHEN: Grammar<readonly Raised[]> = {
  read: (phrase) => {
    const out: Raised[] = [];
    do {
      const from = phrase.peek()?.from ?? phrase.text.from;
      const value = phrase.choose(RAISED_BY, RAISED_BY.map((one) => `“${one}”`).join(', '));
      if (!value) return out;
      const one = { value, from, to: phrase.peek()?.from ?? phrase.text.to };
      if (out.some((other) => other.value === value))
        phrase.findings.push(language.report.twice(one, { what: `“${value}”` }));
      out.push(one);
    } while (phrase.mark(','));
    return out;
  },
  print: (all) => all.map(({ value }) => value).join(', '),
  writes: Array.isArray,
  samples: ['a step says so, a rule says so', 'invalid request'],
};

/** The table of errors, without the columns of the document's own. */
export const ERROR = {
  Code: {
    member: 'code',
    value: name('an error code', 'order_not_found', 'declaration'),
    blank: 'a name for the error, such as order_not_found',
  },
  Status: { member: 'status', value: integer('a status code', '404'), blank: 'a status from 400 to 599' },
  When: {
    member: 'when',
    value: WHEN,
    blank: 'the conditions that raise the error, “a step says so” or “a rule says so”',
  },
  Title: { member: 'title', value: freeText, blank: 'one sentence for people' },
} as const satisfies ColumnStatements;

/** The cell of a column of the document's own: a text, or `none` alone. */
export const MORE: Grammar<string | null> = {
  ...freeText,
  read: (phrase) => (phrase.tokens.length === 1 && phrase.take('none') ? null : phrase.rest()),
  print: (text) => text ?? 'none',
};

/** The cell of the column `Type` of problem details: the type of one code. */
export const PROBLEM_TYPE: Grammar<string | null> = {
  ...quoted('a URI in inline code', 'https://orders.example/out-of-stock'),
  print: (type) => (type === null ? '' : `\`${type}\``),
};

const plain = <const T extends string>(type: T) => sequence({ type: words(type) }, { kind: implied('plain') });

/** The type of a member: text, numbers, booleans or another table; one value, a list, or a map of lists. */
const MEMBER_TYPE = sequence(
  {
    many: either(constant('map of list of', 'map of list'), constant('list of', 'list'), implied('one')),
  },
  {
    of: either(
      plain('string'),
      plain('integer'),
      plain('boolean'),
      sequence(
        { kind: implied('payload') },
        {
          name: unless(
            name('a type', 'Problem'),
            (phrase) => !/^[A-Z]/.test(phrase.peek()?.text ?? '') && !phrase.fail('the name of a payload'),
          ),
        },
      ),
    ),
  },
);
export type MemberType = ValueOf<typeof MEMBER_TYPE>;

const EXPRESSION = 'an expression in inline code';

/** A value for each fault, under a key where the member is a map. */
const EACH = sequence(
  { value: code('expression', EXPRESSION, 'fault.message') },
  { key: optional('by', code('expression', EXPRESSION, 'fault.field')) },
);
export type EachValue = ValueOf<typeof EACH>;

/** The expression of a member; `otherwise` is its one value where no single field is at fault. */
const MEMBER_VALUE = either(
  sequence({ kind: words('each') }, EACH, { otherwise: optional(', else', EACH) }),
  sequence({ kind: implied('one') }, { value: code('expression', `${EXPRESSION}, or each and one`, 'error.title') }),
);

/** `| Payload Failure | Type | Value |`: the columns of a payload, of which the first names it. */
export const PAYLOAD_MEMBER = {
  Member: {
    member: 'name',
    value: name('the name of a member', 'message', 'declaration'),
    blank: 'the name of a member',
  },
  Type: {
    member: 'type',
    value: shown(MEMBER_TYPE, 'string', 'list of integer', 'map of list of boolean', 'Problem'),
    blank: '“string”, “integer”, “boolean”, another payload, or “list of” one of these',
  },
  Value: {
    member: 'value',
    value: shown(
      MEMBER_VALUE,
      '`error.title`',
      'each `fault.message`',
      'each `fault.message` by `fault.field`, else `error.title` by `error.code`',
    ),
    blank: 'an expression in inline code, such as `error.title`',
  },
} as const satisfies ColumnStatements;
