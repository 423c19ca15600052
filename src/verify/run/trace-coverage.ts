import { type Trace, traceKey } from '../oracle/trace.ts';

/** The traces that a run has tried, each once, and the statuses that each endpoint has answered with. */
export class TraceCoverage {
  readonly traces: Trace[] = [];
  private readonly keys = new Set<string>();
  private readonly statuses = new Map<string, Set<number>>();

  get count(): number {
    return this.keys.size;
  }

  has(trace: Trace): boolean {
    return this.keys.has(traceKey(trace));
  }

  /** Whether one of some traces has been tried. */
  hasAny(traces: readonly Trace[]): boolean {
    return traces.some((one) => this.has(one));
  }

  add(trace: Trace): void {
    if (this.has(trace)) return;
    this.keys.add(traceKey(trace));
    this.traces.push(trace);
  }

  answered(endpoint: string, status: number): void {
    this.statuses.set(endpoint, (this.statuses.get(endpoint) ?? new Set()).add(status));
  }

  statusesOf(endpoint: string): number[] {
    return [...(this.statuses.get(endpoint) ?? [])].sort((a, b) => a - b);
  }
}
