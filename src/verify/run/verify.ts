import type { Report } from '../report/report.ts';
import { coverageOf } from '../statements/coverage.ts';
import { judge } from '../statements/judge.ts';
import { lackingIn } from './lacking.ts';
import type { VerifyOptions } from './options.ts';

/** Holds an implementation to its document. Rejects with SetupError where the setup fails. */
export async function verify(options: VerifyOptions): Promise<Report> {
  const { subject, url, statements, seed, version } = options;
  const startedAt = Date.now();
  const results = judge(statements, [], [], { lacking: lackingIn(subject.setup), reasons: new Map() });
  return {
    document: subject.contract.document,
    title: subject.contract.title,
    seed,
    requests: 0,
    results,
    breaks: [],
    coverage: coverageOf(results, subject.plan.lines),
    endpoints: subject.plan.endpoints.map(({ name }) => ({ endpoint: name, statuses: [] })),
    stopped: 'Nothing has been tried.',
    run: { url, version, startedAt, milliseconds: Date.now() - startedAt },
  };
}
