import { isoDuration, showIsoDuration } from '../expression/values/duration.ts';
import { SCALAR_TYPES, type ScalarType } from '../expression/values/kinds.ts';
import { isMediaType } from '../plan/files.ts';
import { BOUNDED_FORMATS, OPEN_FORMATS } from '../plan/value-forms.ts';
import { language } from '../syntax/messages.ts';
import { type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Span } from '../syntax/span.ts';
import { readDuration } from '../text/units.ts';
import { expected, size } from './common-values.ts';
import {
  checked,
  choice,
  coded,
  constant,
  count,
  either,
  type Grammar,
  implied,
  isNumber,
  led,
  list,
  made,
  maybe,
  name,
  oneOf,
  optional,
  sequence,
  shown,
  type ValueOf,
  where,
  words,
} from './grammar.ts';
import { valueDiagnostics as d } from './value-messages.ts';

/** The deepest nesting of lists, sets and maps. */
const DEEPEST = 4;
const DEEPER = `at most ${DEEPEST} lists, sets or maps, one in another`;

/** The types that are words of the language. */
export const TYPES = SCALAR_TYPES;
const HOLDERS = ['list', 'set', 'map'] as const;

export type FieldType =
  | { readonly kind: ScalarType }
  | { readonly kind: (typeof HOLDERS)[number]; readonly of: FieldType }
  | { readonly kind: 'reference'; readonly resource: Name };

export const FORMAT = either(
  words('none'),
  words('uuid'),
  ...OPEN_FORMATS.map(words),
  ...BOUNDED_FORMATS.map(words),
  words('password'),
  words('secret'),
);
/** A password and a secret are text too; the service keeps only their hashes. */
export type Format = ValueOf<typeof FORMAT>;

const TYPE_FORMS = `${TYPES.map((type) => `“${type}”`).join(', ')}, “list of”, “set of” or “map of” one of these, or a resource`;

/** Reports a word that is no type. The word may be a format: fields have a column for it, and parameters have none. */
const noType = (isOfField: boolean): Grammar<never> => ({
  ...expected(TYPE_FORMS),
  read: (phrase) => {
    const format = FORMAT.samples.find((sample) => sample === phrase.peek()?.text);
    const formatted = isOfField
      ? `with “${format}” in the column “Format”`
      : 'or a field of that format, such as Order.id';
    phrase.fail(format ? `“string”, ${formatted}` : isOfField ? `“bytes”, ${TYPE_FORMS}` : TYPE_FORMS);
    return undefined;
  },
});

const REFERENCE = where(
  (phrase) => /^[A-Z]/.test(phrase.peek()?.text ?? ''),
  sequence({ kind: implied('reference') }, { resource: name('a type', 'Order') }),
);

/** Where lists of references may stand: anywhere in a derived field; a field itself, but nothing in it; nowhere else. */
type Rows = 'anywhere' | 'outermost' | 'nowhere';

/** The type at some depth; `isOfField`: whether a column beside it has the format. */
const typeAt = (depth: number, rows: Rows, isOfField = false): Grammar<FieldType> => {
  if (depth > DEEPEST) return expected(DEEPER);
  const of = typeAt(depth + 1, rows === 'anywhere' ? rows : 'nowhere', isOfField);
  const holder = (kind: (typeof HOLDERS)[number]) => {
    const grammar = sequence({ kind: constant(`${kind} of`, kind) }, { of });
    const mayHold = rows === 'anywhere' || (rows === 'outermost' && kind !== 'map');
    const whole = (value: ValueOf<typeof grammar>, phrase: Phrase) => {
      if (mayHold || value.of.kind !== 'reference') return value;
      const where =
        depth > 0 ? ' within a list, set or map' : rows === 'nowhere' && kind !== 'map' ? ' as a parameter' : '';
      phrase.findings.push(language.report.notYet(phrase.span, { what: `A ${kind} of references${where}` }));
      return undefined;
    };
    return made(grammar, whole, (value) => value, grammar.writes);
  };
  return shown(
    either(
      ...HOLDERS.map(holder),
      ...TYPES.map((kind) => sequence({ kind: words(kind) })),
      REFERENCE,
      noType(isOfField),
    ),
    ...TYPES,
    ...HOLDERS.map((kind) => `${kind} of string`),
    'Order',
  );
};

const isKind = (given: unknown, ...kinds: readonly string[]): boolean =>
  typeof given === 'object' && given !== null && 'kind' in given && kinds.includes(given.kind as string);

/** The type of a parameter or a value of a handler. */
export const TYPE = typeAt(0, 'nowhere');

const FIELD_TYPES = typeAt(0, 'outermost', true);

