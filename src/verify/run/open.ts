import { WEIGHT_OF_NEED } from './bounds.ts';
import type { VerifyOptions } from './options.ts';
import type { Rivals } from './rivals.ts';
import { unheardAt } from './sought.ts';
import type { TraceCoverage } from './trace-coverage.ts';

/** A weight for the untested parts of the statements that requests to an endpoint try. */
export function openAt(
  endpoint: string,
  { statements, subject }: Pick<VerifyOptions, 'statements' | 'subject'>,
  coverage: TraceCoverage,
  rivals: Rivals,
): number {
  const tried = rivals.triedAt(endpoint);
  const needs = statements.filter(({ key }) => tried.has(key)).flatMap((one) => one.needs);
  const unmet = needs.filter(({ traces }) => !coverage.hasAny(traces)).length;
  return WEIGHT_OF_NEED * (unmet + unheardAt(endpoint, subject, coverage).length) + rivals.openAt(endpoint);
}
