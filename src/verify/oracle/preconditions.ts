import { preconditionsHold, type Validators } from '../../http/preconditions.ts';
import { hasMark } from './marks.ts';
import type { Transaction } from './scope.ts';

/** Reads a header of a request by its name in lower case; undefined where it was not sent. */
type Headers = (lowerName: string) => string | undefined;

/** The outcome of a precondition. */
interface Met {
  readonly is: boolean;
  /** Whether it follows from what answers have told, and is no guess that the answer may still refute. */
  readonly isKnown: boolean;
}

/** A tag that no request names. */
const NAMED_BY_NONE = '"\u00ff\u00ff\u00ff"';

/** An entity tag in a header, without what says that it is weak. */
const TAG = /"[^"]*"/g;

/** The headers that may name entity tags. */
type Precondition = 'if-match' | 'if-none-match';

/**
 * The outcome of the headers that name entity tags. Where no answer has told the current tag, each tag that the
 * request names may be it: if that makes a difference, it is taken to be none of them until an answer tells.
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
