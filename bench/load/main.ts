// The load generator, in a process of its own: it is told what to measure, and tells what it has measured.
import { readFileSync } from 'node:fs';
import { type Asking, type Load, type Measured, measure } from './measure.ts';
import { type Dataset, type Dialect, Requests, WORKS, type WorkName } from './requests.ts';

/** A measurement of one kind of work. */
export interface Job extends Load {
  /** What the server is called: whose rows are asked for. */
  readonly server: string;
  readonly work: WorkName;
}

/** What it is told: a server with its rows is new, or something is to be measured of it. */
export type Told =
  | { readonly fresh: Dialect; readonly server: string; readonly dataset: string }
  | { readonly job: Job };

/** What it tells. */
export type Tells = { readonly ready: true } | { readonly measured: Measured } | { readonly failed: string };

async function answer(told: Told): Promise<Tells> {
  if ('fresh' in told) {
    dataset ??= JSON.parse(readFileSync(told.dataset, 'utf8')) as Dataset;
    requests.set(told.server, new Requests(dataset, told.fresh));
    return { ready: true };
  }
  const { server, work } = told.job;
  return { measured: await measure(told.job, askingOf(requests.get(server)!, work)) };
}

/** The requests of one kind of work. */
const askingOf = (of: Requests, work: WorkName): Asking => ({
  next: () => of.next(of.pick(WORKS[work].mix)),
  get expected() {
    return of.expected;
  },
  get left() {
    return of.left;
  },
});

let dataset: Dataset | null = null;
/** What is asked of each server: rows that may be used once are used once. */
const requests = new Map<string, Requests>();

process.on('message', (told: Told) => {
  answer(told).then(
    (tells) => process.send!(tells),
    (error) => process.send!({ failed: String(error) } satisfies Tells),
  );
});
process.on('disconnect', () => process.exit(0));
