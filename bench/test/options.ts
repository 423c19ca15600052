import { parseArgs } from 'node:util';

export interface Options {
  readonly what: ReadonlySet<'mutants' | 'faults' | 'alarms'>;
  /** The documents whose mutants are tried; null: all. */
  readonly documents: readonly string[] | null;
  /** Of the mutants and faults, each `of`th, from the `part`th on. */
  readonly share: { readonly part: number; readonly of: number };
  readonly seed: number;
  readonly seeds: number;
  /** Milliseconds for each run. */
  readonly budget: number;
  /** How many runs at a time. */
  readonly atOnce: number;
  readonly only: RegExp | null;
  readonly fresh: boolean;
  readonly postgres: boolean;
  readonly results: string;
}

export const HELP = `npm run bench:test -- [mutants] [faults] [alarms] [options]

  mutants            documents with one statement changed, served by Ninefold, held to the original
  faults             the bench’s orders services with a mistake in each, held to examples/orders.md
  alarms             documents held to themselves, and the services without a mistake: nothing is broken there

  --documents A,B    the documents whose mutants, or which themselves, are tried (orders.md,tasks.md)
  --share 1/10       a tenth of the mutants and faults; 2/10 is another tenth
  --only TEXT        only those whose id holds TEXT (a regular expression)
  --seed N           what the runs grow from (1)
  --seeds N          alarms: how many seeds, from --seed on (1)
  --postgres         alarms: on PostgreSQL too
  --at-once N        how many runs at a time (2): a run is a service, and whoever tests it
  --budget SECONDS   how long a run takes of a processor at most (20)
  --results FILE     where outcomes are kept (bench/data/test/results.jsonl)
  --fresh            begins anew: outcomes that are kept are forgotten`;

/** Reads the command line; throws an Error that says what is wrong. */
export function readOptions(args: readonly string[], results: string): Options | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      documents: { type: 'string' },
      share: { type: 'string', default: '1/1' },
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      postgres: { type: 'boolean', default: false },
      budget: { type: 'string', default: '20' },
      'at-once': { type: 'string', default: '2' },
      results: { type: 'string', default: results },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const share = /^(\d+)\/(\d+)$/.exec(values.share);
  const [part, of] = [Number(share?.[1]), Number(share?.[2])];
  if (!share || part < 1 || part > of) throw new Error(`“${values.share}” is no share such as 1/10`);
  const all = ['mutants', 'faults', 'alarms'] as const;
  const unknown = positionals.find((one) => !all.some((name) => name === one));
  if (unknown !== undefined) throw new Error(`“${unknown}” is none of ${all.join(', ')}`);
  return {
    what: new Set(positionals.length ? all.filter((name) => positionals.includes(name)) : all),
    documents: values.documents?.split(',') ?? null,
    share: { part, of },
    seed: whole(values.seed, '--seed'),
    seeds: whole(values.seeds, '--seeds'),
    budget: 1000 * whole(values.budget, '--budget'),
    only: values.only === undefined ? null : new RegExp(values.only),
    fresh: values.fresh,
    postgres: values.postgres,
    atOnce: Math.max(1, whole(values['at-once'], '--at-once')),
    results: values.results,
  };
}

function whole(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${option} takes a whole number, and “${text}” is none`);
  return Number(text);
}
