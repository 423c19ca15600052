import type { Purpose } from '../../language/purpose.ts';
import type { ItemName, PartName } from '../../plan/parts.ts';
import type { Name } from '../../syntax/names.ts';
import type { LineIndex, Span } from '../../syntax/span.ts';
import type { Authentication } from './authentication.ts';
import type { Endpoints } from './endpoints.ts';
import type { Errors } from './errors.ts';
import type { Events } from './events.ts';
import type { Limits } from './limits.ts';
import type { Resources } from './resources.ts';
import type { States } from './states.ts';
import type { Versioning } from './versioning.ts';

/** A sentence that states one item as absent or left open; `Rate limits and defaults: not shown.` gives two of them. */
export interface AbsenceSentence {
  readonly part: PartName;
  readonly item: ItemName;
  readonly state: 'none' | 'not shown';
  readonly span: Span;
}

/** The paragraphs directly below a heading, as they are written; `span` is from the first to the last. */
export interface Paragraphs {
  readonly heading: Span;
  readonly text: string;
  readonly span: Span;
}

/** The paragraphs below the heading at a place; undefined where there are none. */
export const proseBelow = (prose: readonly Paragraphs[], { from }: Span): Paragraphs | undefined =>
  prose.find(({ heading }) => heading.from <= from && from <= heading.to);

/** The statements of a document, part by part. Every value has its place in the document; nothing in the model runs. */
export interface Model {
  /** The lines of the document. */
  readonly lines: LineIndex;
  readonly title: Name | null;
  readonly purpose: Purpose;
  readonly resources: Resources;
  readonly states: States;
  readonly endpoints: Endpoints;
  readonly authentication: Authentication;
  readonly events: Events;
  readonly errors: Errors;
  readonly limits: Limits;
  readonly versioning: Versioning;
  /** The sentences that state items `none` or `not shown`. */
  readonly absences: readonly AbsenceSentence[];
  readonly prose: readonly Paragraphs[];
}
