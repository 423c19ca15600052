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
export const LIST_FUNCTIONS: Readonly<Record<string, string>> = {
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
