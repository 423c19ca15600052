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

/** `Rate limits and defaults: not shown.` says it of each item it names. */
export interface AbsenceSentence {
  readonly part: PartName;
  readonly item: ItemName;
  readonly state: 'none' | 'not shown';
  readonly span: Span;
}

/** What stands below a heading in paragraphs of its own, as it is written; `span` is that of the first. */
export interface Paragraphs {
  readonly heading: Span;
  readonly text: string;
  readonly span: Span;
}

/** What a document says, part by part: the first waist. Everything in it knows where it stands; nothing in it runs. */
export interface Model {
  /** The lines that it was read from. */
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
  /** The sentences that say of items that they are `none` or `not shown`. */
  readonly absences: readonly AbsenceSentence[];
  readonly prose: readonly Paragraphs[];
}
