import type { Stated } from '../../language/statement.ts';
import type { Scheme, VERSION, VERSIONING } from '../../language/versioning.ts';
import type { Located } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

type Cells = Stated<typeof VERSION>;
type Bullets = Stated<typeof VERSIONING>;

export interface Version extends Pick<Cells, 'deprecated' | 'sunset' | 'differences'> {
  readonly name: string;
  /** The place of its name. */
  readonly at: Span;
  readonly state: NonNullable<Cells['state']>['value'] | null;
  readonly span: Span;
}

export interface Versioning extends Pick<Bullets, 'without' | 'policy'> {
  readonly none: boolean;
  readonly scheme: Located<Scheme> | null;
  /** The header that a request names its version in, where it has one of its own. */
  readonly header: Located<string> | null;
  /** Whether answers have the header Vary. */
  readonly vary: boolean;
  readonly current: Located<string> | null;
  /** The versions in the order of the document: newest first. */
  readonly versions: readonly Version[];
}
