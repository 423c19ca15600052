import { oneLine, visibleLines } from '../../text/visible.ts';
import type { Result } from '../statements/judge.ts';
import { curlLines } from './curl.ts';
import { type Break, placeOf, type Report, shortfallOf, statementText } from './report.ts';
import { StableTexts } from './stable.ts';

/**
 * JUnit XML, as continuous integration reads it: a suite for each part, a case for each statement. A broken statement
 * is a failure with its first break; an untestable one is skipped, with the reason. The last suite is about the run: it
 * fails where too few statements are kept, or the run ended early, so that a run that tried nothing isn't green.
 */
export function junitReport(report: Report): string {
  const parts = [...new Set(report.results.map(({ statement }) => statement.part))];
  const suites = parts.map((part) => {
    const of = report.results.filter(({ statement }) => statement.part === part);
    return suite(
      part,
      of.map((one) => testCase(one, report)),
      countsOf(of),
      0,
    );
  });
  // A break whose statement is not in the document must be reported, too.
  const known = new Set(report.results.map(({ statement }) => statement.key));
  const others = report.breaks.filter((one) => !known.has(statementText(one)));
  if (others.length > 0) {
    const cases = others.map((one) => caseOf(report, 'other', statementText(one), one.line, failure([one], report)));
    suites.push(suite('other', cases, { tests: others.length, failures: others.length, skipped: 0 }, 0));
  }
  const ofRun = runCases(report);
  const failed = ofRun.filter(({ why }) => why !== null).length;
  suites.push(
    suite(
      'run',
      ofRun.map(({ name, why }) => caseOf(report, 'run', name, null, why === null ? null : runFailure(why))),
      { tests: ofRun.length, failures: failed, skipped: 0 },
      0,
    ),
  );
  const all = countsOf(report.results);
  const counts = {
    tests: all.tests + others.length + ofRun.length,
    failures: all.failures + others.length + failed,
    skipped: all.skipped,
  };
  const head = `<testsuites name=${attribute(report.title)} ${countText(counts)} time="${seconds(report)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${[head, ...suites, '</testsuites>'].join('\n')}\n`;
}

/** The requirement on the run itself, and why the run does not meet it. */
const runCases = (report: Report): ReadonlyArray<{ readonly name: string; readonly why: string | null }> => [
  { name: `at least ${report.requireKept ?? 0}% of the statements are kept`, why: shortfallOf(report) },
  { name: 'the run did not end early', why: report.stopped },
];

const runFailure = (why: string): string => `      <failure message=${attribute(oneLine(why))} type="run"/>`;

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

function countsOf(results: readonly Result[]): Counts {
  const count = (outcome: Result['outcome']): number => results.filter((one) => one.outcome === outcome).length;
  return { tests: results.length, failures: count('broken'), skipped: count('untestable') };
}

const countText = ({ tests, failures, skipped }: Counts): string =>
  `tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}"`;

const seconds = ({ run }: Report): string => (run.milliseconds / 1000).toFixed(3);

const suite = (name: string, cases: readonly string[], counts: Counts, time: number): string =>
  [`  <testsuite name=${attribute(name)} ${countText(counts)} time="${time}">`, ...cases, '  </testsuite>'].join('\n');

function testCase({ statement, outcome, because }: Result, report: Report): string {
  const { key, line, part, item } = statement;
  const own = report.breaks.filter((one) => statementText(one) === key);
  const inner =
    outcome === 'broken'
      ? failure(own, report)
      : outcome === 'untestable'
        ? `      <skipped message=${attribute(because ?? '')}/>`
        : null;
  return caseOf(report, `${part}.${item.replaceAll(' ', '_')}`, `${key} (${report.document}:${line})`, line, inner);
}

function caseOf({ document }: Report, group: string, name: string, line: number | null, inner: string | null): string {
  const at = ` file=${attribute(document)}${line === null ? '' : ` line="${line}"`}`;
  const open = `    <testcase classname=${attribute(group)} name=${attribute(name)}${at} time="0"`;
  return inner === null ? `${open}/>` : `${open}>\n${inner}\n    </testcase>`;
}

/** The failure of a statement: its breaks, each with the commands that show it. */
function failure(breaks: readonly Break[], { run }: Report): string {
  const { base } = placeOf(run);
  const [first] = breaks;
  const texts = breaks.map((one) => {
    const stable = new StableTexts(one.sequence);
    const told = (text: string): string => oneLine(stable.text(text));
    return [
      told(one.why),
      ...(one.standard === null ? [] : [`standard: ${one.standard}`]),
      `expected: ${told(one.expected)}`,
      `actual:   ${told(one.actual)}`,
      `To see it (seed ${one.seed}):`,
      ...curlLines(one.sequence, stable, base),
    ].join('\n');
  });
  const message = first ? oneLine(new StableTexts(first.sequence).text(first.why)) : '';
  return `      <failure message=${attribute(message)} type="broken">${content(texts.join('\n\n'))}</failure>`;
}

/** Characters that XML 1.0 does not allow, not even as a reference, and those that would act on a terminal. */
const NOT_IN_XML = /[^\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text between tags. `>` is also written as a reference, since text must not contain `]]>`. */
const content = (text: string): string =>
  visibleLines(text, false)
    .replace(NOT_IN_XML, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/**
 * A quoted attribute value. Line ends are written as character references, since parsers would convert them to spaces.
 */
const attribute = (text: string): string => `"${content(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
