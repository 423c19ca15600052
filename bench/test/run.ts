import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equivalentTo } from './equivalent.ts';
import { brokenLines, type Fault } from './faults/fault.ts';
import { PEERS } from './faults/peer.ts';
import { checkFaults, FAULTS, ORDERS } from './faults.ts';
import type { Job, LineOutcome, Outcome, Subject } from './job.ts';
import { keptMutantsOf } from './kept-mutants.ts';
import { type Mutant, type Original, originals } from './mutants.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { runAll } from './pool.ts';
import { Results } from './results.ts';
import { saidUntestable, signature, table, triedFault, triedMutant } from './tables.ts';

/** After how many breaks a run has found what there was to be found. */
const ENOUGH = 4;

/** The benchmark of what `ninefold test` finds. */
class Bench {
  private readonly options: Options;
  private readonly results: Results;
  private readonly interrupted: AbortSignal;

  constructor(options: Options, interrupted: AbortSignal) {
    this.options = options;
    this.results = new Results(options.results, options.fresh);
    this.interrupted = interrupted;
  }

  async mutants(): Promise<void> {
    const originals = this.originals();
    const all = this.shared(originals.flatMap(keptMutantsOf));
    const mutants = originals.flatMap((original) => {
      const isEquivalent = equivalentTo(original);
      return all.filter((one) => one.document === original.name && !isEquivalent(one));
    });
    if (mutants.length < all.length)
      say(`Left out, since nobody can tell them from outside: ${all.length - mutants.length}`);
    const job = (one: Mutant): Job => ({
      ...this.job(`mutant ${one.id}`, originals, one.document, { kind: 'document', served: one.text, store: 'memory' }),
      lines: one.lines,
    });
    const outcomes = await this.run(mutants.map((one) => [one, job(one)]));
    const tried = [...outcomes].map(([one, outcome]) => triedMutant(one, outcome));
    say(table('Mutants', tried));
    const survivors = [...outcomes].filter(([, { breaks, failed }]) => breaks.length === 0 && failed === null);
    const [untestable, missed] = [true, false].map((said) =>
      survivors.filter(([, { ofLines }]) => saidUntestable(ofLines).length > 0 === said),
    );
    const because = (one: Mutant, { ofLines }: Outcome): string => `${told(one)}\n  ${whyOf(ofLines)}`;
    if (missed?.length) say(`Missed:\n${missed.map((one) => because(...one)).join('\n')}`);
    if (untestable?.length)
      say(`Not found, and told to be untestable:\n${untestable.map((one) => because(...one)).join('\n')}`);
    const astray = [...outcomes].filter(([one, { breaks }]) => {
      return breaks.length > 0 && !breaks.some(({ line }) => line !== null && one.lines.includes(line));
    });
    if (astray.length)
      say(
        `Found, and another line named:\n${astray.map(([one, { breaks }]) => `${told(one)}\n  ${breaks.map(({ line, statement }) => `${line} ${statement}`).join('\n  ')}`).join('\n')}`,
      );
  }

  async faults(): Promise<void> {
    checkFaults();
    const text = readFileSync(ORDERS, 'utf8');
    const orders: Original[] = [{ name: 'orders.md', text }];
    const plain = await this.run(
      PEERS.map((peer) => [
        peer,
        this.job(`peer ${peer}`, orders, 'orders.md', { kind: 'peer', peer, fault: null }, null),
      ]),
    );
    const without = new Map([...plain].map(([peer, { breaks }]) => [peer, new Set(breaks.map(signature))]));
    for (const [peer, { breaks, failed }] of plain)
      say(`${peer} without a fault: ${failed ?? `${breaks.length} breaks`}\n${breaks.map(describe).join('\n')}`);
    const job = (fault: Fault): Job =>
      this.job(`fault ${fault.id}`, orders, 'orders.md', { kind: 'peer', peer: fault.peer, fault });
    const outcomes = await this.run(this.shared(FAULTS).map((one) => [one, job(one)]));
    const tried = [...outcomes].map(([fault, outcome]) =>
      triedFault(fault, brokenLines(text, fault), outcome, without.get(fault.peer) ?? new Set()),
    );
    say(table('Faults by hand', tried));
    const missed = [...outcomes.keys()].filter((_, i) => !tried[i]?.found);
    const long = [...outcomes].flatMap(([{ id }, { breaks }]) =>
      breaks.filter(({ requests }) => requests > 8).map((one) => `${id}, ${one.requests} requests:\n${describe(one)}`),
    );
    if (long.length) say(`Breaks of more than eight requests:\n${long.join('\n')}`);
    if (missed.length) say(`Not found:\n${missed.map(({ id, peer, what }) => `${id} (${peer}): ${what}`).join('\n')}`);
  }

