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
last run. \`run\` makes a run now, under the same rules; the due instants stay as they are.

Examples:
  $ ninefold schedules desks.md list
  $ ninefold schedules desks.md run close_past`;

/** Adds `schedules FILE list|run`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('schedules'))
    .description('Lists the schedules of a document, and makes a run.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'list or run')
    .argument('[NAME]', 'the name of the schedule to run')
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
    if (action === 'list')
      return printRows(
        (await operator.schedules.list()).map((one) => ({ ...one })),
        json,
        'The document has no schedules.',
        io,
      );
    if (action !== 'run') throw new OperatorError(`There is no action “${action}”: list or run.`, true);
    if (!name) throw new OperatorError('Name the schedule: `list` shows the schedules.', true);
    await operator.schedules.run(name);
    return io.out(json ? `${jsonText({ schedule: name, result: 'done' })}\n` : `${name} has run.\n`);
  });
}
