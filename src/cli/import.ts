import { Argument, type Command } from 'commander';
import { compile } from '../compiler/compile.ts';
import { renderSummary } from '../compiler/render.ts';
import { type ImportedDocument, importOpenApi } from '../import/import-openapi.ts';
import { type Broken, readSource } from '../import/source.ts';
import { oneLine } from '../text/visible.ts';
import { readDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { WriteError, writeWhole } from './write-whole.ts';

const AFTER = `
The document states what the file states, and nothing else: a property called “id” is no
identity, and “createdAt” is no timestamp unless its format says so. A comment beside each
statement names its place in the file, as a JSON Pointer.

What the file does not state (steps, visibility, states, limits …) is not in the document:
\`ninefold check\` asks for it. What the file states and the language cannot say is listed in
comments at the end of the document, with the reason, and counted on standard error.

FILE is Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2, in JSON or YAML. References (\`$ref\`) within
the file are followed.

Exit codes:
  0  written
  1  the file is broken, or is no OpenAPI
  2  wrong use, or a FILE or PATH that can’t be read or written

Examples:
  $ ninefold import openapi api.yaml --out service.md
  $ ninefold check service.md
  $ curl -s https://api.example.com/openapi.json | ninefold import openapi - | less`;

interface Options {
  readonly out?: string;
}

/** Adds `import FORMAT FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('import')
    .summary('print a document of what an OpenAPI file states')
    .description('Prints a document that states what a description of an API states, and nothing else.')
    .addArgument(new Argument('<FORMAT>', 'the format of the file').choices(['openapi']))
    .argument('<FILE>', 'the file, or - for standard input')
    .option('--out <PATH>', 'the file to write (default: standard output)')
    .addHelpText('after', AFTER)
    .action((_format: string, file: string, options: Options) => importFile(file, options, io));
}

function importFile(file: string, { out }: Options, io: Io): void {
  const read = readDocument(file);
  if ('problem' in read) {
    io.err(`error: ${oneLine(read.problem)}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  const source = readSource(read.text);
  if ('reason' in source) {
    io.err(`${brokenText(read.name, source)}\n`);
    io.exit(EXIT.findings);
    return;
  }
  const made = importOpenApi(source);
  if (out === undefined) io.out(made.text);
  else if (!writeTo(out, made.text, io)) return;
  io.err(summaryOf(out ?? read.name, made));
}

function brokenText(name: string, { reason, line, column, pointer }: Broken): string {
  const place = line === null ? (pointer === null ? '' : `:${pointer}`) : `:${line}:${column}`;
  return `${oneLine(name)}${place} error\n  ${oneLine(reason)}`;
}

/** The questions of the document in one line, and the facts that it does not have, by their reasons. */
function summaryOf(name: string, { text, unsaid }: ImportedDocument): string {
  const compiled = compile(name, text);
  const byReason = [...Map.groupBy(unsaid, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  const lines = byReason.map(([reason, list]) => `  ${`${list.length}`.padStart(6)}  ${oneLine(reason)}`);
  const left = unsaid.length ? [`Not in the document, by the reason (${unsaid.length}):`, ...lines] : [];
  return `${[...left, renderSummary(compiled, false)].join('\n')}\n`;
}

function writeTo(path: string, text: string, io: Io): boolean {
  try {
    writeWhole(path, text);
    return true;
  } catch (error) {
    if (!(error instanceof WriteError)) throw error;
    io.err(`error: ${error.message}\n`);
    io.exit(EXIT.wrongUse);
    return false;
  }
}
