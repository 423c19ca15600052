import { idText, isSameId, type StatementId } from '../../plan/lines.ts';
import { withoutMarks } from '../oracle/marks.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break } from '../report/report.ts';
import type { Session } from '../session/session.ts';
import { signatureOf, statementOf } from './breaks.ts';
import type { Doubt } from './doubt.ts';
import type { VerifyOptions } from './options.ts';
import type { Reproduction } from './reproduction.ts';
import { type Broken, brokenOf } from './trial.ts';

/** The largest number of reported breaks of one endpoint. */
const MOST_OF_ENDPOINT = 6;

/** The reason of a break that a race has found, but that the same requests also show one after the other. */
const WITHOUT_RACE = 'one request after the other';

/** The breaks that a run has found, and whether it should search for more. */
export class FoundBreaks {
  private readonly found: Break[] = [];
  private readonly alike = new Alike();
  private readonly signatures = new Set<string>();
  private readonly options: Pick<VerifyOptions, 'subject' | 'mostBreaks' | 'told'>;

  constructor(options: Pick<VerifyOptions, 'subject' | 'mostBreaks' | 'told'>) {
    this.options = options;
  }

  get all(): readonly Break[] {
    return this.alike.with(this.found);
  }

  get count(): number {
    return this.found.length;
  }

  /**
   * Whether a break of a single request adds nothing to those that were found before. The break is known afterwards.
   */
  isKnown(endpoint: string | null, broken: Broken): boolean {
    const { plan } = this.options.subject;
    const isRepeated = this.isRepeated(signatureOf(plan, endpoint, broken));
    return isRepeated || this.alike.isKnown(statementOf(plan, broken), endpoint, broken);
  }

  /**
   * Whether a break of a probe adds nothing to those of single requests and of other probes. The break is known
   * afterwards.
   */
  private isKnownOfProbe({ statement, endpoint, why, wrong, race }: ProbeBreak): boolean {
    const signature = wrong
      ? signatureOf(this.options.subject.plan, endpoint, brokenOf(wrong.exchange, wrong.verdict))
      : `${statement && idText(statement)} ${endpoint} ${why}`;
    if (this.isRepeated(signature)) return true;
    // A break that a single request has shown already is not reported for a race as well.
    return (
      race !== undefined && this.found.some((one) => isSameId(one.statement, statement) && one.endpoint === endpoint)
    );
  }

  /**
   * Adds a break of a probe, unless a similar break is known. A break that a race has found may occur without a race,
   * too.
   */
  async addOfProbe(found: ProbeBreak, session: Session, reproduction: Reproduction, doubt: Doubt): Promise<void> {
    if (this.isKnownOfProbe(found)) return;
    const alone = await reproduction.withoutRace(found, session);
    if (!alone) return this.add(doubt.ofProbe(await reproduction.ofProbe(found, session), found, session));
    const { trial, broken } = alone;
    const endpoint = broken.prediction.endpoint?.name ?? null;
    if (this.isKnown(endpoint, broken)) return;
    const told = await reproduction.ofTrial(trial, { endpoint, what: WITHOUT_RACE }, broken);
    this.add(doubt.with(told, trial.session, broken), broken);
  }

  /** Adds a break. `broken`: the answer to a single request that has shown it. */
  add(one: Break, broken: Broken | null = null): void {
    if (broken) this.alike.tell(statementOf(this.options.subject.plan, broken), one.endpoint, broken, this.count);
    this.found.push(one);
    this.options.told?.(one);
  }

  /** Drops all breaks, if something other than the service has caused them. */
  forget(): void {
    this.found.length = 0;
  }

  /** Whether as many breaks were found as the options require. */
  get isEnough(): boolean {
    return this.count >= this.options.mostBreaks;
  }

  isEnoughOf(endpoint: string | null): boolean {
    return this.found.filter((one) => one.endpoint === endpoint).length >= MOST_OF_ENDPOINT;
  }

  private isRepeated(signature: string): boolean {
    if (this.signatures.has(signature)) return true;
    this.signatures.add(signature);
    return false;
  }
}

/** The largest number of reported breaks of one statement with the same difference. */
const MOST_ALIKE = 2;
/** The name under `also` for a break that is at no endpoint. */
const ELSEWHERE = 'other addresses';

/**
 * A statement about the whole document may be broken at each endpoint. Two of these breaks are reported; of the others,
 * only the endpoints.
 */
class Alike {
  private readonly reportedPlaces = new Map<string, number[]>();
  private readonly others = new Map<string, Set<string>>();

  /** Whether enough similar breaks are reported already. If so, the endpoint of this break is remembered. */
  isKnown(statement: StatementId | null, endpoint: string | null, broken: Broken): boolean {
    const key = keyOf(statement, endpoint, broken);
    if ((this.reportedPlaces.get(key)?.length ?? 0) < MOST_ALIKE) return false;
    this.others.set(key, (this.others.get(key) ?? new Set()).add(endpoint ?? ELSEWHERE));
    return true;
  }

  /** Remembers that a break is reported, at an index of the list of breaks. */
  tell(statement: StatementId | null, endpoint: string | null, broken: Broken, at: number): void {
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
function keyOf(
  statement: StatementId | null,
  endpoint: string | null,
  { differences, prediction, answer }: Broken,
): string {
  const [first] = differences;
  const values = [first?.expected, first?.actual].map((text) => withoutMarks(text ?? ''));
  const isStatus = prediction.expected.status !== answer.status;
  const isAtEndpoint = statement?.kind === 'endpoint' || statement?.kind === 'parameter';
  const stated = isAtEndpoint && statement.endpoint === endpoint ? { ...statement, endpoint: '*' } : statement;
  return [
    stated && idText(stated),
    first?.at,
    ...(isStatus ? [prediction.expected.status, answer.status] : values),
  ].join('\n');
}
