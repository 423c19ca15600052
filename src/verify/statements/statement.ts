import type { ItemName, PartName } from '../../plan/parts.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Setup } from '../setup/setup.ts';

/** A member of the setup without which something can't be tried. */
export type SetupMember = Exclude<keyof Setup, 'close' | 'receivers'>;

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
}

/** A statement of the document that a caller can meet. */
export interface Statement {
  /** As in the plan’s lines (`lineKey`); `step LINE` for a step. */
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
