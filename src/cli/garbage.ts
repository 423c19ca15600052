import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size of the young generation of the heap at which it stops growing, in bytes. */
const ENOUGH = 8 * 2 ** 20;

/** The intervals at which the size is checked, in milliseconds: below that size, and once it is reached. */
const GROWING = 100;
const GROWN = 1000;

/**
 * Sets the factor by which V8 multiplies the young generation of this process’s heap when it grows; 1 keeps the size.
 */
const growBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/**
 * Prepares this process's heap for a service. To be called before other modules are loaded. The young generation does
 * not grow until `holdYoungGeneration` allows it: the objects of loaded modules stay, and would make it larger than
 * requests need. V8 also does not allocate directly in the old generation (pretenuring), as it would at allocation
 * sites whose objects survive a few collections: the garbage of later requests would stay there until 50 MiB have
 * gathered.
 */
export function prepareHeap(): void {
  growBy(1);
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Limits the young generation of this process's heap to some 8 MiB, a quarter of V8's default maximum: the objects of a
 * request are garbage once it is answered, so that more room only costs memory. V8 accepts a maximum only on the
 * command line, but reads the growth factor at each growth. The factor is therefore set so that one step reaches 8 MiB,
 * and to 1 afterwards. V8 shrinks the young generation by itself when the process is idle.
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

/** The current capacity of the young generation, in bytes. */
function capacity(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (young && young.space_used_size + young.space_available_size) || ENOUGH;
}