/** The type of a field, which may be a list or a set of references, or bytes, which a request sends as its body. */
export const FIELD_TYPE = shown(
  either(sequence({ kind: words('bytes') }), FIELD_TYPES),
  ...FIELD_TYPES.samples,
  'bytes',
);

/** The type of a derived field, which may be rows of a resource. */
export const DERIVED_TYPE = shown(typeAt(0, 'anywhere'), 'integer');

export type Allowed =
  | { readonly kind: 'any' }
  | { readonly kind: 'range'; readonly min: number; readonly max: number }
  /** In milliseconds. */
  | { readonly kind: 'durations'; readonly min: number; readonly max: number }
  /** In units of the last of the `scale` digits after the point. */
  | { readonly kind: 'decimals'; readonly min: number; readonly max: number; readonly scale: number }
  | { readonly kind: 'whole minutes' }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  | { readonly kind: 'pattern'; readonly source: string }
  | { readonly kind: 'one of'; readonly values: readonly Name[] }
  /** The media types that bytes may have, and their greatest number; `firstBytes` is null where it is not stated. */
  | {
      readonly kind: 'bytes';
      readonly max: number;
      readonly mediaTypes: readonly Name[];
      readonly firstBytes: 'checked' | 'not checked' | null;
    }
  /** `keys`: what the keys of a map may be. */
  | ({ readonly kind: 'items'; readonly min: number; readonly max: number } & Items);

/** The allowed values of each item, and of each key of a map. Items that are references state none. */
interface Items {
  readonly keys: Allowed | null;
  readonly each: Allowed | null;
}

type Of<K extends Allowed['kind']> = Extract<Allowed, { kind: K }>;

/** `/^[A-Z]{3}$/` */
const PATTERN: Grammar<Of<'pattern'>> = coded({
  role: 'value',
  what: 'a pattern between slashes',
  sample: '/^[A-Z]{3}$/',
  take: (token, phrase) => {
    const [, source] = /^\/(.*)\/$/s.exec(token.text) ?? [];
    if (source !== undefined) return { kind: 'pattern', source };
    phrase.findings.push(d.report.notPattern(token, { found: token.text }));
    return undefined;
  },
  show: ({ source }) => `/${source}/`,
  writes: (given) => isKind(given, 'pattern'),
});

/** One value of an enumeration: a word, or several with single spaces between them. */
const VALUE: Grammar<Name> = {
  ...name('a value', 'low', 'declaration'),
  read: (phrase) => {
    let value = takeName(phrase, 'declaration', 'a value');
    while (value && phrase.peek()?.kind === 'word') {
      const more = takeName(phrase, 'declaration', 'a value');
      value = more && { text: `${value.text} ${more.text}`, from: value.from, to: more.to };
    }
    return value ?? undefined;
  },
};

