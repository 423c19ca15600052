import { RE2JS } from 're2js';
import { isPattern, matches } from '../../expression/library/patterns.ts';
import { TIME_ZONES } from '../../expression/library/zone-names.ts';
import { article } from '../../expression/tree/types.ts';
import type { Allowed, FieldType, Format } from '../../language/values.ts';
import { BOUNDED_FORMATS, type TextFormat } from '../../plan/value-forms.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import { patternLength, patternNeeds, patternSize } from '../../text/patterns.ts';
import { listed } from '../../text/suggest.ts';
import { FORMATS } from '../../validation/formats.ts';
import { fitting } from '../document/field-types.ts';
import type { Parameter } from '../statements/endpoints.ts';
import type { Field } from '../statements/resources.ts';
import { isHashed } from './check-passwords.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** Allowed values as they are written. */
export const ALLOWED: Readonly<Record<Allowed['kind'], string>> = {
  any: 'any',
  range: 'N to M',
  durations: 'N to M in durations',
  decimals: 'N to M in decimals',
  'whole minutes': 'whole minutes',
  length: '… characters',
  pattern: '/pattern/',
  'one of': 'one of …',
  bytes: 'at most 10 MiB, image/png, first bytes checked',
  items: '… items, each …',
};

/** The formats whose standard limits the length of their text. */
const BOUNDED: readonly Format[] = ['uuid', ...BOUNDED_FORMATS];

/** The kinds of a type and of its items, for the rules of the part. */
export function kindsOf(type: FieldType | undefined): string[] {
  if (!type) return [];
  return 'of' in type ? [type.kind, ...kindsOf(type.of)] : [type.kind];
}

/** The type of the items of a list, set or map, at any depth; any other type is returned unchanged. */
export const innermost = (type: FieldType): FieldType => ('of' in type ? innermost(type.of) : type);

/**
 * The kinds of a parameter’s type and of its items; none for a parameter typed as a field, which has the kinds of the
 * field.
 */
export const kindsOfParameter = ({ type }: Parameter): string[] =>
  type?.value.kind === 'plain' ? kindsOf(type.value.type) : [];

/** Checks that the format and the allowed values of a field or a parameter fit its type; a sequence needs no bounds. */
export function checkBounds(
  field: Pick<Field, 'name' | 'type' | 'format' | 'allowed' | 'givenBy'>,
  path: string,
): Finding[] {
  const { type, format, allowed, givenBy } = field;
  if (!type || !format || !allowed) return [];
  const numbered = givenBy?.value.some((giving) => giving.from === 'sequence') && allowed.value.kind === 'any';
  const out = numbered ? [] : boundsOf(type.value, format, allowed, field.name, path);
  const { kind } = innermost(type.value);
  const single = !isHashed({ format }) || !('of' in type.value);
  if ((kind !== 'string' && format.value !== 'none') || !single)
    out.push(
      d.report.formatOfType(format, { format: format.value, field: itemPath(path, type.value), type: described(kind) }),
    );
  return out;
}

function boundsOf(
  type: FieldType,
  format: Located<Format>,
  allowed: Located<Allowed>,
  at: Span,
  path: string,
): Finding[] {
  const { kind } = type;
  const fits: ReadonlyArray<Allowed['kind']> = kind === 'string' && format.value === 'uuid' ? ['any'] : fitting(kind);
  const { value } = allowed;
  if (!fits.includes(value.kind))
    return [
      d.report.allowedOfType(allowed, {
        allowed: ALLOWED[value.kind],
        field: path,
        type: described(kind),
        fits: listed(fits.map((one) => `“${ALLOWED[one]}”`)),
      }),
    ];
  if (value.kind === 'one of' && format.value in FORMATS) {
    const { test } = FORMATS[format.value as TextFormat];
    return value.values
      .filter((one) => !test(one.text))
      .map((one) => d.report.valueOfFormat(one, { value: one.text, field: path, format: format.value }));
  }
  const shortest = kind === 'string' ? SHORTEST[format.value] : undefined;
  if (value.kind === 'length' && shortest !== undefined && value.max < shortest)
    return [d.report.lengthOfFormat(allowed, { field: path, format: format.value, shortest: `${shortest}` })];
  if (value.kind === 'pattern') {
    const wrong = checkPattern(allowed, value.source);
    return wrong.length ? wrong : checkPatternFits(allowed, value.source, format.value);
  }
  if (kind === 'decimal' && value.kind === 'range') return [d.report.decimalScale(allowed, { what: 'These bounds' })];
  if (value.kind === 'items' && 'of' in type) {
    const different = kind === 'set' ? differentValues(type.of, value.each) : null;
    if (different !== null && different < value.min)
      return [d.report.setBeyond(allowed, { field: path, min: `${value.min}`, different: `${different}` })];
    const keys = keysOf(kind, value.keys, allowed, at, path);
    return [...keys, ...eachOf(type, format, { ...allowed, value: value.each }, at, path)];
  }
  if (value.kind !== 'any') return [];
  if ('of' in type)
    return [(type.of.kind === 'reference' ? d.report.itemCount : d.report.itemBounds)(at, { field: path })];
  if (kind === 'string' && !BOUNDED.includes(format.value)) return [d.report.stringBound(at, { field: path })];
  if (kind === 'decimal') return [d.report.decimalScale(at, { what: path })];
  return kind === 'integer' ? [d.report.integerBounds(at, { field: path })] : [];
}

