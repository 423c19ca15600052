import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { number, WrongUse } from '../options.ts';
import type { Engine } from './engine.ts';
import { ENGINES } from './engines.ts';

export interface Options {
  readonly engines: readonly Engine[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmup: number;
  readonly start: number;
  readonly rows: number;
  readonly data: string;
  readonly json: string | null;
  readonly tries: boolean;
  readonly measures: boolean;
}

const SPEC = {
  engines: { type: 'string' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '3' },
  warmup: { type: 'string', default: '0.7' },
  start: { type: 'string', default: '12' },
  rows: { type: 'string', default: '100000' },
  data: { type: 'string', default: join(import.meta.dirname, 'data') },
  json: { type: 'string' },
  try: { type: 'boolean', default: false },
  measure: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const HELP = `npm run bench:engines -- [options]

Installs engines that people take instead (each into bench/engines/NAME, the first time), gives each
the same orders, tries what it does and leaves out, and measures it beside Ninefold and the Fastify
service in rounds: read one, list the caller's latest twenty, create, at 64 connections.

  --engines a,b   ${ENGINES.map((one) => one.name).join(', ')} (all)
  --rounds N      how often each cell of each server is measured (3)
  --seconds S     how long each cell is measured (3), after a warm-up
  --warmup S      how long that is (0.7)
  --start S       how long each server works at everything, once it has started (12)
  --rows N        how many orders there are (100000)
  --data DIR      where the rows are: on the disk that is to be measured
  --json FILE     writes every measurement of every round, and what was tried
  --try           tries the engines, and measures nothing
  --measure       measures them, and tries nothing
  -h, --help
`;

/** Reads the command line; null where help is asked for. Throws WrongUse. */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args);
  if (values.help) return null;
  return {
    engines: values.engines === undefined ? ENGINES : enginesOf(values.engines),
    rounds: number('--rounds', values.rounds, true),
    seconds: number('--seconds', values.seconds),
    warmup: number('--warmup', values.warmup),
    start: number('--start', values.start),
    rows: number('--rows', values.rows, true),
    data: values.data,
    json: values.json ?? null,
    tries: !values.measure || values.try,
    measures: !values.try || values.measure,
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof SPEC }>>['values'] {
  try {
    return parseArgs({ args: [...args], options: SPEC }).values;
  } catch (error) {
    throw new WrongUse((error as Error).message);
  }
}

function enginesOf(text: string): Engine[] {
  const names = text.split(',').map((one) => one.trim());
  for (const name of names)
    if (!ENGINES.some((one) => one.name === name))
      throw new WrongUse(`“${name}” is no engine: ${ENGINES.map((one) => one.name).join(', ')}.`);
  return ENGINES.filter(({ name }) => names.includes(name));
}
