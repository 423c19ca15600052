import type { StatementId } from '../../plan/lines.ts';
import type { ItemName, PartItem, PartName } from '../../plan/parts.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Setup } from '../setup/setup.ts';

/** A member of the setup without which something can't be tried. */
export type SetupMember = Exclude<keyof Setup, 'close' | 'receivers' | 'claims'>;

/** A need: one case that has to be tried before a statement counts as kept. */
export interface Need {
  /** The need in the words of the report: “one more than the maximum is refused”. */
  readonly name: string;
  /** The traces that meet the need; one of them is enough. */
  readonly traces: readonly Trace[];
  /** Traces that do not meet the need, but whose breaks concern it. */
  readonly lesser?: readonly Trace[];
  /** The setup members that the need requires. */
  readonly setup: readonly SetupMember[];
  /** The row that the need requires, where a transition of a row is tried. */
  readonly row?: NeededRow;
}

/** A row in a state, and what the condition of its transition has to be there; null where that does not matter. */
interface NeededRow {
  readonly state: string;
  readonly condition: boolean | null;
}

/** A statement of the document that a caller can meet. */
export interface Statement {
  readonly id: StatementId;
  /** The text of its id. */
  readonly key: string;
  readonly line: number;
  readonly part: PartName;
  readonly item: ItemName;
  /** The line of the document, without the white space around it. */
  readonly text: string;
  readonly needs: readonly Need[];
  /** Why no request can try it, in a sentence; null where requests can. */
  readonly untestable: string | null;
}

/** A statement whose place in the document is still to be looked up by its id. */
export interface Draft {
  readonly id: StatementId;
  readonly item: PartItem;
  readonly needs: readonly Need[];
  /** The line, where the plan’s lines do not have it. */
  readonly line?: number | null;
  readonly untestable?: string | null;
}

/** A need that one of these traces of a statement meets. */
export function need(
  name: string,
  statement: StatementId,
  what: string | readonly string[],
  setup: Need['setup'] = [],
): Need {
  const whats = typeof what === 'string' ? [what] : what;
  return { name, traces: whats.map((one): Trace => ({ statement, what: one })), setup };
}

/** A need that any of these traces meets; the traces may be of different statements. */
export const needAny = (name: string, traces: readonly Trace[], setup: readonly SetupMember[] = []): Need => ({
  name,
  traces,
  setup,
});

/** The needs of a list whose conditions hold; others are null. */
export const those = (...needs: ReadonlyArray<Need | null | false>): Need[] => needs.filter((one) => !!one);