/** Each item of a list, set or map states its allowed values, except a reference, which has none. */
function eachOf(
  type: Extract<FieldType, { of: FieldType }>,
  format: Located<Format>,
  each: Located<Allowed | null>,
  at: Span,
  path: string,
): Finding[] {
  const { value } = each;
  if (type.of.kind === 'reference') return value ? [d.report.eachOfReferences(each, { field: path })] : [];
  if (!value) return [d.report.itemBounds(at, { field: path })];
  return boundsOf(type.of, format, { ...each, value }, at, itemPath(path, type));
}

/** The characters of the shortest text of a format, as in `a@b` and `::`. */
const SHORTEST: Readonly<Partial<Record<Format, number>>> = { email: 3, ipv4: 7, ipv6: 2 };

/** The number of different values that the items of a set can have; null if it is large or unknown. */
function differentValues(type: FieldType, each: Allowed | null): number | null {
  if (type.kind === 'boolean') return 2;
  if (each?.kind === 'range') return each.max - each.min + 1;
  return each?.kind === 'one of' ? each.values.length : null;
}

/** The keys of a map are text without a format, and nothing else has any. */
function keysOf(kind: string, keys: Allowed | null, allowed: Located<Allowed>, at: Span, path: string): Finding[] {
  if (kind !== 'map') return keys ? [d.report.keysOfNone(allowed, { field: path })] : [];
  if (!keys) return [d.report.keyBounds(at, { field: path })];
  const none = { ...allowed, value: 'none' as const };
  return boundsOf({ kind: 'string' }, none, { ...allowed, value: keys }, at, `a key of ${path}`);
}

/** How messages call the items of a list, and anything else by its own name. */
const itemPath = (path: string, type: FieldType): string => ('of' in type ? `each item of ${path}` : path);

const described = (kind: string): string => `${article(kind)} ${kind}`;

/** The time that a value takes grows with its length times this. */
const LARGEST = 1000;

/** A pattern has to be one that the linear-time engine takes, and small when its repetitions are written out. */
function checkPattern(span: Span, source: string): Finding[] {
  const size = patternSize(source);
  if (size > LARGEST) return [d.report.patternSize(span, { size: `${size}`, most: `${LARGEST}` })];
  try {
    RE2JS.compile(source);
    return [];
  } catch (error) {
    return [d.report.badPattern(span, { reason: (error as Error).message })];
  }
}

/** The least and the greatest length of the texts of a format, and their characters, all of them printable ASCII. */
interface Form {
  readonly least: number;
  readonly most: number;
  readonly characters: RegExp;
}

const FORMS: Readonly<Partial<Record<Format, Form>>> = {
  email: { least: 3, most: Number.POSITIVE_INFINITY, characters: /[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~@-]/ },
  uri: { least: 2, most: Number.POSITIVE_INFINITY, characters: /[a-zA-Z0-9._~:/?#[\]@!$&'()*+,;=%-]/ },
  hostname: { least: 1, most: 253, characters: /[a-zA-Z0-9.-]/ },
  ipv4: { least: 7, most: 15, characters: /[0-9.]/ },
  ipv6: { least: 2, most: 45, characters: /[0-9a-fA-F:.]/ },
};

const PRINTABLE: readonly string[] = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i));

/** Reports a pattern that no text matches, or no text of the format. */
function checkPatternFits(span: Span, source: string, format: Format): Finding[] {
  const needs = patternNeeds(source);
  if (needs?.possible === false)
    return [d.report.patternNever(span, { what: 'text', reason: '“^” is the start of a text, and “$” its end' })];
  const reason = needs && reasonAgainst(source, needs, format);
  return reason ? [d.report.patternNever(span, { what: `text of the format ${format}`, reason })] : [];
}

/** Why no text of a format matches a pattern; null where one may. */
function reasonAgainst(
  source: string,
  { least, atoms }: { readonly least: number; readonly atoms: readonly string[] },
  format: Format,
): string | null {
  if (format === 'time zone')
    return [...TIME_ZONES].some((zone) => matches(zone, source)) ? null : 'none of the names of time zones does';
  const form = FORMS[format];
  if (!form) return null;
  if (least > form.most) return `such a text has at most ${form.most} characters, and a match at least ${least}`;
  const most = patternLength(source);
  if (most !== null && most < form.least)
    return `such a text has at least ${form.least} characters, and a match at most ${most}`;
  const known = PRINTABLE.filter((character) => form.characters.test(character));
  const strange = [...new Set(atoms)].find((atom) => {
    const alone = `^(?:${atom})$`;
    return isPattern(alone) && !known.some((character) => matches(character, alone));
  });
  return strange === undefined ? null : `such a text has no character like “${strange}”`;
}
