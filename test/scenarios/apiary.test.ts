import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { example } from '../fixtures.ts';
import { type Service, until, Workspace } from '../harness.ts';

// A season at two places: bees are brought, looked after, and one of them falls ill.

const space = new Workspace(example('apiary'), 'apiary.md');
let service: Service;
const keys: Record<string, string> = {};

before(async () => {
  for (const [number, name, inspector] of [
    ['1', 'Maya', 'false'],
    ['2', 'Willi', 'false'],
    ['9', 'Inspector', 'true'],
  ] as const) {
    const fields = [`number=${number}`, `name=${name}`, `inspector=${inspector}`];
    assert.equal((await space.cli('rows', 'add', 'Keeper', ...fields)).code, 0);
    keys[name] = (await space.cli('keys', 'issue', 'Keeper', number)).out.trim();
  }
  service = await space.serve({ declared: true, args: ['--url', 'https://bees.example'] });
});
after(async () => {
  await space[Symbol.asyncDispose]();
});

type Body = Record<string, unknown>;

async function ask(method: string, path: string, who: string | null, body?: unknown) {
  const headers: Record<string, string> = who ? { 'x-register-key': keys[who]! } : {};
  const answer = await service.request(method, path, { headers, body });
  return { status: answer.status, body: answer.body as Body, headers: answer.headers };
}

const PLACE = {
  name: 'Meadow',
  zone: 'Europe/Zurich',
  location: { latitude: '46.9480', longitude: '7.4474' },
  forage: ['lime', 'meadow'],
};

test('a place is registered, and anyone sees roughly where it is, but only its keeper exactly', async () => {
  const made = await ask('POST', '/apiaries', 'Maya', PLACE);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.headers.get('location'), 'https://bees.example/apiaries/1');
  assert.deepEqual(made.body.location, { latitude: '46.9480', longitude: '7.4474', altitude: null });
  assert.equal((await ask('POST', '/apiaries', 'Maya', { ...PLACE, name: 'MEADOW' })).body.trouble, 'apiary_taken');
  assert.equal((await ask('POST', '/apiaries', 'Willi', PLACE)).status, 201);
  assert.equal((await ask('GET', '/apiaries/1', 'Willi')).body.trouble, 'not_yours');
  assert.equal((await ask('GET', '/apiaries/1', 'Inspector')).status, 200);
  const seen = await ask('GET', '/places?forage=lime', null);
  assert.equal(seen.body.total, 2);
  assert.deepEqual((seen.body.rows as Body[])[0], {
    number: 2,
    forage: ['lime', 'meadow'],
    colonies: 0,
    closed: false,
  });
  assert.equal((await ask('GET', '/places?forage=heather', null)).body.total, 0);
});

test('what is not allowed is told, each thing where it stands', async () => {
  const wrong = {
    ...PLACE,
    zone: 'Mars/Olympus',
    location: { latitude: '91.0000', longitude: '7.44741' },
    forage: ['pollen'],
  };
  const refused = await ask('POST', '/apiaries', 'Maya', wrong);
  assert.equal(refused.status, 422);
  assert.deepEqual((refused.body.fields as Array<{ at: string }>).map((one) => one.at).sort(), [
    'forage.0',
    'location.latitude',
    'location.longitude',
    'zone',
  ]);
});

