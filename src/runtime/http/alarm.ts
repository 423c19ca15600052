/** The longest time of a Node timer, in milliseconds: a timer with a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/** A timer for any length of time, which can be cleared. */
export class Alarm {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `act` after `milliseconds`; never if the number is infinite. */
  constructor(milliseconds: number, act: () => void) {
    this.#act = act;
    if (Number.isFinite(milliseconds)) this.#set(milliseconds);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #set(milliseconds: number): void {
    this.#timer =
      milliseconds > LONGEST
        ? setTimeout(() => this.#set(milliseconds - LONGEST), LONGEST)
        : setTimeout(this.#act, Math.max(0, milliseconds));
  }
}

/** Waits until a promise settles, but at most `milliseconds`. */
export async function within(over: Promise<unknown>, milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const alarm = new Alarm(milliseconds, late.resolve);
  try {
    await Promise.race([over, late.promise]);
  } finally {
    alarm.clear();
  }
}
