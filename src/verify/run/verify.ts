import { counted } from '../../text/units.ts';
import type { Break, Report } from '../report/report.ts';
import { coverageOf, judge } from '../statements/judge.ts';
import { reattributed } from './breaks.ts';
import { Explorer } from './explorer.ts';
import { lackingIn } from './lacking.ts';
import type { VerifyOptions } from './options.ts';

/** Tests whether an implementation follows its document. Rejects with SetupError if the setup fails. */
export async function verify(options: VerifyOptions): Promise<Report> {
  const { subject, url, statements, seed, version } = options;
  const startedAt = Date.now();
  const explorer = new Explorer(options);
  await explorer.explore();
  const breaks: readonly Break[] = reattributed(options, explorer.breaks.all);
  const results = judge(statements, explorer.coverage.traces, breaks, {
    lacking: lackingIn(subject.setup),
    reasons: explorer.reasons,
    untried: explorer.isThrough ? 'found' : 'budget',
    only: options.only?.statements ?? null,
  });
  return {
    document: subject.contract.document,
    title: subject.contract.title,
    seed,
    requests: explorer.requests,
    results,
    breaks,
    coverage: coverageOf(results, subject.plan.lines),
    endpoints: subject.plan.endpoints.map(({ name }) => ({
      endpoint: name,
      statuses: explorer.coverage.statusesOf(name),
    })),
    requireKept: options.requireKept ?? null,
    lines: options.text?.split(/\r\n|\r|\n/) ?? [],
    stopped: explorer.stopped ?? afterBreaks(breaks.length, options),
    run: {
      url,
      version,
      startedAt,
      milliseconds: Date.now() - startedAt,
      outOfTime: !explorer.isThrough && explorer.stopped === null && explorer.budget.isOutOfTime,
    },
  };
}

/** The reason for the end of a run that has found the largest number of breaks; null for other runs. */
const afterBreaks = (count: number, { mostBreaks }: VerifyOptions): string | null =>
  count < mostBreaks ? null : `The run ended after ${counted(count, 'break')}. --max-breaks sets how many.`;
