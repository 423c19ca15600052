import { LAST_YEAR, zoneName } from './zones.ts';

const PLAIN = 'LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE';
/** A component of an instant in a zone, given as a local instant; of a day, and of a duration, where they have it. */
function part(
  name: string,
  ofLocal: string,
  of: { readonly day?: true; readonly lasting?: string },
): Record<string, string> {
  const out: Record<string, string> = {
    [`timestamp_${name}`]: `(instant bigint, zone text DEFAULT 'UTC') RETURNS bigint ${PLAIN} AS $$
    SELECT ${ofLocal} FROM (SELECT instant + ninefold_offset(instant, zone) AS local) AS at $$`,
  };
  if (of.day)
    out[`date_${name}`] = `(day text) RETURNS bigint ${PLAIN} AS $$
    SELECT ${ofLocal} FROM (SELECT ninefold_day_number(day) * 86400000 AS local) AS at $$`;
  if (of.lasting) out[`duration_${name}`] = `(length bigint) RETURNS bigint ${PLAIN} AS $$ SELECT ${of.lasting} $$`;
  return out;
}

const DAY = 'ninefold_day_at(local)';
const rest = (size: number, of: number): string =>
  `ninefold_floor(local, ${size}) - ninefold_floor(local, ${size * of}) * ${of}`;

/** The names of months and days, as an SQL array. */
const words = (...names: string[]): string => `ARRAY[${names.map((name) => `'${name}'`).join(', ')}]`;
const MONTHS = words(
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
);
const DAYS = words('Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday');

const FORMATTED = `(local bigint, ahead bigint, format text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE
      day date := ninefold_day_at(local);
      years int := ninefold_year_of(day);
      months text := (${MONTHS})[extract(month from day)::int];
      weekday text := (${DAYS})[extract(dow from day)::int + 1];
      hour int := ${rest(3_600_000, 24)};
      minute text := ${rest(60_000, 60)};
      second text := ${rest(1000, 60)};
      milli text := ${rest(1, 1000)};
      far bigint := ninefold_floor(abs(ahead), 60000);
      offset_text text := CASE WHEN ahead < 0 THEN '-' ELSE '+' END || lpad((far / 60)::text, 2, '0') || ':' || lpad((far % 60)::text, 2, '0');
      piece text;
      out text := '';
    BEGIN
      FOR piece IN SELECT m[1] FROM regexp_matches(format, '(''(?:[^'']|'''')*''|([A-Za-z])\\2*|[^A-Za-z'']+|'')', 'g') AS m LOOP
        out := out || CASE piece
          WHEN 'y' THEN years::text WHEN 'yy' THEN lpad((years % 100)::text, 2, '0') WHEN 'yyyy' THEN lpad(years::text, greatest(4, length(years::text)), '0')
          WHEN 'M' THEN extract(month from day)::text WHEN 'MM' THEN lpad(extract(month from day)::text, 2, '0')
          WHEN 'MMM' THEN left(months, 3) WHEN 'MMMM' THEN months
          WHEN 'd' THEN extract(day from day)::text WHEN 'dd' THEN lpad(extract(day from day)::text, 2, '0')
          WHEN 'D' THEN extract(doy from day)::text WHEN 'DDD' THEN lpad(extract(doy from day)::text, 3, '0')
          WHEN 'EEE' THEN left(weekday, 3) WHEN 'EEEE' THEN weekday
          WHEN 'H' THEN hour::text WHEN 'HH' THEN lpad(hour::text, 2, '0')
          WHEN 'h' THEN ((hour + 11) % 12 + 1)::text WHEN 'hh' THEN lpad(((hour + 11) % 12 + 1)::text, 2, '0')
          WHEN 'a' THEN CASE WHEN hour < 12 THEN 'AM' ELSE 'PM' END
          WHEN 'm' THEN minute WHEN 'mm' THEN lpad(minute, 2, '0')
          WHEN 's' THEN second WHEN 'ss' THEN lpad(second, 2, '0') WHEN 'SSS' THEN lpad(milli, 3, '0')
          WHEN 'XXX' THEN CASE WHEN ahead = 0 THEN 'Z' ELSE offset_text END
          WHEN 'xxx' THEN offset_text
          WHEN '''''' THEN ''''
          ELSE CASE WHEN piece LIKE '''%' THEN replace(substr(piece, 2, length(piece) - 2), '''''', '''') ELSE piece END
        END;
      END LOOP;
      RETURN out;
    END $$`;

