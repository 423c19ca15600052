import type { Command } from 'commander';
import { explainPlan } from '../explain/explain.ts';
import { nearest } from '../text/suggest.ts';
import { jsonText } from '../text/visible.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { settledPlan } from './open.ts';

const AFTER = `
The steps are in the order in which they run, each with the line of the document
that states it.

Examples:
  $ ninefold plan orders.md
  $ ninefold plan orders.md "POST /orders"
  $ ninefold plan orders.md --json`;

/** Adds `plan FILE [ENDPOINT]`. */
export function register(program: Command, io: Io): void {
  program
    .command('plan')
    .description('Prints what will run: for the whole document, or for one endpoint.')
    .argument('<FILE>', 'the document, or - for standard input')
    .argument('[ENDPOINT]', 'a method and a path, as in the heading')
    .option('--json', 'print the plan as JSON')
    .addHelpText('after', AFTER)
    .action((file: string, endpoint: string | undefined, options: { json?: boolean }) =>
      plan(file, endpoint ?? null, options.json ?? false, io),
    );
}

function plan(file: string, name: string | null, json: boolean, io: Io): void {
  const compiled = loadDocument(file, io);
  const built = compiled && settledPlan(compiled, true, io);
  if (!built) return;
  const endpoint = name === null ? null : (built.endpoints.find((one) => one.name === name) ?? null);
  if (name !== null && !endpoint) {
    const names = built.endpoints.map((one) => one.name);
    const near = nearest(name, names);
    io.err(
      `error: there is no settled endpoint “${name}”${near ? `: did you mean “${near}”?` : ''}\n${near ? '' : `${names.map((one) => `  ${one}\n`).join('')}`}`,
    );
    io.exit(EXIT.wrongUse);
    return;
  }
  io.out(json ? `${jsonText(endpoint ?? built, 2)}\n` : `${explainPlan(built, endpoint)}\n`);
}
