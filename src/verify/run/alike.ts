import { withoutMarks } from '../oracle/marks.ts';
import type { Break } from '../report/report.ts';
import type { Broken } from './trial.ts';

/** How many breaks are told of one statement where the same differs in the same way. */
const MOST_ALIKE = 2;
/** What a break is called that is at no endpoint. */
const ELSEWHERE = 'other addresses';

/** What is said once for the whole document may be broken at each endpoint: that is told twice, and then counted. */
export class Alike {
  private readonly reportedPlaces = new Map<string, number[]>();
  private readonly others = new Map<string, Set<string>>();

  /** Whether enough breaks that are like one have been told; then its endpoint is remembered. */
  isKnown(statement: string, endpoint: string | null, broken: Broken): boolean {
    const key = keyOf(statement, endpoint, broken);
    if ((this.reportedPlaces.get(key)?.length ?? 0) < MOST_ALIKE) return false;
    this.others.set(key, (this.others.get(key) ?? new Set()).add(endpoint ?? ELSEWHERE));
    return true;
  }

  /** Takes in that a break is told, at a place of the list. */
  tell(statement: string, endpoint: string | null, broken: Broken, at: number): void {
    const key = keyOf(statement, endpoint, broken);
    this.reportedPlaces.set(key, [...(this.reportedPlaces.get(key) ?? []), at]);
  }

  /** The breaks, the first of those that are alike with the endpoints of the others. */
  with(breaks: readonly Break[]): Break[] {
    const also = new Map<number, string[]>();
    for (const [key, names] of this.others) {
      const places = this.reportedPlaces.get(key) ?? [];
      const listed = new Set(places.map((at) => breaks[at]?.endpoint ?? ELSEWHERE));
      const more = [...names].filter((name) => !listed.has(name)).sort();
      if (more.length > 0) also.set(places[0] ?? 0, more);
    }
    return breaks.map((one, at) => (also.has(at) ? { ...one, also: also.get(at) ?? [] } : one));
  }
}

/** The same of answers that differ in the same way from what one statement says, or each endpoint’s own of its kind. */
function keyOf(statement: string, endpoint: string | null, { differences, prediction, answer }: Broken): string {
  const [first] = differences;
  const values = [first?.expected, first?.actual].map((text) => withoutMarks(text ?? ''));
  const isStatus = prediction.expected.status !== answer.status;
  const kind = endpoint === null ? statement : statement.replace(endpoint, '*');
  return [kind, first?.at, ...(isStatus ? [prediction.expected.status, answer.status] : values)].join('\n');
}