/**
 * Components of days and instants, computed from integer milliseconds since the epoch, without floating-point numbers.
 */
const FIELDS: Readonly<Record<string, string>> = {
  day_at: `(local bigint) RETURNS date ${PLAIN} AS $$ SELECT date '1970-01-01' + ninefold_floor(local, 86400000)::int $$`,
  /** The year before the year 1 is 0, as in ISO 8601. */
  year_of: `(day date) RETURNS bigint ${PLAIN} AS $$
    SELECT extract(year from day)::bigint + CASE WHEN extract(year from day) < 0 THEN 1 ELSE 0 END $$`,
  day_number: `(day text) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN day >= '0001' THEN (make_date(left(day, 4)::int, substr(day, 6, 2)::int, substr(day, 9, 2)::int) - date '1970-01-01')::bigint END $$`,
  /** The offset of a zone from UTC at an instant, in milliseconds; null for an unknown zone. */
  offset: `(instant bigint, zone text) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
    DECLARE seconds bigint; name text := zone; known bigint; at bigint := instant;
    BEGIN
      IF zone = 'UTC' THEN RETURN 0; END IF;
      IF zone ~ '^[+-]?[0-9][0-9]:[0-9][0-9]$' THEN
        IF left(right(zone, 5), 2)::int > 23 OR right(zone, 2)::int > 59 THEN RETURN NULL; END IF;
        RETURN CASE WHEN zone LIKE '-%' THEN -1 ELSE 1 END * (left(right(zone, 5), 2)::int * 60 + right(zone, 2)::int) * 60000;
      END IF;
      IF zone !~ '^[A-Za-z]' THEN RETURN NULL; END IF;
      -- Of a zone that Node.js knows better, all is in a table; every 400 years the calendar is the same again.
      WHILE at >= ${Date.UTC(LAST_YEAR, 0, 1)} LOOP at := at - 12622780800000; END LOOP;
      SELECT z.ahead INTO known FROM ninefold_zone z WHERE z.zone = name COLLATE "C" AND z.since <= at
        ORDER BY z.since DESC LIMIT 1;
      IF known IS NOT NULL THEN RETURN known; END IF;
      name := ${zoneName('zone')};
      seconds := ninefold_floor(instant, 1000);
      RETURN (extract(epoch from (to_timestamp(seconds) AT TIME ZONE name))::bigint - seconds) * 1000;
    END $$`,
  ...part('year', `ninefold_year_of(${DAY})`, { day: true }),
  ...part('month', `extract(month from ${DAY})::bigint - 1`, { day: true }),
  ...part('day', `extract(day from ${DAY})::bigint`, { day: true }),
  ...part('day_of_month', `extract(day from ${DAY})::bigint - 1`, { day: true }),
  ...part('day_of_week', `extract(dow from ${DAY})::bigint`, { day: true }),
  ...part('day_of_year', `extract(doy from ${DAY})::bigint - 1`, { day: true }),
  ...part('hours', rest(3_600_000, 24), { lasting: 'length / 3600000' }),
  ...part('minutes', rest(60_000, 60), { lasting: 'length / 60000' }),
  ...part('seconds', rest(1000, 60), { lasting: 'length / 1000' }),
  ...part('milliseconds', rest(1, 1000), { lasting: 'length % 1000' }),
};

