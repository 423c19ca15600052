import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { Operator } from '../src/runtime/operator.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { edited, type Service, Workspace } from './harness.ts';

/** The bookings as they stand in the examples, with only the numbers of the two rates raised. */
const BOOKINGS = edited(
  readFileSync(join(import.meta.dirname, '..', 'examples', 'bookings.md'), 'utf8'),
  ['600 requests per minute ', '900000 requests per minute '],
  ['6000 requests per minute ', '9000000 requests per minute '],
);

const PEOPLE = 200;
const SEATS = 50;

const space = new Workspace(BOOKINGS, 'bookings.md');
const keys: string[] = [];
let service: Service;
let room: string;

before(async () => {
  service = await space.serve({ args: ['--url', 'https://rooms.example'] });
  const { plan } = compile(space.file, BOOKINGS);
  const store = new SqliteStore(join(space.data, 'ninefold.sqlite'), plan!);
  const operator = new Operator(await Engine.start(plan!, store, 'https://rooms.example'));
  for (let i = 0; i < PEOPLE; i++) {
    const id = randomUUID();
    const fields = { id, name: `Person ${i}`, staff: i === 0 ? 'true' : 'false' };
    await operator.add('Person', new Map(Object.entries(fields)));
    keys.push((await operator.issueKey('Person', id, [])).key);
  }
  await store.close();
  const made = await service.request('POST', '/rooms', {
    key: keys[0]!,
    body: { name: 'Blue', capacity: SEATS, zone: 'Europe/Zurich', opens: 0, closes: 24, notice: 'PT0S' },
  });
  assert.equal(made.status, 201, made.text);
  room = (made.body as { id: string }).id;
});
after(async () => {
  await space[Symbol.asyncDispose]();
});

/** An instant at a whole hour, so many days from now and hours into the day, in UTC. */
function at(days: number, hours: number, minutes = 0): string {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  return `${day}T${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:00Z`;
}

const book = (key: string, starts: string, ends: string) =>
  service.request('POST', '/bookings', { key, body: { room, starts, ends } });

test('of 200 people racing for a room of 50 seats, 50 get one', async (t) => {
  const booked = await book(keys[0]!, at(30, 9), at(30, 10));
  assert.equal(booked.status, 201, booked.text);
  const { id } = booked.body as { id: string };
  const answers = await Promise.all(keys.map((key) => service.request('POST', `/bookings/${id}/seats`, { key })));
  const seated = answers.filter((answer) => answer.status === 201).length;
  const refused = answers.filter((answer) => (answer.body as { code?: string }).code === 'room_full').length;
  assert.deepEqual([seated, refused], [SEATS, PEOPLE - SEATS]);
  assert.equal(space.select('SELECT 1 FROM seat').length, SEATS);
  const smaller = await service.request('PATCH', `/rooms/${room}`, { key: keys[0]!, body: { capacity: SEATS - 1 } });
  assert.deepEqual([smaller.status, (smaller.body as { code: string }).code], [409, 'room_full']);
  t.diagnostic(`${PEOPLE} people, ${SEATS} seats: ${seated} seated, ${refused} refused as room_full`);
});

test('of bookings that race for overlapping times, none overlaps another that is confirmed', async (t) => {
  const tries = keys.map((key, i) => {
    const hour = 6 + (i % 8);
    return book(key, at(40, hour, (i % 4) * 15), at(40, hour + 1, (i % 4) * 15));
  });
  const answers = await Promise.all(tries);
  const taken = answers.filter((answer) => answer.status === 201).length;
  const refused = answers.filter((answer) => (answer.body as { code?: string }).code === 'room_taken').length;
  assert.equal(taken + refused, PEOPLE);
  const overlapping = space.select(`SELECT 1 FROM booking a JOIN booking b ON a.room = b.room AND a.id < b.id
    WHERE a.status = 'confirmed' AND b.status = 'confirmed' AND a.starts < b.ends AND b.starts < a.ends`);
  assert.equal(overlapping.length, 0);
  assert.ok(taken >= 4, 'at least every other hour is taken');
  t.diagnostic(`${PEOPLE} racing bookings of 32 overlapping hours: ${taken} taken, ${refused} refused, 0 overlap`);
});
