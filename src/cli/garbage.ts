import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** From how large on the young generation of the heap grows no further, in bytes. */
const ENOUGH = 4 * 2 ** 20;

/** How often it is looked at while it is smaller and while it is not, in milliseconds. */
const GROWING = 100;
const GROWN = 1000;

/**
 * Holds the young generation of this process's heap to some 8 MiB, where V8 lets it grow to four times that: what a
 * request leaves behind is garbage once it is answered, and more room for it is memory that nobody has anything of.
 * V8 takes its size from the command line alone, but looks up by how much it grows each time that it does: once in one
 * step to what is needed, and then not at all. It shrinks of itself when nothing is asked for a while.
 */
export function holdYoungGeneration(): void {
  let factor = 0;
  const look = (): void => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
    const grown = size > ENOUGH;
    const next = grown ? 1 : 8;
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    factor = next;
    setTimeout(look, grown ? GROWN : GROWING).unref();
  };
  look();
}
