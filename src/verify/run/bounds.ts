import type { Session } from '../session/session.ts';

/**
 * How many candidates each endpoint has in one pass after the other: first only those that try something of a statement
 * that was not tried, then breadth first, then all that there are.
 */
export const PASSES: readonly number[] = [400, 160, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
/** How much less is looked at in an older version: most of it is the current one. */
export const OLDER_LESS = 4;
/** The pass that sends only what tries something that was not tried. */
export const OF_NEEDS = 0;
/** Before this pass, endpoints that remove rows come last; from it on, the order is random. */
export const BY_CHANCE = 2;
/** Before which pass probes are run at the latest: what most services get wrong has been tried by then. */
export const PROBING = 2;
/** Before which passes time passes, in the session of the pass before. */
export const WAITING: ReadonlySet<number> = new Set([1, 2]);
/** How many requests to an endpoint that has taken none are looked at for one that it takes. */
export const MOST_BY_CHANCE = 200;
/** How many requests conversations send after each pass, for each that the pass has sent. */
export const TALK_AFTER_PASS = 0.6;
/** Conversations after all passes end once so many requests have shown nothing new. */
export const TALK_AT_END = 800;
/** The number of rivals for which one untried part of a statement counts. */
export const WEIGHT_OF_NEED = 10;
/** How many requests one conversation has, and how many more then look at what there is. */
export const TURNS = 40;
export const LOOKS = 10;
/** How many requests a conversation has that begins once a row has come into a state. */
export const TURNS_IN_STATE = 12;
/** How many requests are sent at an instant at which rows change by themselves. */
export const AT_INSTANT = 4;
/** At how many of the next instants at which rows change by themselves it is tried whether time leads to a goal. */
export const MOST_INSTANTS = 8;
/** How many requests to each endpoint are looked at for an instant, and how many are sent. */
export const LOOKED_AT = 24;
export const MOST_TELLING = 4;
/** The distance of requests from an instant for a running clock, in milliseconds. */
const SLACK_MS = 1500;
/**
 * How far before and after an instant requests are sent, in milliseconds: 0 for a standing clock, otherwise enough to
 * know their order.
 */
export const slackOf = ({ slack }: Pick<Session, 'slack'>): number => (slack === 0 ? 0 : SLACK_MS);
/**
 * How much longer than its budget a run may take to make a break shorter: a break of hundreds of requests is of little
 * use.
 */
export const MOST_LONGER_MS = 10_000;
/** The longest time that passes between two requests, in milliseconds. */
export const MOST_PAUSE_MS = 40;
/** Of how many random requests the first that tries something new is sent; if none does, the last. */
export const CHOICES = 3;
