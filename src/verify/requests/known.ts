import type { Json } from '../../export/json.ts';
import type { Claims } from '../setup/setup.ts';
import type { Request } from '../target/exchange.ts';

/** Credentials that were given or issued in this run. */
export interface Credentials {
  readonly scheme: string;
  /** The value in the header, without the name of the scheme. */
  readonly text: string;
  /** The resource of the row that the credentials belong to. */
  readonly resource: string;
  readonly identity: string;
  readonly scopes: readonly string[];
  /** The claims of a token, as its issuer writes them. */
  readonly claims: Claims;
  /**
   * `hidden`: the row is hidden from itself, so that it is no caller; `unfit`: the document does not allow a claim of
   * the token.
   */
  readonly standing: 'good' | 'revoked' | 'expired' | 'hidden' | 'unfit';
}

/** A row that the implementation has, as far as the oracle knows. */
export interface KnownRow {
  readonly resource: string;
  readonly identity: string;
  /** The values as the wire writes them, by the names of the current version; derived fields are not among them. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly state: string | null;
  /** Its passwords and secrets in plain text, by their fields: requests say them to authenticate. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** The knowledge of the service from which requests are made. */
export interface Known {
  /** The origin of the service, whose pages may write with cookies. */
  readonly origin: string;
  /** Milliseconds since the epoch, by the service’s clock. */
  readonly now: number;
  readonly credentials: readonly Credentials[];
  readonly rows: (resource: string) => readonly KnownRow[];
  /** Strong entity tags in answers, with the targets of their requests. */
  readonly tags: ReadonlyArray<{ readonly target: string; readonly tag: string }>;
  /** Cursors of pages in answers, with the target and the headers of their requests. */
  readonly places: ReadonlyArray<Pick<Request, 'target' | 'headers'> & { readonly place: string }>;
  /** Idempotency keys that were used, and the request with each key: it is sent again once its row has changed. */
  readonly keys: ReadonlyArray<{
    readonly endpoint: string;
    readonly key: string;
    /** The status of its answer. */
    readonly status: number;
    /** Whether an answer is kept for the key now: most refusals leave the key free. */
    readonly isKept: boolean;
    readonly request?: Request | undefined;
  }>;
  /** Identities of rows that existed and were removed. */
  readonly removed: (resource: string) => readonly string[];
}