test('colonies are numbered at each place, and inspections weigh them and count mites', async () => {
  for (const [place, who] of [
    [1, 'Maya'],
    [1, 'Maya'],
    [1, 'Maya'],
    [2, 'Willi'],
  ] as const)
    assert.equal(
      (await ask('POST', `/apiaries/${place}/hives`, who, { race: 'carnica', queen: '2026-05-04' })).status,
      201,
    );
  const { hives } = (await ask('GET', '/apiaries/1/hives', 'Willi')).body as { hives: Body[] };
  assert.deepEqual(
    hives.map((hive) => hive.hive),
    [1, 2, 3],
  );
  assert.equal(((await ask('GET', '/apiaries/2/hives', 'Willi')).body.hives as Body[])[0]!.hive, 1);
  const inspect = (who: string, body: Body) => ask('POST', '/apiaries/1/hives/1/inspections', who, body);
  const day = '2026-06-01';
  const first = await inspect('Maya', { day, weight: '31.50', mites: { 'frame-1': 3, 'frame-2': 12 } });
  assert.equal(first.status, 201, JSON.stringify(first.body));
  assert.deepEqual((first.body.colony as Body).weights, ['31.50']);
  assert.equal((await inspect('Maya', { day })).body.trouble, 'already_inspected');
  assert.equal((await inspect('Maya', { day: '2126-06-01' })).body.trouble, 'day_to_come');
  assert.equal((await inspect('Willi', { day })).body.trouble, 'not_yours');
  assert.equal((await inspect('Maya', { day: '2026-06-08', weight: '33.333' })).status, 422);
  assert.equal((await ask('GET', '/apiaries/1/hives/1/inspections', 'Willi')).body.total, 0);
  assert.equal((await ask('GET', '/apiaries/1/hives/1/inspections', 'Inspector')).body.total, 1);
});

test('one hive that is infected closes its place, tells the others, and is heard of at once', async () => {
  const heard: string[] = [];
  const stop = new AbortController();
  const stream = await fetch(`${service.url}/alerts`, {
    headers: { 'x-register-key': keys.Willi! },
    signal: stop.signal,
  });
  assert.equal(stream.status, 200);
  const reading = (async () => {
    for await (const chunk of stream.body!) heard.push(Buffer.from(chunk).toString());
  })().catch(() => {});
  const many = { day: '2026-06-15', mites: { 'frame-1': 250 } };
  assert.equal((await ask('POST', '/apiaries/1/hives/1/inspections', 'Maya', many)).status, 201);
  assert.equal((await ask('POST', '/apiaries/1/hives', 'Maya', { race: 'buckfast' })).body.trouble, 'place_closed');
  assert.equal((await ask('POST', '/apiaries/1/hives/1/confirm', 'Maya')).body.trouble, 'inspectors_only');
  assert.equal((await ask('POST', '/apiaries/1/hives/1/confirm', 'Inspector')).body.health, 'infected');
  const { hives, closed } = (await ask('GET', '/apiaries/1/hives', 'Maya')).body as { hives: Body[]; closed: boolean };
  assert.deepEqual([hives.map((hive) => hive.health), closed], [['infected', 'suspect', 'suspect'], true]);
  assert.equal(((await ask('GET', '/apiaries/2/hives', 'Willi')).body.hives as Body[])[0]!.health, 'healthy');
  assert.equal((await ask('GET', '/places?closed=true', null)).body.total, 1);
  await until(() => heard.join('').match(/event: colony\.suspect/g)?.length === 3, 'three suspicions');
  assert.match(heard.join(''), /event: colony\.infected/);
  // Willi may not see the inspections of Maya's colonies, and the stream counts none of them, as GET does not.
  const counts = [...heard.join('').matchAll(/"inspections":(\d+)/g)].map(([, count]) => Number(count));
  assert.deepEqual(counts, [0, 0, 0, 0]);
  assert.deepEqual(
    ((await ask('GET', '/apiaries/1/hives', 'Willi')).body.hives as Body[]).map((hive) => hive.inspections),
    [0, 0, 0],
  );
  stop.abort();
  await reading;
  for (const hive of [2, 3])
    assert.equal((await ask('POST', `/apiaries/1/hives/${hive}/clear`, 'Inspector')).status, 200);
  assert.equal((await ask('POST', '/apiaries/1/hives/1/destroy', 'Inspector')).body.health, 'destroyed');
  assert.equal((await ask('POST', '/apiaries/1/hives/2/destroy', 'Inspector')).body.trouble, 'not_infected');
  assert.equal((await ask('GET', '/places?closed=true', null)).body.total, 0);
  assert.equal((await ask('DELETE', '/apiaries/1', 'Maya')).body.trouble, 'apiary_has_colonies');
});
