import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { IN_WHOLE } from './share.ts';

const NOTE =
  '| note     | string    |        | at most 500 characters                              | request            | optional |          |\n';
const NUMBERED = edited(
  PATIENT,
  [NOTE, `${NOTE}| number | integer | | | sequence | | |\n| mine | integer | | | sequence per customer | | |\n`],
  ['- Shown: id, customer as id,', '- Shown: id, number, mine, customer as id,'],
);

const space = new Workspace(NUMBERED);
after(() => space[Symbol.asyncDispose]());

interface Numbered {
  readonly customer: string;
  readonly number: number;
  readonly mine: number;
}

/** Opens orders, every third of which a rule refuses, until the service is gone; gives what was acknowledged. */
async function load(service: Service, key: string, name: string): Promise<Numbered[]> {
  const opened: Numbered[] = [];
  for (let n = 0; ; n++) {
    const sku = `${name}-${String(n - (n % 3 === 2 ? 1 : 0)).padStart(4, '0')}`;
    const answer = await service.open(key, { sku, quantity: 1 }).catch(() => null);
    if (!answer) return opened;
    if (n % 3 === 2) assert.equal(answer.status, 409, answer.text);
    else opened.push(answer.body as Numbered);
  }
}

const stored = () => space.select<Numbered>('SELECT hex(customer) AS customer, number, mine FROM "order"');

const doubled = (values: readonly (string | number)[]): unknown[] =>
  values.filter((value, i) => values.indexOf(value) !== i);

test('of racing requests, refusals and crashes no number is given twice', {
  timeout: 120_000,
  ...IN_WHOLE,
}, async (t) => {
  const keys = [await space.key(await space.customer()), await space.key(await space.customer('Grace'))];
  const opened: Numbered[] = [];
  for (let crash = 0; crash < 4; crash++) {
    const service = await space.serve();
    const clients = Array.from({ length: 16 }, (_, i) => {
      const name = `${String.fromCharCode(65 + crash)}X${String.fromCharCode(65 + i)}`;
      return load(service, keys[i % 2]!, name);
    });
    // It ends in the middle of what the clients ask.
    await until(() => stored().length >= (crash + 1) * 200, 'two hundred orders in each round');
    await service.kill();
    opened.push(...(await Promise.all(clients)).flat());
  }
  const kept = stored();
  t.diagnostic(`${opened.length} acknowledged, ${kept.length} stored`);
  assert.ok(opened.length > 400);
  assert.deepEqual(doubled(opened.map((one) => one.number)), []);
  assert.deepEqual(doubled(opened.map((one) => `${one.customer} ${one.mine}`)), []);
  assert.deepEqual(doubled(kept.map((one) => one.number)), []);
  assert.deepEqual(doubled(kept.map((one) => `${one.customer} ${one.mine}`)), []);
  const numbers = new Set(kept.map((one) => one.number));
  assert.deepEqual(
    opened.filter((one) => !numbers.has(one.number)),
    [],
    'what was acknowledged is stored',
  );
  // What a refusal took was never given, so that nothing is missing but what was never there.
  assert.equal(Math.max(...numbers), kept.length);
  assert.equal(Math.min(...numbers), 1);
});
