import type { AdminPages } from './admin/admin.ts';
import type { Secrets } from './authentication/signing-keys.ts';
import type { Describe } from './endpoints/descriptions.ts';
import type { TrustedProxies } from './http/client-address.ts';
import type { ListeningSocket } from './http/listening.ts';
import type { AnsweredRequest } from './http/server.ts';
import type { Log } from './log.ts';
import type { Tracing } from './tracing/tracing.ts';

/** The address of the operator's port, and the names, in lower case, by which requests may address it. */
export interface AdminAddress {
  readonly host: string;
  readonly port: number;
  readonly names?: ReadonlySet<string>;
}

/** The options with which a service is started. */
export interface ServiceOptions {
  readonly host: string;
  /** The port; 0 picks a free one. */
  readonly port: number;
  /** The socket to listen at instead of a host and port; null where there is none. */
  readonly socket?: ListeningSocket | null;
  /** The trusted proxies in front of the service; null where none is trusted. */
  readonly proxies?: TrustedProxies | null;
  readonly admin: AdminAddress | null;
  /** The URL of the service, as the operator gives it; null where none is given. */
  readonly url: string | null;
  /** Finds the operator's keys for token schemes; null where the service has none. */
  readonly secrets?: Secrets | null;
  /** Whether receivers that callers register may have private addresses. */
  readonly allowPrivate?: boolean;
  /**
   * Makes the service's descriptions: for callers where the document has such endpoints, and always for the operator.
   */
  readonly describe?: Describe;
  /** Further pages of the operator's port; null where there are none. */
  readonly pages?: AdminPages | null;
  readonly log: Log;
  /** Receives each answered request; absent or null where nobody asks. */
  readonly answered?: ((request: AnsweredRequest) => void) | null;
  /** Makes spans of the service's work; absent or null where tracing is off. */
  readonly tracing?: Tracing | null;
}
