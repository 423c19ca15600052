import type { Command } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import { allEdits } from '../compiler/edits/edits.ts';
import { fix, type Mended } from '../compiler/edits/fix.ts';
import type { Edit } from '../compiler/edits/sites.ts';
import { renderFindings, renderMore, renderSummary } from '../compiler/render.ts';
import { itemReports, placeOf } from '../compiler/report.ts';
import type { ItemReport, Place } from '../compiler/report-forms.ts';
import { KeyError } from '../runtime/authentication/signing-keys.ts';
import { StoreError } from '../store/store.ts';
import type { Finding, Severity } from '../syntax/diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import { counted } from '../text/units.ts';
import { jsonText, oneLine, visible } from '../text/visible.ts';
import { SetupError } from '../verify/setup/failures.ts';
import { loadDocument } from './document.ts';
import { DocumentFile } from './document-file.ts';
import { EXIT, type Io } from './io.ts';
import type { Tried } from './testing/life.ts';
import { ReadError } from './text-file.ts';
import { WriteError } from './write-whole.ts';

const AFTER = `
An error is a statement that Ninefold does not understand, or that cannot hold. A question
is about a fact that the document leaves open. Each finding has a place, a
reason, and a line that you could write. A notice is a remark, such as on a test without
effect. A notice is no finding, and keeps no endpoint from being served.

When the document has no findings, the command starts its service in memory and looks for a request
that leads to each endpoint, transition and event, and to each code that steps and rules raise. The command
names each of them for which it found no request: often, a condition there cannot hold. The search is
limited by a number of requests and not by time, so the same document gives the same result everywhere.
The search sends nothing over the network, and leaves out endpoints that run handlers, and documents of
more than 2,000 endpoints. The exit code does not depend on the search. --no-try leaves out the search;
--json has the result under "tried".

--fix mends misspelt words and other errors that can mean one thing alone, says what it did, and
writes the document. It answers no question and removes no statement. With -, the mended document
goes to standard output, and everything else to standard error.

In --json, "edits" of a finding are changes. Each one alone mends the error, or is one possible answer to
the question: {"from", "to", "text"} replaces the characters from one offset to the other, in UTF-16
code units from 0. Each was tried. "edits" is null for findings after the first several hundred tries.

docs/diagnostics/ describes every code.
The line above the summary says whether answers may lead to more findings
("more" in --json).
Lines and columns count from 1. Lines end with LF, CRLF or CR. Columns count UTF-16 code units: a tab
is one, a Chinese character is one, and an emoji mostly two. In --json, endLine and endColumn name the place after the last.
The exit code is 0 without findings, and 1 with findings.

Examples:
  $ ninefold check orders.md
  $ ninefold check orders.md --json
  $ ninefold check orders.md --fix
  $ cat orders.md | ninefold check -`;

/** Adds `check FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('check')
    .description('Lists the errors and open questions of a document.')
    .argument('<FILE>', 'the document, or - for standard input')
    .option('--json', 'print items, endpoints and findings as JSON, with edits')
    .option('--fix', 'mend the errors that can mean one thing alone, and write the document')
    .option('--no-try', 'do not search for requests that lead to endpoints')
    .addHelpText('after', AFTER)
    .action((file: string, options: CheckOptions) => check(file, options, io));
}

/** Printed once, above all questions that “not shown” sentences leave open. */
const NOT_SHOWN =
  'Replace each sentence that ends in “: not shown.” with statements, or with “: none.” when the service has no such thing.';

interface CheckOptions {
  readonly json?: boolean;
  readonly fix?: boolean;
  /** Whether `check` searches for requests that reach each endpoint, transition, event and code. */
  readonly try: boolean;
}

/** Prints the findings of a document, and exits with 0 if there are none. */
async function check(file: string, { json, fix: fixes, try: tries }: CheckOptions, io: Io): Promise<void> {
  const loaded = loadDocument(file, io);
  const compiled = loaded && fixes ? mended(file, loaded, io) : loaded;
  if (!compiled) return;
  io.exit(compiled.findings.length === 0 ? EXIT.settled : EXIT.findings);
  // The mended document has standard output for itself.
  const say = fixes && file === '-' ? io.err : io.out;
  if (json) {
    say(`${jsonText(checkReport(compiled, tries ? await tried(compiled, io) : null), 2)}\n`);
    return;
  }
  // An item that the document omits, or states in an unreadable sentence, has no such sentence.
  if (compiled.items.some(({ state, span }) => state === 'not shown' && span)) say(`${NOT_SHOWN}\n\n`);
  for (const text of renderFindings(compiled, [...compiled.findings, ...compiled.notices], io.color))
    say(`${text}\n\n`);
  const more = renderMore(compiled);
  if (more !== null) say(`${more}\n`);
  say(`${renderSummary(compiled, io.color)}\n`);
  const found = tries ? await tried(compiled, io) : null;
  if (!found) return;
  const { triedText } = await import('./testing/life.ts');
  say(triedText(compiled.name, found));
}

