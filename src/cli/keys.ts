import type { Command } from 'commander';
import { OperatorError } from '../runtime/operator-error.ts';
import { readDuration } from '../text/units.ts';
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
A revoked key stays in the list until \`forget\` removes it; the service refuses it in both cases.

Examples:
  $ ninefold keys orders.md issue Customer 0195c2a0-0000-7000-8000-000000000001 --scopes orders:read,orders:write
  $ ninefold keys orders.md list
  $ ninefold keys orders.md revoke h3Kd82nQxY1z
  $ ninefold keys orders.md forget 90d`;

/** Adds `keys FILE issue|list|revoke|forget`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('keys'))
    .description('Issues, lists, revokes and forgets API keys.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'issue, list, revoke or forget')
    .argument(
      '[REST...]',
      'the resource and identity to issue for, the id of the key to revoke, or how long ago the keys to forget were revoked, such as 90d',
    )
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
      case 'forget': {
        const forgotten = await operator.forgetKeys(ageOf(rest));
        return io.out(
          json ? `${jsonText({ forgotten })}\n` : `Forgot ${forgotten} revoked key${forgotten === 1 ? '' : 's'}.\n`,
        );
      }
      default:
        throw new OperatorError(`There is no action “${action}”: issue, list, revoke or forget.`, true);
    }
  });
}

/** The longest accepted age: 100 years, in milliseconds. */
const MOST_MS = 36_525 * 86_400_000;

function ageOf([text, ...more]: readonly string[]): number {
  const age = text === undefined || more.length > 0 ? null : readDuration(text, MOST_MS);
  if (age === null)
    throw new OperatorError(
      '`forget` takes how long ago the keys were revoked: a number with a unit, such as 90d or 12h, and at most 36525d.',
      true,
    );
  return age;
}

/** Scopes as the operator writes them; null where none are named. */
function scopesOf(text: string | null): string[] | null {
  if (text === null) return null;
  return text === 'none' ? [] : text.split(',');
}
