import type { Lines } from '../contract/types.ts';
import type { Lines as Statements } from '../plan/lines.ts';
import { ownMember } from '../text/own-member.ts';

/** Whether a difference breaks a caller that kept to the old document, and why it does or doesn’t. */
export interface Verdict {
  readonly breaking: boolean;
  readonly why: string;
}

const breaks = (why: string): Verdict => ({ breaking: true, why });
const keeps = (why: string): Verdict => ({ breaking: false, why });

/** What breaks callers. Where it can’t be told whether something does, it is taken for breaking. */
export const BREAKS = {
  refused: breaks('a request that was accepted may be refused'),
  unknown: breaks('callers may receive a value that they do not know'),
  missing: breaks('callers may not find what they read'),
  otherwise: breaks('the same request may have another result'),
  unreadable: breaks('callers may not be able to read what they are sent'),
  untold: breaks('a receiver may not be notified'),
} as const;

/** What breaks nobody. */
export const KEEPS = {
  accepted: keeps('every request that was accepted still is accepted'),
  known: keeps('callers receive nothing new'),
  unused: keeps('callers that do not use it are answered as before'),
  words: keeps('only people read it'),
  unmet: keeps('no caller can notice it'),
  order: keeps('its order has no meaning'),
} as const;

/** Where callers meet a difference: an endpoint, an event or a version, with the lines of either document. */
export interface Place {
  readonly at: string;
  readonly lines: readonly [old: Lines, next: Lines];
}

/** One thing that differs for callers, or one of several places at which the same thing does. */
export interface Difference {
  /** What it is of, such as `Order.sku`; null where it is of the places at which it is met, such as `POST /orders`. */
  readonly of: string | null;
  readonly text: string;
  readonly verdict: Verdict;
  readonly lines: readonly [old: Lines, next: Lines];
  readonly places: readonly Place[];
}

/** What is being compared, and where callers meet it. */
export interface Here {
  readonly of: string | null;
  readonly place: string | null;
  readonly lines: readonly [old: Lines, next: Lines];
  /** Where either document states what. */
  readonly statements: readonly [old: Statements, next: Statements];
}

/** Where all begins: what is of the service as a whole. */
export const SERVICE: Here = { of: 'the service', place: null, lines: [[], []], statements: [{}, {}] };

/** One difference, where it is being compared. */
export function difference(here: Here, text: string, verdict: Verdict): Difference {
  const { of, place, lines } = here;
  return { of, text, verdict, lines, places: place === null ? [] : [{ at: place, lines }] };
}

/** The same place, as something that the document states at these lines; where it states none, at those before. */
export function stated(here: Here, old: object | null, next: object | null): Here {
  const [before, after] = [linesOf(old), linesOf(next)];
  // Of what has come or gone, the other document has the lines of what it would stand in, which say nothing.
  const lines: Here['lines'] = [
    before.length || !old ? before : here.lines[0],
    after.length || !next ? after : here.lines[1],
  ];
  return { ...here, lines };
}

/** The same place, as either document’s statement of a single fact: by its key in the lines of the plan. */
export function statedAt(here: Here, oldKey: string, nextKey = oldKey): Here {
  const [old, next] = here.statements;
  const [before, after] = [ownMember(old, oldKey), ownMember(next, nextKey)];
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
