import { counted } from '../../text/counted.ts';
import { oneLine } from '../../text/visible.ts';
import type { Outcome } from '../statements/judge.ts';
import type { Break, Report } from './report.ts';

/** The report for people: what is broken first, then what was tried of each item, then the verdict. */
export function textReport(report: Report): string {
  const parts = [...report.breaks.map((one, i) => breakText(one, i, report)), coverageText(report), verdict(report)];
  return `${parts.join('\n\n')}\n`;
}

function breakText(one: Break, i: number, { results, document }: Report): string {
  const text = results.find(({ statement }) => statement.key === one.statement)?.statement.text ?? '';
  const at = one.line === null ? document : `${document}:${one.line}`;
  return [
    `Break ${i + 1}: ${one.endpoint ?? one.statement}`,
    `  ${oneLine(`${at}  ${text}`)}`,
    `  ${oneLine(one.why)}`,
    `  expected: ${oneLine(one.expected)}`,
    `  actual:   ${oneLine(one.actual)}`,
  ].join('\n');
}

function coverageText({ coverage }: Report): string {
  return coverage.map((one) => `${one.part}, ${one.item}: ${one.kept} ${one.broken} ${one.untestable}`).join('\n');
}

/** One line: how many statements are kept, broken and untestable. */
export function verdict(report: Report): string {
  const count = (outcome: Outcome): number => report.results.filter((one) => one.outcome === outcome).length;
  const facts = `${counted(report.results.length, 'statement')}: ${count('kept')} kept, ${count('broken')} broken, ${count('untestable')} untestable`;
  return `${facts}; ${counted(report.requests, 'request')}, seed ${report.seed}.`;
}
