import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCESS } from './faults/access.ts';
import { ANSWERS } from './faults/answers.ts';
import { BEHAVIOUR } from './faults/behaviour.ts';
import { EVENTS } from './faults/events.ts';
import { brokenLines, type Fault } from './faults/fault.ts';
import { ODD_INPUT } from './faults/odd-input.ts';
import { PAGES } from './faults/pages.ts';
import { patched, RunningPeer } from './faults/peer.ts';
import { RACES } from './faults/races.ts';
import { STATES } from './faults/states.ts';
import { TAGS } from './faults/tags.ts';
import { TIME_OUTS } from './faults/time-outs.ts';
import { UNKNOWN } from './faults/unknown.ts';
import { VALUES } from './faults/values.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the bench’s orders services implement. */
export const ORDERS = join(ROOT, 'examples', 'orders.md');

/** Every fault by hand, each once. */
export const FAULTS: readonly Fault[] = [
  ...RACES,
  ...EVENTS,
  ...PAGES,
  ...ACCESS,
  ...TAGS,
  ...VALUES,
  ...UNKNOWN,
  ...STATES,
  ...BEHAVIOUR,
  ...ANSWERS,
  ...ODD_INPUT,
  ...TIME_OUTS,
];

/** Throws where a fault is there twice, does not apply, or names a line that is not in the document. */
export function checkFaults(faults: readonly Fault[] = FAULTS): void {
  const document = readFileSync(ORDERS, 'utf8');
  const seen = new Set<string>();
  for (const fault of faults) {
    if (seen.has(fault.id)) throw new Error(`There are two faults “${fault.id}”`);
    seen.add(fault.id);
    brokenLines(document, fault);
    const texts = new Map<string, string>();
    for (const { file, from, to } of fault.patches) {
      const text = texts.get(file) ?? readFileSync(join(ROOT, 'bench', 'peers', file), 'utf8');
      texts.set(file, patched(text, from, to, `${fault.id} in ${file}`));
    }
  }
}

/** How many faults there are of each kind. */
export function countedFaults(): string {
  const kinds = [...new Set(FAULTS.map(({ kind }) => kind))];
  const of = (kind: string): number => FAULTS.filter((one) => one.kind === kind).length;
  return [...kinds.map((kind) => `${kind.padEnd(24)}${of(kind)}`), `${'all'.padEnd(24)}${FAULTS.length}`].join('\n');
}

/** With `--start`, each faulty service is started and asked for its summary. */
if (import.meta.main) {
  checkFaults();
  if (process.argv.includes('--start'))
    for (const fault of FAULTS) {
      const running = await RunningPeer.start(fault.peer, fault);
      const { status } = await fetch(`${running.url}/summary`);
      if (status !== 401) console.log(`${fault.id}: GET /summary without a key answers ${status}`);
      await running.stop();
    }
  console.log(countedFaults());
}
