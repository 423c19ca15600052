// `npm start`: serves orders.md with one customer and a key for it, and prints lines to paste.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { processIo } from '../src/cli/io.ts';
import { withOperator } from '../src/cli/open.ts';
import { serve } from '../src/cli/serve.ts';

const CUSTOMER = '0195c2a0-0000-7000-8000-000000000001';
const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    data: { type: 'string', default: './data' },
  },
});
const file = relative(process.cwd(), join(import.meta.dirname, 'orders.md'));
const io = processIo();

/** Enters the customer if it isn't there, and issues a key in place of the one that the last start issued. */
async function seed(): Promise<string | null> {
  const lastKey = join(options.data, 'start-key-id');
  let key: string | null = null;
  await withOperator(file, options, io, async (operator) => {
    const known = await operator.list('Customer');
    if (!known.some((row) => row.id === CUSTOMER))
      await operator.add(
        'Customer',
        new Map([
          ['id', CUSTOMER],
          ['name', 'Ada'],
          ['email', 'ada@example.com'],
        ]),
      );
    const issued = await operator.issueKey('Customer', CUSTOMER, ['orders:read', 'orders:write', 'orders:fulfil']);
    if (existsSync(lastKey)) await operator.revokeKey(readFileSync(lastKey, 'utf8')).catch(() => {});
    writeFileSync(lastKey, issued.id);
    key = issued.key;
  });
  return key;
}

function lines(url: string, key: string): string {
  const sku = `ABC-${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`;
  const auth = `-H 'Authorization: Bearer ${key}'`;
  return `
Try it (paste these into another terminal):

  curl -i ${url}/orders ${auth} \\
    -H 'Content-Type: application/json' -H 'Idempotency-Key: ${crypto.randomUUID()}' \\
    -d '{"sku": "${sku}", "quantity": 2}'

  curl -i ${url}/orders ${auth}

  curl -i ${url}/summary ${auth} -H 'Orders-Version: 2025-06-01'

The whole life of an order, webhooks included: examples/walk.md.
To change the service, open the link to the console above, choose Edit, and save; \`git checkout ${file}\` undoes it.
Ctrl-C stops.
`;
}

const key = await seed();
const running =
  key &&
  (await serve(
    file,
    {
      host: '127.0.0.1',
      port: options.port,
      admin: '127.0.0.1:0',
      edit: true,
      watch: true,
      data: options.data,
      log: 'info',
    },
    io,
  ));
if (key && running) {
  io.out(lines(`http://127.0.0.1:${running.port}`, key));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void running.stop());
}
