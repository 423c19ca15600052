import { counted } from '../../text/units.ts';
import { oneLine, visible } from '../../text/visible.ts';
import { type Outcome, type Result, UNTRIED, untriedIn } from '../statements/judge.ts';
import { curlLines } from './curl.ts';
import { type Break, lineText, placeOf, type Report, shortfallOf, statementText } from './report.ts';
import { shellWord } from './shell.ts';
import { StableTexts } from './stable.ts';

/** The largest number of listed untestable statements; the JSON report has all of them. */
const MOST_REASONS = 40;

/**
 * The report for people: first the breaks, then the statements that could not be tested and why, then the coverage of
 * each item, then the verdict. Facts that differ from run to run are at the end, as values for the commands of the
 * breaks.
 */
export function textReport(report: Report): string {
  const parts = [
    ...report.breaks.map((one, i) => breakText(one, i, report)),
    untestableText(report),
    coverageText(report),
    runText(report),
    verdict(report),
  ];
  return `${parts.filter((one) => one !== '').join('\n\n')}\n`;
}

const MARGIN = '  ';

function breakText(one: Break, i: number, report: Report): string {
  const { results, breaks, document, run } = report;
  const stable = new StableTexts(one.sequence);
  const text = lineText(report, one) ?? results.find(({ statement }) => statement.line === one.line)?.statement.text;
  const at = one.line === null ? document : `${document}:${one.line}`;
  const told = (text: string): string => oneLine(stable.text(text));
  return [
    `Break ${i + 1} of ${breaks.length}: ${oneLine(one.endpoint ?? statementText(one))}`,
    `${MARGIN}${oneLine(`${at}  ${text ?? ''}`.trimEnd())}`,
    ...(one.otherLines?.length ? [`${MARGIN}or ${one.otherLines.map((line) => `line ${line}`).join(' or ')}`] : []),
    `${MARGIN}${told(one.why)}`,
    ...(one.standard === null ? [] : [`${MARGIN}standard: ${oneLine(one.standard)}`]),
    ...facts('expected: ', stable.text(one.expected)),
    ...facts('actual:   ', stable.text(one.actual)),
    ...(one.also?.length ? [`${MARGIN}the same at ${oneLine(one.also.join(', '))}`] : []),
    `${MARGIN}To see it (seed ${one.seed}):`,
    ...curlLines(one.sequence, stable, placeOf(run).base).flatMap((line) => shown(line, `${MARGIN}${MARGIN}`)),
  ].join('\n');
}

/** The largest number of lines that are shown of the required and of the actual value; the JSON report has all. */
const MOST_FACTS = 8;

/** A fact of several lines, each below the other. */
function facts(label: string, text: string): string[] {
  const lines = text.split('\n').map((line) => oneLine(line));
  const more = lines.length - MOST_FACTS;
  const shown = more > 1 ? [...lines.slice(0, MOST_FACTS), `and ${more} more`] : lines;
  return shown.map((line, i) => `${MARGIN}${i === 0 ? label : ' '.repeat(label.length)}${line}`);
}

/**
 * A shell command. Further lines of a body begin at the margin of the page, since an indentation would change the body.
 */
function shown(line: string, margin: string): string[] {
  const [first = '', ...others] = line.split('\n');
  return [`${margin}${visible(first)}`, ...others.map(visible)];
}

/** The statements that could not be tested or were not tried: each reason once, with the lines of its statements. */
function untestableText({ results }: Report): string {
  const reasons = new Map<string, Set<number>>();
  for (const { because, statement } of results)
    if (because !== null) reasons.set(because, (reasons.get(because) ?? new Set()).add(statement.line));
  const all = [...reasons];
  const untried = Object.values(UNTRIED).map((why) => {
    const own = all.filter(([because]) => untriedIn(because) === why);
    return [`${why}:`, own.map(([because, lines]) => [because.slice(why.length + 2), lines] as const)] as const;
  });
  const listed = [['Untestable:', all.filter(([because]) => untriedIn(because) === undefined)] as const, ...untried];
  return listed.flatMap(([title, of]) => (of.length > 0 ? [[title, ...reasonLines(of)].join('\n')] : [])).join('\n\n');
}

function reasonLines(reasons: ReadonlyArray<readonly [string, ReadonlySet<number>]>): string[] {
  const shown = reasons.slice(0, MOST_REASONS).map(([because, lines]) => {
    const at = [...lines].sort((a, b) => a - b);
    return `${MARGIN}${at.length === 1 ? 'line' : 'lines'} ${at.join(', ')}: ${oneLine(because)}`;
  });
  const more = reasons.length - MOST_REASONS;
  return more > 0 ? [...shown, `${MARGIN}And ${counted(more, 'other')}: --json has all.`] : shown;
}

const HEADS = ['Part', 'Item', 'Kept', 'Broken', 'Untestable'] as const;

/** A table of the 31 items; a dash where the document states none of them. */
function coverageText({ coverage }: Report): string {
  const rows = coverage.map(({ part, item, stated, kept, broken, untestable }) => [
    part,
    item,
    ...[kept, broken, untestable].map((count) => (stated ? String(count) : '-')),
  ]);
  const widths = HEADS.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(HEADS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Certificates of services on this machine are not checked; curl needs an option for this. */
const UNCHECKED = 'curl() { command curl --insecure "$@"; }';
const isUnchecked = (url: string): boolean => /^https:\/\/(?:127\.[\d.]+|localhost|\[::1\])(?:[:/]|$)/.test(url);

/** The message for a machine or a service so slow that time, and not work, ends the run. */
const OUT_OF_TIME =
  'This run used up its time before its work, so another run of this seed may differ. --budget gives it more.';

/** The values that the lines of the breaks use, in a form to paste. */
function runText({ breaks, run, stopped }: Report): string {
  const set = (name: string, value: string): string => `${MARGIN}${name}=${shellWord([Buffer.from(value)], true)}`;
  const values = breaks.flatMap((one, i) => {
    const stable = new StableTexts(one.sequence);
    const given = stable.values.filter((each) => each.from === null);
    // Values that the commands do not use, but that help a reader: the difference between two times, or the row.
    const shown = stable
      .numberedIn([one.why, one.expected, one.actual].join('\n'))
      .map(([name, value]) => `${MARGIN}# ${name} is ${oneLine(value)}`);
    const all = [...given.map((each) => visible(set(each.name, each.value))), ...shown];
    return all.length > 0 ? [`${MARGIN}# Break ${i + 1}`, ...all] : [];
  });
  const { url } = placeOf(run);
  const head = [set('url', url), ...(isUnchecked(url) ? [`${MARGIN}${UNCHECKED}`] : [])];
  const lines = breaks.length > 0 ? ['Values of this run:', ...head, ...values] : [];
  const end = stopped === null ? [] : [`The run stopped early. ${oneLine(stopped)}`];
  return [...lines, ...end, ...(run.outOfTime ? [OUT_OF_TIME] : [])].join('\n');
}

/** A summary: the numbers of kept, broken and untestable statements, and a remark if too few are kept. */
function verdict(report: Report): string {
  const { results, breaks, requests, seed } = report;
  const count = (outcome: Outcome): number => results.filter((one: Result) => one.outcome === outcome).length;
  const outcomes = `${count('kept')} kept, ${count('broken')} broken, ${count('untestable')} untestable`;
  const facts = `${counted(breaks.length, 'break')}, ${counted(requests, 'request')}, seed ${seed}`;
  const shortfall = shortfallOf(report);
  return [`${counted(results.length, 'statement')}: ${outcomes} (${facts}).`, ...(shortfall ? [shortfall] : [])].join(
    '\n',
  );
}
