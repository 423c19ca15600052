import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { blamed, blamedIn } from '../blame/blame.ts';
import type { WrongAnswer } from '../blame/wrong-answer.ts';
import { withoutMarks } from '../oracle/marks.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break, ReportedStep } from '../report/report.ts';
import { standardOf } from '../report/standard.ts';
import { conditionOf, headingKey } from '../statements/tried.ts';
import type { VerifyOptions } from './options.ts';
import type { Reproduced } from './shrink.ts';
import type { Broken } from './trial.ts';

/**
 * A key of a break: the statement, the endpoint, the differing part of the answer, and the expected and actual status.
 */
export function signatureOf(plan: Plan, endpoint: string | null, broken: Broken): string {
  const { prediction, differences, answer } = broken;
  const [first] = differences;
  const at = first?.at.replace(/\/\d+/g, '/#') ?? '';
  return `${statementOf(plan, broken)} ${endpoint} ${at} ${prediction.expected.status} ${answer.status}`;
}

/** The statement that is broken, as far as the answer alone shows. */
export const statementOf = (plan: Plan, broken: Broken): string =>
  declaredKey(plan, broken) ?? blamed(plan, wrongOf(broken))[0];

/**
 * The key of the statement that declares the part of the contract that the answer breaks; null if the contract allows
 * the answer and only the prediction requires another.
 */
function declaredKey({ lines }: Plan, { differences, prediction }: Broken): string | null {
  const declared = differences[0]?.declared;
  if (!declared) return null;
  const keys = Object.keys(lines).filter((key) => declared.includes(lines[key] ?? 0));
  const { endpoint, expected } = prediction;
  const stated = keys.find((key) => key.startsWith('field ')) ?? keys[0] ?? expected.statements[0];
  return stated ?? headingKey(endpoint?.name ?? '');
}

const wrongOf = ({ exchange, ...broken }: Broken): WrongAnswer => ({ ...broken, request: exchange.request });

/** The line of the document where a statement is written; null where no single line is its source. */
function lineOf({ subject, statements }: VerifyOptions, key: string): number | null {
  const stated = statements.find((one) => one.key === key)?.line ?? subject.plan.lines[key] ?? stepLine(key);
  if (stated !== null) return stated;
  const payload = key.startsWith('payload ') ? lineKey.part('errors', 'payload') : null;
  const endpoint = /^endpoint (\S+ \S+)(?::|$)/.exec(key)?.[1];
  return subject.plan.lines[payload ?? headingKey(endpoint ?? '')] ?? null;
}

/**
 * The reason for a break whose answer is the one that the steps or the code predict, but not one that the contract
 * declares.
 */
const UNDECLARED = 'the contract, which `ninefold contract` and the exports tell callers, declares another answer';

/** The lines of statements beside one that is named already. */
function linesBeside(options: VerifyOptions, line: number | null, keys: readonly string[]): number[] {
  const lines = keys.flatMap((key) => lineOf(options, key) ?? []);
  return [...new Set(lines)].filter((one) => one !== line);
}

/** A break in the form of the report. */
export function breakOf(
  options: VerifyOptions,
  endpoint: string | null,
  what: string,
  { sequence, broken, course, version = null }: Reproduced,
): Break {
  const { subject, statements, seed } = options;
  const { prediction, differences } = broken;
  const declared = declaredKey(subject.plan, broken);
  const named = declared === null ? blamedIn(subject.plan, wrongOf(broken), course) : ([declared] as const);
  const [blame, ...others] = version === null ? named : ofVersionFirst(version, named);
  const key = statedKey(subject.plan, blame);
  const line = lineOf(options, key);
  const text = statements.find((statement) => statement.key === key)?.text ?? '';
  const { status, code } = prediction.expected;
  const list = (side: 'expected' | 'actual'): string =>
    withoutMarks(differences.map((difference) => `${difference.at}: ${difference[side] ?? 'none'}`).join('\n'));
  const by = code === null ? `${status}` : `${status} ${code}`;
  return {
    statement: key,
    line,
    others,
    otherLines: linesBeside(options, line, others),
    endpoint,
    why: `${withoutMarks(what)}: ${declared === null ? `the document answers ${by}` : UNDECLARED}.`,
    expected: list('expected'),
    actual: list('actual'),
    standard: standardOf(text, conditionOf(prediction.expected), status),
    sequence,
    seed,
  };
}

/** Puts the statement of a version first, for a break that occurs in one older version alone. */
function ofVersionFirst(version: string, named: readonly [string, ...string[]]): readonly [string, ...string[]] {
  const own = lineKey.version(version);
  if (named[0].startsWith(lineKey.part('versioning', ''))) return named;
  const [first, second] = named.filter((one) => one !== own);
  return [own, ...[first, second].filter((one) => one !== undefined)];
}

/** The condition's key for a code without a row of its own: a code of the published list that the document adopts. */
function statedKey(plan: Plan, key: string): string {
  if (plan.lines[key] !== undefined) return key;
  const adopted = Object.entries(plan.errors.conditions).find(([, { code }]) => lineKey.code(code) === key);
  return adopted ? lineKey.condition(adopted[0]) : key;
}

function stepLine(key: string): number | null {
  const line = Number(/^step (\d+)$/.exec(key)?.[1] ?? 0);
  return line === 0 ? null : line;
}

/** A break of a probe in the form of the report. */
export function probeBreak(
  options: VerifyOptions,
  { statement, others = [], endpoint, why, expected, actual }: ProbeBreak,
  sequence: readonly ReportedStep[],
): Break {
  const { statements, seed } = options;
  const stated = statements.find(({ key }) => key === statement);
  const line = lineOf(options, statement);
  const otherLines = linesBeside(options, line, others);
  const standard = standardOf(stated?.text ?? '', null, null);
  return { statement, others, endpoint, why, expected, actual, sequence, line, otherLines, standard, seed };
}

/**
 * Replaces the statement of a break by another one that explains more breaks: a single wrong statement is likelier than
 * several with similar effects.
 */
export function reattributed(options: VerifyOptions, breaks: readonly Break[]): Break[] {
  const places = new Map<string, Set<string>>();
  for (const { statement, others = [], endpoint } of breaks)
    for (const key of [statement, ...others]) places.set(key, (places.get(key) ?? new Set()).add(endpoint ?? ''));
  const count = (key: string): number => places.get(key)?.size ?? 0;
  return breaks.map((one) => {
    const all = [one.statement, ...(one.others ?? [])];
    const [statement = '', ...others] = all.toSorted((a, b) => count(b) - count(a));
    if (statement === one.statement) return one;
    const line = lineOf(options, statement);
    return { ...one, statement, others, line, otherLines: linesBeside(options, line, others) };
  });
}
