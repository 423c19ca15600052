import { styleText } from 'node:util';
import type { Finding, Severity } from '../syntax/diagnostic.ts';
import type { LineIndex, Span } from '../syntax/span.ts';
import { counted } from '../text/units.ts';
import { oneLine, visible } from '../text/visible.ts';
import type { Compiled } from './compile.ts';
import { isOfItem } from './document/messages.ts';

/** Columns of a code frame's text. With the line's number before it, this stays within common terminals. */
const FRAME = 100;
/** The most characters of a message: it may quote text that is not understood, up to the whole document. */
const LONGEST_MESSAGE = 2000;

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const STYLES: Readonly<Record<Severity, Style>> = { error: 'red', question: 'yellow', notice: 'cyan' };

/**
 * A finding as text for people: where, what, the line with the place marked, why, and what could be written. Leaves out what
 * was `said` before.
 * `color` says whether the reader's terminal shows colours. Without a trailing line end.
 */
export function renderFinding(compiled: Compiled, finding: Finding, color: boolean, said?: Said): string {
  const paint = painter(color);
  const { severity, span } = finding;
  const at = span && compiled.lines.position(span.from);
  const place = at ? `${compiled.name}:${at.line}:${at.column}` : `${compiled.name}:`;
  const out = [
    `${paint('bold', visible(place))} ${paint(STYLES[severity], severity)} ${paint('dim', finding.code)}`,
    `  ${shorten(saidOnce(oneLine(finding.message), at?.line ?? 1, said))}`,
    '',
  ];
  if (span && at) out.push(...renderFrame(compiled.lines, span, STYLES[severity], paint), '');
  const why = oneLine(finding.why);
  if (!said?.reasons.has(why)) out.push(`  ${paint('dim', 'Why:')}   ${why}`);
  else if (finding.suggestion === null) out.pop();
  said?.reasons.add(why);
  if (finding.suggestion !== null) {
    const lines = finding.suggestion.split('\n').map(visible);
    out.push(`  ${paint('dim', 'Write:')} ${lines.map((line) => paint('green', line)).join(`\n${' '.repeat(9)}`)}`);
  }
  return out.join('\n');
}

/** The texts that the findings before have said, which one that follows does not repeat. */
interface Said {
  readonly reasons: Set<string>;
  /** Long lists of what is allowed, with the lines of their findings. */
  readonly lists: Map<string, number>;
}

/** Lists of fewer characters are repeated: a reader finds them sooner than their first place. */
const LONG_LIST = 160;

/** A message whose long list of what is allowed is left out, where a finding before has said it. */
function saidOnce(message: string, line: number, said: Said | undefined): string {
  const [, start = '', list = ''] = /^(.*? Allowed: )(.+)$/.exec(message) ?? [];
  if (!said || list.length < LONG_LIST) return message;
  const first = said.lists.get(list);
  if (first === undefined) said.lists.set(list, line);
  return first === undefined ? message : `${start}as for line ${first}.`;
}

/**
 * The findings as text: the questions about items of one part together, where there are several of them, and each other
 * finding by itself.
 */
export function renderFindings(compiled: Compiled, findings: readonly Finding[], color: boolean): string[] {
  const parts = Map.groupBy(findings.filter(isOfItem), ({ part }) => part);
  const said: Said = { reasons: new Set(), lists: new Map() };
  return findings.flatMap((finding) => {
    const together = isOfItem(finding) ? parts.get(finding.part)! : [finding];
    if (together.length === 1) return renderFinding(compiled, finding, color, said);
    return together[0] === finding ? renderTogether(compiled, together, color) : [];
  });
}

/** The open items of a part in one paragraph. */
function renderTogether(compiled: Compiled, findings: readonly Finding[], color: boolean): string {
  const paint = painter(color);
  const [{ part, span }] = findings as readonly [Finding, ...Finding[]];
  const { line, column } = compiled.lines.position(span?.from ?? 0);
  const place = `${compiled.name}:${line}:${column}`;
  const questions = findings.map(({ params }) => `  ${params.name}: ${params.question}`);
  const written = new Set(findings.flatMap(({ suggestion }) => suggestion ?? []));
  return [
    `${paint('bold', visible(place))} ${paint(STYLES.question, `${findings.length} questions`)} ${paint('dim', part)}`,
    ...questions,
    '',
    `  ${paint('dim', 'Write:')} ${[...written].map((line) => paint('green', line)).join(`\n${' '.repeat(9)}`)}`,
  ].join('\n');
}

/** One line that counts items, endpoints and findings. */
export function renderSummary(compiled: Compiled, color: boolean): string {
  const paint = painter(color);
  const { items, endpoints, findings, notices } = compiled;
  const inState = (state: string): string => `${items.filter((item) => item.state === state).length} ${state}`;
  const ofSeverity = (severity: Severity): string => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    const text = counted(number, severity);
    return number === 0 ? text : paint(STYLES[severity], text);
  };
  const known = [
    `${counted(items.length, 'item')}: ${inState('stated')}, ${inState('none')}, ${inState('not shown')}`,
    `${counted(endpoints.length, 'endpoint')}, ${endpoints.filter((endpoint) => endpoint.settled).length} settled`,
  ].join('; ');
  const noticed = notices.length ? `; ${paint(STYLES.notice, counted(notices.length, 'notice'))}` : '';
  if (findings.length === 0) return `${paint('green', 'No findings.')} ${known}${noticed}.`;
  return `${known}; ${ofSeverity('error')}, ${ofSeverity('question')}${noticed}.`;
}

