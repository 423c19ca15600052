import type { Command } from 'commander';
import { OperatorError } from '../runtime/operator-error.ts';
import type { OperatorReceivers } from '../runtime/operator-receivers.ts';
import type { ReceiverChange } from '../runtime/receivers.ts';
import { orText } from '../text/lists.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import type { Io } from './io.ts';
import { printRows, withOperator } from './open.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly url?: string;
  readonly json?: boolean;
  readonly address?: string;
  readonly events?: string;
  readonly renameEvent?: string;
  readonly version?: string;
  readonly allowPrivate?: boolean;
  readonly waiting?: boolean;
  readonly oldSecretFor?: string;
}

const AFTER = `
\`add\` prints the secret that signs the webhooks of the receiver, and prints it only once. Payloads have the current
version of the document, unless --version names another version that the document describes.

\`change\` gives receivers another address, another version or other events; their secrets stay. Deliveries that are
pending go to the new address from the next attempt on. A receiver whose version the document no longer describes
waits, and the service stores its events. \`change --waiting --version VERSION\` gives a version to all waiting
receivers, and the stored events are delivered. For a document without versions, VERSION is none.
\`change --rename-event OLD=NEW\` gives NEW to all receivers that have chosen OLD.

\`pause\` stops the sending to receivers: the service stores their events, sends none of them, and counts no attempts.
Deliveries that are under way end. \`resume\` has the stored events sent, each row's in their order.

\`rotate\` gives a receiver another secret, and prints it only once. For the time that --old-secret-for states, each
delivery has two signatures, by the new secret and by the old one, and a receiver that knows one of the two verifies it;
a document with a form of signature of its own says which secret signs.
With 0 the old secret ends at once. While two secrets are valid, \`rotate\` takes only 0, which ends both.

Examples:
  $ ninefold receivers orders.md add https://example.com/hooks --events order.opened,order.placed
  $ ninefold receivers orders.md add http://127.0.0.1:4000/ --events order.placed --allow-private
  $ ninefold receivers orders.md list
  $ ninefold receivers orders.md change rcv_0195c2a0000070008000000000000001 --version 2026-11-01
  $ ninefold receivers orders.md change rcv_0195c2a0000070008000000000000001 --address https://example.com/new
  $ ninefold receivers orders.md change --waiting --version 2026-11-01
  $ ninefold receivers orders.md change --rename-event order.canceled=order.cancelled
  $ ninefold receivers orders.md pause rcv_0195c2a0000070008000000000000001
  $ ninefold receivers orders.md resume rcv_0195c2a0000070008000000000000001
  $ ninefold receivers orders.md rotate rcv_0195c2a0000070008000000000000001 --old-secret-for 24h
  $ ninefold receivers orders.md remove rcv_0195c2a0000070008000000000000001`;

/** Adds `receivers FILE add|change|pause|resume|rotate|list|remove`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('receivers'))
    .description('Adds, changes, pauses, lists and removes receivers of webhooks, and rotates their secrets.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'add, change, pause, resume, rotate, list or remove')
    .argument('[REST...]', 'the URL to add, or the ids of receivers')
    .option('--events <EVENTS>', 'the events to receive, joined by commas')
    .option('--rename-event <OLD=NEW>', 'an event that receivers have chosen, and the event in its place')
    .option('--version <VERSION>', 'the version of the payloads')
    .option('--waiting', 'change all receivers that wait for a version')
    .option('--address <URL>', 'another address of the receiver')
    .option('--allow-private', 'allow a private address')
    .option('--old-secret-for <TIME>', 'how long the old secret stays valid: 24h, 7 days; 0 ends it at once')
    .option('--url <URL>', 'the public address of the service; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, rest: string[], options: Options) =>
      receivers(file, action, rest, options, io),
    );
}

/** The implementation of an action. */
type Action = (all: OperatorReceivers, rest: string[], options: Options, io: Io) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  add,
  change,
  pause: (all, rest, options, io) => switchEach(rest, options, io, 'pause', (ids) => all.pause(ids)),
  resume: (all, rest, options, io) => switchEach(rest, options, io, 'resume', (ids) => all.resume(ids)),
  rotate,
  list: async (all, _, options, io) => {
    const shown = (await all.list()).map(({ waits, ...one }) => ({ ...one, ...(waits && { waits }) }));
    printRows(shown, options.json ?? false, 'There are no receivers.', io);
  },
  remove,
};

async function receivers(file: string, action: string, rest: string[], options: Options, io: Io): Promise<void> {
  await withOperator(file, { ...options, makes: action === 'add' }, io, async (operator) => {
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : null;
    if (!act) {
      const names = Object.keys(ACTIONS);
      throw new OperatorError(`There is no action “${action}”: ${orText(names)}.`, true);
    }
    await act(operator.receivers, rest, options, io);
  });
}

