import type { Compiled } from '../../compiler/compile.ts';
import type { Positions } from './positions.ts';

/** A compiled document with its places: every feature of the editor reads it. */
export interface Analysis {
  readonly uri: string;
  readonly compiled: Compiled;
  readonly positions: Positions;
}
