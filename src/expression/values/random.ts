import { randomBytes } from 'node:crypto';

/** Gives so many bytes that nobody can foretell; where examples are made, always the same ones. */
export type RandomBytes = (count: number) => Buffer;

export const systemRandom: RandomBytes = (count) => randomBytes(count);
