import { idempotencyKey } from '../../http/idempotency-key.ts';
import type { StatementId } from '../../plan/lines.ts';
import type { Expected } from './errors.ts';
import { byCondition } from './refusal.ts';
import { note, type Transaction } from './scope.ts';
import type { ClaimedKey, KeptAnswer, State } from './state.ts';

/**
 * In this time before the end of a kept answer, a request with its key shows how long the answer is kept, in
 * milliseconds.
 */
const AT_END_MS = 5000;

/**
 * The kept answer for the idempotency key of a request; null where the request is the first with its key. Throws the
 * refusal of a key that was used for another request. `statement`: the statement about keys at the endpoint.
 */
export function keptAnswer(
  state: State,
  work: Transaction,
  statement: StatementId,
  key: ClaimedKey,
  now: number,
): Expected | null {
  const known = state.kept.get(key.name);
  // A rival document may not keep an answer that the tested document keeps.
  if (known && known.until > now && known.answer.status < key.below) {
    if (isRepeated(known, key)) {
      note(work, statement, 'replayed');
      if (known.until - now <= AT_END_MS) note(work, statement, 'replayed at the end');
      if (known.answer.status >= 400) note(work, statement, 'replayed a refusal');
      const { headers, statements } = known.answer;
      return { ...known.answer, headers: [...headers, ...key.mark], statements: [statement, ...statements] };
    }
    note(work, statement, 'refused idempotency key reused');
    if (known.answer.status >= 400) note(work, statement, 'refused the key of a refusal');
    if (known.key.said === key.said) note(work, statement, 'refused the key in another version');
    throw byCondition('idempotency key reused', { statement });
  }
  note(work, statement, known ? 'over' : 'taken');
  const isAnothers = [...state.kept.values()].some((one) => one.key.ofAnyone === key.ofAnyone && one.until > now);
  if (isAnothers) note(work, statement, 'taken beside another’s');
  return null;
}

const isRepeated = ({ key: { said, version } }: KeptAnswer, key: ClaimedKey): boolean =>
  said === key.said && version === key.version;

/** Whether an answer of this status is kept for a key, given as the value of the request's header. */
export function isKept({ kept }: State, endpoint: string, header: string, status: number): boolean {
  const key = idempotencyKey(header);
  const name = key && ofAnyone(endpoint, key);
  return [...kept.values()].some((one) => one.key.ofAnyone === name && one.answer.status === status);
}

/** A text that identifies an idempotency key at an endpoint, without the caller. */
export const ofAnyone = (endpoint: string, key: string): string => JSON.stringify([endpoint, key]);

/** Keeps the first answer to a key, where the document says that such are kept. */
export function keepAnswer(state: State, key: ClaimedKey, answer: Expected, now: number): void {
  if (answer.status < key.below) state.kept.set(key.name, { key, answer, until: now + key.kept });
}
