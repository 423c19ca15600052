import { Argument, type Command } from 'commander';
import { type Compiled, compile } from '../compiler/compile.ts';
import { renderFindings, renderMore, renderSummary } from '../compiler/render.ts';
import { placeOf } from '../compiler/report.ts';
import { type ImportedDocument, importOpenApi } from '../import/import-openapi.ts';
import { itemCounts, reportPage } from '../import/report.ts';
import { type Broken, readSource } from '../import/source.ts';
import { PART_HEADINGS, partAndItem } from '../plan/parts.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import { readDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { WriteError, writeWhole } from './write-whole.ts';

const AFTER = `
The document states what the file states, and nothing else: a property called “id” is no
identity, and “createdAt” is no timestamp unless its format says so. A comment beside each
statement names its place in the file, as a JSON Pointer.

What the file does not state (steps, visibility, states, limits …) is not in the document:
the questions follow it on standard error, as \`ninefold check\` has them. What the file
states and the language cannot say is listed in comments at the end of the document, with
the reason, and counted on standard error.

FILE is Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2, in JSON or YAML. References (\`$ref\`) within
the file are followed.

--report prints a page about the file instead: how much of the 31 items of a description
it states, how many questions it leaves open, and what a document cannot state.

Exit codes:
  0  written
  1  the file is broken, or is no OpenAPI, or describes more than a document holds
  2  wrong use, or a FILE or PATH that can’t be read or written

Examples:
  $ ninefold import openapi api.yaml --out service.md
  $ ninefold import openapi api.yaml --report > report.md
  $ ninefold import openapi api.json --json | jq .notStated
  $ curl -s https://api.example.com/openapi.json | ninefold import openapi - 2>/dev/null | less`;

interface Options {
  readonly out?: string;
  readonly report?: boolean;
  readonly json?: boolean;
}

/** Adds `import FORMAT FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('import')
    .description('Prints a document that states what a description of an API states, and nothing else.')
    .addArgument(new Argument('<FORMAT>', 'the format of the file').choices(['openapi']))
    .argument('<FILE>', 'the file, or - for standard input')
    .option('--out <PATH>', 'the file to write (default: standard output)')
    .option('--report', 'print a page about what the file states and leaves open')
    .option('--json', 'print document, questions, items and the facts that are not in the document, as JSON')
    .addHelpText('after', AFTER)
    .action((_format: string, file: string, options: Options) => importFile(file, options, io));
}

/** The largest file that is read, in bytes: descriptions of more than that say too much for one document. */
const MOST_BYTES = 256 << 20;

function importFile(file: string, options: Options, io: Io): void {
  const read = readDocument(file, MOST_BYTES);
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
  const compiled = compile(options.out ?? read.name, made.text);
  const tooLong = compiled.findings.find(({ span, severity }) => span === null && severity === 'error');
  if (tooLong) {
    io.err(`error: the document of ${oneLine(read.name)} cannot be read. ${oneLine(tooLong.message)}\n`);
    io.exit(EXIT.findings);
    return;
  }
  io.exit(EXIT.settled);
  const text = textOf(made, compiled, options);
  if (options.out === undefined) io.out(text);
  else if (!writeTo(options.out, text, io)) return;
  if (options.report || options.json) return;
  io.err(notStated(made));
  io.err(questions(compiled));
}

function textOf(made: ImportedDocument, compiled: Compiled, { report, json }: Options): string {
  if (json) return `${jsonText(dataOf(made, compiled), 2)}\n`;
  return report ? reportPage(compiled, made) : made.text;
}

/** The output of `import --json`. */
const dataOf = ({ text, unsaid, facts }: ImportedDocument, compiled: Compiled) => ({
  document: text,
  items: itemCounts(facts, compiled).map(({ item, ...count }) => {
    const [part, name] = partAndItem(item);
    return { part: PART_HEADINGS[part], item: name, ...count };
  }),
  notStated: unsaid,
  findings: compiled.findings.map((finding) => {
    const { code, severity, message, suggestion } = finding;
    return { code, severity, message, suggestion, ...placeOf(compiled, finding) };
  }),
});

function brokenText(name: string, { reason, line, column, pointer }: Broken): string {
  const place = line === null ? (pointer === null ? '' : `:${pointer}`) : `:${line}:${column}`;
  return `${oneLine(name)}${place} error\n  ${oneLine(reason)}`;
}

/** How many facts the document does not have, by their reasons. */
function notStated({ unsaid }: ImportedDocument): string {
  if (unsaid.length === 0) return '';
  const byReason = [...Map.groupBy(unsaid, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  const lines = byReason.map(([reason, list]) => `  ${`${list.length}`.padStart(6)}  ${oneLine(reason)}\n`);
  return `Places of the file that the document does not state (${unsaid.length}), by the reason:\n${lines.join('')}\n`;
}

/** The questions of the document, as `check` prints them. */
function questions(compiled: Compiled): string {
  const more = renderMore(compiled);
  return [
    ...renderFindings(compiled, [...compiled.findings, ...compiled.notices], false).map((text) => `${text}\n\n`),
    ...(more === null ? [] : [`${more}\n`]),
    `${renderSummary(compiled, false)}\n`,
  ].join('');
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
