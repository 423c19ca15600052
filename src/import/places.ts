import type { Span } from '../syntax/span.ts';

/**
 * The places of a file that statements come from, by keys that the printed document shows: the part, the heading below
 * it, and the bullet or the row.
 */
export class Places {
  private readonly pointers = new Map<string, string>();
  private next = 1;

  set(pointer: string, ...key: readonly string[]): void {
    this.pointers.set(key.join('\n'), pointer);
  }

  get(...key: readonly string[]): string | undefined {
    return this.pointers.get(key.join('\n'));
  }

  /** A span that no other value of the model has. */
  span(): Span {
    const at = this.next++;
    return { from: at, to: at };
  }
}
