import { preconditionsHold, type Validators } from '../../http/preconditions.ts';
import { hasMark } from './marks.ts';
import type { Transaction } from './scope.ts';

/** Reads a header of a request by its name in lower case; undefined where it was not sent. */
type Headers = (lowerName: string) => string | undefined;

/** The outcome of a precondition. */
interface Met {
  readonly is: boolean;
  /** Whether the outcome follows from answers, and is no assumption that the answer may refute. */
  readonly isKnown: boolean;
}

/** A tag that no request names. */
const NAMED_BY_NONE = '"\u00ff\u00ff\u00ff"';

/** An entity tag in a header, without what says that it is weak. */
const TAG = /"[^"]*"/g;

/** The headers that may name entity tags. */
type Precondition = 'if-match' | 'if-none-match' | 'if-range';

/**
 * The outcome of the headers that name entity tags. Where no answer has shown the current tag, each named tag may be
 * the current one: if that makes a difference, none of them is assumed to be, until an answer shows otherwise.
 */
export function metBy(
  { draws }: Pick<Transaction, 'draws'>,
  names: readonly Precondition[],
  header: Headers,
  tag: string | null,
  of: (tag: string | null) => boolean,
): Met {
  const sent = names.map((name) => header(name) ?? '');
  const named = new Set(sent.flatMap((one) => one.match(TAG) ?? []));
  if (tag === null || !hasMark(tag)) return { is: of(tag), isKnown: true };
  const usual = of(NAMED_BY_NONE);
  if ([...named].every((one) => of(one) === usual)) return { is: usual, isKnown: true };
  const key = `precondition ${JSON.stringify([draws.keyOf(tag) ?? tag, names, sent])}`;
  return { is: draws.taken(key, usual), isKnown: false };
}

/** Whether the preconditions of a request that writes are met. */
export const preconditionsMet = (work: Pick<Transaction, 'draws'>, header: Headers, current: Validators | null): Met =>
  metBy(work, ['if-match', 'if-none-match'], header, current?.tag ?? null, (tag) =>
    preconditionsHold(header, current && { ...current, tag }),
  );
