import type { ShapeContract, StatesContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { ContractType } from '../../contract/types.ts';
import type { RefusalShown } from './problem.ts';

// ——— GET /states ———

/** Every state machine, with how many rows stand in each state. */
export interface StatesAnswer {
  readonly machines: readonly Machine[];
}

/** A state machine of a resource. Transitions have their guards and lines (`StatesContract`). */
export interface Machine {
  readonly resource: string;
  readonly states: StatesContract;
  /** State → number of rows. */
  readonly counts: Readonly<Record<string, number>>;
}

// ——— GET /endpoints, GET /endpoints/NAME ———

/** Every endpoint of the current version, in the order of the document; details by name. */
export interface EndpointsAnswer {
  readonly endpoints: readonly EndpointSummary[];
}

export interface EndpointSummary {
  /** As the document’s heading says it, such as `POST /orders`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `anyone`, `any Customer`, a scope; null where it is not settled. */
  readonly access: string | null;
  readonly writes: boolean;
  /** False where it answers 501. */
  readonly settled: boolean;
  readonly line: number | null;
}

/** One endpoint: what it takes, does and answers, and how a request to it begins. */
export interface EndpointAnswer {
  readonly endpoint: EndpointContract;
  /** The forms of rows that types refer to by name. */
  readonly shapes: readonly ShapeContract[];
  /** The payload of errors, without and with single faults; null where errors have no body. */
  readonly errors: { readonly plain: ContractType; readonly withFaults: ContractType } | null;
  /** The steps in words, as `ninefold plan` prints them. */
  readonly plan: readonly PlanLine[];
  /** A request that is right as far as is known, for the form to begin with. */
  readonly sample: TryRequest;
}

/** A line of `ninefold plan`. */
export interface PlanLine {
  readonly phase: 'before' | 'inside' | 'after';
  readonly text: string;
  readonly line: number | null;
}

// ——— POST /try ———

/** A request to send to the service as a caller. */
export interface TryRequest {
  readonly method: string;
  /** With parameters and query filled in, beginning with `/`. */
  readonly path: string;
  /** Names and values, in order; no credentials where `caller` is not null. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Null: no body. */
  readonly body: string | null;
  /** Null: no credentials are added. */
  readonly caller: TryCaller | null;
}

/** Who is to send it: a key is issued for the row, used once and revoked. */
export interface TryCaller {
  /** The scheme’s name. */
  readonly scheme: string;
  /** The identity of the row. */
  readonly id: string;
  readonly scopes: readonly string[];
}

/** What came back. */
export interface TryAnswer {
  /** The request as it was sent; the credentials are shown as `…`. */
  readonly sent: { readonly line: string; readonly headers: ReadonlyArray<readonly [string, string]> };
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** Text; bytes that are no UTF-8 are replaced. At most 256 kB. */
  readonly body: string;
  readonly bodyCut: boolean;
  readonly milliseconds: number;
  /** The endpoint that answered; null where none has the path. */
  readonly endpoint: string | null;
  /** What refused it, and by which lines; null for a success. */
  readonly refusal: RefusalShown | null;
  /** The caller’s key was revoked; false only where that failed, which `error` of the next call then says. */
  readonly revoked: boolean;
}
