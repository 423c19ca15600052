import type { Finding } from '../../syntax/diagnostic.ts';
import type { Compiled } from '../compile.ts';
import { leadsOn } from '../read/presumptions.ts';

/**
 * The findings in the order in which answers settle most: errors, since they hide questions; questions that decide about
 * other statements, or lead to other questions; then the questions whose answer alone settles most endpoints, then the
 * questions about most endpoints. Findings of equal weight keep the order of the document.
 */
export function inAskingOrder({ findings, endpoints }: Compiled): Finding[] {
  const counts = new Map<string, number>();
  for (const { endpoints: concerned } of findings)
    for (const endpoint of concerned ?? []) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  const everywhere = findings.filter((one) => one.endpoints === null).length;
  const settles = ({ endpoints: concerned }: Finding): number => {
    if (concerned) return everywhere > 0 ? 0 : concerned.filter((endpoint) => counts.get(endpoint) === 1).length;
    return everywhere > 1 ? 0 : endpoints.filter(({ endpoint }) => !counts.has(endpoint)).length;
  };
  const weighed = findings.map((finding) => ({
    finding,
    weight: [
      finding.severity === 'error' ? 0 : 1,
      finding.standing === 'deciding' || leadsOn(finding) ? 0 : 1,
      -settles(finding),
      -(finding.endpoints?.length ?? endpoints.length),
    ],
  }));
  return weighed.sort((a, b) => compared(a.weight, b.weight)).map(({ finding }) => finding);
}

/** The first difference of two lists of numbers. */
const compared = (a: readonly number[], b: readonly number[]): number =>
  a.map((one, i) => one - b[i]!).find((difference) => difference !== 0) ?? 0;
