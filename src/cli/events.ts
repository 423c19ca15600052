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
\`list\` shows each delivery: its event, receiver, state, attempts and last result.
\`replay\` sends an event again, with the same webhook-id, to the receivers whose delivery has ended.

Examples:
  $ ninefold events orders.md list
  $ ninefold events orders.md replay evt_0195c2a0-0000-7000-8000-000000000001`;

/** Adds `events FILE list|replay`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('events'))
    .description('Lists and replays deliveries of events.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'list or replay')
    .argument('[ID]', 'the id of the event to replay')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, id: string | undefined, options: Options) =>
      events(file, action, id, options, io),
    );
}

async function events(file: string, action: string, id: string | undefined, options: Options, io: Io): Promise<void> {
  const json = options.json ?? false;
  await withOperator(file, { ...options, makes: false }, io, async (operator) => {
    if (action === 'list') return printRows(await operator.listDeliveries(), json, 'There are no deliveries.', io);
    if (action !== 'replay') throw new OperatorError(`There is no action “${action}”: list or replay.`, true);
    if (!id) throw new OperatorError('Name the event: `list` shows the events.', true);
    const again = await operator.replay(id);
    return io.out(
      json
        ? `${jsonText({ deliveries: again })}\n`
        : `${again} ${again === 1 ? 'delivery' : 'deliveries'} will be repeated.\n`,
    );
  });
}
