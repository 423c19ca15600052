const PLAIN = 'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The characters that Unicode defines as white space, each as an escape. */
const WHITE = [
  ...['0009', '000A', '000B', '000C', '000D', '0020', '0085', '00A0', '1680', '2000', '2001', '2002', '2003', '2004'],
  ...['2005', '2006', '2007', '2008', '2009', '200A', '2028', '2029', '202F', '205F', '3000'],
]
  .map((code) => `\\u${code}`)
  .join('');

/** Replaces each character as the table of letters says; others stay. ASCII text uses SQL’s own function. */
const mapped = (kind: string, ascii: string): string => `(s text) RETURNS text LANGUAGE sql STABLE STRICT AS $$
    SELECT CASE WHEN octet_length(s) = length(s) THEN ${ascii} ELSE (
      SELECT string_agg(coalesce(l.becomes, c.one), '' ORDER BY c.place)
      FROM unnest(string_to_array(s, NULL)) WITH ORDINALITY AS c(one, place)
      LEFT JOIN ninefold_letter l ON l.kind = '${kind}' AND l.letter = c.one COLLATE "C") END $$`;

/** cel-spec’s extension “strings”, and functions of Unicode. Positions count code points, from 0. */
export const TEXT_FUNCTIONS: Readonly<Record<string, string>> = {
  lower_ascii: `(s text) RETURNS text ${PLAIN} AS $$ SELECT translate(s, '${UPPER}', '${LOWER}') $$`,
  upper_ascii: `(s text) RETURNS text ${PLAIN} AS $$ SELECT translate(s, '${LOWER}', '${UPPER}') $$`,
  upper: mapped('upper', `translate(s, '${LOWER}', '${UPPER}')`),
  lower_each: mapped('lower', `translate(s, '${UPPER}', '${LOWER}')`),
  /** A sigma at the end of a word has a lower case of its own (Unicode, “Final_Sigma”). */
  lower: `(s text) RETURNS text LANGUAGE plpgsql STABLE STRICT AS $$
    DECLARE at int; c text[] := string_to_array(s, NULL); len int := cardinality(c); before int; after int;
    BEGIN
      IF strpos(s, U&'\\03A3') = 0 THEN RETURN ninefold_lower_each(s); END IF;
      FOR at IN 1..len LOOP
        CONTINUE WHEN c[at] <> U&'\\03A3';
        before := at - 1;
        WHILE before > 0 AND ninefold_letter_is('ignorable', c[before]) LOOP before := before - 1; END LOOP;
        after := at + 1;
        WHILE after <= len AND ninefold_letter_is('ignorable', c[after]) LOOP after := after + 1; END LOOP;
        IF before > 0 AND (c[before] = U&'\\03C2' OR ninefold_letter_is('cased', c[before]))
          AND NOT (after <= len AND ninefold_letter_is('cased', c[after]))
        THEN c[at] := U&'\\03C2'; END IF;
      END LOOP;
      RETURN ninefold_lower_each(array_to_string(c, ''));
    END $$`,
  letter_is: `(what text, one text) RETURNS boolean LANGUAGE sql STABLE STRICT AS $$
    SELECT EXISTS (SELECT 1 FROM ninefold_letter l WHERE l.kind = what AND l.letter = one COLLATE "C") $$`,
  trim: `(s text) RETURNS text ${PLAIN} AS $$ SELECT btrim(s, E'${WHITE}') $$`,
  /** Replaces each character as the table of letters says, and any character that the table lacks by a hyphen. */
  slug: `(s text) RETURNS text LANGUAGE sql STABLE STRICT AS $$
    SELECT coalesce(btrim(regexp_replace(string_agg(CASE WHEN c.one ~ '[a-z0-9]' THEN c.one
      ELSE coalesce(l.becomes, '-') END, '' ORDER BY c.place), '[^a-z0-9]+', '-', 'g'), '-'), '')
    FROM unnest(string_to_array(s, NULL)) WITH ORDINALITY AS c(one, place)
    LEFT JOIN ninefold_letter l ON l.kind = 'slug' AND l.letter = c.one COLLATE "C" $$`,
  reverse: `(s text) RETURNS text ${PLAIN} AS $$ SELECT reverse(s) $$`,
  /** The length is counted in UTF-16 units, as in JavaScript. */
  bounded: `(s text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN length(s) <= 524288
      OR length(s) + length(regexp_replace(s, '[^\\U00010000-\\U0010FFFF]', '', 'g')) <= 1048576 THEN s END $$`,
  /**
   * Splits a text at a separator into at most `most` parts; a negative number means no limit. An empty separator splits
   * the text into characters; `ends` adds the empty texts at both ends.
   */
  parts: `(s text, by text, most bigint, ends boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE parts text[];
    BEGIN
      IF most = 0 THEN RETURN '{}'; END IF;
      IF by = '' THEN
        parts := CASE WHEN s = '' THEN '{}'::text[] ELSE string_to_array(s, NULL) END;
        IF ends THEN parts := ARRAY[''] || parts || ARRAY['']; END IF;
      ELSE
        parts := CASE WHEN s = '' THEN ARRAY[''] ELSE string_to_array(s, by) END;
      END IF;
      IF most < 0 OR cardinality(parts) <= most THEN RETURN parts; END IF;
      RETURN parts[1:most - 1] || array_to_string(parts[most:], by);
    END $$`,
  replace: `(s text, old text, by text, most bigint DEFAULT -1) RETURNS text ${PLAIN} AS $$
    SELECT ninefold_bounded(array_to_string(
      ninefold_parts(s, old, CASE WHEN most < 0 THEN -1 ELSE most + 1 END, old = ''), by)) $$`,
  split: `(s text, by text, most bigint DEFAULT -1) RETURNS jsonb ${PLAIN} AS $$
    SELECT to_jsonb(ninefold_parts(s, by, most, false)) $$`,
  substring: `(s text, low bigint, high bigint DEFAULT 2147483646) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN low >= length(s) OR high <= greatest(low, 0) THEN ''
      ELSE substr(s, greatest(low, 0)::int + 1, (least(high, length(s)) - greatest(low, 0))::int) END $$`,
  char_at: `(s text, place bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN place < 0 OR place >= length(s) THEN '' ELSE substr(s, place::int + 1, 1) END $$`,
  index_of: `(s text, part text, low bigint DEFAULT 0) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN found = 0 THEN -1 ELSE start + found - 1 END::bigint
    FROM (SELECT start, strpos(substr(s, start + 1), part) AS found
      FROM (SELECT least(greatest(low, 0), length(s))::int AS start) AS a) AS b $$`,
  last_index_of: `(s text, part text, high bigint DEFAULT 2147483646) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN high < 0 OR found = 0 THEN -1 ELSE length(within) - (found - 1) - length(part) END::bigint
    FROM (SELECT within, strpos(reverse(within), reverse(part)) AS found
      FROM (SELECT left(s, (least(greatest(high, 0), length(s)) + length(part))::int) AS within) AS a) AS b $$`,
  /** The pattern has been written anew for PostgreSQL: see \`patterns.ts\`. */
  matches: `(s text, pattern text) RETURNS boolean ${PLAIN} AS $$ SELECT (s COLLATE "C") ~ pattern $$`,
};

