import { show } from '../expression/tree/expression.ts';
import type { AnswerStep, EndpointPlan, InsideStep } from './step.ts';

type If = Extract<InsideStep, { do: 'if' }>;

/** The conditions under which the steps of a branch run. */
export const underIf = ({ test }: If, branch: 'then' | 'else'): string =>
  branch === 'then' ? show(test) : `not: ${show(test)}`;

/** The conditions under which the steps after a step run: no branch of the step has ended in an answer. */
export const underAfter = (step: InsideStep): readonly string[] =>
  step.do === 'if' ? afterWays(step, waysOf(step)) : [];

function afterWays(step: If, ways: readonly Way[]): readonly string[] {
  const ends = BRANCHES.filter((branch) => isEnding(step[branch]));
  if (ends.length > 0) return ends.map((branch) => underIf(step, branch === 'then' ? 'else' : 'then'));
  return ways.map(({ under }) => `not: ${under.join(' and ')}`);
}

const BRANCHES = ['then', 'else'] as const;

/** Whether all ways through steps end in an answer. */
const isEnding = (steps: readonly InsideStep[]): boolean =>
  steps.some((step) => step.do === 'answer' || (step.do === 'if' && isEnding(step.then) && isEnding(step.else)));

/** An answer, and the conditions under which a request is given it. */
interface Way {
  readonly answer: AnswerStep;
  readonly under: readonly string[];
}

/** The ways to the answers of an endpoint, in the order of the document. */
export function waysToAnswers({ inside, after }: EndpointPlan): readonly Way[] {
  const { ways, under } = waysIn(inside);
  return after ? [...ways, { answer: after, under }] : ways;
}

/** The ways to the answers among steps, and the conditions under which the steps have ended without one. */
function waysIn(steps: readonly InsideStep[]): { readonly ways: readonly Way[]; readonly under: readonly string[] } {
  const ways: Way[] = [];
  const under: string[] = [];
  for (const step of steps) {
    if (step.do === 'answer') ways.push({ answer: step, under: [...under] });
    if (step.do !== 'if') continue;
    const own = waysOf(step);
    ways.push(...own.map((way) => ({ ...way, under: [...under, ...way.under] })));
    under.push(...afterWays(step, own));
  }
  return { ways, under };
}

const waysOf = (step: If): readonly Way[] =>
  BRANCHES.flatMap((branch) =>
    waysIn(step[branch]).ways.map((way) => ({ ...way, under: [underIf(step, branch), ...way.under] })),
  );
