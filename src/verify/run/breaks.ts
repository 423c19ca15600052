import { eachOnce, idText, isSameId, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { blamed, blamedIn } from '../blame/blame.ts';
import type { WrongAnswer } from '../blame/wrong-answer.ts';
import { withoutMarks } from '../oracle/marks.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break, ReportedStep } from '../report/report.ts';
import { standardOf } from '../report/standard.ts';
import { conditionOf } from '../statements/tried.ts';
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
  const id = statementOf(plan, broken);
  return `${id && idText(id)} ${endpoint} ${at} ${prediction.expected.status} ${answer.status}`;
}

/** The statement that is broken, as far as the answer alone shows; null where none is known. */
export const statementOf = (plan: Plan, broken: Broken): StatementId | null =>
  declaredIn(plan, broken) ?? blamed(plan, wrongOf(broken))[0] ?? null;

/**
 * The statement that declares the part of the contract that the answer breaks; null if the contract allows
 * the answer and only the prediction requires another.
 */
function declaredIn({ lines }: Plan, { differences, prediction }: Broken): StatementId | null {
  const declared = differences[0]?.declared;
  if (!declared) return null;
  const ids = Object.values(lines).flatMap(({ id, line }) => (declared.includes(line) ? [id] : []));
  const { endpoint, expected } = prediction;
  const stated = ids.find(({ kind }) => kind === 'field') ?? ids[0] ?? expected.statements[0];
  return stated ?? statementId.heading(endpoint?.name ?? '');
}

const wrongOf = ({ exchange, ...broken }: Broken): WrongAnswer => ({ ...broken, request: exchange.request });

/** The line of the document where a statement is written; null where no single line is its source. */
function lineAt({ subject, statements }: VerifyOptions, id: StatementId): number | null {
  const { lines } = subject.plan;
  const stated = statements.find((one) => isSameId(one.id, id))?.line ?? lineOf(lines, id);
  if (stated !== undefined) return stated;
  if (id.kind === 'step') return id.line || null;
  return id.kind === 'payload' ? (lineOf(lines, statementId.part('errors', 'payload')) ?? null) : null;
}

/**
 * The reason for a break whose answer is the one that the steps or the code predict, but not one that the contract
 * declares.
 */
const UNDECLARED = 'the contract, which `ninefold contract` and the exports tell callers, declares another answer';

/** The lines of statements beside one that is named already. */
function linesBeside(options: VerifyOptions, line: number | null, ids: readonly StatementId[]): number[] {
  const lines = ids.flatMap((id) => lineAt(options, id) ?? []);
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
  const declared = declaredIn(subject.plan, broken);
  const named = declared === null ? blamedIn(subject.plan, wrongOf(broken), course) : [declared];
  const [blame, ...others] = version === null ? named : ofVersionFirst(version, named);
  const id = blame ? statedId(subject.plan, blame) : null;
  const line = id && lineAt(options, id);
  const text = statements.find((statement) => isSameId(statement.id, id))?.text ?? '';
  const { status, code } = prediction.expected;
  const list = (side: 'expected' | 'actual'): string =>
    withoutMarks(differences.map((difference) => `${difference.at}: ${difference[side] ?? 'none'}`).join('\n'));
  const by = code === null ? `${status}` : `${status} ${code}`;
  return {
    statement: id,
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
function ofVersionFirst(version: string, named: readonly StatementId[]): readonly StatementId[] {
  const [first] = named;
  if (first?.kind === 'part' && first.part === 'versioning') return named;
  return eachOnce([statementId.version(version), ...named]).slice(0, 3);
}

/** The condition of a code without a row of its own: a code of the published list that the document adopts. */
function statedId(plan: Plan, id: StatementId): StatementId {
  if (id.kind !== 'code' || lineOf(plan.lines, id) !== undefined) return id;
  const adopted = Object.entries(plan.errors.conditions).find(([, { code }]) => code === id.code);
  return adopted ? statementId.condition(adopted[0]) : id;
}

/** A break of a probe in the form of the report. */
export function probeBreak(
  options: VerifyOptions,
  { statement, others = [], endpoint, why, expected, actual }: ProbeBreak,
  sequence: readonly ReportedStep[],
): Break {
  const { statements, seed } = options;
  const stated = statements.find(({ id }) => isSameId(id, statement));
  const line = statement && lineAt(options, statement);
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
    for (const id of statement ? [statement, ...others] : others) {
      const key = idText(id);
      places.set(key, (places.get(key) ?? new Set()).add(endpoint ?? ''));
    }
  const count = (id: StatementId): number => places.get(idText(id))?.size ?? 0;
  return breaks.map((one) => {
    const all = [...(one.statement ? [one.statement] : []), ...(one.others ?? [])];
    const [statement = null, ...others] = all.toSorted((a, b) => count(b) - count(a));
    if (isSameId(statement, one.statement)) return one;
    const line = statement && lineAt(options, statement);
    return { ...one, statement, others, line, otherLines: linesBeside(options, line, others) };
  });
}
