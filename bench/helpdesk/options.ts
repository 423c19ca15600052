import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { number, WrongUse } from '../options.ts';
import { KIND_NAMES, type Kind } from './requests.ts';

export interface Options {
  readonly rows: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly start: number;
  readonly connections: number;
  readonly kinds: readonly Kind[];
  readonly data: string;
  readonly json: string | null;
  readonly checkOnly: boolean;
}

const SPEC = {
  rows: { type: 'string', default: '20000' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '4' },
  warmup: { type: 'string', default: '1' },
  start: { type: 'string', default: '12' },
  connections: { type: 'string', default: '16' },
  work: { type: 'string', default: KIND_NAMES.join(',') },
  data: { type: 'string', default: join(import.meta.dirname, '..', 'data', 'helpdesk') },
  json: { type: 'string' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const HELP = `npm run bench:helpdesk -- [options]

Compares examples/helpdesk.md with the same service by hand (bench/peers/helpdesk: Fastify,
better-sqlite3): asks both the same and compares every answer, prints the size of each, and
measures both side by side, one at a time, over the same rows on SQLite.

  --rows N           how many tickets there are (20000)
  --work x,y         ${KIND_NAMES.join(', ')}
  --connections N    how many requests are under way at once (16)
  --rounds N         how often each kind is measured of each service (3)
  --seconds S        how long each measurement takes (4), after a warm-up
  --warmup S         how long that is (1)
  --start S          how long each service works at everything, once it has started (12)
  --data DIR         where the rows are: on the disk that is to be measured
  --json FILE        writes every measurement of every round
  --check            compares the answers and prints the sizes, and measures nothing
  -h, --help
`;

/** Reads the command line; null where help is asked for. Throws WrongUse. */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  return {
    rows: number('--rows', values.rows, true),
    rounds: number('--rounds', values.rounds, true),
    seconds: number('--seconds', values.seconds),
    warmup: number('--warmup', values.warmup),
    start: number('--start', values.start),
    connections: number('--connections', values.connections, true),
    kinds: values.work.split(',').map(kindOf),
    data: values.data,
    json: values.json ?? null,
    checkOnly: values.check,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: SPEC }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function kindOf(name: string): Kind {
  const kind = KIND_NAMES.find((one) => one === name.trim());
  if (!kind) throw new WrongUse(`“${name}” is no kind of work: ${KIND_NAMES.join(', ')}.`);
  return kind;
}