type Letter = readonly [kind: string, letter: string, becomes: string];

/** The table of letters: the replacements of each letter, computed by JavaScript’s functions and `slug`. */
export function letters(slug: (text: string) => string): Letter[] {
  const out: Letter[] = [];
  for (let code = 0x80; code < 0x1_1_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    // The skipped planes have no letters with an upper case or an ASCII form, and no marks.
    if (code === 0x2_0000) code = 0xe_0000;
    if (code === 0xe_1000) break;
    const letter = String.fromCodePoint(code);
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== letter) out.push(['lower', letter, lower]);
    if (upper !== letter) out.push(['upper', letter, upper]);
    const ignorable = /\p{Case_Ignorable}/u.test(letter);
    if (ignorable) out.push(['ignorable', letter, '']);
    else if (/\p{Cased}/u.test(letter)) out.push(['cased', letter, '']);
    // Between two letters, a character shows whether it becomes nothing or a hyphen.
    const written = slug(`a${letter}a`).slice(1, -1);
    if (written !== '-') out.push(['slug', letter, written]);
  }
  for (const letter of `${UPPER}${LOWER}`) {
    out.push(['cased', letter, '']);
    if (letter < 'a') out.push(['lower', letter, letter.toLowerCase()], ['slug', letter, letter.toLowerCase()]);
    else out.push(['upper', letter, letter.toUpperCase()]);
  }
  for (const letter of "'.:^`") out.push(['ignorable', letter, '']);
  return out;
}

/** The functions that use the table of letters. */
export const LOOK_LETTERS_UP: ReadonlySet<string> = new Set(['lower', 'upper', 'slug']);
