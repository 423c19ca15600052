import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { Plan } from '../../plan/step.ts';
import type { Request } from '../target/exchange.ts';
import type { Constant } from './constants.ts';
import type { Draft } from './draft.ts';
import type { Features } from './features.ts';
import type { Credentials, Known, KnownRow } from './known.ts';
import type { Random } from './random.ts';
import type { Rows } from './rows.ts';

/** A request that might be sent. */
export interface Candidate {
  /** The name of the endpoint in the contract; null for a path without an endpoint. */
  readonly endpoint: string | null;
  readonly version: string | null;
  /** The complete request except for Host; the sender adds Content-Length if it is missing. */
  readonly request: Request;
  /** A description of the test in plain English. */
  readonly what: string;
  /** A key that is equal for requests that try the same thing with different random values. */
  readonly kind: string;
  /** Whether the form of the request is valid. */
  readonly valid: boolean;
}

/** The input of the candidates for one endpoint. */
export interface Situation {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly endpoint: EndpointContract;
  readonly known: Known;
  readonly random: Random;
  readonly rows: Rows;
  readonly features: Features;
  /** The constants in the document’s expressions about this endpoint. */
  readonly constants: readonly Constant[];
  /** The plan, which says how steps find rows; without it, only the parameters say so. */
  readonly plan: Plan | null;
}

/** A valid request from which mutations are made, with the caller and the rows that it uses. */
export interface Base {
  readonly draft: Draft;
  readonly caller: Credentials | null;
  /** The rows that its steps find, by the names that the steps give them. */
  readonly rows: ReadonlyMap<string, KnownRow>;
  readonly what: string;
  /** A property that distinguishes its rows from those of the earlier requests; empty if there is none. */
  readonly feature: string;
  /** Makes the request again with other values, for the same rows. */
  readonly make: () => Draft;
}

/** A change of one aspect of a request. Two changes of different aspects can be combined. */
export interface Mutation {
  readonly aspect: string;
  /** A description in words. Random values are in “ ”, so that mutations of the same kind can be recognized. */
  readonly what: string;
  readonly valid: boolean;
  readonly change: (draft: Draft) => Draft;
}

/** A description without its random values. */
export const kindOf = (what: string): string =>
  what.replace(/“[^”]*”/g, '“”').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '“”');
