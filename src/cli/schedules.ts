import type { Command } from 'commander';
import { OperatorError } from '../runtime/operator-error.ts';
import { jsonText } from '../text/visible.ts';
import type { Io } from './io.ts';
import { printRows, withOperator } from './open.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly url?: string;
  readonly json?: boolean;
}

const AFTER = `
\`list\` shows each schedule: its times, its next due instant, and the due instant, the beginning and the result of its
last run. \`run\` makes a run now, under the same rules; the due instants stay as they are. After a clock was
set back, a schedule waits until the clock has passed the last due instant. \`reset\` ends this wait: the schedule is due
at the next instant of its times, and an instant that has run already may run again.

Examples:
  $ ninefold schedules desks.md list
  $ ninefold schedules desks.md run close_past
  $ ninefold schedules desks.md reset close_past`;

/** Adds `schedules FILE list|run|reset`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('schedules'))
    .description('Lists the schedules of a document, makes a run, and ends a wait after the clock was set back.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'list, run or reset')
    .argument('[NAME]', 'the name of the schedule to run or reset')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, name: string | undefined, options: Options) =>
      schedules(file, action, name, options, io),
    );
}

async function schedules(
  file: string,
  action: string,
  name: string | undefined,
  options: Options,
  io: Io,
): Promise<void> {
  const json = options.json ?? false;
  await withOperator(file, { ...options, makes: false }, io, async (operator) => {
    if (action === 'list') {
      const all = await operator.schedules.list();
      printRows(
        all.map((one) => ({ ...one })),
        json,
        'The document has no schedules.',
        io,
      );
      for (const one of json ? [] : all) if (one.expected) io.out(waitText(file, one.name, one.next, one.expected));
      return;
    }
    if (action !== 'run' && action !== 'reset')
      throw new OperatorError(`There is no action “${action}”: list, run or reset.`, true);
    if (!name) throw new OperatorError('Name the schedule: `list` shows the schedules.', true);
    if (action === 'reset') {
      const next = await operator.schedules.reset(name);
      return io.out(json ? `${jsonText({ schedule: name, next })}\n` : `${name} is next due at ${next}.\n`);
    }
    await operator.schedules.run(name);
    return io.out(json ? `${jsonText({ schedule: name, result: 'done' })}\n` : `${name} has run.\n`);
  });
}

/** Says that a schedule waits since the clock was set back, and how to end that. */
const waitText = (file: string, name: string, next: string | null, expected: string): string =>
  `${name} waits until ${next}, since an instant before that has run or was passed over: the clock was set back. By its times, it would be due at ${expected}. To make it due then: ninefold schedules ${file} reset ${name}\n`;
