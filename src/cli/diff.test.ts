import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NOTHING_SHOWN, runHere, temporary } from './harness.test.ts';

const ORDERS = readFileSync(fileURLToPath(new URL('../../examples/orders.md', import.meta.url)), 'utf8');

const CATALOGUE = readFileSync(fileURLToPath(new URL('../../docs/documents/catalogue.md', import.meta.url)), 'utf8');

/** A document, the orders unless another is given, and the same with a text replaced. */
function both(t: TestContext, from: string, to: string, document = ORDERS): [string, string] {
  const folder = temporary(t);
  const [old, next] = [join(folder, 'old.md'), join(folder, 'next.md')];
  assert.ok(document.includes(from));
  writeFileSync(old, document);
  writeFileSync(next, document.replace(from, to));
  return [old, next];
}

const lineOf = (text: string): number => ORDERS.slice(0, ORDERS.indexOf(text)).split('\n').length;

describe('diff', () => {
  test('ends with 1 where something is breaking, and says which line it is', async (t) => {
    const ran = await runHere('diff', ...both(t, '| 1 to 1000  ', '| 1 to 100   '));
    const line = lineOf('| quantity | integer');
    assert.deepEqual(ran, {
      code: 1,
      err: '',
      out: `For callers:
  Order.quantity: fewer values are allowed: integer 1 to 100, and was integer 1 to 1000  (BREAKING: a request that was accepted may be refused; line ${line} → ${line})
For data:
  Order.quantity may hold fewer values
1 difference for callers: 1 breaking, 0 covered by a version; 1 for data.
`,
    });
  });

  test('compares bounds of decimals by their value, and digits that go are values that go', async (t) => {
    const price = '| 0.00 to 99999.99 ';
    const told: Array<readonly [string, 'more' | 'fewer']> = [
      ['0.000 to 99999.990', 'more'],
      ['0.000 to 100000.000', 'more'],
      ['0.000 to 99999.989', 'fewer'],
      ['0.001 to 99999.990', 'fewer'],
      ['0.0 to 99999.9', 'fewer'],
      ['0.0 to 999990.0', 'fewer'],
      ['-1.0 to 999999.0', 'fewer'],
    ];
    for (const [bounds, values] of told) {
      const { out } = await runHere('diff', ...both(t, price, `| ${bounds} `, CATALOGUE));
      const digits = bounds.split(' ')[0]!.split('.')[1]!.length;
      assert.deepEqual(
        out.slice(out.indexOf('For data:')).split('\n').slice(1, -2),
        [
          `  Product.price is a decimal of ${digits} digits, and was a decimal of 2 digits`,
          `  Product.price may hold ${values} values`,
        ],
        bounds,
      );
    }
  });

  test('says once what is the same at several endpoints, and names them', async (t) => {
    const documents = both(t, '- Unknown parameters: refused', '- Unknown parameters: ignored');
    const ran = await runHere('diff', ...documents);
    const [, told, ...rest] = ran.out.split('\n');
    assert.match(
      told!,
      /^ {2}(?:[A-Z]+ \S+, ){9}[A-Z]+ \S+: an unknown parameter is ignored, and was refused {2}\(not breaking: every request that was accepted still is accepted; line/,
    );
    assert.deepEqual(rest.slice(-2), ['1 difference for callers: 0 breaking, 0 covered by a version; 0 for data.', '']);
    const { callers } = JSON.parse((await runHere('diff', ...documents, '--json')).out);
    assert.deepEqual([callers.length, callers[0].places.length], [1, 10]);
  });

  test('ends with 0 where nothing is', async (t) => {
    const ran = await runHere('diff', ...both(t, '600 requests per minute', '700 requests per minute'), '--json');
    assert.equal(ran.code, 0);
    const line = lineOf('| Rate         | 600');
    assert.deepEqual(JSON.parse(ran.out), {
      callers: [
        {
          at: 'rate caller',
          text: 'it is 700 requests in 1 minute, and was 600 requests in 1 minute',
          breaking: false,
          reason: 'every request that was accepted still is accepted',
          covered: null,
          oldLine: line,
          newLine: line,
        },
      ],
      data: [],
      receivers: [],
    });
    const same = await runHere('diff', ...both(t, 'small shop', 'large shop'));
    assert.deepEqual(
      [same.code, same.out.split('\n').slice(0, 2)],
      [0, ['For callers: nothing.', 'For data: nothing.']],
    );
  });

  test('ends with 2 on wrong use, and for a document that is not settled', async (t) => {
    const [old, next] = both(t, '600 requests', '700 requests');
    assert.equal((await runHere('diff', old)).code, 2);
    assert.equal((await runHere('diff', old, `${next}.none`)).code, 2);
    const wrong = await runHere('diff', old, next, '--rename', 'Order.sku');
    assert.deepEqual([wrong.code, wrong.err], [2, 'error: “Order.sku” is not of the form OLD=NEW.\n']);
    const none = await runHere('diff', old, next, '--rename', 'Order.nothing=Order.sku');
    assert.equal(none.code, 0, 'a rename that has been done');
    const never = await runHere('diff', old, next, '--rename', 'Order.sku=Order.nothing');
    assert.match(never.err, /the document has no Order.nothing/);
    writeFileSync(next, NOTHING_SHOWN);
    assert.equal((await runHere('diff', old, next)).code, 2);
  });
});

describe('migrate', () => {
  test('prints what machines read', async (t) => {
    const [old, next] = both(t, '| 1 to 1000  ', '| 1 to 9000  ');
    const data = join(temporary(t), 'data');
    const none = await runHere('migrate', old, '--data', data);
    assert.deepEqual([none.code, none.out], [0, `There is no store in ${data} yet: nothing to migrate.\n`]);
    const id = '0195c2a0-0000-7000-8000-000000000001';
    await runHere('rows', old, 'add', 'Customer', `id=${id}`, 'name=A', 'email=a@example.com', '--data', data);
    const report = async (...words: string[]) =>
      JSON.parse((await runHere('migrate', next, '--data', data, '--json', ...words)).out) as Record<string, unknown>;
    const changes = [
      { kind: 'widen values', text: 'Order.quantity may hold more values', accept: null, besideOld: true },
    ];
    const trial = await report('--dry-run');
    assert.deepEqual(
      { ...trial, milliseconds: 0 },
      { outcome: 'possible', milliseconds: 0, changes, refused: [], notes: [], receivers: [] },
    );
    assert.equal((await report()).outcome, 'done');
    assert.equal((await report()).outcome, 'nothing');
  });
});
