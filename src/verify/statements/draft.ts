import type { PartItem } from '../../plan/parts.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Need, SetupMember } from './statement.ts';

/** A statement whose place in the document is still to be looked up by its key. */
export interface Draft {
  readonly key: string;
  readonly item: PartItem;
  readonly needs: readonly Need[];
  /** The line, where the plan’s lines do not have the key. */
  readonly line?: number | null;
  readonly untestable?: string | null;
}

/** A need that one of these traces of a statement meets. */
export function need(name: string, key: string, what: string | readonly string[], setup: Need['setup'] = []): Need {
  const whats = typeof what === 'string' ? [what] : what;
  return { name, traces: whats.map((one): Trace => ({ statement: key, what: one })), setup };
}

/** A need that any of these traces meets; the traces may be of different statements. */
export const needAny = (name: string, traces: readonly Trace[], setup: readonly SetupMember[] = []): Need => ({
  name,
  traces,
  setup,
});

/** The needs of a list whose conditions hold; others are null. */
export const those = (...needs: ReadonlyArray<Need | null | false>): Need[] => needs.filter((one) => !!one);
