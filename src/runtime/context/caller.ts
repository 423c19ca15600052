import type { Row } from '../../expression/values/value.ts';
import type { Program } from '../../store/store.ts';

/** A caller as its credentials give it. */
export interface AuthenticatedCaller {
  readonly row: Row;
  readonly scopes: readonly string[];
  /** The id of its API key; null where a token was sent. */
  readonly keyId: string | null;
  /** Reads the caller in a transaction; null where the credentials are no longer valid at `now`. */
  again(now: number): Program<Pick<AuthenticatedCaller, 'row' | 'scopes'> | null>;
}
