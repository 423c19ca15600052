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
  /** The endpoint’s name in the contract; null for a request at no endpoint. */
  readonly endpoint: string | null;
  readonly version: string | null;
  /** Complete, but for Host; whoever sends it adds Content-Length where it does not state it. */
  readonly request: Request;
  /** What it tries, in plain English. */
  readonly what: string;
  /** The same for requests that try the same thing, whatever values chance has given them. */
  readonly kind: string;
  /** Whether its form is meant to be accepted. */
  readonly valid: boolean;
}

/** What candidates for one endpoint are made from. */
export interface Situation {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly endpoint: EndpointContract;
  readonly known: Known;
  readonly random: Random;
  readonly rows: Rows;
  readonly features: Features;
  /** What the document’s expressions name, as far as they are about this endpoint. */
  readonly constants: readonly Constant[];
  /** Tells how steps find rows; without it, only the parameters tell. */
  readonly plan: Plan | null;
}

/** A request that is made as the contract says, and what it is about. */
export interface Base {
  readonly draft: Draft;
  readonly caller: Credentials | null;
  /** The rows that its steps find, by the names that the steps give them. */
  readonly rows: ReadonlyMap<string, KnownRow>;
  readonly what: string;
  /** What sets its rows apart from those of the requests before it; empty where nothing does. */
  readonly feature: string;
  /** The same request made anew: with other values, and about the same rows. */
  readonly make: () => Draft;
}

/** A change of one thing of a request. Two changes of different aspects can be made together. */
export interface Mutation {
  readonly aspect: string;
  /** In words. What chance has chosen stands in “ ”, so that changes of one kind can be told. */
  readonly what: string;
  readonly valid: boolean;
  readonly change: (draft: Draft) => Draft;
}

/** What words tell without the values that chance has chosen. */
export const kindOf = (what: string): string =>
  what.replace(/“[^”]*”/g, '“”').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '“”');
