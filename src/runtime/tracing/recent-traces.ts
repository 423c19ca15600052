import type { Trace } from './trace.ts';

/** The least number of events whose traces are kept. */
const EVENTS = 10_000;

/**
 * The traces of requests that caused events with pending webhooks, in this process's memory and for the newest events:
 * other nodes and later processes deliver without them.
 */
export class RecentTraces {
  private newer = new Map<string, Trace>();
  /**
   * The older half is dropped as a whole: to find the oldest entry of a map, V8 scans all entries that were deleted
   * before it.
   */
  private older = new Map<string, Trace>();

  /** Notes the trace of the request that caused an event. */
  note(event: string, trace: Trace): void {
    if (this.newer.size === EVENTS) [this.older, this.newer] = [this.newer, new Map()];
    this.newer.set(event, trace);
  }

  /** Returns the trace of the request that caused an event; null where it is unknown. */
  of(event: string): Trace | null {
    return this.newer.get(event) ?? this.older.get(event) ?? null;
  }
}