  async alarms(): Promise<void> {
    const { seed, seeds, postgres } = this.options;
    const { PostgresServer } = await import('../../test/postgres.ts');
    const server = postgres ? await PostgresServer.start() : null;
    try {
      const stores = ['sqlite', ...(server ? [server.url('postgres')] : [])];
      const originals = this.originals();
      const jobs = originals.flatMap((one) =>
        stores.flatMap((store, i) =>
          Array.from({ length: seeds }, (_, n): [string, Job] => {
            const name = `${one.name} on ${i ? 'PostgreSQL' : 'SQLite'}, seed ${seed + n}`;
            const subject: Subject = { kind: 'document', served: one.text, store };
            return [name, { ...this.job(`alarm ${name}`, originals, one.name, subject, null), seed: seed + n }];
          }),
        ),
      );
      const outcomes = await this.run([...jobs, ...this.services(originals)]);
      const alarms = [...outcomes].filter(([, { breaks, failed }]) => breaks.length > 0 || failed !== null);
      for (const [name, { breaks, failed }] of alarms)
        say(`${name}: ${failed ?? ''}\n${breaks.map(describe).join('\n')}`);
      const requests = [...outcomes.values()].reduce((sum, one) => sum + one.requests, 0);
      say(`False alarms: ${alarms.length} of ${outcomes.size} runs, ${requests} requests`);
    } finally {
      await server?.[Symbol.asyncDispose]();
    }
  }

  /** The services without a mistake, where the document that they implement is among those of the run. */
  private services(originals: readonly Original[]): Array<[string, Job]> {
    const { seed, seeds } = this.options;
    if (!originals.some(({ name }) => name === 'orders.md')) return [];
    return PEERS.flatMap((peer) =>
      Array.from({ length: seeds }, (_, n): [string, Job] => {
        const name = `${peer} without a mistake, seed ${seed + n}`;
        const subject: Subject = { kind: 'peer', peer, fault: null };
        return [name, { ...this.job(`alarm ${name}`, originals, 'orders.md', subject, null), seed: seed + n }];
      }),
    );
  }

  private originals(): Original[] {
    const { documents } = this.options;
    const all = originals();
    const unknown = documents?.find((name) => !all.some((one) => one.name === name));
    if (unknown !== undefined)
      throw new Error(`There is no document “${unknown}”: ${all.map(({ name }) => name).join(', ')}`);
    return all.filter(({ name }) => documents?.includes(name) ?? true);
  }

  /** Each so many of a list: the same in every run. */
  private shared<T extends { readonly id: string }>(all: readonly T[]): T[] {
    const { share, only } = this.options;
    return all.filter(({ id }) => only?.test(id) ?? true).filter((_, i) => i % share.of === share.part - 1);
  }

  private job(
    what: string,
    originals: readonly Original[],
    document: string,
    subject: Subject,
    enough: number | null = ENOUGH,
  ): Job {
    const { seed, budget } = this.options;
    const text = originals.find(({ name }) => name === document)?.text ?? '';
    return { key: `${what}, seed ${seed}, ${budget} ms`, document, text, subject, seed, budget, enough, lines: [] };
  }

  /** Runs what has no outcome yet, and gives all outcomes. */
  private async run<T>(jobs: ReadonlyArray<readonly [T, Job]>): Promise<Map<T, Outcome>> {
    const left = jobs
      .map(([, job]) => job)
      .filter(({ key }) => !this.results.get(key))
      .sort(byHash);
    let [done, found] = [0, 0];
    await runAll(
      left,
      this.options.atOnce,
      ({ key }, outcome) => {
        this.results.add(outcome);
        done++;
        if (outcome.breaks.length) found++;
        const what = outcome.failed ?? `${outcome.breaks.length} breaks, ${outcome.requests} requests`;
        process.stderr.write(`${done}/${left.length} (${found} with breaks) ${key}: ${what.split('\n')[0]}\n`);
      },
      this.interrupted,
    );
    const out = new Map<T, Outcome>();
    for (const [one, { key }] of jobs) {
      const outcome = this.results.get(key);
      if (outcome) out.set(one, outcome);
    }
    return out;
  }
}

/** Jobs go in the order of a hash: the outcomes of a run that was interrupted are a sample of all documents. */
function byHash(a: Job, b: Job): number {
  const hash = ({ key }: Job): string => createHash('sha256').update(key).digest('hex');
  return hash(a) < hash(b) ? -1 : 1;
}

/** What the test says of the statements of a line. */
const whyOf = (ofLines: readonly LineOutcome[]): string =>
  ofLines.length === 0
    ? saidUntestable(ofLines).join()
    : ofLines.map(({ statement, outcome, because }) => `${statement}: ${because ?? outcome}`).join('\n  ');

const say = (text: string): void => console.log(`\n${text}`);

const told = ({ id, from, to }: Mutant): string => `${id}\n  - ${from.trim()}\n  + ${to.trim()}`;

const describe = ({ line, statement, endpoint, why, expected, actual }: Outcome['breaks'][number]): string =>
  `  line ${line}, ${statement}, ${endpoint}: ${why}\n    - ${expected.replaceAll('\n', '\n    - ')}\n    + ${actual.replaceAll('\n', '\n    + ')}`;

async function main(): Promise<void> {
  const results = join(import.meta.dirname, '..', 'data', 'test', 'results.jsonl');
  const options = readOptions(process.argv.slice(2), results);
  if (!options) {
    console.log(HELP);
    return;
  }
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort()).once('SIGTERM', () => ending.abort());
  const bench = new Bench(options, ending.signal);
  if (options.what.has('mutants')) await bench.mutants();
  if (options.what.has('faults') && !ending.signal.aborted) await bench.faults();
  if (options.what.has('alarms') && !ending.signal.aborted) await bench.alarms();
}

await main();