const listOf = (text: string): string[] => text.split(',').filter(Boolean);

async function add(all: OperatorReceivers, rest: string[], options: Options, io: Io): Promise<void> {
  const [url, ...more] = rest;
  if (url === undefined || more.length) throw new OperatorError('`add` takes one URL.', true);
  const { events = '', version = null, allowPrivate = false } = options;
  const added = await all.add(url, listOf(events), version, allowPrivate);
  io.out(options.json ? `${jsonText(added)}\n` : `${added.secret}\n`);
}

async function change(all: OperatorReceivers, rest: string[], options: Options, io: Io): Promise<void> {
  const asked = changeOf(rest, options);
  const changed = await all.change(asked);
  if (options.json) return io.out(`${jsonText(changed)}\n`);
  const more = asked.url === null ? '.' : ': its pending deliveries go to the new address.';
  for (const id of changed) io.out(`Changed ${oneLine(id)}${more}\n`);
  if (changed.length === 0)
    io.out(
      asked.ids === 'waiting'
        ? 'No receiver waits for a version.\n'
        : `No receiver has chosen ${oneLine(asked.renamedEvent?.from ?? '')}.\n`,
    );
}

async function switchEach(
  ids: string[],
  options: Options,
  io: Io,
  action: 'pause' | 'resume',
  work: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  if (ids.length === 0) throw new OperatorError(`\`${action}\` takes the ids of receivers: \`list\` shows them.`, true);
  await work(ids);
  if (options.json) return io.out(`${jsonText(ids)}\n`);
  const [done, how] =
    action === 'pause' ? ['Paused', 'its events are stored, and none is sent'] : ['Resumed', 'what is due is sent'];
  for (const id of ids) io.out(`${done} ${oneLine(id)}: ${how}.\n`);
}

async function rotate(all: OperatorReceivers, rest: string[], options: Options, io: Io): Promise<void> {
  const id = only(rest, 'rotate');
  const { oldSecretFor } = options;
  if (oldSecretFor === undefined)
    throw new OperatorError(
      '`rotate` requires --old-secret-for TIME: how long the old secret stays valid beside the new one, such as 24h or 7 days, or 0 to end the old secret at once.',
      true,
    );
  const rotated = await all.rotate(id, oldSecretFor);
  if (options.json) return io.out(`${jsonText(rotated)}\n`);
  io.out(`${rotated.secret}\n`);
  // On standard error, because scripts read the secret from standard output.
  io.err(
    rotated.oldSecretUntil === null
      ? 'The old secret is no longer valid.\n'
      : `Both secrets sign until ${rotated.oldSecretUntil}, and the new one alone from then on.\n`,
  );
}

async function remove(all: OperatorReceivers, rest: string[], options: Options, io: Io): Promise<void> {
  const id = only(rest, 'remove');
  await all.remove(id);
  io.out(options.json ? '{}\n' : `Removed ${oneLine(id)}.\n`);
}

function only([id, ...more]: string[], action: string): string {
  if (id === undefined || more.length)
    throw new OperatorError(`\`${action}\` takes the id of one receiver: \`list\` shows them.`, true);
  return id;
}

/** Parses the receivers to change, and their new values. */
function changeOf(ids: readonly string[], options: Options): ReceiverChange {
  const { waiting = false, version = null, events, renameEvent, address = null, allowPrivate = false } = options;
  const renamedEvent = renameEvent === undefined ? null : renamedBy(renameEvent);
  if (version === null && events === undefined && address === null && !renamedEvent) {
    const hint = options.url === undefined ? '' : ' --url is the public address of the service.';
    throw new OperatorError(
      `\`change\` takes --address URL, --version VERSION, --events EVENTS or --rename-event OLD=NEW.${hint}`,
      true,
    );
  }
  if (events !== undefined && renamedEvent) throw new OperatorError('Give --events or --rename-event, not both.', true);
  if (allowPrivate && address === null) throw new OperatorError('--allow-private goes with --address URL.', true);
  if (address !== null && ids.length !== 1) throw new OperatorError('--address takes the id of one receiver.', true);
  const everyone = waiting ? 'waiting' : renamedEvent && ids.length === 0 ? 'subscribed' : null;
  if (ids.length > 0 === (everyone !== null))
    throw new OperatorError('`change` takes the ids of receivers, or --waiting: `list` shows them.', true);
  return {
    ids: everyone ?? ids,
    version,
    events: events === undefined ? null : listOf(events),
    renamedEvent,
    url: address,
    allowPrivate,
  };
}

function renamedBy(text: string): { readonly from: string; readonly to: string } {
  const [from = '', to = '', ...more] = text.split('=');
  if (!from || !to || more.length)
    throw new OperatorError(
      '--rename-event takes OLD=NEW: the event that receivers have chosen, and the new one.',
      true,
    );
  return { from, to };
}
