import { appendFileSync, readFileSync } from 'node:fs';

/** A request that a test sent, and the answer that it got. */
export interface Traffic {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string | null;
  readonly answer: {
    readonly status: number;
    readonly headers: ReadonlyArray<readonly [string, string]>;
    readonly body: string;
  };
}

/** Where a run of tests writes what it sends and gets, for others to judge; undefined where nobody has asked for it. */
const FILE = process.env.NINEFOLD_TRAFFIC;

export function noteTraffic(traffic: Traffic): void {
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(traffic)}\n`);
}

export const trafficIn = (file: string): Traffic[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line ? [JSON.parse(line)] : []));
