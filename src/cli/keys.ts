import type { Command } from 'commander';
import { OperatorError } from '../runtime/operator-error.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import type { Io } from './io.ts';
import { printRows, withOperator } from './open.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly url?: string;
  readonly json?: boolean;
  readonly scopes?: string;
  readonly scheme?: string;
}

const AFTER = `
\`issue\` prints the key once; the service stores only its hash. \`--scopes none\` issues a key without scopes.

Examples:
  $ ninefold keys orders.md issue Customer 0195c2a0-0000-7000-8000-000000000001 --scopes orders:read,orders:write
  $ ninefold keys orders.md list
  $ ninefold keys orders.md revoke h3Kd82nQxY1z`;

/** Adds `keys FILE issue|list|revoke`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('keys'))
    .summary('issue, list and revoke API keys')
    .description('Issues, lists and revokes API keys.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'issue, list or revoke')
    .argument('[REST...]', 'the resource and identity to issue for, or the id of the key to revoke')
    .option('--scopes <SCOPES>', 'the scopes of the key, joined by commas, or none')
    .option('--scheme <NAME>', 'the scheme of the key, when the document has several')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, rest: string[], options: Options) => keys(file, action, rest, options, io));
}

async function keys(file: string, action: string, rest: string[], options: Options, io: Io): Promise<void> {
  const json = options.json ?? false;
  await withOperator(file, { ...options, makes: false }, io, async (operator) => {
    switch (action) {
      case 'issue': {
        const [resource, id, ...more] = rest;
        if (!resource || !id || more.length)
          throw new OperatorError('`issue` takes a resource and the identity of its row.', true);
        const issued = await operator.issueKey(resource, id, scopesOf(options.scopes ?? null), options.scheme);
        return io.out(json ? `${jsonText(issued)}\n` : `${issued.key}\n`);
      }
      case 'list':
        return printRows(await operator.listKeys(), json, 'There are no keys.', io);
      case 'revoke': {
        const [id, ...more] = rest;
        if (id === undefined || more.length)
          throw new OperatorError('`revoke` takes the id of one key: `list` shows them.', true);
        await operator.revokeKey(id);
        return io.out(json ? '{}\n' : `Revoked ${oneLine(id)}.\n`);
      }
      default:
        throw new OperatorError(`There is no action “${action}”: issue, list or revoke.`, true);
    }
  });
}

/** Scopes as the operator writes them; null where none are named. */
function scopesOf(text: string | null): string[] | null {
  if (text === null) return null;
  return text === 'none' ? [] : text.split(',');
}
