import type { Contract } from '../../contract/contract.ts';
import type { AnswerContract } from '../../contract/endpoint.ts';
import type { Condition } from '../../plan/conditions.ts';
import { lineOf, statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import { type Draft, need, needAny } from './statement.ts';

/** Conditions that occur only after a fault of the service, or of a system on which the service depends. */
const NOT_CAUSED: Readonly<Partial<Record<Condition, string>>> = {
  unavailable: 'A caller cannot make the service unavailable.',
  conflict: 'A caller cannot force two transactions to conflict.',
  'storage full': 'A caller cannot fill the store.',
  'upstream failed': 'A caller cannot make another service fail.',
  failure:
    'Only a defect, an integer overflow, or a step that computes a value which its field does not allow causes it.',
  'time-out': 'A caller cannot make the service take long.',
};

/** The statements of the part Errors: each condition and code that an answer of the current version can have. */
export function errorDrafts(plan: Plan, contract: Contract): Draft[] {
  const [current] = contract.versions;
  const answers = [...(current?.endpoints.flatMap((one) => one.answers) ?? []), ...(current?.elsewhere ?? [])];
  const conditions = [...new Set(answers.flatMap(conditionOf))];
  const codes = [...new Set(answers.flatMap((one) => (one.code === null ? [] : [one.code])))];
  const told: Trace[] = conditions.map((one) => ({ statement: statementId.condition(one), what: 'answered' }));
  const payload = statementId.part('errors', 'payload');
  return [
    {
      id: payload,
      item: 'errors/error payload shape',
      needs: [
        needAny('an error is answered', [
          ...told,
          ...codes.map((one) => ({ statement: statementId.code(one), what: 'answered' })),
        ]),
      ],
    },
    ...conditions.map((one) => conditionDraft(plan, one)),
    ...codes.flatMap((code) => codeDraft(plan, code, answers)),
  ];
}

/** The condition behind an answer, as a list; none behind codes of steps and rules. */
const conditionOf = ({ because }: AnswerContract): Condition[] =>
  because.kind === 'condition' ? [because.name as Condition] : [];

/** A condition without a row of its own is stated by the list that the document adopts. */
function conditionDraft(plan: Plan, condition: Condition): Draft {
  const id = statementId.condition(condition);
  const adopted = plan.errors.conditions[condition]
    ? lineOf(plan.lines, statementId.part('errors', 'conditions'))
    : null;
  return {
    id,
    item: 'errors/status codes',
    needs: [need(`a request is refused for “${condition}”`, id, 'answered')],
    line: lineOf(plan.lines, id) ?? adopted ?? null,
    untestable: NOT_CAUSED[condition] ?? null,
  };
}

/** A row of the table of errors: the code is answered, for each of its causes. */
function codeDraft(plan: Plan, code: string, answers: readonly AnswerContract[]): Draft[] {
  const id = statementId.code(code);
  if (lineOf(plan.lines, id) === undefined) return [];
  const own = answers.filter((one) => one.code === code);
  const conditions = [...new Set(own.flatMap(conditionOf))];
  const raised = own.some((one) => one.because.kind !== 'condition');
  // Only a later time leads to the end of an endpoint.
  const isLater = own.every((one) => one.because.kind === 'sunset');
  const reasons = conditions.map((one) => NOT_CAUSED[one] ?? null);
  return [
    {
      id,
      item: 'errors/error codes',
      needs: [
        ...(raised ? [need('a request is refused with this code', id, 'answered', isLater ? ['clock'] : [])] : []),
        ...conditions.map((one) =>
          need(`a request is refused with this code for “${one}”`, statementId.condition(one), 'answered'),
        ),
      ],
      untestable: raised ? null : (reasons.find((one) => one !== null) ?? null),
    },
  ];
}
