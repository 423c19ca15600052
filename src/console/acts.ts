/** A change that somebody has made in the console. */
interface Act {
  readonly at: number;
  readonly by: string;
  /** The path of the interface, which says how it was changed, and what: in the path, or in a text after it. */
  readonly what: string;
  /** Whether it was refused. */
  readonly refused: boolean;
}

/** How many acts are kept in memory; the log has all. */
const KEPT = 500;

/** The last acts of operators. */
export class Acts {
  private readonly list: Act[] = [];

  note(act: Act): void {
    this.list.unshift(act);
    this.list.length = Math.min(this.list.length, KEPT);
  }

  newest(): readonly Act[] {
    return this.list;
  }
}
