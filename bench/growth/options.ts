import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WrongUse } from '../options.ts';
import { THINGS, type Thing } from './things.ts';

/** A thing that grows, and the sizes at which it is measured. */
export interface Chosen {
  readonly thing: Thing;
  readonly sizes: readonly number[];
}

export interface GrowthOptions {
  readonly chosen: readonly Chosen[];
  readonly install: boolean;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly connections: number;
  readonly data: string;
  readonly json: string | null;
}

const INSTALL = 'install';
const SPEC = {
  grow: { type: 'string' },
  sizes: { type: 'string' },
  most: { type: 'string' },
  full: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '0.7' },
  warmup: { type: 'string', default: '2' },
  connections: { type: 'string', default: '32' },
  data: { type: 'string', default: join(import.meta.dirname, '..', 'data') },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const number = (value: number): string => value.toLocaleString('en-GB');
const sizesText = ({ sizes, more }: Thing): string =>
  `${sizes.map(number).join(' ')}${more.length ? `; with --full ${more.map(number).join(' ')}` : ''}`;

const width = Math.max(...THINGS.map(({ name }) => name.length));
const LIST = THINGS.map(
  ({ name, title, ...thing }) =>
    `  ${name.padEnd(width)}  ${title}\n  ${' '.repeat(width)}  ${sizesText({ name, title, ...thing })}`,
).join('\n');

export const GROWTH_HELP = `npm run bench:growth -- [options]

Measures what a request costs Ninefold as one thing grows and all else stays: the server's
processor time, the middle latency and the rate, of each kind of request that it can touch;
and how long a start takes, and the memory at rest and under load. Each size is measured in
turn, round by round; what is told are medians. Then the growth is held against its bound:

  rows, kept answers, deliveries   at most as their logarithm (none counts as a thousand)
  page size, payload               a + b for each item or byte, of which none costs more than another
  endpoints                        the same

Rows are put into the store in bulk, and seen to be what requests make. Where a size has its
rows, it is copied for each round, unless it has more than 2 GiB.

What can grow, and its sizes:
${LIST}
  ${INSTALL.padEnd(width)}  What is published and what it installs: bytes, files and packages

  --grow a,b       what grows (everything)
  --sizes N,M      other sizes, where one thing grows
  --most N         leaves out larger sizes
  --full           takes the larger sizes too: 10,000,000 orders need 8 GB of disk, ten
                   minutes to make, and have one turn
  --rounds N       how often each size has its turn (3)
  --seconds S      how long each kind is measured in a turn (0.7), after a warm-up
  --warmup S       how long that is (2)
  --connections N  how many requests are under way at once (32)
  --data DIR       where the stores are: on the disk that is to be measured
  --json FILE      writes every measurement of every round
  -h, --help

Ends with 1 where something grows faster than its bound. A run without options takes about
ten minutes. Interrupted, it reports the rounds that are whole; once more ends it at once.

Examples:
  $ npm run bench:growth
  $ npm run bench:growth -- --grow rows --full
  $ npm run bench:growth -- --grow answers,delivered --most 100000 --rounds 5
  $ npm run bench:growth -- --grow page --sizes 1,20,40,60,80,100 --json page.json
`;

/** Reads the command line; null where help is asked for. Throws WrongUse. */
export function readGrowthOptions(args: readonly string[]): GrowthOptions | null {
  const values = parse(args);
  if (values.help) return null;
  const names = values.grow?.split(',').map((one) => one.trim()) ?? [...THINGS.map(({ name }) => name), INSTALL];
  const things = names.filter((name) => name !== INSTALL).map(thingOf);
  if (values.sizes !== undefined && things.length !== 1) throw new WrongUse('--sizes is for one thing that grows.');
  const most = values.most === undefined ? Number.POSITIVE_INFINITY : above('--most', values.most);
  const given = values.sizes?.split(',').map((one) => whole('--sizes', one));
  return {
    chosen: things.map((thing) => ({ thing, sizes: sizesOf(thing, given, values.full, most) })),
    install: names.includes(INSTALL),
    rounds: whole('--rounds', values.rounds, 1),
    seconds: above('--seconds', values.seconds),
    warmup: above('--warmup', values.warmup),
    connections: whole('--connections', values.connections, 1),
    data: values.data,
    json: values.json ?? null,
  };
}

function sizesOf(thing: Thing, given: readonly number[] | undefined, full: boolean, most: number): number[] {
  const sizes = given ?? [...thing.sizes, ...(full ? thing.more : [])];
  const taken = sizes.filter((size) => size <= most).sort((a, b) => a - b);
  if (taken.length < 2) throw new WrongUse(`“${thing.name}” has to be measured at two sizes or more.`);
  return taken;
}

type Values = ReturnType<typeof parseArgs<{ options: typeof SPEC }>>['values'];

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: SPEC }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function thingOf(name: string): Thing {
  const known = THINGS.find((one) => one.name === name);
  if (known) return known;
  throw new WrongUse(`“${name}” is nothing that grows here: ${THINGS.map((one) => one.name).join(', ')}, ${INSTALL}.`);
}

function above(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new WrongUse(`${option} takes a number above 0, and “${text}” is none.`);
  return value;
}

function whole(option: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < least)
    throw new WrongUse(`${option} takes whole numbers from ${least}, and “${text}” is none.`);
  return value;
}
