import type { Command } from 'commander';
import { escaped } from '../text/visible.ts';
import { loadDocument } from './document.ts';
import { handlerTypes } from './handler-types.ts';
import { EXIT, type Io } from './io.ts';
import { settledPlan } from './open.ts';

const AFTER = `
The module of a handler imports its type, and Node runs the module without a build:

  import type { Quote } from './orders.handlers.ts';
  export const quote: Quote = ({ quantity }) => ({ price: quantity * 3 });

Example:
  $ ninefold types orders.md > orders.handlers.ts`;

/** Adds `types FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('types')
    .summary('print the TypeScript types of the handlers')
    .description('Prints the TypeScript types of the handlers of a document: arguments, results and codes.')
    .argument('<FILE>', 'the document, or - for standard input')
    .addHelpText('after', AFTER)
    .action((file: string) => {
      const compiled = loadDocument(file, io);
      const plan = compiled && settledPlan(compiled, true, io);
      if (!plan) return;
      if (plan.handlers.length) return io.out(escaped(handlerTypes(plan)));
      io.err('The document states no handler.\n');
      io.exit(EXIT.findings);
    });
}
