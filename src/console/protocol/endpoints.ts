import type { ShapeContract, StatesContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import type { ContractType } from '../../contract/types.ts';
import type { RefusalShown } from './problem.ts';

// ——— GET /states ———

/** All state machines, with the number of rows in each state. */
export interface StatesAnswer {
  readonly machines: readonly Machine[];
}

/** A state machine of a resource. `StatesContract` has the guards and lines of transitions. */
export interface Machine {
  readonly resource: string;
  readonly states: StatesContract;
  /** The member of `Activity.rows` with the numbers of rows. */
  readonly countedAs: string;
  /** State → number of rows. */
  readonly counts: Readonly<Record<string, number>>;
}

// ——— GET /endpoints, GET /endpoints/NAME (with `resource` and `row`: the row that the example request is about) ———

/** All endpoints of the current version, in the order of the document. */
export interface EndpointsAnswer {
  readonly endpoints: readonly EndpointSummary[];
}

export interface EndpointSummary {
  /** The heading of the endpoint in the document, such as `POST /orders`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The access: `anyone`, `any Customer` or a scope; null for an unsettled endpoint. */
  readonly access: string | null;
  readonly writes: boolean;
  /** Whether the endpoint is served, rather than answering 501. */
  readonly settled: boolean;
  readonly line: number | null;
}

/** One endpoint: its contract, its steps, and an example request. */
export interface EndpointAnswer {
  readonly endpoint: EndpointContract;
  /** The answers, by their place in `endpoint.answers`, that every endpoint of the version has. */
  readonly shared: readonly number[];
  /** The shown forms of rows, to which types refer by name. */
  readonly shapes: readonly ShapeContract[];
  /** The payload types of errors without and with faults; null if errors have no body. */
  readonly errors: { readonly plain: ContractType; readonly withFaults: ContractType } | null;
  /** The steps in the text of `ninefold plan`. */
  readonly plan: readonly PlanLine[];
  /** An example request, with which the form begins. */
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
  /** The path and query with their parameters filled in, beginning with `/`. */
  readonly path: string;
  /** The headers, in order; without credentials if `caller` is set. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The body; null for none. */
  readonly body: string | null;
  /** The bytes that are the whole body, in place of `body`. */
  readonly file?: TryFile | null;
  /** The parts of a form (multipart/form-data), in place of `body`. */
  readonly parts?: readonly TryPart[] | null;
  /** The caller whose credentials are added; null for none. */
  readonly caller: TryCaller | null;
}

/** A file that a request sends. */
export interface TryFile {
  readonly name: string;
  readonly type: string;
  /** The bytes, in base64. */
  readonly base64: string;
}

/** A part of a form: a text, or a file. */
export interface TryPart {
  readonly name: string;
  readonly text?: string;
  readonly file?: TryFile;
}

/**
 * The caller of a request: a credential for its row is issued and used once. A key is revoked afterwards; a token lasts
 * a minute at most.
 */
export interface TryCaller {
  /** The scheme’s name. */
  readonly scheme: string;
  /** The identity of the row. */
  readonly id: string;
  readonly scopes: readonly string[];
  /**
   * The credential itself, where the service issues none of the scheme: a token, a key, or a user name and a password
   * with a colon between them. The row and the scopes are then those of the credential.
   */
  readonly credential?: string | null;
}

/** The response to a tried request. */
export interface TryAnswer {
  /** The sent request; credentials are replaced with `…`. */
  readonly sent: { readonly line: string; readonly headers: ReadonlyArray<readonly [string, string]> };
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** The body as text, with invalid UTF-8 replaced, limited to 256 kB. */
  readonly body: string;
  readonly bodyCut: boolean;
  /** The number of bytes of the body that have come. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** The endpoint that answered; null if no endpoint has the path. */
  readonly endpoint: string | null;
  /** The refusal, with the lines that state it; null for a success. */
  readonly refusal: RefusalShown | null;
  /** Whether the caller's key was revoked, if there was one; if not, the `error` of the next call says so. */
  readonly revoked: boolean;
  /** The statements that send the request with the TypeScript client; null where no endpoint has the path. */
  readonly call: string | null;
}
