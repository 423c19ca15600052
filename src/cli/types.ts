import type { Command } from 'commander';
import { jsonTypeOf, scalarOfRule } from '../contract/kinds.ts';
import { isScalarKind } from '../expression/values/kinds.ts';
import type { HandlerField, HandlerPlan, Plan, ValueRule, WirePlan } from '../plan/step.ts';
import { escaped } from '../text/visible.ts';
import { loadDocument } from './document.ts';
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

/** The TypeScript types of a document's handlers, as a module that handlers import: arguments, results and refusals. */
export function handlerTypes(plan: Plan): string {
  const head = `// The types of the handlers that ${plan.title} states. Made from the document by \`ninefold types\`: edit that instead.\n`;
  return [head, ...plan.handlers.map((handler) => typesOf(handler, plan.wire))].join('\n');
}

function typesOf(handler: HandlerPlan, wire: WirePlan): string {
  const name = `${handler.name.charAt(0).toUpperCase()}${handler.name.slice(1)}`;
  const members = (fields: readonly HandlerField[]): string =>
    fields
      .map((field) => `  readonly ${field.name}: ${typeOf(field.rule, wire)}${field.nullable ? ' | null' : ''};\n`)
      .join('');
  const refused = handler.fails.map((code) => JSON.stringify(code)).join(' | ');
  const result = `${name}Gives${refused ? ` | { readonly refused: ${refused} }` : ''}`;
  const about = handler.kind === 'outside' ? ', about: { readonly key: string; readonly signal: AbortSignal }' : '';
  const given = handler.kind === 'outside' ? `Promise<${result}> | ${result}` : result;
  return `export interface ${name}Takes {\n${members(handler.takes)}}

export interface ${name}Gives {\n${members(handler.gives)}}

/** ${handler.kind === 'pure' ? 'Computes, and nothing else: it may be run again, and must give the same.' : 'Runs once what asked for it is committed; again after a failure, with the same `about.key`.'} */
export type ${name} = (takes: ${name}Takes${about}) => ${given};
`;
}

/** The type of a value in the arguments and results of a handler, which have the format of requests and answers. */
function typeOf(rule: ValueRule, wire: WirePlan): string {
  if (rule.items && rule.keys) return `{ readonly [key: string]: ${typeOf(rule.items, wire)} }`;
  if (rule.items) return `readonly (${typeOf(rule.items, wire)})[]`;
  if (rule.oneOf) return rule.oneOf.map((value) => JSON.stringify(value)).join(' | ');
  return isScalarKind(rule.kind) ? jsonTypeOf(scalarOfRule(rule.kind, rule, wire)) : 'string';
}
