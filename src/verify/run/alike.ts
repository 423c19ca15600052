import { withoutMarks } from '../oracle/marks.ts';
import type { Break } from '../report/report.ts';
import type { Broken } from './trial.ts';

/** The largest number of reported breaks of one statement with the same difference. */
const MOST_ALIKE = 2;
/** The name under `also` for a break that is at no endpoint. */
const ELSEWHERE = 'other addresses';

/**
 * A statement about the whole document may be broken at each endpoint. Two of these breaks are reported; of the others,
 * only the endpoints.
 */
export class Alike {
  private readonly reportedPlaces = new Map<string, number[]>();
  private readonly others = new Map<string, Set<string>>();

  /** Whether enough similar breaks are reported already. If so, the endpoint of this break is remembered. */
  isKnown(statement: string, endpoint: string | null, broken: Broken): boolean {
    const key = keyOf(statement, endpoint, broken);
    if ((this.reportedPlaces.get(key)?.length ?? 0) < MOST_ALIKE) return false;
    this.others.set(key, (this.others.get(key) ?? new Set()).add(endpoint ?? ELSEWHERE));
    return true;
  }

  /** Remembers that a break is reported, at an index of the list of breaks. */
  tell(statement: string, endpoint: string | null, broken: Broken, at: number): void {
    const key = keyOf(statement, endpoint, broken);
    this.reportedPlaces.set(key, [...(this.reportedPlaces.get(key) ?? []), at]);
  }

  /** Returns the breaks; the first of several similar breaks lists the endpoints of those that are not reported. */
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

/** The key of a break: equal for breaks with the same difference at different endpoints. */
function keyOf(statement: string, endpoint: string | null, { differences, prediction, answer }: Broken): string {
  const [first] = differences;
  const values = [first?.expected, first?.actual].map((text) => withoutMarks(text ?? ''));
  const isStatus = prediction.expected.status !== answer.status;
  const kind = endpoint === null ? statement : statement.replace(endpoint, '*');
  return [kind, first?.at, ...(isStatus ? [prediction.expected.status, answer.status] : values)].join('\n');
}
