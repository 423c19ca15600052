import type { Json, JsonObject } from '../../export/json.ts';
import { jsonText } from '../../text/visible.ts';
import type { Exchange } from '../target/exchange.ts';
import {
  type Break,
  isExchange,
  keptShareOf,
  lineText,
  type OperatorAct,
  operatorText,
  type Report,
  type Sent,
  statementText,
} from './report.ts';
import { bodyText, StableTexts } from './stable.ts';

/** The name of the data format. An additional member keeps the number; an incompatible change gets a new number. */
const FORMAT = 'Ninefold test report 1';

/** Headers of answers that are equal in each run. */
const STEADY_HEADERS: ReadonlySet<string> = new Set([
  'allow',
  'content-type',
  'deprecation',
  'location',
  'ratelimit-policy',
  'sunset',
  'vary',
  'www-authenticate',
]);

/** The report as JSON. All facts that differ from one run to the next are under `run`. */
export function jsonReport(report: Report): string {
  const { document, title, seed, requests, results, breaks, coverage, endpoints, stopped } = report;
  const count = (outcome: string): number => results.filter((one) => one.outcome === outcome).length;
  const data: JsonObject = {
    format: FORMAT,
    document,
    title,
    seed,
    requests,
    verdict: { kept: count('kept'), broken: count('broken'), untestable: count('untestable'), breaks: breaks.length },
    required: { keptPercent: report.requireKept, met: keptShareOf(report).suffices },
    stopped,
    breaks: breaks.map((one) => breakJson(one, report)),
    coverage: coverage.map(({ part, item, stated, kept, broken, untestable }) => ({
      part,
      item,
      stated,
      kept,
      broken,
      untestable,
    })),
    statements: results.map(({ statement, outcome, because, unmet }) => ({
      statement: statement.key,
      line: statement.line,
      part: statement.part,
      item: statement.item,
      text: statement.text,
      outcome,
      because,
      tried: statement.needs.map((one) => one.name).filter((name) => !unmet.includes(name)),
      untried: unmet,
    })),
    endpoints: endpoints.map(({ endpoint, statuses }) => ({ endpoint, statuses })),
    run: runJson(report),
  };
  return `${jsonText(data, 2)}\n`;
}

function breakJson(one: Break, report: Report): JsonObject {
  const stable = new StableTexts(one.sequence);
  const { line, endpoint, standard, seed } = one;
  return {
    statement: statementText(one),
    what: one.what ?? null,
    line,
    otherLines: one.otherLines ?? [],
    text: lineText(report, one),
    endpoint,
    also: one.also ?? [],
    why: stable.text(one.why),
    expected: stable.text(one.expected),
    actual: stable.text(one.actual),
    standard,
    seed,
    sequence: one.sequence.map((act) => (isExchange(act) ? exchangeJson(act, stable) : stepJson(act, stable))),
  };
}

const stepJson = (act: OperatorAct, stable: StableTexts): JsonObject => ({
  operator: stable.text(operatorText(act)),
  gives: act.gives?.name ?? null,
});

/** A request and its answer, in which names replace the values that differ between runs. */
function exchangeJson({ request, outcome, together, times }: Sent, stable: StableTexts): JsonObject {
  const { method, target, headers, body } = request;
  const asked = {
    ...(together !== undefined && { together }),
    ...(times !== undefined && { times }),
    method,
    target: stable.text(target),
    headers: headers.map(([name, value]) => [name, stable.text(value)]),
    body: body === null ? null : stable.text(body.toString('utf8')),
  };
  if ('failed' in outcome) return { ...asked, answer: { failed: outcome.failed } };
  const steady = outcome.headers.filter(([name]) => STEADY_HEADERS.has(name.toLowerCase()));
  const answer: JsonObject = {
    status: outcome.status,
    headers: steady.map(([name, value]) => [name, stable.text(value)]),
    body: stable.text(bodyText(outcome)),
  };
  return { ...asked, answer };
}

/** The facts of this run alone: its address and time, and the exchanges of each break to the byte. */
function runJson({ run, breaks }: Report): JsonObject {
  return {
    url: run.url,
    version: run.version,
    startedAt: new Date(run.startedAt).toISOString(),
    milliseconds: run.milliseconds,
    outOfTime: run.outOfTime,
    breaks: breaks.map((one) => ({
      expected: one.expected,
      actual: one.actual,
      values: new StableTexts(one.sequence).values.map(({ name, value }) => ({ name, value })),
      sequence: one.sequence.map((act): Json => (isExchange(act) ? exactJson(act) : operatorText(act))),
    })),
  };
}

/** An exchange to the byte: bodies are base64. */
function exactJson({ request, outcome }: Exchange): JsonObject {
  const { method, target, headers, body } = request;
  const pairs = (list: typeof headers): Json => list.map(([name, value]) => [name, value]);
  const asked = { method, target, headers: pairs(headers), body: body?.toString('base64') ?? null };
  if ('failed' in outcome) return { ...asked, answer: { failed: outcome.failed, detail: outcome.detail } };
  const { status } = outcome;
  return { ...asked, answer: { status, headers: pairs(outcome.headers), body: outcome.body.toString('base64') } };
}
