/** Past so many cases, a run takes a share of them, unless a test says otherwise. */
const MOST = 12;

/** Whether this is a whole run. Ask here and not the environment: `npm run test:whole` runs the files that import this one. */
export const WHOLE = Boolean(process.env.NINEFOLD_WHOLE);
/** Whether a whole run takes every case of every test, which takes hours: `npm run test:whole -- --all`. */
const ALL = process.env.NINEFOLD_WHOLE === 'all';

/** Some of many cases, and which they are, for people to read. */
export interface Share<T> {
  readonly cases: readonly T[];
  readonly which: string;
}

/**
 * The suite has to stay short: of very many cases a run takes every tenth or hundredth, the same ones each time, so that it
 * is green or red by the commit alone. `NINEFOLD_WHOLE=1` (`npm run test:whole`) takes all, or where that takes very long
 * each `inWhole`th, which ones by its seed; `NINEFOLD_WHOLE=all` takes all everywhere. `NINEFOLD_SHARE=2` begins at the
 * second.
 */
export function share<T>(all: readonly T[], most = MOST, inWhole = 1): Share<T> {
  const every = ALL ? 1 : WHOLE ? inWhole : Math.ceil(all.length / most);
  if (every === 1) return { cases: all, which: 'all' };
  const first = WHOLE ? SEED : Number(process.env.NINEFOLD_SHARE ?? 1) - 1;
  return {
    cases: all.filter((_, i) => i % every === first % every),
    which: `every ${every} from number ${(first % every) + 1}`,
  };
}

/** How often a test does something that takes long each time: so often in a run, and more in a whole one. */
export const times = (usual: number, whole: number): number => (WHOLE ? whole : usual);

/**
 * The options of a test that only a whole run does: what it proves needs long, and a usual run has tests of the same code
 * beside it.
 */
export const IN_WHOLE = WHOLE ? {} : { skip: 'npm run test:whole does it' };

/**
 * What the random cases of a run grow from. `npm test` takes the same ones each time; `npm run test:whole` draws another
 * seed, prints it (`everywhere.ts`) and hands it to all of its processes as `NINEFOLD_SEED`, which takes that of any run.
 */
export const SEED = Number(process.env.NINEFOLD_SEED ?? 20261123);
