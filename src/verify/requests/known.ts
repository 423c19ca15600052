import type { Json } from '../../export/json.ts';
import type { Request } from '../target/exchange.ts';

/** Credentials that were given or issued in this run. */
export interface Credentials {
  readonly scheme: string;
  /** As it stands in the header, without the scheme’s word. */
  readonly text: string;
  /** The row that it is of. */
  readonly resource: string;
  readonly identity: string;
  readonly scopes: readonly string[];
  /** `hidden`: the row is hidden from itself, so that it is no caller. */
  readonly standing: 'good' | 'revoked' | 'expired' | 'hidden';
}

/** A row that the implementation has, as far as the oracle knows. */
export interface KnownRow {
  readonly resource: string;
  readonly identity: string;
  /** The values as the wire writes them, by the names of the current version; derived fields are not among them. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly state: string | null;
  /** Its passwords as they were sent, by their fields: no answer shows them, and requests say them to authenticate. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** What whoever makes requests may know of the service. */
export interface Known {
  /** Milliseconds since the epoch, by the service’s clock. */
  readonly now: number;
  readonly credentials: readonly Credentials[];
  readonly rows: (resource: string) => readonly KnownRow[];
  /** Strong entity tags that answers had, with the path that was asked. */
  readonly tags: ReadonlyArray<{ readonly target: string; readonly tag: string }>;
  /** Places of pages that answers gave, with the target that was asked and by whom. */
  readonly places: ReadonlyArray<Pick<Request, 'target' | 'headers'> & { readonly place: string }>;
  /** Idempotency keys that were used, and the request that each was used by: it is sent again once its row has changed. */
  readonly keys: ReadonlyArray<{
    readonly endpoint: string;
    readonly key: string;
    /** What it was answered with. */
    readonly status: number;
    /** Whether the key stands for its answer now: most refusals leave it free. */
    readonly isKept: boolean;
    readonly request?: Request | undefined;
  }>;
  /** Identities of rows that were there and are not any more. */
  readonly removed: (resource: string) => readonly string[];
}
