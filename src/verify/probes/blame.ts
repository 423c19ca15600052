import { lineKey } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Verdict } from '../judge/judge.ts';

/** The statement that an answer breaks: a rate, where only what is said of it differs; else the nearest one. */
export function blamed(plan: Plan, { prediction, differences }: Extract<Verdict, { kind: 'broken' }>): string {
  const own = prediction.expected.statements[0] ?? '';
  if (!differences.every(({ at }) => /^header RateLimit/i.test(at))) return own;
  const items = (text: string | null): string[] => (text ?? '').split(', ');
  for (const { expected, actual } of differences) {
    const theirs = items(actual);
    const other = items(expected).find((item) => !theirs.includes(item)) ?? theirs.find((item) => item !== '');
    const rate = plan.rates.findIndex(({ name }) => other?.startsWith(`"${name}";`));
    if (rate >= 0) return lineKey.rate(rate);
  }
  return own;
}
