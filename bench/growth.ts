// `npm run bench:growth`: what a request costs Ninefold as rows, endpoints and the like become more.
import { writeFileSync } from 'node:fs';
import { type Installed, measureInstall } from './growth/install.ts';
import { type GrowthMeasured, measureThing } from './growth/measure.ts';
import { GROWTH_HELP, type GrowthOptions, readGrowthOptions } from './growth/options.ts';
import { type Growth, growthsOf, growthText, installText } from './growth/report.ts';
import { makeSetting } from './growth/setting.ts';
import { Interruption } from './interrupted.ts';
import { WrongUse } from './options.ts';
import { setUp } from './setup.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

async function main(options: GrowthOptions): Promise<void> {
  const { where, machine } = setUp(options.data, null, say);
  const measurements: GrowthMeasured[] = [];
  const growths: Growth[] = [];
  let installed: Installed | null = null;
  if (options.chosen.length) {
    const setting = await makeSetting(where);
    for (const chosen of options.chosen) {
      const measured = await measureThing(chosen, options, setting, say);
      if (measured.length === 0) continue;
      const found = growthsOf(chosen.thing, measured);
      print(growthText(chosen.thing, found, measured));
      measurements.push(...measured);
      growths.push(...found);
    }
  }
  const { soon } = where.interrupted;
  if (growths.length === 0 && options.chosen.length) soon.throwIfAborted();
  if (options.install && !soon.aborted) {
    say('Packing and installing');
    installed = measureInstall(options.data);
    print(installText(installed));
  }
  const broken = growths.filter(({ verdict }) => verdict && !verdict.holds);
  print(
    broken.length
      ? `Faster than its bound: ${broken.map(({ thing, kind }) => `${kind} as ${thing} grow`).join('; ')}.`
      : `Nothing${soon.aborted ? ' that was measured' : ''} grew faster than its bound.`,
  );
  if (broken.length) process.exitCode ??= 1;
  if (options.json !== null) {
    const { rounds, seconds, warmup, connections } = options;
    const terms = { rounds, seconds, warmup, connections };
    const interrupted = soon.aborted;
    writeFileSync(
      options.json,
      `${JSON.stringify({ format: 1, machine, terms, interrupted, growths, installed, measurements }, null, 1)}\n`,
    );
  }
}

try {
  const options = readGrowthOptions(process.argv.slice(2));
  if (options) await main(options);
  else process.stdout.write(GROWTH_HELP);
} catch (error) {
  if (!(error instanceof WrongUse || error instanceof Interruption)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode ??= 2;
}
