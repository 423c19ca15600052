import { judged, type When } from '../judge/judge.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Drive } from './drive.ts';
import type { Race, WrongAnswer } from './probe.ts';

/** How many steps of orders are looked at: of requests that hardly meet, the first order is the one. */
const MOST_STEPS = 600;

/** How far an order of answers goes. */
type Explained = 'whole' | 'none' | 'not known';

/**
 * Takes in answers to requests that were made at the same time, in an order that follows from the document; gives
 * `none`, and a break, where there is none. `race`: the requests, where they can be sent again.
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
  for (const verdict of drive.session.takeInOrder(order, when, (i) => search.nameOf(i)))
    if (verdict.kind === 'kept') drive.findings.meetAll(verdict.prediction.trace);
  return 'whole';
}

/** Answers to requests that were made at the same time, and what was known before them. */
export interface Raced {
  readonly before: Oracle;
  readonly exchanges: readonly Exchange[];
  readonly when: When;
}

/**
 * Whether another order of such answers, in which another of them is the last, explains what is read afterwards too: their
 * answers may not tell which was the last, as where each replaces what the one before it has issued.
 */
export function hasOtherLast(drive: Drive, { before, exchanges, when }: Raced, read: Exchange, readAt: When): boolean {
  return exchanges.some((last) => {
    let known = before;
    for (const exchange of [...exchanges.filter((one) => one !== last), last, read]) {
      if ('failed' in exchange.outcome) return false;
      const at = exchange === read ? readAt : when;
      const verdict = judged(known, exchange, exchange.outcome, at, drive.name(), 'unknown');
      if (verdict.kind !== 'kept') return false;
      known = verdict.oracle;
    }
    return true;
  });
}

class Search {
  /** Whether every order has been looked at. */
  isWhole = true;
  /** An answer that no order explains: the one that is left where most are explained. */
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

  /** An order of what is left that follows from what is known; null where none was found. */
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

/** The same for requests and answers that are the same to the byte, but for when they were and what rates tell. */
function sameness({ request, outcome }: Exchange): string {
  if ('failed' in outcome) return '';
  const { method, target, headers, body } = request;
  const told = outcome.headers.filter(([name]) => !/^(?:date|ratelimit|retry-after)$/i.test(name));
  const texts = [body?.toString('latin1') ?? '', outcome.body.toString('latin1')];
  return JSON.stringify([method, target, headers, outcome.status, told, ...texts]);
}
