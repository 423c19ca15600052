import { RE2JS } from 're2js';
import { isPattern, matches } from '../../expression/library/patterns.ts';
import { TIME_ZONES } from '../../expression/library/zone-names.ts';
import type { Format } from '../../language/values.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import { patternLength, patternSize } from '../../text/pattern-length.ts';
import { patternNeeds } from '../../text/pattern-needs.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** The time that a value takes grows with its length times this. */
const LARGEST = 1000;

/** A pattern has to be one that the linear-time engine takes, and small when its repetitions are written out. */
export function checkPattern(span: Span, source: string): Finding[] {
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
export function checkPatternFits(span: Span, source: string, format: Format): Finding[] {
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
