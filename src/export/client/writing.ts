import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { OmittedFacts } from './omitted-facts.ts';
import type { Refusals } from './refusals.ts';
import type { Feature } from './runtime-text.ts';
import type { Schemes } from './schemes.ts';
import type { Method } from './tree.ts';
import type { Types } from './types.ts';

/** The context in which the methods of a client are generated. */
export interface Writing {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly types: Types;
  readonly refusals: Refusals;
  readonly schemes: Schemes;
  readonly features: Set<Feature>;
  readonly omitted: OmittedFacts;
  /** Rows with an entity tag that a request requires, as `/orders/{id} etag(order)`. */
  readonly matched: ReadonlySet<string>;
  /** Declarations of types that methods use. */
  readonly declared: string[];
  /** Declarations of the types of refusals. */
  readonly refused: string[];
}

/** One parameter of a method of the client. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  /** The default value of an optional argument, if it is not an empty object. */
  readonly otherwise?: string;
}

/** Parts that all methods of one endpoint share. */
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
  /** Object types of the data by status, without and with 304; null for an endpoint with one status. */
  readonly answers: { readonly plain: string; readonly orUnchanged: string } | null;
  readonly refused: string;
}