/** The functions that move an instant, by the function that moves a day. */
const shifted = (moved: string): string =>
  `(instant bigint, by bigint, zone text) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
    DECLARE local bigint; number bigint; moved text;
    BEGIN
      IF by = 0 THEN RETURN ninefold_in_years(instant); END IF;
      local := instant + ninefold_offset(instant, zone);
      number := ninefold_floor(local, 86400000);
      moved := ${moved}(ninefold_day_text(number), by);
      RETURN ninefold_first_instant(ninefold_day_number(moved) * 86400000 + local - number * 86400000, zone);
    END $$`;

/** Functions that convert text to times, times to text, and times to one another. */
const CONVERSIONS: Readonly<Record<string, string>> = {
  /** A day as text, in the range of RFC 3339. */
  day_text: `(number bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN number BETWEEN -719162 AND 2932896 THEN to_char(date '1970-01-01' + number::int, 'YYYY-MM-DD') END $$`,
  date_plus: `(day text, days bigint) RETURNS text ${PLAIN} AS $$ SELECT ninefold_day_text(ninefold_day_number(day) + days) $$`,
  date_minus: `(day text, days bigint) RETURNS text ${PLAIN} AS $$ SELECT ninefold_day_text(ninefold_day_number(day) - days) $$`,
  days_between: `(day text, other text) RETURNS bigint ${PLAIN} AS $$ SELECT ninefold_day_number(day) - ninefold_day_number(other) $$`,
  /** Clamped to the last day of the month, as PostgreSQL adds months. */
  date_add_months: `(day text, months bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN day >= '0001' AND abs(months) <= 120000
        AND left(day, 4)::bigint * 12 + substr(day, 6, 2)::bigint - 1 + months BETWEEN 12 AND 119999
      THEN to_char(make_date(left(day, 4)::int, substr(day, 6, 2)::int, substr(day, 9, 2)::int)
        + make_interval(months => months::int), 'YYYY-MM-DD') END $$`,
  date_add_years: `(day text, years bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN abs(years) <= 10000 THEN ninefold_date_add_months(day, years * 12) END $$`,
  timestamp_add_months: shifted('ninefold_date_add_months'),
  timestamp_add_years: shifted('ninefold_date_add_years'),
  timestamp_add_days: shifted('ninefold_date_plus'),
  in_years: `(instant numeric) RETURNS bigint ${PLAIN} AS $$
    SELECT CASE WHEN instant BETWEEN -62135596800000 AND 253402300799999 THEN instant::bigint END $$`,
  formatted: FORMATTED,
  timestamp_format: `(instant bigint, format text, zone text) RETURNS text LANGUAGE sql STABLE STRICT AS $$
    SELECT ninefold_formatted(instant + ahead, ahead, format) FROM (SELECT ninefold_offset(instant, zone) AS ahead) AS at $$`,
  date_format: `(day text, format text) RETURNS text ${PLAIN} AS $$
    SELECT ninefold_formatted(ninefold_day_number(day) * 86400000, 0, format) $$`,
  duration: `(s text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE total numeric;
    BEGIN
      IF length(s) > 100 OR s !~ '^-?([0-9]+([.][0-9]+)?(h|ms|m|s))+$' THEN RETURN NULL; END IF;
      SELECT sum(m[1]::numeric * CASE m[3] WHEN 'h' THEN 3600000 WHEN 'm' THEN 60000 WHEN 's' THEN 1000 ELSE 1 END) INTO total
      FROM regexp_matches(s, '([0-9]+([.][0-9]+)?)(h|ms|m|s)', 'g') AS m;
      IF total > 9007199254740991 OR abs(total - round(total)) > 0.000001 THEN RETURN NULL; END IF;
      RETURN CASE WHEN s LIKE '-%' THEN -round(total) ELSE round(total) END;
    END $$`,
  duration_itself: `(length bigint) RETURNS bigint ${PLAIN} AS $$ SELECT length $$`,
  timestamp: `(s text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE m text[]; ahead bigint;
    BEGIN
      m := regexp_match(s, '^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]([0-9]{1,3})0*)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$');
      IF m IS NULL OR ninefold_date(m[1]) IS NULL THEN RETURN NULL; END IF;
      IF m[2]::int > 23 OR m[3]::int > 59 OR m[4]::int > 59 OR coalesce(m[7], '0')::int > 23 OR coalesce(m[8], '0')::int > 59 THEN RETURN NULL; END IF;
      ahead := (coalesce(m[7], '0')::bigint * 60 + coalesce(m[8], '0')::bigint) * 60000 * CASE WHEN m[6] = '-' THEN -1 ELSE 1 END;
      RETURN ninefold_in_years(ninefold_day_number(m[1]) * 86400000 + m[2]::bigint * 3600000 + m[3]::bigint * 60000
        + m[4]::bigint * 1000 + rpad(coalesce(m[5], ''), 3, '0')::bigint - ahead);
    END $$`,
  timestamp_of_seconds: `(seconds bigint) RETURNS bigint ${PLAIN} AS $$ SELECT ninefold_in_years(seconds::numeric * 1000) $$`,
  timestamp_itself: `(instant bigint) RETURNS bigint ${PLAIN} AS $$ SELECT instant $$`,
  timestamp_of_date: `(day text, zone text) RETURNS bigint LANGUAGE sql STABLE STRICT AS $$
    SELECT ninefold_first_instant(ninefold_day_number(day) * 86400000, zone) $$`,
  /** The first instant of a local time, or after it. Within a day before and after, a clock changes at most once. */
  first_instant: `(local bigint, zone text) RETURNS bigint LANGUAGE plpgsql STABLE STRICT AS $$
    DECLARE before bigint; after bigint; middle bigint;
    BEGIN
      before := local - ninefold_offset(local - 86400000, zone);
      IF before + ninefold_offset(before, zone) = local THEN RETURN ninefold_in_years(before); END IF;
      after := local - ninefold_offset(local + 86400000, zone);
      IF after + ninefold_offset(after, zone) = local THEN RETURN ninefold_in_years(after); END IF;
      -- Clocks leave the time out: what counts is the instant at which they change.
      WHILE before - after > 1 LOOP
        middle := ninefold_floor(after + before, 2);
        IF middle + ninefold_offset(middle, zone) < local THEN after := middle; ELSE before := middle; END IF;
      END LOOP;
      RETURN ninefold_in_years(before);
    END $$`,
  date: `(s text) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN s ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' AND s !~ '^0000' THEN
      CASE WHEN substr(s, 9, 2)::int <= extract(day from
        (make_date(left(s, 4)::int, substr(s, 6, 2)::int, 1) + interval '1 month' - interval '1 day')) THEN s END END $$`,
  date_of_timestamp: `(instant bigint, zone text) RETURNS text LANGUAGE sql STABLE STRICT AS $$
    SELECT CASE WHEN number BETWEEN -719162 AND 2932896 THEN to_char(date '1970-01-01' + number::int, 'YYYY-MM-DD') END
    FROM (SELECT ninefold_floor(instant + ninefold_offset(instant, zone), 86400000) AS number) AS at $$`,
  string_of_timestamp: `(instant bigint) RETURNS text ${PLAIN} AS $$
    SELECT regexp_replace(ninefold_formatted(instant, 0, 'yyyy-MM-dd''T''HH:mm:ss.SSS'), '[.]?0*$', '') || 'Z' $$`,
  string_of_date: `(day text) RETURNS text ${PLAIN} AS $$ SELECT day $$`,
  string_of_duration: `(length bigint) RETURNS text ${PLAIN} AS $$
    SELECT CASE WHEN length < 0 THEN '-' ELSE '' END || (abs(length) / 1000)::text
      || CASE WHEN length % 1000 = 0 THEN '' ELSE '.' || rtrim(lpad((abs(length) % 1000)::text, 3, '0'), '0') END || 's' $$`,
};

export const TIME_FUNCTIONS: Readonly<Record<string, string>> = { ...FIELDS, ...CONVERSIONS };
