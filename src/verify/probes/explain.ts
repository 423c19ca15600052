import { judged, type Verdict, type When } from '../judge/judge.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { type Exchange, headerOf } from '../target/exchange.ts';
import type { Drive } from './drive.ts';
import { rowsIn } from './filling.ts';
import type { Race, WrongAnswer } from './probe.ts';

/**
 * The number of steps that the search for another order examines. If the requests hardly affect each other, the first
 * order is right.
 */
const MOST_STEPS = 600;
/** The number of steps that the search examines before it reports a break: enough for all orders of eight requests. */
const MOST_STEPS_OF_ALL = 1200;
/** The number of requests of one kind that are tried at each position. */
const MOST_CHOSEN = 4;

/**
 * Whether some order explains all answers: `whole` if one does, `none` if no order does, `not known` if the search
 * ended early.
 */
type Explained = 'whole' | 'none' | 'not known';

/**
 * Records the answers to simultaneous requests in an order that explains all of them. If there is no such order,
 * reports a break and returns `none`. `race`: the requests, where they can be sent again.
 */
export function explain(drive: Drive, exchanges: readonly Exchange[], when: When, race?: Race): Explained {
  const search = new Search(drive, exchanges, when);
  const order = search.from(drive.session.oracle, exchanges, 0);
  if (!order) {
    if (search.isWhole && search.left) {
      drive.findings.raced(search.left, exchanges, race);
      return 'none';
    }
    return 'not known';
  }
  const verdicts = drive.session.takeInOrder(order, when, (i) => search.nameOf(i));
  for (const [i, { request }] of order.entries()) {
    const verdict = verdicts[i];
    if (verdict?.kind === 'kept') drive.findings.kept(request, verdict.prediction);
  }
  return 'whole';
}

/** The answers to simultaneous requests, and the predicted state before them. */
export interface Raced {
  readonly before: Oracle;
  readonly exchanges: readonly Exchange[];
  readonly when: When;
}

/**
 * Whether another order of the answers may also explain a later read: the answers alone may not show their order, such
 * as when each request replaces what the one before has issued. Also true where there are too many orders to look at
 * each.
 */
export function mayHaveOtherOrder(raced: Raced, read: Exchange, readAt: When): boolean {
  const { outcome } = read;
  if ('failed' in outcome) return false;
  const fits = (oracle: Oracle): boolean => judged(oracle, read, outcome, readAt, 'read', 'unknown').kind !== 'broken';
  for (const { oracle } of explained(raced)) if (fits(oracle)) return true;
  return new EveryOrder(raced, fits).mayFit(raced.before, raced.exchanges, null);
}

/** Looks at every order of answers; orders after which the same rows are known are one. */
class EveryOrder {
  private readonly raced: Raced;
  private readonly fits: (oracle: Oracle) => boolean;
  private readonly seen = new Set<string>();
  /** Whether an answer shows an entity tag, so that it matters which answer is the last. */
  private readonly isTagged: boolean;
  private steps = 0;

  constructor(raced: Raced, fits: (oracle: Oracle) => boolean) {
    this.raced = raced;
    this.fits = fits;
    this.isTagged = raced.exchanges.some(
      ({ outcome }) => !('failed' in outcome) && headerOf(outcome.headers, 'ETag') !== null,
    );
  }

  /** Whether some order of the remaining requests leads to a state that fits the later read, or may do so. */
  mayFit(known: Oracle, left: readonly Exchange[], last: Exchange | null): boolean {
    const { exchanges, when } = this.raced;
    const which = left.map((one) => exchanges.indexOf(one)).join();
    const state = `${which} ${rowsOf(known)} ${this.isTagged && last ? exchanges.indexOf(last) : ''}`;
    if (this.seen.has(state)) return false;
    this.seen.add(state);
    if (left.length === 0) return this.fits(known);
    const tried = new Set<string>();
    for (const one of left) {
      const same = sameness(one);
      if ('failed' in one.outcome || tried.has(same)) continue;
      tried.add(same);
      if (++this.steps > MOST_STEPS_OF_ALL) return true;
      const verdict = judged(known, one, one.outcome, when, `raced ${exchanges.indexOf(one)}`, 'unknown');
      if (verdict.kind === 'not judged') return true;
      if (verdict.kind !== 'kept') continue;
      const others = left.filter((each) => each !== one);
      if (this.mayFit(verdict.oracle, others, one)) return true;
    }
    return false;
  }
}

/**
 * Whether the answers determine the rows after them. The rows are not known where several orders explain the answers,
 * and each answer shows a value that only the service knows, such as an entity tag, or one request removes what another
 * creates.
 */
