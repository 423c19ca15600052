import type { Compiled } from '../../compiler/compile.ts';
import type { Positions } from './positions.ts';

/** A document as it was compiled, with its places: what every feature of the editor answers from. */
export interface Analysis {
  readonly uri: string;
  readonly version: number;
  readonly compiled: Compiled;
  readonly positions: Positions;
}
