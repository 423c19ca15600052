import type { Row } from '../../expression/values/value.ts';
import type { Program } from '../../store/store.ts';

/** A caller as its credentials give it. */
export interface AuthenticatedCaller {
  readonly row: Row;
  readonly scopes: readonly string[];
  /** The id of its API key; null where a token was sent. */
  readonly keyId: string | null;
  /** The caller as a transaction sees it; null where the credentials hold no more at `now`. */
  again(now: number): Program<Pick<AuthenticatedCaller, 'row' | 'scopes'> | null>;
}
