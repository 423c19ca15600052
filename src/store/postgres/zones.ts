import { civil } from '../../expression/library/zones.ts';

/** The function of a zone’s offset from UTC by PostgreSQL’s own time zone database. */
export const ZONE_FUNCTION = 'offset';

export const ZONE_TABLE = `CREATE TABLE IF NOT EXISTS ninefold_zone (
  zone text COLLATE "C" NOT NULL, since bigint NOT NULL, ahead bigint NOT NULL, PRIMARY KEY (zone, since))`;

/** Zone names that PostgreSQL reads as abbreviations of a fixed offset, each with a zone that has the same clock. */
const ABBREVIATED = {
  CET: 'Europe/Brussels',
  EET: 'Europe/Athens',
  EST: 'America/Panama',
  HST: 'Pacific/Honolulu',
  MET: 'Europe/Brussels',
  MST: 'America/Phoenix',
  WET: 'Europe/Lisbon',
};

/** SQL for the name of a zone in PostgreSQL’s own time zone database. */
export const zoneName = (zone: string): string =>
  `CASE ${zone} ${Object.entries(ABBREVIATED)
    .map(([short, full]) => `WHEN '${short}' THEN '${full}'`)
    .join(' ')} ELSE ${zone} END`;

/**
 * Each zone’s offset at each instant, by PostgreSQL’s database alone. The instants are an array, at full seconds. While
 * no zone is in the table, `ninefold_offset` gives the same results, but takes six times as long.
 */
export const ZONE_OFFSETS = `WITH
  zones AS MATERIALIZED (SELECT z, ${zoneName('z')} AS name FROM jsonb_array_elements_text($1::jsonb) AS z),
  instants AS MATERIALIZED (SELECT n, i::text::bigint / 1000 AS seconds, to_timestamp(i::text::bigint / 1000) AS instant
    FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS u(i, n))
  SELECT z, (SELECT jsonb_agg((extract(epoch from (instant AT TIME ZONE name))::bigint - seconds) * 1000 ORDER BY n)
    FROM instants) FROM zones`;

export const ZONE_INSERT = `INSERT INTO ninefold_zone
  SELECT z ->> 0, (z ->> 1)::bigint, (z ->> 2)::bigint FROM jsonb_array_elements($1::jsonb) AS z`;

const WEEK = 604_800_000;
const MINUTE = 60_000;
const EACH_MONTH = Array.from({ length: 12 }, (_, month) => month);
/** Changes of clocks are searched from this year on; earlier offsets are those at its beginning. */
const FIRST_YEAR = 1850;
/** From this year on, the calendar and its changes of clocks repeat those of 400 years before. */
export const LAST_YEAR = 2437;

/** The instants of the comparison: each month in the years whose rules are revised, and fewer in others. */
export function comparedInstants(): number[] {
  const out: number[] = [];
  for (let year = 1900; year < 2090; year++) {
    const months = year < 1970 || year > 2040 ? [6] : year < 2020 || year > 2030 ? [0, 6] : EACH_MONTH;
    for (const month of months) out.push(Date.UTC(year, month, 15, 3));
  }
  return out;
}

/**
 * The zones whose offset at some instant differs between Node.js’s database and `offsets`, which PostgreSQL computed.
 */
export function differingZones(
  zones: readonly string[],
  instants: readonly number[],
  offsets: ReadonlyMap<string, unknown>,
): string[] {
  return zones.filter((zone) => {
    const theirs = offsets.get(zone) as readonly unknown[] | null | undefined;
    return instants.some((instant, i) => (civil(instant, zone)?.offset ?? null) !== (theirs?.[i] ?? null));
  });
}

type Change = readonly [zone: string, since: number, ahead: number];

/**
 * All changes of a zone’s offset in Node.js’s time zone database: the instant of each, and the offset from UTC after
 * it.
 */
export function changesOf(zone: string): Change[] {
  const ahead = (instant: number): number => civil(instant, zone)!.offset;
  const end = Date.UTC(LAST_YEAR, 0, 1);
  let at = Date.UTC(FIRST_YEAR, 0, 1);
  let now = ahead(at);
  const out: Change[] = [[zone, -8_640_000_000_000_000, now]];
  for (; at < end; at += WEEK) {
    const next = ahead(at + WEEK);
    if (next === now) continue;
    let [before, after] = [at, at + WEEK];
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (ahead(middle) === now) before = middle;
      else after = middle;
      if (after - before <= MINUTE && after % MINUTE === 0 && ahead(after - 1000) === now) break;
    }
    now = next;
    out.push([zone, after, next]);
  }
  return out;
}
