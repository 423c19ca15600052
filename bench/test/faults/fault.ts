import type { Peer } from './peer.ts';

export const FAULT_KINDS = [
  'race',
  'event lost or doubled',
  'webhook wrong',
  'order of refusals',
  'page skips or repeats',
  'scope leak',
  'visibility leak',
  'stale entity tag',
  'idempotency',
  'limit off by one',
  'illegal transition',
  'version',
  'form of values',
  'headers',
  'unknown accepted',
  'odd input',
  'error told wrong',
  'state lost',
  'rate',
  'time',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

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
  readonly kind: FaultKind;
  readonly peer: Peer;
  /** What is wrong, as a person would say it. */
  readonly what: string;
  /** A line of `examples/orders.md` that the service breaks, by its text: the statement’s own. */
  readonly breaks: readonly string[];
  readonly patches: readonly Patch[];
}