/** One line that says that more findings may follow once these are answered; null where none can follow. */
export function renderMore({ findings, more }: Compiled): string | null {
  const these = findings.some(({ severity }) => severity === 'error') ? 'mended' : 'answered';
  const what = findings.length === 1 ? `this is ${these}` : `these are ${these}`;
  if (more === 'unchecked') return `Ninefold checks the rest of the document, and asks more, once ${what}.`;
  return more === 'open' ? `More may be asked once ${what}.` : null;
}

function painter(color: boolean): Paint {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

/** The line a span starts in, and a run of carets under the span; a long line is clipped around it. */
function renderFrame(lines: LineIndex, span: Span, style: Style, paint: Paint): string[] {
  const number = `${lines.position(span.from).line}`;
  const { before, marked, after } = clip(split(lines, span));
  const gutter = ' '.repeat(number.length);
  const carets = '^'.repeat(Math.max(1, width(marked)));
  return [
    `  ${paint('dim', `${number} │`)} ${before}${marked}${after}`.trimEnd(),
    `  ${paint('dim', `${gutter} │`)} ${' '.repeat(width(before))}${paint(style, carets)}`,
  ];
}

/** A line in three parts: before the span, the part of the span in this line, and after it. */
interface Cut {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** Splits a line at a span. Reads only about the width of a frame, so that findings in a very long line stay cheap. */
function split(lines: LineIndex, span: Span): Cut {
  const reach = 4 * FRAME;
  const start = span.from - (lines.position(span.from).column - 1);
  const from = Math.max(start, span.from - reach);
  const ahead = lines.text.slice(span.from, span.from + reach);
  const ending = ahead.search(/[\r\n]/);
  const rest = ending < 0 ? ahead : ahead.slice(0, ending);
  const length = Math.min(rest.length, Math.max(0, span.to - span.from));
  return {
    before: visible(lines.text.slice(from, span.from)),
    marked: visible(rest.slice(0, length)),
    after: visible(rest.slice(length)),
  };
}

/** Shortens a line to the width of a frame: the start of the span has priority, the room left is for both sides. */
function clip(cut: Cut): Cut {
  if (width(cut.before) + width(cut.marked) + width(cut.after) <= FRAME) return cut;
  const marked = clipEnd(cut.marked, FRAME - 20);
  const room = FRAME - width(marked);
  const ahead = marked === cut.marked ? Math.min(width(cut.after), Math.floor(room / 2)) : 0;
  const before = clipStart(cut.before, room - ahead);
  return { before, marked, after: marked === cut.marked ? clipEnd(cut.after, room - width(before)) : '' };
}

/** The start of a text, in at most `columns`; a cut shows as `…`. */
function clipEnd(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let out = '';
  let used = 1;
  for (const character of text) {
    used += width(character);
    if (used > columns) break;
    out += character;
  }
  return `${out}…`;
}

/** The end of a text, in at most `columns`; a cut shows as `…`. */
function clipStart(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let out = '';
  let used = 1;
  for (const character of [...text].reverse()) {
    used += width(character);
    if (used > columns) break;
    out = character + out;
  }
  return `…${out}`;
}

/** Characters of two columns: East Asian Width (UAX 11), by script where the script determines it. */
const WIDE = new RegExp(
  [
    '^(?![\\u02EA\\u02EB\\uFF61-\\uFFDC\\u303F\\u3248-\\u324F])(?:\\p{Emoji_Presentation}',
    ...['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Yi', 'Tangut', 'Nushu'].map(
      (one) => `\\p{Script=${one}}`,
    ),
    '[\\u2329\\u232A\\u2FF0-\\u33FF\\u4DC0-\\u4DFF\\uA490-\\uA4C6\\uFE10-\\uFE19\\uFE30-\\uFE6B\\uFF01-\\uFF60\\uFFE0-\\uFFE6\\u{1F200}-\\u{1F265}])$',
  ].join('|'),
  'u',
);
/** Characters of no column: combining marks, joiners, and vowels and finals of Hangul, drawn inside their syllable. */
const COMBINING = /^(?:\p{Mn}|\p{Me}|[\u200B-\u200D\u1160-\u11FF\uD7B0-\uD7FB])$/u;

/** The columns a text takes in a terminal, where East Asian characters and emoji take two. */
function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Takes the middle out of a text that is too long. */
function shorten(text: string): string {
  if (text.length <= LONGEST_MESSAGE) return text;
  const half = LONGEST_MESSAGE / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`.replace(/\p{Cs}/gu, '');
}
