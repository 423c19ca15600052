import { COST_OF_WORDS } from './search.ts';
import { TEXT_FUNCTIONS } from './texts.ts';
import { TIME_FUNCTIONS } from './times.ts';

const PLAIN = 'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE';

const items = (alias: string, list = 'list'): string =>
  `jsonb_array_elements(${list}) WITH ORDINALITY AS ${alias}(value, key)`;
/** Sorts numbers by value, strings by code point, and false before true. The sort is stable. */
const sorted = (direction = ''): string =>
  `CASE WHEN jsonb_typeof(i.value) = 'number' THEN (i.value #>> '{}')::numeric END${direction},
      (i.value #>> '{}') COLLATE "C"${direction}, i.key`;
const all = (order: string): string =>
  `(list jsonb) RETURNS jsonb ${PLAIN} AS $$
    SELECT coalesce(jsonb_agg(i.value ORDER BY ${order}), '[]'::jsonb) FROM ${items('i')} $$`;
const one = (order: string): string =>
  `(list jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT i.value FROM ${items('i')} ORDER BY ${order} LIMIT 1 $$`;

/** cel-spec’s extension “lists”, and what lists and maps are compared with. They are JSON. */
const LIST_FUNCTIONS: Readonly<Record<string, string>> = {
  list_plus: `(a jsonb, b jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT a || b $$`,
  map_size: `(map jsonb) RETURNS bigint ${PLAIN} AS $$ SELECT count(*) FROM jsonb_object_keys(map) $$`,
  map_has: `(map jsonb, key text) RETURNS boolean ${PLAIN} AS $$ SELECT jsonb_exists(map, key) $$`,
  /** Compares null like any other value. */
  same: `(a jsonb, b jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT a IS NOT DISTINCT FROM b $$`,
  alike: `(a jsonb, b jsonb) RETURNS boolean ${PLAIN} AS $$ SELECT a = b $$`,
  known: `(items jsonb) RETURNS jsonb ${PLAIN} AS $$
    SELECT CASE WHEN NOT CASE WHEN jsonb_typeof(items) = 'array' THEN items @> 'null'
      ELSE EXISTS (SELECT 1 FROM jsonb_each(items) AS e WHERE e.value = 'null') END THEN items END $$`,
  list_sum: `(list jsonb) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN ninefold_known(list) IS NOT NULL
      THEN ninefold_exact(coalesce(sum((i.value #>> '{}')::numeric), 0)) END FROM ${items('i')} $$`,
  list_has: `(list jsonb, item jsonb) RETURNS boolean ${PLAIN} AS $$
    SELECT EXISTS (SELECT 1 FROM ${items('i')} WHERE i.value = item) $$`,
  list_distinct: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$
    SELECT coalesce(jsonb_agg(d.value ORDER BY d.key), '[]'::jsonb)
    FROM (SELECT i.value, min(i.key) AS key FROM ${items('i')} GROUP BY i.value) AS d $$`,
  list_reverse: all('i.key DESC'),
  list_sort: all(sorted()),
  list_first: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT list -> 0 $$`,
  list_last: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT list -> -1 $$`,
  list_min: one(sorted()),
  list_max: one(sorted(' DESC')),
  list_slice: `(list jsonb, low bigint, high bigint) RETURNS jsonb ${PLAIN} AS $$
    SELECT coalesce(jsonb_agg(i.value ORDER BY i.key), '[]'::jsonb) FROM ${items('i')} WHERE i.key > low AND i.key <= high $$`,
  list_flatten: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$
    SELECT coalesce(jsonb_agg(i.value ORDER BY l.key, i.key), '[]'::jsonb)
    FROM ${items('l')}, ${items('i', 'l.value')} $$`,
  list_item: `(list jsonb, place bigint) RETURNS jsonb ${PLAIN} AS $$
    SELECT CASE WHEN place >= 0 AND place < 2147483647 THEN list -> place::int END $$`,
  map_item: `(map jsonb, key text) RETURNS jsonb ${PLAIN} AS $$ SELECT map -> key $$`,
  map_keys: `(map jsonb) RETURNS jsonb ${PLAIN} AS $$
    SELECT coalesce(jsonb_agg(k ORDER BY k COLLATE "C"), '[]'::jsonb) FROM jsonb_object_keys(map) AS k $$`,
  join: `(list jsonb, between_them text DEFAULT '') RETURNS text ${PLAIN} AS $$
    SELECT ninefold_bounded(coalesce(string_agg(i.value #>> '{}', between_them ORDER BY i.key), '')) FROM ${items('i')} $$`,
};

/** Functions that round to an integer and to a number of decimal places, by the rule `rounds`. */
function rounding(name: string, rounds: string): Record<string, string> {
  const to = `ninefold_math_${name}_to`;
  return {
    [`math_${name}`]: `(units bigint, has bigint) RETURNS bigint ${PLAIN} AS $$ SELECT ${to}(units, 0, has) $$`,
    [`math_${name}_to`]: `(units bigint, places bigint, has bigint) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN places >= has THEN ninefold_exact(units * power(10::numeric, places - has))
      ELSE (SELECT (${rounds})::bigint FROM (SELECT units::numeric AS n, power(10::numeric, has - places) AS size) AS of) END $$`,
  };
}

const cut = 'abs(n % size)';
const whole = 'div(n, size)';

