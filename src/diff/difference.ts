import type { Lines } from '../contract/types.ts';
import { lineOf, type StatementId, type Lines as Statements } from '../plan/lines.ts';
import type { Change } from '../plan/plain-fact.ts';

/** Whether a difference breaks callers that rely on the old document, and the reason. */
export interface Verdict {
  readonly breaking: boolean;
  readonly why: string;
}

const breaks = (why: string): Verdict => ({ breaking: true, why });
const keeps = (why: string): Verdict => ({ breaking: false, why });

/** Verdicts on changes that break callers. A change whose effect is uncertain counts as breaking. */
export const BREAKS = {
  refused: breaks('a request that was accepted may be refused'),
  unknown: breaks('callers may receive a value that they do not know'),
  missing: breaks('callers may not find what they read'),
  otherwise: breaks('the same request may have another result'),
  unreadable: breaks('callers may not be able to read what they are sent'),
  untold: breaks('a receiver may not be notified'),
} as const;

/** Verdicts on changes that break no caller. */
export const KEEPS = {
  accepted: keeps('every request that was accepted still is accepted'),
  known: keeps('callers receive nothing new'),
  unused: keeps('callers that do not use it are answered as before'),
  words: keeps('only people read it'),
  unmet: keeps('no caller can notice it'),
  order: keeps('its order has no meaning'),
} as const;

/** The verdicts by the names of changes in the tables of facts. */
export const VERDICTS: Readonly<Record<Change, Verdict>> = { ...BREAKS, ...KEEPS };

/** A place where callers notice a difference: an endpoint, an event or a version, with the lines of both documents. */
export interface Place {
  readonly at: string;
  readonly lines: readonly [old: Lines, next: Lines];
}

/** One difference for callers, or one of its occurrences. */
export interface Difference {
  /**
   * The subject of the difference, such as `Order.sku`; null if the places, such as `POST /orders`, are the subject.
   */
  readonly of: string | null;
  readonly text: string;
  readonly verdict: Verdict;
  readonly lines: readonly [old: Lines, next: Lines];
  readonly places: readonly Place[];
}

/** The subject that is being compared, and the place where callers notice it. */
export interface Here {
  readonly of: string | null;
  readonly place: string | null;
  readonly lines: readonly [old: Lines, next: Lines];
  /** The line of each statement, in either document. */
  readonly statements: readonly [old: Statements, next: Statements];
}

/** The starting point of a comparison: the service as a whole. */
export const SERVICE: Here = { of: 'the service', place: null, lines: [[], []], statements: [{}, {}] };

/** Creates a difference at the current place. */
export function difference(here: Here, text: string, verdict: Verdict): Difference {
  const { of, place, lines } = here;
  return { of, text, verdict, lines, places: place === null ? [] : [{ at: place, lines }] };
}

/** The current place with the lines of the compared objects; an object without lines keeps the previous ones. */
export function stated(here: Here, old: object | null, next: object | null): Here {
  const [before, after] = [linesOf(old), linesOf(next)];
  // An added or removed object has no line in the other document. The line of its container there would mislead.
  const lines: Here['lines'] = [
    before.length || !old ? before : here.lines[0],
    after.length || !next ? after : here.lines[1],
  ];
  return { ...here, lines };
}

/** The current place with the line of a single statement. */
export function statedAt(here: Here, oldId: StatementId, nextId = oldId): Here {
  const [old, next] = here.statements;
  const [before, after] = [lineOf(old, oldId), lineOf(next, nextId)];
  const lines: Here['lines'] = [
    before === undefined ? here.lines[0] : [before],
    after === undefined ? here.lines[1] : [after],
  ];
  return { ...here, lines };
}

function linesOf(one: object | null): Lines {
  const { lines }: { readonly lines?: Lines } = one ?? {};
  return lines ?? [];
}
