/** The longest that a timer of Node’s runs, in milliseconds: one that is set for longer goes off at once. */
const LONGEST = 2 ** 31 - 1;

/** Something that is done once a time has passed, however long that is, unless it is cleared before. */
export class Alarm {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Sets it: `act` is called in so many milliseconds; never where that is infinite. */
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

/** Waits for something to be over, and no longer than so many milliseconds. */
export async function within(over: Promise<unknown>, milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const alarm = new Alarm(milliseconds, late.resolve);
  try {
    await Promise.race([over, late.promise]);
  } finally {
    alarm.clear();
  }
}
