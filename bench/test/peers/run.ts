import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Fault } from '../faults/fault.ts';
import { PEERS, type Peer, RunningPeer } from '../faults/peer.ts';
import { FAULTS } from '../faults.ts';
import { DREDD } from './dredd.ts';
import { installPeers } from './install.ts';
import { PRISM } from './prism.ts';
import { recordAnswers } from './recorded.ts';
import { RESPECT } from './respect.ts';
import { specmatic } from './specmatic.ts';
import { type Line, table } from './table.ts';
import type { Tool } from './tool.ts';

const DATA = join(import.meta.dirname, '../../data/test');
/** Has no factor in common with the number of faults: a step of this size makes each part of the list a mixture. */
const STEP = 101;

const HELP = `node bench/test/peers/run.ts [options]

Gives the faults in the bench's services to Dredd, Prism's proxy, Redocly Respect and Specmatic, and prints how many of
each kind a tool finds: it reports a failure with the fault that it does not report without. Specmatic needs Java.

  --tools A,B      some of dredd, prism, respect, specmatic
  --share 1/10     a tenth of the faults; 2/10 is another tenth
  --only TEXT      only the faults whose id holds TEXT (a regular expression)
  --results FILE   where the outcomes are kept: what is there is not run again (bench/data/test/peers.jsonl)
  --bases N        how often a tool tests each service without a fault: what it says then is no finding (2)
  --fresh          begins anew: outcomes that are kept are of the services as they were then
  --table          prints the table of what is there, and runs nothing`;

const OPTIONS = {
  tools: { type: 'string', default: 'dredd,prism,respect,specmatic' },
  share: { type: 'string', default: '1/1' },
  only: { type: 'string', default: '' },
  results: { type: 'string', default: join(DATA, 'peers.jsonl') },
  bases: { type: 'string', default: '2' },
  fresh: { type: 'boolean', default: false },
  table: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

class PeerBench {
  private readonly file: string;
  private readonly lines: Line[] = [];
  private readonly interrupted: AbortSignal;

  constructor(file: string, fresh: boolean, interrupted: AbortSignal) {
    this.file = file;
    this.interrupted = interrupted;
    mkdirSync(dirname(file), { recursive: true });
    if (fresh || !existsSync(file)) writeFileSync(file, '');
    for (const line of readFileSync(file, 'utf8').split('\n'))
      if (line.endsWith('}')) this.lines.push(JSON.parse(line) as Line);
  }

  async run(tools: readonly Tool[], faults: readonly Fault[], bases: number): Promise<void> {
    for (const tool of tools)
      for (const peer of PEERS.filter((one) => faults.some((fault) => fault.peer === one)))
        for (let time = 1; time <= bases; time++) await this.once(tool, peer, null, `without a fault, ${time}`);
    for (const fault of faults) for (const tool of tools) await this.once(tool, fault.peer, fault, fault.id);
  }

  table(): string {
    return table(this.lines);
  }

  /** Has a tool test a service, unless that was done before. */
  private async once(tool: Tool, peer: Peer, fault: Fault | null, what: string): Promise<void> {
    if (this.interrupted.aborted) return;
    if (this.lines.some((line) => line.tool === tool.name && line.peer === peer && line.what === what)) return;
    const began = Date.now();
    const complaints = await testedBy(tool, peer, fault);
    const kind = fault?.kind ?? null;
    const line: Line = { tool: tool.name, peer, what, kind, complaints, ms: Date.now() - began };
    this.lines.push(line);
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    process.stderr.write(
      `${tool.name}, ${peer}, ${what}: ${Object.keys(complaints).length} complaints, ${line.ms} ms\n`,
    );
  }
}

/** A list in another order, the same in every run: faults of a kind, which follow each other, are apart. */
const mixed = <T>(list: readonly T[]): T[] => list.flatMap((_, i) => list[(i * STEP) % list.length] ?? []);

/** What a tool says of a service; of messages the beginning. */
async function testedBy(tool: Tool, peer: Peer, fault: Fault | null): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(DATA, 'tool-'));
  try {
    const running = await RunningPeer.start(peer, fault);
    try {
      const complaints = await tool.test(running.url, folder);
      return Object.fromEntries([...complaints].map(([name, message]) => [name, message.slice(0, 300)]));
    } finally {
      await running.stop();
    }
  } catch (error) {
    return { 'the run failed': String(error) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function toolsOf(names: readonly string[]): Promise<Tool[]> {
  const makers: Readonly<Record<string, () => Tool | Promise<Tool>>> = {
    dredd: () => DREDD,
    prism: () => PRISM,
    respect: () => RESPECT,
    specmatic: async () => specmatic(await recordAnswers()),
  };
  const out: Tool[] = [];
  for (const name of names) {
    const make = makers[name];
    if (!make) throw new Error(`“${name}” is none of ${Object.keys(makers).join(', ')}`);
    out.push(await make());
  }
  return out;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort()).once('SIGTERM', () => ending.abort());
  const bench = new PeerBench(values.results, values.fresh, ending.signal);
  if (!values.table) {
    const share = /^(\d+)\/(\d+)$/.exec(values.share);
    if (!share) throw new Error(`“${values.share}” is no share such as 1/10`);
    installPeers();
    const chosen = mixed(FAULTS).filter(({ id }) => new RegExp(values.only).test(id));
    const faults = chosen.filter((_, i) => i % Number(share[2]) === Number(share[1]) - 1);
    await bench.run(await toolsOf(values.tools.split(',')), faults, Number(values.bases));
  }
  console.log(bench.table());
}

await main();
