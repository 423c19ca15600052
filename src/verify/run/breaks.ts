import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break } from '../report/report.ts';
import { standardOf } from '../report/standard.ts';
import type { Candidate } from '../requests/candidate.ts';
import type { Session } from '../session/session.ts';
import { conditionOf } from '../statements/tried.ts';
import { blamed } from './blame.ts';
import type { VerifyOptions } from './options.ts';
import { type Reproduced, withOperator } from './shrink.ts';
import type { Broken } from './trial.ts';

/** What tells breaks apart: the statement, the endpoint, and what of the answer is another. */
export function signatureOf(plan: Plan, endpoint: string | null, broken: Broken): string {
  const { prediction, differences, answer } = broken;
  const [first] = differences;
  const at = first?.at.replace(/\/\d+/g, '/#') ?? '';
  return `${blamed(plan, prediction, differences, answer)} ${endpoint} ${at} ${prediction.expected.status} ${answer.status}`;
}

/** A break as it is reported. */
export function breakOf(
  { subject, statements, seed }: VerifyOptions,
  one: Candidate,
  { sequence, broken }: Reproduced,
): Break {
  const { plan } = subject;
  const { prediction, differences, answer } = broken;
  const key = statedKey(plan, blamed(plan, prediction, differences, answer));
  const line = statements.find((statement) => statement.key === key)?.line ?? plan.lines[key] ?? stepLine(key);
  const text = statements.find((statement) => statement.key === key)?.text ?? '';
  const { status, code } = prediction.expected;
  const list = (side: 'expected' | 'actual'): string =>
    differences.map((difference) => `${difference.at}: ${difference[side] ?? 'none'}`).join('\n');
  const by = code === null ? `${status}` : `${status} ${code}`;
  return {
    statement: key,
    line,
    endpoint: one.endpoint,
    why: `${one.what}: the document answers ${by}.`,
    expected: list('expected'),
    actual: list('actual'),
    standard: standardOf(text, conditionOf(prediction.expected), status),
    sequence,
    seed,
  };
}

/** A code without a row of its own is that of a condition, by the list that the document adopts. */
function statedKey(plan: Plan, key: string): string {
  if (plan.lines[key] !== undefined) return key;
  const adopted = Object.entries(plan.errors.conditions).find(([, { code }]) => lineKey.code(code) === key);
  return adopted ? lineKey.condition(adopted[0]) : key;
}

function stepLine(key: string): number | null {
  const line = Number(/^step (\d+)$/.exec(key)?.[1] ?? 0);
  return line === 0 ? null : line;
}

/** A break that a probe has found, as it is reported. */
export function probeBreak({ subject, statements, seed }: VerifyOptions, session: Session, one: ProbeBreak): Break {
  const stated = statements.find(({ key }) => key === one.statement);
  const line = stated?.line ?? subject.plan.lines[one.statement] ?? stepLine(one.statement);
  const sequence = withOperator(session, one.sequence);
  return { ...one, sequence, line, standard: standardOf(stated?.text ?? '', null, null), seed };
}