export function isOrderTold(raced: Raced): boolean {
  const outcomes = new Set<string>();
  for (const { oracle, last } of explained(raced)) {
    const isSame = rowsIn(oracle) === rowsIn(raced.before);
    outcomes.add(`${rowsOf(oracle)} ${isSame ? sameness(last) : ''}`);
    if (outcomes.size > 1) return false;
  }
  return true;
}

/** Yields the state after the answers, for each order that explains them, up to a bound. */
function* explained({
  before,
  exchanges,
  when,
}: Raced): Generator<{ readonly oracle: Oracle; readonly last: Exchange }> {
  for (const order of orders(exchanges)) {
    let oracle: Oracle | null = before;
    for (const one of order) {
      const name = `raced ${exchanges.indexOf(one)}`;
      const verdict: Verdict | null =
        'failed' in one.outcome ? null : judged(oracle, one, one.outcome, when, name, 'unknown');
      oracle = verdict?.kind === 'kept' ? verdict.oracle : null;
      if (!oracle) break;
    }
    const last = order.at(-1);
    if (oracle && last) yield { oracle, last };
  }
}

/**
 * Orders in which each exchange is the last once, and orders in which some requests of one kind come before all of
 * another kind.
 */
function* orders(exchanges: readonly Exchange[]): Generator<readonly Exchange[]> {
  for (const last of exchanges) yield [...exchanges.filter((one) => one !== last), last];
  const kindOf = ({ request: { method, target } }: Exchange): string => `${method} ${target}`;
  const [first] = exchanges;
  const some = exchanges.filter((one) => first && kindOf(one) === kindOf(first));
  const others = exchanges.filter((one) => !some.includes(one));
  if (others.length === 0) return;
  for (const [ones, between] of [
    [some, others],
    [others, some],
  ] as const)
    for (let set = 0; set < 1 << Math.min(ones.length, MOST_CHOSEN); set++) {
      const isBefore = (i: number): boolean => (set & (1 << i)) > 0;
      yield [...ones.filter((_, i) => isBefore(i)), ...between, ...ones.filter((_, i) => !isBefore(i))];
    }
}

/** The rows that are known, in no order. */
const rowsOf = ({ state: { plan, rows } }: Oracle): string =>
  JSON.stringify(
    plan.resources.map(({ name }) =>
      rows
        .all(name)
        .map((row) => JSON.stringify([...row.values]))
        .sort(),
    ),
  );

class Search {
  /** Whether every order was examined. */
  isWhole = true;
  /** An answer that no order explains: the first unexplained one in the order that explains the most. */
  left: WrongAnswer | null = null;
  private readonly when: When;
  private readonly names: readonly string[];
  private deepest = -1;
  private steps = 0;

  constructor(drive: Drive, exchanges: readonly Exchange[], when: When) {
    this.when = when;
    this.names = exchanges.map(() => drive.name());
  }

  nameOf(i: number): string {
    return this.names[i] ?? '';
  }

  /** An order of the remaining exchanges that explains their answers, from a state; null if none was found. */
  from(known: Oracle, left: readonly Exchange[], depth: number): Exchange[] | null {
    if (left.length === 0) return [];
    const seen = new Set<string>();
    for (const exchange of left) {
      const { outcome } = exchange;
      const same = sameness(exchange);
      if ('failed' in outcome || seen.has(same)) continue;
      seen.add(same);
      if (++this.steps > MOST_STEPS) this.isWhole = false;
      if (!this.isWhole) return null;
      const verdict = judged(known, exchange, outcome, this.when, this.nameOf(depth), 'unknown');
      if (verdict.kind === 'not judged') this.isWhole = false;
      if (verdict.kind === 'broken' && depth > this.deepest) {
        this.deepest = depth;
        this.left = { verdict, exchange };
      }
      if (verdict.kind !== 'kept') continue;
      const others = left.filter((one) => one !== exchange);
      const rest = this.from(verdict.oracle, others, depth + 1);
      if (rest) return [exchange, ...rest];
    }
    return null;
  }
}

/** A key of an exchange: equal for requests and answers that are equal to the byte, besides dates and rate headers. */
function sameness({ request, outcome }: Exchange): string {
  if ('failed' in outcome) return '';
  const { method, target, headers, body } = request;
  const told = outcome.headers.filter(([name]) => !/^(?:date|ratelimit|retry-after)$/i.test(name));
  const texts = [body?.toString('latin1') ?? '', outcome.body.toString('latin1')];
  return JSON.stringify([method, target, headers, outcome.status, told, ...texts]);
}
