// `npm run bench:console`: how large and how quick the console is, and what it costs the service while it is open.
import { parseArgs } from 'node:util';
import { noBrowser } from '../../test/chromium.ts';
import type { Console } from '../../test/console/shop.ts';
import { spread } from '../statistics.ts';
import { measureCost } from './cost.ts';
import { openBenched, openLarge } from './opened.ts';
import { longestFrame, paintTimes } from './page.ts';
import { pageSizes } from './size.ts';

const HELP = `npm run bench:console -- [options]

Measures the console in Chromium, over 100,000 orders: what it weighs, how soon the first view is painted, the longest
frame while a list is scrolled, and the requests a second of the service with the console open on its live views against
closed, in pairs of rounds whose order alternates.

  --paints N     how often the first view is painted (20)
  --pairs N      how many pairs of rounds (12); 0 leaves them out
  --seconds S    how long each round is measured (4), after a second of warm-up
  -h, --help

Keep the machine quiet: whatever else runs is measured too.
`;

const { values } = parseArgs({
  options: {
    paints: { type: 'string', default: '20' },
    pairs: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '4' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** How many endpoints the large document has. */
const ENDPOINTS = 1000;

async function printPaints(console: Console, name: string, path: string, shown: string): Promise<void> {
  const paints = spread(await paintTimes(console, Number(values.paints), path, shown));
  if (paints)
    print(
      `First view painted (${name}): median ${ms(paints.median)} of ${values.paints}, ${ms(paints.least)} to ${ms(paints.most)}`,
    );
}

async function main(): Promise<void> {
  const sizes = await pageSizes();
  for (const { name, bytes, zipped } of sizes) print(`${name.padEnd(32)} ${bytes} bytes, gzipped ${zipped}`);
  // The editor of the document is loaded only when it is opened.
  const shown = sizes.filter(({ name }) => !name.includes('workspace'));
  print(`Gzipped without the editor: ${shown.reduce((sum, one) => sum + one.zipped, 0)} bytes (at most 100,000)`);
  const missing = noBrowser();
  if (missing !== null) return print(`Everything else is ${missing}`);
  await using benched = await openBenched();
  for (const [name, path, shown] of [
    ['document', '', '[data-line]'],
    ['rows', 'rows/Order', 'tbody tr a'],
    ['states', 'states', '.state-box'],
  ] as const) {
    await printPaints(benched.console, name, path, shown);
  }
  {
    await using large = await openLarge(benched.browser, ENDPOINTS);
    for (const [name, path, shown] of [
      ['document', '', '[data-line]'],
      ['endpoints', 'endpoints', 'tbody tr a'],
    ] as const)
      await printPaints(large.console, `${name}, ${ENDPOINTS} endpoints`, path, shown);
  }
  const frames = await longestFrame(benched);
  print(
    `Scrolling ${benched.rows} rows: longest frame ${ms(frames.longest)} of ${frames.count}, 99% within ${ms(frames.p99)}; longest task ${ms(frames.task)}`,
  );
  const cost = await measureCost(benched, Number(values.pairs), Number(values.seconds), print);
  if (cost) print(cost);
}

if (values.help) process.stdout.write(HELP);
else await main();
