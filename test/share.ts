/** Past so many cases, a run takes a share of them, unless a test says otherwise. */
const MOST = 50;

/** Some of many cases, and which they are, for people to read. */
export interface Share<T> {
  readonly cases: readonly T[];
  readonly which: string;
}

/**
 * The suite has to stay short: of very many cases each run takes every second or tenth, from another one on each time.
 * `NINEFOLD_WHOLE=1` (`npm run test:whole`) takes all; `NINEFOLD_SHARE=2` begins at the second, as a run has said.
 */
export function share<T>(all: readonly T[], most = MOST): Share<T> {
  const every = times(Math.ceil(all.length / most), 1);
  if (every === 1) return { cases: all, which: 'all' };
  const first = process.env.NINEFOLD_SHARE ? Number(process.env.NINEFOLD_SHARE) - 1 : Math.floor(Math.random() * every);
  return {
    cases: all.filter((_, i) => i % every === first % every),
    which: `every ${every} from number ${(first % every) + 1}`,
  };
}

/** How often a test does something that takes long each time: so often in a run, and more in a whole one. */
export const times = (usual: number, whole: number): number => (process.env.NINEFOLD_WHOLE ? whole : usual);
