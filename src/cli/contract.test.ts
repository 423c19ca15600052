import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NOTHING_SHOWN, runHere, temporary } from './harness.test.ts';

const file = (name: string): string => fileURLToPath(new URL(`../../examples/${name}.md`, import.meta.url));

describe('contract', () => {
  test('shows one endpoint, with its answers in checking order and the lines that state them', async () => {
    const { code, out, err } = await runHere('contract', file('orders'), 'DELETE /orders/{id}');
    assert.deepEqual([code, err], [null, '']);
    const answers = out.split('\n').slice(out.split('\n').findIndex((line) => line.startsWith(' answers')) + 1);
    const codes = answers.map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '));
    assert.ok(codes.indexOf('404 order_not_found') > codes.indexOf('403 scope_missing'));
    assert.ok(codes.indexOf('409 order_still_open') > codes.indexOf('404 order_not_found'));
    assert.match(answers.at(-2) ?? '', /^ {2}204 .* {2}\(line \d+\)$/);
  });

  test('names the endpoint that was meant, or all there are', async () => {
    const near = await runHere('contract', file('orders'), 'POST /order');
    assert.deepEqual(near, {
      code: 2,
      out: '',
      err: 'error: there is no settled endpoint “POST /order”: did you mean “POST /orders”?\n',
    });
    const far = await runHere('contract', file('todos'), 'FETCH /everything/there/is');
    assert.equal(far.code, 2);
    assert.match(far.err, /^error: there is no settled endpoint “FETCH \S+”\. There are:\n( {2}[A-Z]+ \/\S*\n)+$/);
  });

  test('names the version that was meant, and says of a retired one that it answers nothing', async () => {
    const near = await runHere('contract', file('orders'), '--version', '2025-06-10');
    assert.deepEqual(
      [near.code, near.err],
      [2, 'error: there is no version “2025-06-10”: did you mean “2025-06-01”?\n'],
    );
    const retired = await runHere('contract', file('orders'), '--version', '2024-12-01');
    assert.equal(retired.code, 2);
    assert.match(retired.err, /^error: version 2024-12-01 is retired, and the service no longer answers it/);
    const none = await runHere('contract', file('todos'), '--version', '1');
    assert.equal(none.code, 2);
    assert.match(none.err, /^error: .*todos\.md has no versions\.\n$/);
  });

  test('prints as JSON the contract of all versions, of one, or of an endpoint', async () => {
    const names = async (...args: string[]): Promise<unknown> => {
      const { versions } = JSON.parse((await runHere('contract', file('orders'), '--json', ...args)).out);
      return versions.map((one: { name: string }) => one.name);
    };
    assert.deepEqual(await names(), ['2026-11-01', '2025-06-01', '2024-12-01']);
    assert.deepEqual(await names('--version', '2025-06-01'), ['2025-06-01']);
    const one = await runHere('contract', file('orders'), 'GET /orders', '--json', '--version', '2025-06-01');
    const { name, parameters } = JSON.parse(one.out);
    assert.equal(name, 'GET /orders');
    assert.ok(parameters.some((each: { name: string }) => each.name === 'product'));
  });

  test('a document that is not settled has no contract: what is open is listed', async (t) => {
    const place = join(temporary(t), 'service.md');
    writeFileSync(place, NOTHING_SHOWN);
    const { code, out, err } = await runHere('contract', place);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /Nothing is served: .* has no endpoint/);
  });

  test('its help has examples', async () => {
    const { out } = await runHere('contract', '--help');
    assert.match(out, /Examples:\n {2}\$ ninefold contract orders\.md/);
  });
});
