import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { authenticationDiagnostics } from '../compiler/authentication/messages.ts';
import { ITEM_QUESTIONS, itemDiagnostics } from '../compiler/document/messages.ts';
import { endpointsDiagnostics } from '../compiler/endpoints/messages/endpoints.ts';
import { handlersDiagnostics } from '../compiler/endpoints/messages/handlers.ts';
import { schedulesDiagnostics } from '../compiler/endpoints/messages/schedules.ts';
import { errorsDiagnostics } from '../compiler/errors/messages.ts';
import { eventsDiagnostics } from '../compiler/events/messages.ts';
import { expressionDiagnostics } from '../compiler/expression/messages.ts';
import { limitsDiagnostics } from '../compiler/limits/messages.ts';
import { ITEMS, writing } from '../compiler/read/items.ts';
import { resourcesDiagnostics } from '../compiler/resources/messages.ts';
import { statesDiagnostics } from '../compiler/states/messages.ts';
import { storeDiagnostics } from '../compiler/storage/messages.ts';
import { versioningDiagnostics } from '../compiler/versioning/messages.ts';
import { PARTS, type PartName } from '../plan/parts.ts';
import { diagnosticCode, type Entry, type Severity, textOf } from '../syntax/diagnostic.ts';
import { language } from '../syntax/messages.ts';

type Entries = Readonly<Record<string, Entry>>;

/** The folder of the pages. */
export const FOLDER = new URL('../../docs/diagnostics/', import.meta.url);

const REGENERATE = 'npx node src/cli/diagnostics.ts';

/** `document/not-shown` is never reported under this code: each item has a code of its own. */
const { notShown, ...documentEntries } = itemDiagnostics.entries;

/** The diagnostics of each part, apart from its items. */
const PART_ENTRIES: Readonly<Record<PartName, Entries>> = {
  purpose: {},
  resources: resourcesDiagnostics.entries,
  states: statesDiagnostics.entries,
  endpoints: { ...endpointsDiagnostics.entries, ...handlersDiagnostics.entries, ...schedulesDiagnostics.entries },
  authentication: authenticationDiagnostics.entries,
  events: eventsDiagnostics.entries,
  errors: errorsDiagnostics.entries,
  limits: limitsDiagnostics.entries,
  versioning: versioningDiagnostics.entries,
};

/** The description of one kind of finding on its page. */
interface DiagnosticPage {
  readonly code: string;
  readonly severity: Severity;
  /** The forms its message takes. */
  readonly says: readonly string[];
  readonly why: string;
  readonly write: string | null;
}

interface Page {
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  readonly told: readonly DiagnosticPage[];
}

/** The pages by file name: one for the language, one for expressions, one for the document, one for each part. */
export function diagnosticPages(): ReadonlyMap<string, string> {
  const pages: Page[] = [
    page('language', 'The language', 'The form of the document, in every part.', language.entries),
    page('expression', 'Expressions', 'The CEL expressions in inline code.', expressionDiagnostics.entries),
    page('document', 'The document', 'The document as a whole, and its 31 items.', documentEntries),
    page(
      'store',
      'The stores',
      'The bounds of SQLite and PostgreSQL. Every document has to respect both.',
      storeDiagnostics.entries,
    ),
    ...PARTS.map(([part, heading]) => partPage(part, heading)),
  ];
  return new Map([['README.md', index(pages)], ...pages.map((one) => [`${one.name}.md`, text(one)] as const)]);
}

function page(name: string, title: string, intro: string, entries: Entries): Page {
  return {
    name,
    title,
    intro,
    told: Object.entries(entries).map(([key, entry]) => tell(diagnosticCode(name, key), entry)),
  };
}

/** The page of a part, which begins with the questions about its items. */
function partPage(part: PartName, heading: string): Page {
  const own = page(part, heading, `The part “${heading}”: its items, then its rules.`, PART_ENTRIES[part]);
  const items = ITEMS.filter((item) => item.part === part).map((item): DiagnosticPage => {
    const name = `${item.name.charAt(0).toUpperCase()}${item.name.slice(1)} (${heading})`;
    const params = { item: name, question: ITEM_QUESTIONS[name] ?? '' };
    const said = { severity: notShown.severity, why: notShown.why, write: textOf(writing(item.write)) };
    return { ...said, code: `${part}/${item.name.replaceAll(' ', '-')}`, says: [notShown.what(params)] };
  });
  return { ...own, told: [...items, ...own.told] };
}

/** Describes a kind of finding from its catalogue, with placeholders such as `‹name›` for the values of a document. */
function tell(code: string, entry: Entry): DiagnosticPage {
  const says = [placeholders(), placeholders(['nearest'])].map((params) => numbers(entry.what(params)));
  const write = entry.write?.(placeholders()) ?? null;
  return {
    code,
    severity: entry.severity,
    says: [...new Set(says)],
    why: entry.why,
    write: write === null ? null : textOf(write),
  };
}

/** Parameters that return a placeholder for every name, and an empty text for the names in `blank`. */
function placeholders(blank: readonly string[] = []): Record<string, string> {
  return new Proxy({}, { get: (_, name) => (blank.includes(String(name)) ? '' : `‹${String(name)}›`) });
}

/** A message that calculates with a placeholder gives NaN, which becomes a placeholder. */
const numbers = (message: string): string => message.replaceAll('NaN', '‹number›');

function text({ title, intro, told }: Page): string {
  const head = [`# ${title}`, `${intro} [All codes](README.md)`];
  return `${[notice(), ...head, ...told.flatMap(section)].join('\n\n')}\n`;
}

function section({ code, severity, says, why, write }: DiagnosticPage): string[] {
  const kind = { error: '**Error**', question: '**Question**', notice: '**Notice**' }[severity];
  return [`## ${code}`, `${kind}: ${says.join(' Or: ')}`, `**Why:** ${why}`, ...suggestion(write)];
}

function suggestion(write: string | null): string[] {
  if (write === null) return [];
  // A suggestion that consists of one parameter is computed from the document.
  if (write === '‹nearest›') return ['**Write:** the nearest allowed word, which the finding names.'];
  if (/^‹\w+›$/.test(write)) return ['**Write:** the line that the finding shows.'];
  return ['**Write:**', `\`\`\`text\n${write}\n\`\`\``];
}

function index(pages: readonly Page[]): string {
  const intro = [
    '# Diagnostics',
    'Every finding of `ninefold check` has a code that stays the same from release to release. An **error** is a statement that Ninefold does not understand or that cannot hold. A **question** is a behaviour that the document leaves open. Words in ‹angle quotes› are values from the document.',
  ];
  const lists = pages.flatMap(({ name, title, told }) => [
    `## [${title}](${name}.md)`,
    [
      '| Code | Severity |',
      '| --- | --- |',
      ...told.map((one) => `| ${link(name, one.code)} | ${one.severity} |`),
    ].join('\n'),
  ]);
  return `${[notice(), ...intro, ...lists].join('\n\n')}\n`;
}

/** Renderers make a heading's anchor by dropping what isn't a letter, a digit, a space or a hyphen. */
const link = (name: string, code: string): string => `[\`${code}\`](${name}.md#${code.replace(/[^a-z0-9-]/g, '')})`;

const notice = (): string => `<!-- Written by \`${REGENERATE}\` from the catalogues in src. Do not edit. -->`;

/** Writes the pages into `docs/diagnostics/`. Throws errors of the file system. */
function writePages(): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, content] of diagnosticPages()) writeFileSync(new URL(name, FOLDER), content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages();