/** cel-spec’s extension “math”, and conversions of and to numbers. */
const NUMBER_FUNCTIONS: Readonly<Record<string, string>> = {
  exact: `(number numeric) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN abs(number) <= 9007199254740991 THEN number::bigint END $$`,
  math_abs: `(n bigint) RETURNS bigint ${PLAIN} AS $$ SELECT abs(n) $$`,
  math_sign: `(n bigint) RETURNS bigint ${PLAIN} AS $$ SELECT sign(n)::bigint $$`,
  math_divide: `(units bigint, by bigint, places bigint, has bigint, by_has bigint) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN by <> 0 THEN ninefold_exact((
      SELECT CASE WHEN (units < 0) = (by < 0) THEN 1 ELSE -1 END * div(2 * n + d, 2 * d)
      FROM (SELECT abs(units::numeric) * power(10::numeric, greatest(places + by_has - has, 0)) AS n,
        abs(by::numeric) * power(10::numeric, greatest(has - places - by_has, 0)) AS d) AS of)) END $$`,
  math_greatest: `(VARIADIC n bigint[]) RETURNS bigint ${PLAIN} AS $$ SELECT max(one) FROM unnest(n) AS one $$`,
  math_least: `(VARIADIC n bigint[]) RETURNS bigint ${PLAIN} AS $$ SELECT min(one) FROM unnest(n) AS one $$`,
  math_greatest_of: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT ninefold_list_max(list) $$`,
  math_least_of: `(list jsonb) RETURNS jsonb ${PLAIN} AS $$ SELECT ninefold_list_min(list) $$`,
  ...rounding('round', `${whole} + CASE WHEN ${cut} * 2 >= size THEN sign(n) ELSE 0 END`),
  ...rounding(
    'round_even',
    `${whole} + CASE WHEN ${cut} * 2 > size OR (${cut} * 2 = size AND abs(${whole}) % 2 = 1) THEN sign(n) ELSE 0 END`,
  ),
  ...rounding('trunc', whole),
  ...rounding('ceil', `${whole} + CASE WHEN n > 0 AND ${cut} > 0 THEN 1 ELSE 0 END`),
  ...rounding('floor', `${whole} - CASE WHEN n < 0 AND ${cut} > 0 THEN 1 ELSE 0 END`),
  bool: `(b boolean) RETURNS boolean ${PLAIN} AS $$ SELECT b $$`,
  bool_of_text: `(s text) RETURNS boolean ${PLAIN} AS $$
    SELECT CASE WHEN s IN ('true', 'True', 'TRUE', 't', '1') THEN true
      WHEN s IN ('false', 'False', 'FALSE', 'f', '0') THEN false END $$`,
  int: `(n bigint) RETURNS bigint ${PLAIN} AS $$ SELECT n $$`,
  int_of_text: `(s text) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN s ~ '^-?[0-9]{1,40}$' THEN
      CASE WHEN abs(s::numeric) <= 9007199254740991 THEN s::numeric::bigint END END $$`,
  int_of_timestamp: `(instant bigint) RETURNS bigint ${PLAIN} AS $$ SELECT ninefold_floor(instant, 1000) $$`,
  int_of_decimal: `(units bigint, scale bigint) RETURNS bigint ${PLAIN} AS $$
    SELECT div(units::numeric, power(10::numeric, scale))::bigint $$`,
  string: `(s text) RETURNS text ${PLAIN} AS $$ SELECT s $$`,
  string_of_integer: `(n bigint) RETURNS text ${PLAIN} AS $$ SELECT n::text $$`,
  string_of_boolean: `(b boolean) RETURNS text ${PLAIN} AS $$ SELECT CASE WHEN b THEN 'true' ELSE 'false' END $$`,
  string_of_decimal: `(units bigint, scale bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN scale = 0 THEN units::text ELSE (CASE WHEN units < 0 THEN '-' ELSE '' END)
      || (abs(units) / (10::numeric ^ scale)::bigint)::text || '.'
      || lpad((abs(units) % (10::numeric ^ scale)::bigint)::text, scale::int, '0') END $$`,
  /** Divided by, rounded down. */
  floor: `(a bigint, b bigint) RETURNS bigint ${PLAIN} AS $$ SELECT (a - ((a % b) + b) % b) / b $$`,
};

/** The name of a function of expressions in PostgreSQL. */
export const functionName = (id: string): string => `ninefold_${id}`;

/**
 * The functions of expressions, with the semantics of their JavaScript versions (`expression/library/`): parameters,
 * result type and body. Functions are not called with null, except where they say so.
 */
const FUNCTIONS: Readonly<Record<string, string>> = {
  uuid: `(s text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN s ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN s::uuid END $$`,
  /** The digest of text in UTF-8, the encoding of all databases here. It depends on the text alone. */
  digest: `(s text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT sha256(convert_to(s, 'UTF8')) $$`,
  /** Says what the words of a row cost; in a language whose functions are never unfolded, since the cost would be too. */
  [COST_OF_WORDS]:
    '(place tid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 4000 AS $$ BEGIN RETURN true; END $$',
  ...NUMBER_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...TIME_FUNCTIONS,
};

/** Whether PostgreSQL has an implementation of a function. */
export const hasFunction = (id: string): boolean => Object.hasOwn(FUNCTIONS, id);

/** The statements that create functions, each after the functions that it calls. */
export function functionStatements(ids: Iterable<string>): Map<string, string> {
  const out = new Map<string, string>();
  const add = (id: string): void => {
    const definition = FUNCTIONS[id];
    if (definition === undefined || out.has(id)) return;
    for (const [, called] of definition.matchAll(/\bninefold_(\w+)\(/g)) if (called !== id) add(called!);
    out.set(id, `CREATE OR REPLACE FUNCTION ${functionName(id)}${definition}`);
  };
  for (const id of ids) add(id);
  return out;
}
