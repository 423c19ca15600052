import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** How much the young generation of the heap may hold, in bytes, from when on it grows no further. */
const ENOUGH = 8 * 2 ** 20;

/** How often it is looked at while it holds less and while it doesn’t, in milliseconds. */
const GROWING = 100;
const GROWN = 1000;

/** By how much V8 multiplies the young generation of this process’s heap when it would grow; 1 keeps it as it is. */
const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/**
 * Prepares this process's heap for a service, before anything else is loaded: the young generation grows no further
 * until `holdYoungGeneration` lets it, since what is loaded stays, and would make it larger than requests need; and
 * nothing is made in the old one. V8 does that for places in the code whose objects outlive a pause or two, and what
 * requests then leave there is collected 50 MiB later.
 */
export function prepareHeap(): void {
  growBy(1);
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Holds the young generation of this process's heap to some 8 MiB, where V8 lets it grow to four times that: what a
 * request leaves behind is garbage once it is answered, and more room for it is memory that nobody has anything of.
 * V8 takes its size from the command line alone, but looks up by how much it grows each time that it does: once in one
 * step to what is enough, from wherever it stands, and then not at all. It shrinks of itself when nothing is asked for a
 * while.
 */
export function holdYoungGeneration(): void {
  let factor = 0;
  const look = (): void => {
    const next = Math.max(1, Math.round(ENOUGH / capacity()));
    if (next !== factor) growBy(next);
    factor = next;
    setTimeout(look, next === 1 ? GROWN : GROWING).unref();
  };
  look();
}

/** How much the young generation holds before it is collected, in bytes. */
function capacity(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (young && young.space_used_size + young.space_available_size) || ENOUGH;
}
