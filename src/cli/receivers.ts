import type { Command } from 'commander';
import { OperatorError } from '../runtime/operator-error.ts';
import type { ReceiverChange } from '../runtime/receivers.ts';
import { jsonText, oneLine } from '../text/visible.ts';
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
\`add\` prints the secret that signs the webhooks of the receiver, and prints it only once. Payloads have the current
version of the document, unless --version names another version that the document describes.

\`change\` gives a receiver another version or other events; its secret stays. A receiver whose version the document no
longer describes waits, and the service stores its events. \`change --waiting --version VERSION\` gives a version to all
waiting receivers, and the stored events are delivered. For a document without versions, VERSION is none.

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
    .option('--events <EVENTS>', 'the events to receive, joined by commas')
    .option('--version <VERSION>', 'the version of the payloads')
    .option('--waiting', 'change all receivers that wait for a version')
    .option('--allow-private', 'allow a private address')
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
        const [url, ...more] = rest;
        if (url === undefined || more.length) throw new OperatorError('`add` takes one URL.', true);
        const events = (options.events ?? '').split(',').filter(Boolean);
        const added = await operator.addReceiver(url, events, options.version ?? null, options.allowPrivate ?? false);
        return io.out(json ? `${jsonText(added)}\n` : `${added.secret}\n`);
      }
      case 'change': {
        const changed = await operator.changeReceivers(changeOf(rest, options));
        return io.out(json ? `${jsonText(changed)}\n` : changedText(changed));
      }
      case 'list':
        return printRows(await operator.listReceivers(), json, 'There are no receivers.', io);
      case 'remove': {
        const [id, ...more] = rest;
        if (id === undefined || more.length)
          throw new OperatorError('`remove` takes the id of one receiver: `list` shows them.', true);
        await operator.removeReceiver(id);
        return io.out(json ? '{}\n' : `Removed ${oneLine(id)}.\n`);
      }
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
    throw new OperatorError('`change` takes --version VERSION, --events EVENTS, or both.', true);
  return {
    ids: waiting ? 'waiting' : ids,
    version: version ?? null,
    events: events === undefined ? null : events.split(',').filter(Boolean),
  };
}

const changedText = (ids: readonly string[]): string =>
  ids.length ? ids.map((id) => `Changed ${oneLine(id)}.\n`).join('') : 'No receiver waits for a version.\n';