/** Quotation marks around a value, which would be part of it. */
const QUOTED = /^["'“”„«‘’].*["'“”»‘’]$/;

/** `one of low, high`; after those of keys comes what each item may be. */
const oneOfValues = (stop?: string): Grammar<Of<'one of'>> =>
  checked(sequence({ kind: words('one of') }, { values: list(VALUE, ',', stop) }), ({ values }, { findings }) => {
    refuseRepeats(values, findings);
    for (const value of values)
      if (QUOTED.test(value.text)) findings.push(d.report.valueQuoted(value, { value: value.text.slice(1, -1) }));
  });

/** A bound of its own form; `read` gives undefined for a text of another. */
const bound = <T>(
  what: string,
  sample: string,
  read: (text: string) => T | null,
  print: (value: T) => string,
): Grammar<T> => ({
  read: (phrase) => {
    const value = read(phrase.peek()?.text ?? '');
    if (value !== null && phrase.word('value', what)) return value;
    phrase.fail(what);
    return undefined;
  },
  print,
  writes: () => true,
  samples: [sample],
});

const INTEGER: Grammar<number> = {
  read: (phrase) => phrase.integer('a number') ?? undefined,
  print: String,
  writes: isNumber,
  samples: ['1', '99'],
};
const ISO_8601 = bound('a duration of ISO 8601 in days or less, such as P14D', 'P14D', isoDuration, showIsoDuration);
const DECIMAL = bound('a decimal, such as 999.99, of at most 15 digits', '999.99', decimalOf, showDecimal);

const begins =
  (pattern: RegExp) =>
  (phrase: Phrase): boolean =>
    pattern.test(phrase.peek()?.text ?? '');

function refuseEmpty<T>(phrase: Phrase, min: T, max: T, print: (value: T) => string, unit = ''): void {
  phrase.findings.push(d.report.emptyRange(phrase.span, { min: print(min), max: print(max), unit }));
}

/** `PT0S to P14D` */
const DURATIONS: Grammar<Of<'durations'>> = where(
  begins(/^-?P/),
  checked(
    sequence({ kind: implied('durations') }, { min: ISO_8601 }, 'to', { max: ISO_8601 }),
    ({ min, max }, phrase) => {
      if (max < min) refuseEmpty(phrase, min, max, showIsoDuration);
    },
  ),
);

/** A decimal as a whole number of its last digit. */
interface Decimal {
  readonly units: number;
  readonly scale: number;
}

/** Fifteen digits are exact in every JSON reader. */
function decimalOf(text: string): Decimal | null {
  if (!/^-?(?:0|[1-9]\d*)\.\d+$/.test(text)) return null;
  const digits = text.replace(/[-.]/g, '');
  if (digits.replace(/^0+/, '').length > 15) return null;
  const scale = text.length - text.indexOf('.') - 1;
  return { units: text.startsWith('-') ? 0 - Number(digits) : Number(digits), scale };
}

function showDecimal({ units, scale }: Decimal): string {
  const digits = `${Math.abs(units)}`.padStart(scale + 1, '0');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** `0.00 to 999.99`: as many digits after each point as the values have. */
const DECIMALS: Grammar<Of<'decimals'>> = where(
  begins(/^-?\d+\.\d/),
  made(
    sequence({ least: DECIMAL }, 'to', { most: DECIMAL }),
    ({ least, most }, phrase) => {
      if (least.scale !== most.scale) {
        phrase.findings.push(d.report.decimalScale(phrase.span, { what: 'These bounds' }));
        return undefined;
      }
      if (most.units < least.units) refuseEmpty(phrase, least, most, showDecimal);
      return { kind: 'decimals', min: least.units, max: most.units, scale: most.scale };
    },
    ({ min, max, scale }) => ({ least: { units: min, scale }, most: { units: max, scale } }),
    (given) => isKind(given, 'decimals'),
  ),
);

const SIZE = size('10 MiB');
const UNITS_OF_BYTES: readonly string[] = ['B', 'KiB', 'MiB', 'kB', 'MB'];

/** Whether `at most` and a number with a unit of bytes begin here, such as `at most 10 MiB`. */
const beginsBytes = (phrase: Phrase): boolean =>
  phrase.peek()?.text === 'at' &&
  phrase.peek(1)?.text === 'most' &&
  UNITS_OF_BYTES.includes(phrase.peek(3)?.text ?? '');

/** `image/png` */
function readMediaType(phrase: Phrase): Name | undefined {
  const token = phrase.word('value', 'a media type, such as image/png');
  if (!token) return undefined;
  if (!isMediaType(token.text)) phrase.findings.push(d.report.notMediaType(token, { found: token.text }));
  return { text: token.text, from: token.from, to: token.to };
}

const FIRST_BYTES = choice({ checked: 'first bytes checked', 'not checked': 'first bytes not checked' });

/** `at most 10 MiB, image/png, image/jpeg, first bytes checked` */
const BYTES: Grammar<Of<'bytes'>> = where<Of<'bytes'>>(beginsBytes, {
  read: (phrase) => {
    if (!phrase.expect('at most')) return undefined;
    const max = SIZE.read(phrase);
    if (max === undefined) return undefined;
    const mediaTypes: Name[] = [];
    let firstBytes: Of<'bytes'>['firstBytes'] = null;
    while (phrase.mark(',')) {
      if (firstBytes !== null) phrase.fail('nothing after “first bytes checked” or “first bytes not checked”');
      if (phrase.peek()?.text === 'first') firstBytes = FIRST_BYTES.read(phrase) ?? null;
      else {
        const one = readMediaType(phrase);
        if (one) mediaTypes.push(one);
      }
      if (phrase.failed) return undefined;
    }
    refuseRepeats(mediaTypes, phrase.findings);
    return { kind: 'bytes', max, mediaTypes, firstBytes };
  },
  print: ({ max, mediaTypes, firstBytes }) =>
    [
      `at most ${SIZE.print(max)}`,
      ...mediaTypes.map(({ text }) => text),
      ...(firstBytes === null ? [] : [FIRST_BYTES.print(firstBytes)]),
    ].join(', '),
  writes: (given) => isKind(given, 'bytes'),
  samples: ['at most 10 MiB, image/png, image/jpeg, first bytes checked'],
});

/** A thousand years. */
const LONGEST_BOUND_MS = 365_000 * 86_400_000;

/** A bound such as `5m` or `5 minutes`: its last token, and the same in the form of ISO 8601. */
function durationElsewhere(
  phrase: Phrase,
): { readonly span: Span; readonly found: string; readonly write: string } | null {
  const [first, second] = [phrase.peek(), phrase.peek(1)];
  for (const last of [second, first]) {
    if (!first || !last) continue;
    const found = last === first ? first.text : `${first.text} ${last.text}`;
    const milliseconds = readDuration(found, LONGEST_BOUND_MS);
    if (milliseconds !== null)
      return { span: { from: first.from, to: last.to }, found, write: showIsoDuration(milliseconds) };
  }
  return null;
}

/** Reports a bound of a duration that is not in the form of ISO 8601. */
const DURATION_ELSEWHERE: Grammar<never> = where((phrase) => durationElsewhere(phrase) !== null, {
  ...expected(''),
  read: (phrase) => {
    const { span, ...params } = durationElsewhere(phrase)!;
    phrase.refuse(d.report.durationBound(span, params));
    return undefined;
  },
});

type Sized = Of<'range' | 'length' | 'items'>;

/** Bounds, and their unit: characters, or items with the allowed values of each; null for numbers. */
const sized = (min: number, max: number, of: 'characters' | Items | null): Sized => {
  if (of === null) return { kind: 'range', min, max };
  return of === 'characters' ? { kind: 'length', min, max } : { kind: 'items', min, max, ...of };
};

const counted = (value: Sized): 'characters' | Items | null => {
  if (value.kind === 'items') return { keys: value.keys, each: value.each };
  return value.kind === 'length' ? 'characters' : null;
};

function refuseBounds(phrase: Phrase, min: number, max: number, of: 'characters' | Items | null): void {
  const unit = typeof of === 'object' ? of && 'items' : of;
  if (unit && (min < 0 || max < 1)) phrase.findings.push(d.report.emptyLength(phrase.span, { unit }));
  else if (max < min) refuseEmpty(phrase, min, max, String, unit ? ` ${unit}` : '');
}

/** Allowed values at some depth; after those of keys comes `, each`. */
const allowedAt = (depth: number, isOfKeys = false): Grammar<Allowed> => {
  const items =
    depth === DEEPEST
      ? expected<Items>(DEEPER)
      : sequence(
          { keys: optional(', keys', allowedAt(depth + 1, true)) },
          { each: optional(', each', allowedAt(depth + 1)) },
        );
  const unit = either(words('characters'), led('items', items));
  const atMost = made(
    sequence('at most', { max: count('a number', '200') }, { of: unit }),
    ({ max, of }) => sized(0, max, of),
    (value) => ({ max: value.max, of: counted(value)! }),
    (given) => isKind(given, 'length', 'items') && (given as Sized).min === 0,
  );
  const range = made(
    sequence({ min: INTEGER }, 'to', { max: INTEGER }, { of: maybe(unit) }),
    ({ min, max, of }, phrase) => {
      refuseBounds(phrase, min, max, of);
      return sized(min, max, of);
    },
    (value) => ({ min: value.min, max: value.max, of: counted(value) }),
    (given) => isKind(given, 'range', 'length', 'items'),
  );
  const grammar = either(
    sequence({ kind: words('any') }),
    sequence({ kind: led('whole', constant('minutes', 'whole minutes')) }),
    PATTERN,
    oneOfValues(isOfKeys ? 'each' : undefined),
    ...(depth === 0 ? [BYTES] : []),
    atMost,
    DURATIONS,
    DECIMALS,
    DURATION_ELSEWHERE,
    where(begins(/^-?\d/), range),
    expected(ALLOWED_FORMS),
  );
  return shown(grammar, ...ALLOWED_SAMPLES);
};

const ALLOWED_FORMS =
  '“any”, “one of” and values, bounds such as “1 to 100”, “1 to 80 characters”, “at most 20 items, each …” or “at most 10 MiB, image/png, …”, “whole minutes”, or a pattern between slashes in inline code';

const ALLOWED_SAMPLES = [
  'any',
  '1 to 99',
  'at most 200 characters',
  '1 to 50 characters',
  '`/^[A-Z]{3}$/`',
  'one of low, high',
  '1 to 20 items, each 1 to 50 characters',
  'at most 5 items, keys at most 20 characters, each at most 80 characters',
  'whole minutes',
  ...BYTES.samples,
] as const;

/** The allowed values of a field, a parameter or a value of a handler. Numbers are whole, decimal or durations. */
export const ALLOWED = allowedAt(0);

/** Whether a field, a parameter or a value of a handler may be absent. */
export const PRESENCE = oneOf('always', 'optional');
