import type { Kind, Of } from './changes.ts';
import type { Migration } from './migration.ts';
import type { MigrationStep } from './rewriter.ts';

/** When a change does something: in this order, each phase for all changes. */
export type Phase = 'count' | 'drop' | 'cut' | 'make' | 'fill' | 'check' | 'rule';

/** Everything about one kind of change: how it reads, what it costs, what runs beside it, and what it does to rows. */
export interface ChangeKind<K extends Kind> {
  readonly text: (change: Of<K>) => string;
  /** The name under which the operator accepts that values are lost; null where none are. */
  readonly accept: ((change: Of<K>) => string) | null;
  /**
   * Whether a process with the old document may run beside the new one: it goes on reading and writing the columns
   * that it knows, and breaks no rule of the new document by that.
   */
  readonly besides: (change: Of<K>) => boolean;
  /** Whether every row, and every value, that was possible before still is: then nothing has to be looked at. */
  readonly widens: boolean;
  /**
   * Whether rows hold other values than before, so that all that the document says of them is looked at. A field that
   * is new is in no rule that is old.
   */
  readonly touches: boolean;
  /** Whether columns come, go or are called otherwise on which indexes stand. */
  readonly moves: boolean;
  /** The change’s own work, by phase. Work that all changes have in common is elsewhere. */
  readonly steps: Partial<Record<Phase, (m: Migration, change: Of<K>) => MigrationStep<void>>>;
}

/**
 * Defaults of a kind of change: no value is lost, no row is examined, no index is moved. Each kind states its
 * differences.
 */
export const PLAIN = { accept: null, touches: false, moves: false, steps: {} } as const;

export const yes = (): boolean => true;
export const no = (): boolean => false;

/** A field as the document calls it. */
export const path = ({ resource, field }: { readonly resource: string; readonly field: string }): string =>
  `${resource}.${field}`;
