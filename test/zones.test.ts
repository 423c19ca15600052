import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TIME_ZONES } from '../src/expression/library/zone-names.ts';
import { civil, firstInstantFrom } from '../src/expression/library/zones.ts';
import { readAddress } from '../src/store/postgres/address.ts';
import { provideFunctions } from '../src/store/postgres/create.ts';
import { connect } from '../src/store/postgres/open.ts';
import { PostgresServer } from './postgres.ts';
import { share } from './share.ts';

/** What the function gives for each zone and instant. */
const OFFSETS = `SELECT z, (SELECT jsonb_agg(ninefold_offset(i::text::bigint, z) ORDER BY n)
  FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS u(i, n)) FROM jsonb_array_elements_text($1::jsonb) AS z`;

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

test('every zone’s clocks do in PostgreSQL what they do in JavaScript, whatever its own database says', async (t) => {
  const link = await connect(readAddress(await server.database()));
  const begun = performance.now();
  await provideFunctions(link, ['offset']);
  t.diagnostic(`compared in ${Math.round(performance.now() - begun)} ms`);
  // Others than those at which they were compared: an odd number of hours apart, over 650 years and far away.
  const all = Array.from({ length: 500 }, (_, n) => Date.UTC(1880 + n, (n * 7) % 12, 1 + ((n * 11) % 28), n % 24));
  const { cases, which } = share(all, 6);
  t.diagnostic(`${cases.length} instants (${which})`);
  const instants = [...cases];
  for (const year of [2, 1001, 4444, 9998]) instants.push(new Date(0).setUTCFullYear(year, 6, 1));
  const values = [JSON.stringify([...TIME_ZONES]), JSON.stringify(instants)];
  const { rows } = await link.send({ text: OFFSETS, values });
  const differ = (rows as [string, number[]][]).flatMap(([zone, offsets]) =>
    instants.flatMap((at, i) =>
      civil(at, zone)!.offset === offsets[i] ? [] : [`${zone} at ${new Date(at).toISOString()}: ${offsets[i]}`],
    ),
  );
  const known = await link.send({ text: 'SELECT count(DISTINCT zone), count(*) FROM ninefold_zone' });
  t.diagnostic(`${rows.length} zones, of which ${known.rows[0]![0]} differ, with ${known.rows[0]![1]} changes`);
  assert.deepEqual(differ, []);
  await link.close();
});

test('a day begins in PostgreSQL as in JavaScript, also where clocks leave its midnight out', async () => {
  const link = await connect(readAddress(await server.database()));
  await provideFunctions(link, ['timestamp_of_date']);
  const zones = ['America/Toronto', 'America/Montreal', 'Canada/Eastern', 'Pacific/Apia', 'America/Sao_Paulo'];
  const days = ['1919-03-30', '1919-03-31', '2011-12-30', '2018-11-04', '2026-03-29'];
  const text = `SELECT z, d, ninefold_timestamp_of_date(d, z)::text FROM jsonb_array_elements_text($1::jsonb) AS z,
    jsonb_array_elements_text($2::jsonb) AS d`;
  const { rows } = await link.send({ text, values: [JSON.stringify(zones), JSON.stringify(days)] });
  for (const [zone, day, begins] of rows as [string, string, string][])
    assert.equal(Number(begins), firstInstantFrom(Date.parse(day), zone), `${zone} ${day}`);
  assert.equal(rows.length, zones.length * days.length);
  await link.close();
});
