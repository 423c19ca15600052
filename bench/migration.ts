import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { edited, RAISED, type Service, until, Workspace } from '../test/harness.ts';
import { PostgresServer } from '../test/postgres.ts';

// How long a service of 100,000 rows answers nobody while a changed document takes its rows along (`serve --watch`),
// and how long the changes take that are made only at a start (`migrate`): on SQLite, or on a PostgreSQL that is started
// for it. It prints, and judges nothing.

const [rows = '100000', store = 'sqlite', ...more] = process.argv.slice(2);
const ROWS = Number(rows);
if (!Number.isSafeInteger(ROWS) || ROWS < 1 || !['sqlite', 'postgres'].includes(store) || more.length > 0) {
  console.error('Usage: npm run bench:migration -- [ROWS] [sqlite|postgres]   (unless given: 100000 sqlite)');
  process.exit(2);
}
const server = store === 'postgres' ? await PostgresServer.start() : null;

const CREATED =
  '| created  | timestamp |        |                                                     | on create `now()`  |          |          |\n';
const added = (row: string, name: string): string =>
  edited(
    RAISED,
    [CREATED, `${CREATED}${row}\n`],
    ['- Request: Order with sku, quantity, note\n', `- Request: Order with sku, quantity, note, ${name}\n`],
    ['quantity, note, status, created\n', `quantity, note, status, created, ${name}\n`],
  );

/** What is taken up while requests go on. */
const WATCHED: ReadonlyArray<readonly [what: string, document: string]> = [
  ['an optional field', added('| channel | string | | at most 20 characters | request | optional | |', 'channel')],
  [
    'a required field, filled',
    added('| channel | string | | at most 20 characters | request, else `"web"` | | |', 'channel'),
  ],
  [
    'a timed transition',
    edited(
      RAISED,
      [
        '| expire     | draft ',
        '| wither     | placed | cancelled | 365 days after `created` | none |\n| expire     | draft ',
      ],
      ['by cancel, expire', 'by cancel, expire, wither'],
    ),
  ],
];

/** What is done at a start. */
const STARTED: ReadonlyArray<readonly [what: string, document: string, options: readonly string[]]> = [
  ['a field renamed', RAISED.replaceAll(/\bnote\b/g, 'remark'), ['--rename', 'Order.note=Order.remark']],
  [
    'a field made anew as a decimal',
    edited(
      RAISED,
      ['| quantity | integer   |        | 1 to 1000 ', '| quantity | decimal   |        | 1.0 to 1000.0 '],
      ['`quantity <= 100 ', '`quantity <= 100.0 '],
      ['- Text: trimmed', '- Decimals: strings, more digits refused\n- Text: trimmed'],
    ),
    [],
  ],
  [
    'a new unique rule',
    edited(RAISED, [
      '- Keeps: customer,',
      '- Unique: sku and customer and created, else order_already_open\n- Keeps: customer,',
    ]),
    [],
  ],
  ['a narrower field', edited(RAISED, ['| 1 to 1000  ', '| 1 to 999   ']), []],
];

/** A workspace with so many orders: one made by a request, the others like it. */
async function filled(): Promise<{ space: Workspace; key: string }> {
  const space = new Workspace(RAISED);
  const url = server && (await server.database());
  if (url) space.place = ['--store', url];
  const key = await space.key(await space.customer());
  const service = await space.serve();
  await service.opened(key, 'AAA-0000', { quantity: 5 });
  await service.stop();
  if (url) {
    await server.query(
      url,
      `INSERT INTO "order" (id, customer, sku, quantity, status, created, ninefold_revision)
       SELECT gen_random_uuid(), customer, format('B%s%s-%s', chr(65 + i / 10000 % 26), chr(65 + i / 260000),
       lpad((i % 10000)::text, 4, '0')), quantity, 'placed', created + i, 1 FROM generate_series(1, ${ROWS - 1}) AS i, "order"`,
    );
    await server.query(url, 'ANALYZE');
    return { space, key };
  }
  const db = new Database(join(space.data, 'ninefold.sqlite'));
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
    INSERT INTO "order" (id, customer, sku, quantity, status, created, ninefold_revision)
    SELECT randomblob(16), customer, printf('B%c%c-%04d', 65 + i / 10000 % 26, 65 + i / 260000, i % 10000), quantity,
    'placed', created + i, 1 FROM n, "order"`);
  db.close();
  return { space, key };
}

interface Gap {
  longest: number;
  answers: number;
  /** How many were told to come again. */
  refused: number;
}

/** Asks without a pause, and remembers the longest time without an answer. */
function asking(ask: () => Promise<{ status: number }>): { readonly gap: Gap; stop(): Promise<void> } {
  const gap = { longest: 0, answers: 0, refused: 0 };
  let going = true;
  const run = (async () => {
    for (let last = performance.now(); going; ) {
      const { status } = await ask();
      if (status === 503) gap.refused++;
      else if (status >= 300) throw new Error(`An answer of ${status}`);
      const now = performance.now();
      gap.longest = Math.max(gap.longest, now - last);
      gap.answers++;
      last = now;
    }
  })();
  return {
    gap,
    stop: async () => {
      going = false;
      await run;
    },
  };
}

async function watched(what: string, document: string): Promise<void> {
  const { space, key } = await filled();
  const service: Service = await space.serve({ args: ['--watch'] });
  let made = 0;
  const reader = asking(() => service.request('GET', '/orders?limit=1', { key }));
  const writer = asking(() =>
    service.open(key, { sku: `ZZZ-${String(made++ % 10_000).padStart(4, '0')}`, quantity: 1 }),
  );
  await sleep(2000);
  const before = [reader.gap.longest, writer.gap.longest].map(Math.round);
  reader.gap.longest = 0;
  writer.gap.longest = 0;
  space.write(document);
  await until(() => service.out.includes('The new document is served'), 'the edit served');
  await sleep(1000);
  await reader.stop();
  await writer.stop();
  const took = /Done in (\d+) ms/.exec(service.out)?.[1];
  const refused = reader.gap.refused + writer.gap.refused;
  console.log(
    `${what.padEnd(32)} migrated in ${String(took).padStart(5)} ms; longest without an answer: reads ${Math.round(reader.gap.longest)} ms, writes ${Math.round(writer.gap.longest)} ms (${before.join(' and ')} ms in the two seconds before)${refused ? `; ${refused} told to come again` : ''}`,
  );
  await service.stop();
  rmSync(space.dir, { recursive: true, force: true });
}

async function started(what: string, document: string, options: readonly string[]): Promise<void> {
  const { space } = await filled();
  space.write(document);
  const ran = await space.cli('migrate', ...options);
  const took = /Done in (\d+) ms/.exec(ran.out)?.[1] ?? `${ran.code}: ${ran.err}`;
  console.log(`${what.padEnd(32)} migrated in ${took.padStart(5)} ms, while nothing is served`);
  rmSync(space.dir, { recursive: true, force: true });
}

console.log(`${ROWS} rows of Order in examples/orders.md, on ${server ? 'PostgreSQL' : 'SQLite'}`);
for (const [what, document] of WATCHED) await watched(what, document);
for (const [what, document, options] of STARTED) await started(what, document, options);
await server?.[Symbol.asyncDispose]();
