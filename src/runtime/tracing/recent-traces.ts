import type { Trace } from './trace.ts';

/** Of how many events it is known for which request they happened. */
const EVENTS = 10_000;

/**
 * For which requests events happened whose webhooks are still to be sent. It is known in this process alone, and of the
 * newest events: what another node or the next process delivers, it delivers without.
 */
export class RecentTraces {
  private readonly traces = new Map<string, Trace>();

  /** Notes that an event, by its id, happened for a request. */
  note(event: string, trace: Trace): void {
    this.traces.set(event, trace);
    if (this.traces.size > EVENTS) this.traces.delete(this.traces.keys().next().value!);
  }

  /** The request for which an event happened; null where that isn’t known. */
  of(event: string): Trace | null {
    return this.traces.get(event) ?? null;
  }
}
