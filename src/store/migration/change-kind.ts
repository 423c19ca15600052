import type { Kind, Of } from './changes.ts';
import type { Migration } from './migration.ts';
import type { MigrationStep } from './rewriter.ts';

/** The phases of a migration, in their order: each phase is done for all changes before the next. */
export type Phase = 'count' | 'drop' | 'cut' | 'make' | 'fill' | 'check' | 'rule';

/** Everything about one kind of change: its description, the values that it loses, and its work on rows. */
export interface ChangeKind<K extends Kind> {
  readonly text: (change: Of<K>) => string;
  /** The name under which the operator accepts that values are lost; null where none are. */
  readonly accept: ((change: Of<K>) => string) | null;
  /**
   * Whether a process with the old document may run beside the new one: it continues to use the columns that it knows,
   * and breaks no rule of the new document.
   */
  readonly besides: (change: Of<K>) => boolean;
  /** Whether all rows and values that were allowed before are still allowed, so that none has to be examined. */
  readonly widens: boolean;
  /**
   * Whether values of rows change, so that all rules about those rows have to be examined. No old rule contains a new
   * field.
   */
  readonly touches: boolean;
  /** Whether indexed columns are added, dropped or renamed. */
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

/** The name of a field in the document. */
export const path = ({ resource, field }: { readonly resource: string; readonly field: string }): string =>
  `${resource}.${field}`;