/** Mends what can mean one thing alone, writes the document, and says what was done. Null if it cannot be written. */
function mended(file: string, loaded: Compiled, io: Io): Compiled | null {
  try {
    const opened = file === '-' ? null : new DocumentFile(file);
    const { compiled, mended } = fix(opened?.compiled ?? loaded);
    const edits = mended.map(({ edit }) => edit);
    if (opened && edits.length > 0) opened.writeAll(edits, compiled);
    if (!opened) io.out(compiled.lines.text);
    return told(compiled, mended, io);
  } catch (error) {
    if (!(error instanceof WriteError || error instanceof ReadError)) throw error;
    io.err(`error: ${error.message}\n`);
    io.exit(EXIT.wrongUse);
    return null;
  }
}

function told(compiled: Compiled, mended: readonly Mended[], io: Io): Compiled {
  for (const one of mended) io.err(`${mendedText(compiled.name, one)}\n`);
  io.err(`${mended.length === 0 ? 'Nothing was mended' : `${counted(mended.length, 'error')} mended`}.\n`);
  return compiled;
}

function mendedText(name: string, { finding, line, before, edit }: Mended): string {
  const [was, is] = [before, edit.text].map((text) => `“${oneLine(text)}”`);
  const what = before === '' ? `${is} was added` : edit.text === '' ? `${was} was removed` : `${was} became ${is}`;
  return `${visible(name)}:${line}: ${what} (${finding.code})`;
}

/** The found requests; null if the document has findings, or its service cannot start. */
async function tried(compiled: Compiled, io: Io): Promise<Tried | null> {
  const { plan, findings } = compiled;
  if (!plan || findings.length > 0) return null;
  // The runtime is loaded only if requests are sent.
  const { tryDocument } = await import('./testing/life.ts');
  try {
    return await tryDocument({ ...compiled, plan });
  } catch (error) {
    if (!(error instanceof SetupError || error instanceof StoreError || error instanceof KeyError)) throw error;
    io.err(`No request was looked for: ${oneLine((error as Error).message)}\n`);
    return null;
  }
}

/**
 * A finding that keeps an endpoint from being served. A finding that concerns every endpoint is listed once per code,
 * with its first line; otherwise thousands of findings for thousands of endpoints would be millions of entries.
 */
interface Obstacle {
  readonly code: string;
  readonly line: number | null;
}

/** The output of `check --json`. */
export interface CheckReport {
  readonly document: string;
  /** The 31 items, in the order of the document; `part` is the heading. */
  readonly items: readonly ItemReport[];
  readonly endpoints: ReadonlyArray<{
    readonly endpoint: string;
    readonly settled: boolean;
    /** The findings that prevent serving the endpoint; details are in `findings`. */
    readonly questions: readonly Obstacle[];
  }>;
  readonly findings: readonly FindingReport[];
  /** Notices, which do not prevent serving. */
  readonly notices: readonly FindingReport[];
  /** Whether further findings may appear after these are resolved. */
  readonly more: boolean;
  /** The found requests; null if none were searched for. */
  readonly tried: Tried | null;
}

/** A finding in `check --json`. */
type FindingReport = Place & {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly why: string;
  readonly suggestion: string | null;
  /** Changes of which each mends the error or answers the question; null where none were looked for. */
  readonly edits: readonly Edit[] | null;
  /** Other places that the finding is about. */
  readonly related: readonly Place[];
};

/** Collects the results of `check` as plain data. */
function checkReport(compiled: Compiled, tried: Tried | null): CheckReport {
  const line = (span: Span | null): number | null => (span ? compiled.lines.position(span.from).line : null);
  const obstacles = obstaclesOf(compiled, line);
  return {
    document: compiled.name,
    items: itemReports(compiled),
    endpoints: compiled.endpoints.map(({ endpoint, settled }) => ({
      endpoint,
      settled,
      questions: obstacles.get(endpoint) ?? [],
    })),
    findings: reports(compiled, compiled.findings),
    notices: reports(compiled, compiled.notices),
    more: compiled.more !== 'none',
    tried,
  };
}

function reports(compiled: Compiled, findings: readonly Finding[]): FindingReport[] {
  const edits = allEdits(compiled, findings);
  return findings.map((finding, i) => ({
    code: finding.code,
    severity: finding.severity,
    message: finding.message,
    why: finding.why,
    suggestion: finding.suggestion,
    edits: edits[i] ?? null,
    related: finding.related.map((span) => placeOf(compiled, { ...finding, span })),
    ...placeOf(compiled, finding),
  }));
}

/** The findings that prevent serving each endpoint, in their order. */
function obstaclesOf(
  { endpoints, findings }: Compiled,
  line: (span: Span | null) => number | null,
): Map<string, Obstacle[]> {
  const out = new Map(endpoints.map(({ endpoint }) => [endpoint, [] as Obstacle[]]));
  const everywhere = new Set<string>();
  for (const { code, span, endpoints: concerned } of findings) {
    if (concerned === null && everywhere.has(code)) continue;
    if (concerned === null) everywhere.add(code);
    const obstacle = { code, line: line(span) };
    for (const endpoint of concerned ?? out.keys()) out.get(endpoint)?.push(obstacle);
  }
  return out;
}
