import type { Trace } from './trace.ts';

/** Of how many events it is known, at the least, for which request they happened. */
const EVENTS = 10_000;

/**
 * For which requests events happened whose webhooks are still to be sent. It is known in this process alone, and of the
 * newest events: what another node or the next process delivers, it delivers without.
 */
export class RecentTraces {
  private newer = new Map<string, Trace>();
  /** Dropped as a whole: to find the oldest entry of a map, V8 goes through all that were deleted before it. */
  private older = new Map<string, Trace>();

  /** Notes that an event, by its id, happened for a request. */
  note(event: string, trace: Trace): void {
    if (this.newer.size === EVENTS) [this.older, this.newer] = [this.newer, new Map()];
    this.newer.set(event, trace);
  }

  /** The request for which an event happened; null where that isn’t known. */
  of(event: string): Trace | null {
    return this.newer.get(event) ?? this.older.get(event) ?? null;
  }
}
