import type { Expr } from '../expression/tree/expression.ts';
import { allNested } from './nested-steps.ts';
import type { AnswerStep, BodyPlan, EndpointPlan, InsideStep, ShownPlan } from './step.ts';

/** The values that an answer shows, each in a form of its own; none for a page, whose rows its list has. */
export function shownIn(body: BodyPlan | null): readonly ShownPlan[] {
  switch (body?.kind) {
    case 'value':
      return [body.shown];
    case 'row with members':
      return [body.shown, ...body.members];
    case 'members':
      return body.members;
    default:
      return [];
  }
}

/** The entity tag that an answer states; null where it states none. */
export const tagIn = ({ headers }: AnswerStep): Expr | null =>
  headers.find(({ name }) => name === 'ETag')?.value ?? null;

/** The answers of an endpoint after successes, in the order of the document. */
export const answersOf = ({ inside, after }: Pick<EndpointPlan, 'inside' | 'after'>): readonly AnswerStep[] => [
  ...answersIn(inside),
  ...(after ? [after] : []),
];

/** The answers among steps. */
export const answersIn = (steps: readonly InsideStep[]): readonly AnswerStep[] =>
  [...allNested(steps)].filter((step) => step.do === 'answer');
