import type { Command } from 'commander';
import { OperatorError } from '../serve/operator.ts';
import type { ReceiverChange } from '../serve/receivers.ts';
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
  readonly waiting?: boolean;
}

const AFTER = `
\`add\` prints the secret that signs the receiver's webhooks, this once. Payloads are in the
current version of the document unless --version names another that is still served.
\`change\` gives receivers another version, or other events; their secrets stay. A receiver whose version
the document does not describe waits: \`change --waiting --version VERSION\` gives all of those one, and what
was kept for them is delivered. Where the document has no versions, --version is none.

Examples:
  $ ninefold receivers orders.md add https://example.com/hooks --events order.opened,order.placed
  $ ninefold receivers orders.md add http://127.0.0.1:4000/ --events order.placed --allow-private
  $ ninefold receivers orders.md list
  $ ninefold receivers orders.md change rcv_0195c2a0000070008000000000000001 --version 2026-11-01
  $ ninefold receivers orders.md change --waiting --version 2026-11-01
  $ ninefold receivers orders.md remove rcv_0195c2a0000070008000000000000001`;

/** Adds `receivers FILE add|change|list|remove`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('receivers'))
    .summary('add, change, list and remove receivers of webhooks')
    .description('Adds, changes, lists and removes receivers of webhooks.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'add, change, list or remove')
    .argument('[REST...]', 'the URL to add, the ids to change, or the id to remove')
    .option('--events <EVENTS>', 'the events that it receives, joined by commas')
    .option('--version <VERSION>', 'the version whose names its payloads bear')
    .option('--waiting', 'change all that wait for a version')
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
  await withOperator(file, { ...options, makes: action === 'add' }, io, async (operator) => {
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
      case 'change': {
        const changed = await operator.changeReceivers(changeOf(rest, options));
        return io.out(json ? `${jsonText(changed)}\n` : changedText(changed));
      }
      case 'list':
        return printRows(await operator.listReceivers(), json, 'There are no receivers.', io);
      case 'remove':
        if (rest.length !== 1)
          throw new OperatorError('`remove` takes the id of one receiver: `list` shows them.', true);
        await operator.removeReceiver(rest[0]!);
        return io.out(json ? '{}\n' : `Removed ${oneLine(rest[0]!)}.\n`);
      default:
        throw new OperatorError(`There is no action “${action}”: add, change, list or remove.`, true);
    }
  });
}

/** Which receivers are changed, and to what. */
function changeOf(ids: readonly string[], { waiting, version, events }: Options): ReceiverChange {
  if (ids.length > 0 === Boolean(waiting))
    throw new OperatorError('`change` takes the ids of receivers, or --waiting: `list` shows them.', true);
  if (version === undefined && events === undefined)
    throw new OperatorError('Say what `change` gives them: --version VERSION, --events EVENTS, or both.', true);
  return {
    ids: waiting ? 'waiting' : ids,
    version: version ?? null,
    events: events === undefined ? null : events.split(',').filter(Boolean),
  };
}

const changedText = (ids: readonly string[]): string =>
  ids.length ? ids.map((id) => `Changed ${oneLine(id)}.\n`).join('') : 'No receiver waits for a version.\n';
