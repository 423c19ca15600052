// `npm run bench:helpdesk`: examples/helpdesk.md and the same service by hand, compared, counted and measured.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Unequal } from '../check/other.ts';
import { Interruption } from '../interrupted.ts';
import { WrongUse } from '../options.ts';
import { Running, type Startable, type Where } from '../process.ts';
import { setUp } from '../setup.ts';
import { checkBoth, differencesText, type Start } from './check.ts';
import { measureBoth } from './measure.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { benchedHelpdesk, HELPDESK_HANDLER } from './paths.ts';
import { measuredText, sizesText } from './report.ts';
import { makeRows } from './rows.ts';
import { FASTIFY_HELPDESK, NINEFOLD_HELPDESK } from './servers.ts';
import { sizes } from './size.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

async function main(options: Options): Promise<void> {
  const { where: orders, machine } = setUp(options.data, null, say);
  const where: Where = { ...orders, document: join(options.data, 'helpdesk.md') };
  mkdirSync(options.data, { recursive: true });
  writeFileSync(where.document, benchedHelpdesk());
  copyFileSync(HELPDESK_HANDLER, join(options.data, basename(HELPDESK_HANDLER)));
  say('Asking both the same');
  const starts = { ninefold: startOf(NINEFOLD_HELPDESK, where), fastify: startOf(FASTIFY_HELPDESK, where) };
  const { steps, differences } = await checkBoth(where.document, options.data, starts);
  print(`${steps - differences.length} of ${steps} answers alike`);
  const size = sizes();
  print(sizesText(size));
  if (differences.length)
    throw new Unequal(`Fastify (+) answers otherwise than Ninefold (-):\n\n${differencesText(differences)}`);
  if (options.checkOnly) return;
  say(`Making ${options.rows} tickets`);
  await makeRows(options.rows, where);
  const measured = await measureBoth(options, where, say);
  print(measuredText(measured));
  if (options.json === null) return;
  const { rows, rounds, seconds, warmup, start, connections } = options;
  const ran = { rows, rounds, seconds, warmup, start, connections };
  writeFileSync(
    options.json,
    `${JSON.stringify({ format: 1, machine, options: ran, steps, size, measured }, null, 1)}\n`,
  );
}

const startOf =
  (server: Startable, where: Where): Start =>
  async (data, mailUrl) => {
    process.env.MAIL_URL = mailUrl;
    const running = await Running.start(server, { ...where, data });
    return { port: running.port, pass: null, [Symbol.asyncDispose]: () => running.stop() };
  };

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await main(options);
  else process.stdout.write(HELP);
} catch (error) {
  if (!(error instanceof WrongUse || error instanceof Unequal || error instanceof Interruption)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode ??= error instanceof WrongUse ? 2 : 1;
}
