import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { run } from '../../src/cli/main.ts';

/** `UPDATE=1` writes what the command prints into the goldens, to be read before it is committed. */
const UPDATE = process.env.UPDATE === '1';

/** What the command prints, by the file that it stands in. */
const GOLDENS: Readonly<Record<string, readonly string[]>> = {
  'orders.txt': ['examples/orders.md'],
  'orders-2025-06-01.txt': ['examples/orders.md', 'POST /orders', '--version', '2025-06-01'],
  'orders-create.json.txt': ['examples/orders.md', 'POST /orders', '--json'],
  'payments.txt': ['examples/payments.md'],
};

for (const [name, args] of Object.entries(GOLDENS))
  test(`ninefold contract ${args.join(' ')}`, async () => {
    let out = '';
    let err = '';
    await run(['contract', ...args], {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      color: false,
      exit: (code) => assert.equal(code, 0, err),
    });
    const golden = new URL(`goldens/${name}`, import.meta.url);
    if (UPDATE) writeFileSync(golden, out);
    assert.equal(out, readFileSync(golden, 'utf8'));
  });
