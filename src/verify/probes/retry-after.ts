/** The header Retry-After of a refusal, with the wait that it asks for. */
export interface Hint {
  /** The header Retry-After; null for none. */
  readonly text: string | null;
  readonly kind: 'seconds' | 'date' | 'beyond' | 'shorter' | null;
  /** The time from the refusal at an instant to the next attempt, in milliseconds. */
  readonly waitFrom: (at: number) => number;
}

const KINDS = ['seconds', 'date', 'beyond', 'shorter'] as const;

const SECOND_MS = 1000;

/**
 * The hint of a refusal that is answered at about `at`. `delay`: the stated delay after it. `most`: the longest time that
 * Retry-After is heeded for; undefined where it has no effect. `place`: the number of the refusal, which decides the kind.
 */
export function hintOf(delay: number, most: number | undefined, at: number, place: number): Hint {
  if (most === undefined) return { text: null, kind: null, waitFrom: () => delay };
  const bounded = (asked: number): number => Math.max(delay, Math.min(asked, most));
  const between = Math.ceil((delay + Math.max(0, most - delay) / 2) / SECOND_MS) * SECOND_MS;
  const kind = KINDS[place % KINDS.length]!;
  // Where the stated delay is the longer one in any case, a hint shows nothing but that it makes no attempt earlier.
  const shown = most > between ? kind : 'shorter';
  const inSeconds = (asked: number): Hint => ({
    text: String(asked / SECOND_MS),
    kind: shown,
    waitFrom: () => bounded(asked),
  });
  switch (kind) {
    case 'seconds':
      return inSeconds(between);
    case 'date': {
      const date = Math.ceil(at / SECOND_MS) * SECOND_MS + between;
      return { text: new Date(date).toUTCString(), kind: shown, waitFrom: (from) => bounded(date - from) };
    }
    case 'beyond':
      return inSeconds(Math.ceil(most / SECOND_MS) * SECOND_MS * 3);
    case 'shorter':
      return inSeconds(0);
  }
}
