import type { EndpointContract } from '../../contract/endpoint.ts';
import { eachOnce, idText, type StatementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { otherwise } from '../blame/alterations.ts';
import { inOrder } from '../oracle/marks.ts';
import { once } from '../oracle/once.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Candidate } from '../requests/candidate.ts';
import { firstOfEach } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Subject, Work } from '../session/subject.ts';
import { boundTold } from '../statements/bounds.ts';
import type { Request } from '../target/exchange.ts';
import { derivedReadAt } from './deciding.ts';

/** The number of rivals' answers that are computed for each sent request on average, and before the first. */
const FOR_EACH = 12;
const AT_FIRST = 1000;
/** The largest number of rivals of one statement. */
const MOST_OF_STATEMENT = 24;
/** The largest number of rivals whose answers are computed for one request. */
const MOST_OF_REQUEST = 16;
/**
 * The number of requests after which remaining rivals are examined only a few at a time: some rivals differ in nothing
 * that an answer can show.
 */
const PATIENCE = 400;
const PATIENCE_AT_BOUND = 2000;
const MOST_STALE = 2;

/** The number of searches for a read that eliminates a rival by its rows. */
const MOST_SOUGHT = 3;

/** The number of candidates to each endpoint in such a search. */
const LOOKED_AT = 24;

/** A document that differs from the tested one in a single statement. */
interface Rival {
  readonly plan: Plan;
  /** The trace that is covered once this rival is eliminated; null where no statement needs such a trace. */
  readonly told: Trace | null;
  /** The number of its predictions that were equal to the answers. */
  alike: number;
  /** The number of searches for a read that eliminates this rival. */
  sought: number;
}

/** A rival that predicts the same answers but other rows, and the state that it predicts. */
interface DivergedRival {
  readonly rival: Rival;
  readonly known: Oracle;
}

/** A request at an instant, and the knowledge before it. */
interface TimedRequest {
  readonly known: Oracle;
  readonly request: Request;
  readonly now: number;
  readonly name: string;
}

/**
 * The rivals of a document: documents that differ from it in a single statement, and that no answer has ruled out yet.
 * A rival that is left shows that no request has tried the case in which its statement decides.
 */
export class Rivals {
  private readonly plan: Plan;
  private readonly work: Work;
  private readonly told: (trace: Trace) => void;
  /** By the texts of the ids of statements. */
  private readonly byStatement = new Map<string, Rival[]>();
  /** The statements that requests to each endpoint have tried, by its name and by the texts of their ids. */
  private readonly statementsAt = new Map<string, Map<string, StatementId>>();
  /** The derived fields that decide at each endpoint, by the name of the endpoint. */
  private readonly derivedAt = new Map<string, readonly StatementId[]>();
  private left = AT_FIRST;
  /** The number of eliminated rivals. */
  eliminated = 0;
  private turn = 0;

  /** @param told receives the bounds of conditions that requests have tried. */
  constructor({ plan, work }: Pick<Subject, 'plan' | 'work'>, told: (trace: Trace) => void) {
    this.plan = plan;
    this.work = work;
    this.told = told;
  }

  /** Whether the answer to a request, if it is the predicted one, would rule out a rival. */
  tells(timed: TimedRequest, prediction: Prediction): boolean {
    if (this.left <= 0) return false;
    const own = timed.known.copy();
    const tried = own.handle(timed.request, timed.now, timed.name);
    return this.concerned(tried).some((one) => {
      const other = this.under(one, timed);
      if (!other) return false;
      if (shownOf(other.prediction) !== shownOf(prediction)) return true;
      return one.sought < MOST_SOUGHT && haveDiverged(own, other.oracle);
    });
  }

  /**
   * Called after an answer that was the predicted one: eliminates rivals with other predictions. Returns the rivals
   * whose rows now differ.
   */
  answered(timed: TimedRequest): DivergedRival[] {
    this.left += FOR_EACH;
    if (this.left <= 0) return [];
    const own = timed.known.copy();
    const prediction = own.handle(timed.request, timed.now, timed.name);
    this.note(prediction);
    const diverged: DivergedRival[] = [];
    for (const rival of this.concerned(prediction)) {
      const other = this.under(rival, timed);
      if (!other) continue;
      if (shownOf(other.prediction) !== shownOf(prediction)) this.eliminate(rival);
      else if (rival.sought < MOST_SOUGHT && haveDiverged(own, other.oracle))
        diverged.push({ rival, known: other.oracle });
    }
    return diverged;
  }

  /**
   * Finds a read whose answer differs for rivals with other rows; null if there is none. The returned function
   * eliminates these rivals, and is called once the read was answered as predicted.
   */
  async reading(
    session: Session,
    diverged: readonly DivergedRival[],
    random: Random,
  ): Promise<{ readonly one: Candidate; readonly answered: () => void } | null> {
    if (diverged.length === 0) return null;
    const now = await session.now();
    const { contract, plan } = session.subject;
    for (const { rival } of diverged) rival.sought += 1;
    const isReading = ({ writes }: EndpointContract): boolean => !writes;
    for (const one of firstOfEach(contract, session.known(now), random, plan, LOOKED_AT, isReading)) {
      const prediction = one.valid ? session.predict(one.request, now, 'read') : null;
      if (!prediction) continue;
      this.left -= diverged.length;
      const telling = diverged.filter(({ known }) => {
        const other = session.foreseeBy(known, one.request, now, 'read');
        return other !== null && shownOf(other.prediction) !== shownOf(prediction);
      });
      const answered = (): void => {
        for (const { rival } of telling) this.eliminate(rival);
      };
      if (telling.length > 0) return { one, answered };
    }
    return null;
  }

