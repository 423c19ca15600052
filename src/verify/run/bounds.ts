import type { Session } from '../session/session.ts';

/**
 * The number of candidate requests to each endpoint, by pass: the first pass sends only those that try an untried part
 * of a statement, the second goes through all endpoints briefly, and the later ones send all candidates.
 */
export const PASSES: readonly number[] = [400, 160, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
/** The factor by which fewer candidates are considered in an older version, which mostly equals the current one. */
export const OLDER_LESS = 4;
/** The pass that sends only requests that try an untried part of a statement. */
export const OF_NEEDS = 0;
/** The first pass with endpoints in random order; earlier passes put endpoints that remove rows last. */
export const BY_CHANCE = 2;
/** The pass before which probes run at the latest: most mistakes of implementations have been found by then. */
export const PROBING = 2;
/** The passes before which the clock is advanced, in the session of the previous pass. */
export const WAITING: ReadonlySet<number> = new Set([1, 2]);
/** The number of candidates that are considered to find an accepted request, for an endpoint that has accepted none. */
export const MOST_BY_CHANCE = 200;
/** The number of requests in conversations after a pass, for each request that the pass has sent. */
export const TALK_AFTER_PASS = 0.6;
/** Conversations after all passes end after so many requests without a new result. */
export const TALK_AT_END = 800;
/**
 * The weight of an untried part of a statement, against 1 for each rival (an altered document that no answer has ruled
 * out).
 */
export const WEIGHT_OF_NEED = 10;
/** The number of requests in one conversation, and of reads after it, which check the resulting rows. */
export const TURNS = 40;
export const LOOKS = 10;
/** The number of requests in a conversation that begins when a row has reached a state. */
export const TURNS_IN_STATE = 12;
/** The number of requests that are sent at an instant of a timed transition. */
export const AT_INSTANT = 4;
/** The number of upcoming timed changes for which the test computes whether waiting leads to a goal. */
export const MOST_INSTANTS = 8;
/** The number of candidates to each endpoint that are considered for an instant, and of requests that are sent. */
export const LOOKED_AT = 24;
export const MOST_TELLING = 4;
/** The distance of requests from an instant, if the service's clock runs, in milliseconds. */
const SLACK_MS = 1500;
/**
 * The time between an instant and the requests before and after it, in milliseconds: 0 if the clock stands still,
 * otherwise long enough that the order is certain.
 */
export const slackOf = ({ slack }: Pick<Session, 'slack'>): number => (slack === 0 ? 0 : SLACK_MS);
/**
 * The time beyond the budget that a run may use to shorten a break, since a break of hundreds of requests is hard to
 * understand.
 */
export const MOST_LONGER_MS = 10_000;
/** The longest pause between two requests, in milliseconds. */
export const MOST_PAUSE_MS = 40;
/** The number of random requests from which one is chosen: the first that tries something new, or else the last. */
export const CHOICES = 3;
