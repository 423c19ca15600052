const PLAIN = 'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE';

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
export const NUMBER_FUNCTIONS: Readonly<Record<string, string>> = {
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
