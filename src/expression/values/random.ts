import { randomBytes } from 'node:crypto';

/** A source of unpredictable bytes; for examples, of the same bytes each time. */
export type RandomBytes = (count: number) => Buffer;

export const systemRandom: RandomBytes = (count) => randomBytes(count);
