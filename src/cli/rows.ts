import type { Command } from 'commander';
import type { Fields } from '../runtime/operator.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { oneLine } from '../text/visible.ts';
import type { Io } from './io.ts';
import { printRows, withOperator } from './open.ts';
import { type Place, withPlace } from './stores.ts';

interface Options extends Place {
  readonly url?: string;
  readonly json?: boolean;
  readonly absent?: string[];
}

const AFTER = `
The command checks rows like requests do: allowed values, uniqueness, references, states, rules. The conditions of
endpoints do not apply. The operator can give only the fields whose “Given by” names the operator. Write values as in a
URL; write a list, a set or a map as JSON. Only \`move\` changes a state: it makes a transition of the document, under its
guard, with the steps and events of the transition.

Examples:
  $ ninefold rows orders.md add Customer id=0195c2a0-0000-7000-8000-000000000001 name=Ada email=ada@example.com
  $ ninefold rows orders.md list Customer --json
  $ ninefold rows orders.md change Customer 0195c2a0-0000-7000-8000-000000000001 name="Ada Lovelace"
  $ ninefold rows orders.md move Order 0195c2a0-0000-7000-8000-000000000002 cancel
  $ ninefold rows orders.md remove Customer 0195c2a0-0000-7000-8000-000000000001`;

/** Adds `rows FILE add|list|change|move|remove`. */
export function register(program: Command, io: Io): void {
  withPlace(program.command('rows'))
    .description('Adds, lists, changes, moves and removes rows, under the same rules as requests.')
    .argument('<FILE>', 'the document')
    .argument('<ACTION>', 'add, list, change, move or remove')
    .argument('<RESOURCE>', 'a resource of the document')
    .argument('[REST...]', 'the identity of the row (change, move, remove), then field=value …, or the transition')
    .option('--absent <FIELD...>', 'fields without a value')
    .option('--url <URL>', 'the public address; required where rows of the document use service.url')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER)
    .action((file: string, action: string, resource: string, rest: string[], options: Options) =>
      rows(file, action, resource, rest, options, io),
    );
}

async function rows(
  file: string,
  action: string,
  resource: string,
  rest: string[],
  options: Options,
  io: Io,
): Promise<void> {
  const json = options.json ?? false;
  await withOperator(file, { ...options, makes: action === 'add' }, io, async (operator) => {
    switch (action) {
      case 'add':
        return printRows([await operator.add(resource, fieldsOf(rest, options))], json, '', io);
      case 'list':
        if (rest.length) throw new OperatorError('`list` takes a resource and nothing more.', true);
        return printRows(await operator.list(resource), json, `There are no rows of ${resource}.`, io);
      case 'change':
        return printRows([await operator.edit(resource, idOf(rest), fieldsOf(rest.slice(1), options))], json, '', io);
      case 'move':
        if (rest.length !== 2)
          throw new OperatorError('`move` takes the identity of one row, and then the transition.', true);
        return printRows([await operator.move(resource, idOf(rest), rest[1]!)], json, '', io);
      case 'remove':
        if (rest.length !== 1) throw new OperatorError('`remove` takes the identity of one row.', true);
        await operator.remove(resource, idOf(rest));
        return io.out(json ? '{}\n' : `Removed ${resource} ${oneLine(rest[0]!)}.\n`);
      default:
        throw new OperatorError(`There is no action “${action}”: add, list, change, move or remove.`, true);
    }
  });
}

function idOf(rest: readonly string[]): string {
  if (!rest[0]) throw new OperatorError('Name the row: its identity comes after the resource.', true);
  return rest[0];
}

/** `name=Ada email=…`; the value is everything after the first `=`. */
function fieldsOf(words: readonly string[], options: Options): Fields {
  const fields = new Map<string, string | null>();
  const set = (name: string, value: string | null): void => {
    if (fields.has(name)) throw new OperatorError(`“${name}” is given twice.`, true);
    fields.set(name, value);
  };
  for (const word of words) {
    const cut = word.indexOf('=');
    if (cut < 1) throw new OperatorError(`“${word}” is not of the form field=value.`, true);
    set(word.slice(0, cut), word.slice(cut + 1));
  }
  for (const name of options.absent ?? []) set(name, null);
  return fields;
}
