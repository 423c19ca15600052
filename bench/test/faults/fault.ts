import { LINE, type LineName } from './lines.ts';
import type { Peer } from './peer.ts';

/** A stretch of a peer’s source, below `bench/peers`, and what a mistake makes of it. */
export interface Patch {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A mistake in one of the bench’s services, as data. */
export interface Fault {
  readonly id: string;
  readonly kind: string;
  readonly peer: Peer;
  /** What is wrong, as a person would say it. */
  readonly what: string;
  /** The statements of `examples/orders.md` that are broken: a report that names one of these names the right line. */
  readonly breaks: readonly LineName[];
  readonly patches: readonly Patch[];
}

/** A fault as it is written down: its patches are of `file`, one after another. */
export interface Written {
  readonly id: string;
  readonly peer: Peer;
  readonly what: string;
  readonly breaks: readonly LineName[];
  readonly file: string;
  readonly edits: ReadonlyArray<readonly [from: string, to: string]>;
  /** Patches of other files. */
  readonly more?: readonly Patch[];
}

/** The faults of a kind. */
export const ofKind = (kind: string, faults: readonly Written[]): Fault[] =>
  faults.map(({ file, edits, more = [], ...fault }) => ({
    ...fault,
    kind,
    patches: [...edits.map(([from, to]) => ({ file, from, to })), ...more],
  }));

/** The numbers of the lines that a fault breaks in a document. Throws where one does not stand there once. */
export function brokenLines(document: string, { id, breaks }: Fault): number[] {
  const lines = document.split('\n');
  return breaks.map((name) => {
    const found = lines.flatMap((line, i) => (line.startsWith(LINE[name]) || line.includes(LINE[name]) ? [i + 1] : []));
    if (found.length !== 1) throw new Error(`${id}: “${LINE[name]}” stands in ${found.length} lines, not in one`);
    return found[0] ?? 0;
  });
}
