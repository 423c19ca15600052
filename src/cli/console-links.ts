import type { Command } from 'commander';
import { operatorsAddress } from '../runtime/operator-console.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { jsonText } from '../text/visible.ts';
import type { Io } from './io.ts';
import { withOperator } from './open.ts';
import { hostAndPort, notHostAndPort } from './ports.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly admin: string;
  readonly name: string;
  readonly url?: string;
  readonly json?: boolean;
}

const AFTER = `
\`link\`, the default, prints a link that opens the console of a running service. The link works
once, within ten minutes. The service logs each change that the session makes, with the name. \`end\` ends all sessions
of a name.

Examples:
  $ ninefold console orders.md --admin 127.0.0.1:9090 --name ada
  $ ninefold console orders.md end --name ada`;

/** Adds `console FILE [link|end]`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('console'))
    .description('Prints a link to the console of a running service, and ends sessions.')
    .argument('<FILE>', 'the document')
    .argument('[ACTION]', 'link or end', 'link')
    .option('--admin <HOST:PORT>', 'the operator’s address of the running service', '127.0.0.1:9090')
    .option('--name <NAME>', 'the operator’s name, which the log and the list of changes show', 'operator')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, options: Options) => consoleLinks(file, action, options, io));
}

async function consoleLinks(file: string, action: string, options: Options, io: Io): Promise<void> {
  const { admin, name, json = false } = options;
  await withOperator(file, { ...options, makes: false }, io, async ({ console: links }) => {
    if (action === 'end') {
      await links.end(name);
      return io.out(json ? `${jsonText({ ended: name })}\n` : `The sessions of ${name} have ended.\n`);
    }
    if (action !== 'link') throw new OperatorError(`There is no action “${action}”: link or end.`, true);
    const at = hostAndPort(admin);
    const address = at && operatorsAddress(at.host, at.port);
    if (!address || !URL.canParse(address)) throw new OperatorError(notHostAndPort(admin), true);
    const link = `${address}/console?key=${await links.key(name)}`;
    if (!(await answers(address))) io.err(`Nothing answers at ${admin}: start the service with --admin ${admin}.\n`);
    io.out(json ? `${jsonText({ link, name })}\n` : `${link}\nThe link works once, within ten minutes.\n`);
  });
}

/** Whether a service answers at the operator’s address. */
const answers = (address: string): Promise<boolean> =>
  fetch(`${address}/livez`, { signal: AbortSignal.timeout(2000) }).then(
    ({ ok }) => ok,
    () => false,
  );
