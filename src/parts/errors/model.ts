import type { Name, Said } from '../../source/read.ts';
import type { Span } from '../../source/span.ts';
import type { Condition } from './conditions.ts';

/** One code, with the conditions that answer with it. */
export interface ErrorRow {
  readonly code: Name;
  readonly status: Said<number> | null;
  readonly when: readonly Said<Condition | 'a step says so' | 'a rule says so'>[];
  readonly title: Said<string> | null;
  readonly span: Span;
}

export interface Errors {
  readonly payload: Said<'RFC 9457'> | null;
  readonly common: Said<'Ninefold common 1'> | null;
  readonly rows: readonly ErrorRow[];
}
