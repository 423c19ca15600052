import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { OmittedFacts } from './omitted-facts.ts';
import type { Refusals } from './refusals.ts';
import type { Feature } from './runtime-text.ts';
import type { Schemes } from './schemes.ts';
import type { Method } from './tree.ts';
import type { Types } from './types.ts';

/** What the methods of a client are written with. */
export interface Writing {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly types: Types;
  readonly refusals: Refusals;
  readonly schemes: Schemes;
  readonly features: Set<Feature>;
  readonly omitted: OmittedFacts;
  /** Rows whose entity tag some request has to name, as `/orders/{id} etag(order)`. */
  readonly matched: ReadonlySet<string>;
  /** Types that stand with the methods that they are for. */
  readonly declared: string[];
  /** Types of what calls are refused as. */
  readonly refused: string[];
}

/** One parameter of a method of the client. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  /** What stands for it where it is left out, if not an empty object. */
  readonly otherwise?: string;
}

/** What the methods that are made of one endpoint share. */
export interface Shared {
  readonly method: Method;
  readonly base: string;
  readonly path: readonly Argument[];
  readonly body: Argument | null;
  readonly query: Argument | null;
  readonly options: Argument;
  /** The members of the object that describes the request. */
  readonly request: readonly string[];
  readonly data: string;
  readonly refused: string;
}
