import type { Command } from 'commander';
import { OperatorError } from '../serve/operator.ts';
import { jsonText, oneLine } from '../source/visible.ts';
import type { Io } from './io.ts';
import { printRows, withOperator } from './open.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly url?: string;
  readonly json?: boolean;
  readonly events?: string;
  readonly version?: string;
  readonly allowPrivate?: boolean;
}

const AFTER = `
\`add\` prints the secret that signs the receiver's webhooks, this once. Payloads are in the
current version of the document unless --version names another that is still served.

Examples:
  $ ninefold receivers orders.md add https://example.com/hooks --events order.opened,order.placed
  $ ninefold receivers orders.md add http://127.0.0.1:4000/ --events order.placed --allow-private
  $ ninefold receivers orders.md list
  $ ninefold receivers orders.md remove rcv_0195c2a0000070008000000000000001`;

/** Adds `receivers FILE add|list|remove`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('receivers'))
    .summary('add, list and remove receivers of webhooks')
    .description('Adds, lists and removes receivers of webhooks.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'add, list or remove')
    .argument('[REST...]', 'the URL to add, or the id to remove')
    .option('--events <EVENTS>', 'the events that it receives, joined by commas')
    .option('--version <VERSION>', 'the version whose names its payloads bear')
    .option('--allow-private', 'let the address be a private one')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, rest: string[], options: Options) =>
      receivers(file, action, rest, options, io),
    );
}

async function receivers(file: string, action: string, rest: string[], options: Options, io: Io): Promise<void> {
  const json = options.json ?? false;
  await withOperator(file, options, io, async (operator) => {
    switch (action) {
      case 'add': {
        if (rest.length !== 1) throw new OperatorError('`add` takes one URL.', true);
        const events = (options.events ?? '').split(',').filter(Boolean);
        const added = await operator.addReceiver(
          rest[0]!,
          events,
          options.version ?? null,
          options.allowPrivate ?? false,
        );
        return io.out(json ? `${jsonText(added)}\n` : `${added.secret}\n`);
      }
      case 'list':
        return printRows(await operator.listReceivers(), json, 'There are no receivers.', io);
      case 'remove':
        if (rest.length !== 1)
          throw new OperatorError('`remove` takes the id of one receiver: `list` shows them.', true);
        await operator.removeReceiver(rest[0]!);
        return io.out(json ? '{}\n' : `Removed ${oneLine(rest[0]!)}.\n`);
      default:
        throw new OperatorError(`There is no action “${action}”: add, list or remove.`, true);
    }
  });
}