  private note({ endpoint, trace }: Prediction): void {
    if (!endpoint) return;
    const statements = this.statementsAt.get(endpoint.name) ?? new Map<string, StatementId>();
    for (const { statement } of trace) statements.set(idText(statement), statement);
    this.statementsAt.set(endpoint.name, statements);
  }

  /** The statements that requests to an endpoint have tried, by the texts of their ids. */
  triedAt(endpoint: string): ReadonlyMap<string, StatementId> {
    return this.statementsAt.get(endpoint) ?? new Map<string, StatementId>();
  }

  /** The number of remaining rivals of the statements that requests to an endpoint have tried. */
  openAt(endpoint: string): number {
    return [...this.triedAt(endpoint).values()].reduce((sum, statement) => sum + this.of(statement).length, 0);
  }

  /** The rivals of a statement that are not ruled out yet. */
  othersOf(statement: StatementId): readonly Plan[] {
    return this.of(statement).map(({ plan }) => plan);
  }

  private eliminate(rival: Rival): void {
    this.eliminated += 1;
    if (rival.told) this.told(rival.told);
    for (const [statement, all] of this.byStatement)
      if (all.includes(rival))
        this.byStatement.set(
          statement,
          all.filter((one) => one !== rival),
        );
  }

  /**
   * The rivals of the statements that a request has tried, and of the derived fields in its conditions. If there are
   * many, successive calls return different ones.
   */
  private concerned({ trace, endpoint }: Prediction): Rival[] {
    this.turn += 1;
    // A filter whose parameter is absent excludes no rows.
    const met = trace.filter(({ what }) => what !== 'left out');
    const derived = endpoint ? once(this.derivedAt, endpoint.name, () => derivedReadAt(this.plan, endpoint.name)) : [];
    const statements = eachOnce([...met.map(({ statement }) => statement), ...derived]);
    const all = statements.flatMap((statement) => this.of(statement));
    const isStale = ({ alike, told }: Rival): boolean => alike >= (told ? PATIENCE_AT_BOUND : PATIENCE);
    const fresh = all.filter((one) => !isStale(one));
    return [
      // A request at the bound of a condition may be sent only once, so that all rivals about bounds are compared.
      ...fresh.filter(({ told }) => told),
      ...this.inTurn(
        fresh.filter(({ told }) => !told),
        MOST_OF_REQUEST,
      ),
      ...this.inTurn(all.filter(isStale), MOST_STALE),
    ];
  }

  /** Returns up to `most` of some rivals; successive calls return different ones. */
  private inTurn(some: readonly Rival[], most: number): readonly Rival[] {
    const from = some.length > most ? (this.turn * most) % some.length : 0;
    return [...some.slice(from), ...some.slice(0, from)].slice(0, most);
  }

  private of(statement: StatementId): readonly Rival[] {
    const key = idText(statement);
    const known = this.byStatement.get(key);
    if (known) return known;
    const made: Rival[] = [];
    for (const plan of otherwise(this.plan, statement)) {
      const what = boundTold(this.plan, plan, statement);
      const told = what === null ? null : { statement, what };
      if (told || made.length < MOST_OF_STATEMENT) made.push({ plan, told, alike: 0, sought: 0 });
    }
    this.byStatement.set(key, made);
    return made;
  }

  /** The prediction of a rival for a request; null where the rival cannot predict an answer. */
  private under(
    rival: Rival,
    { known, request, now, name }: TimedRequest,
  ): { oracle: Oracle; prediction: Prediction } | null {
    rival.alike += 1;
    this.left -= 1;
    this.work.looked();
    const oracle = known.under(rival.plan);
    try {
      return { oracle, prediction: oracle.handle(request, now, name) };
    } catch {
      // A document may lack what its other statements name.
      return null;
    }
  }
}

/** The parts of an answer by which two predictions are compared. Random values are compared by their place. */
export const shownOf = ({ expected: { status, code, body } }: Prediction): string =>
  `${status} ${code} ${inOrder(JSON.stringify(body ?? null))}`;

/** Whether the rows that are known differ. Rows that neither has changed share their values. */
function haveDiverged({ state: { plan, rows: own } }: Oracle, { state: { rows: others } }: Oracle): boolean {
  return plan.resources.some(({ name }) => {
    const [some, other] = [own.all(name), others.all(name)];
    return (
      some.length !== other.length ||
      some.some((row, i) => row.values !== other[i]?.values && textOf(row) !== textOf(other[i]))
    );
  });
}

const textOf = (row: OracleRow | undefined): string => inOrder(JSON.stringify([...(row?.values ?? [])]));
