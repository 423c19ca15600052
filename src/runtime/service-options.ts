import type { AdminPages } from './admin/admin.ts';
import type { Secrets } from './authentication/signing-keys.ts';
import type { Describe } from './endpoints/descriptions.ts';
import type { TrustedProxies } from './http/client-address.ts';
import type { ListeningSocket } from './http/listening.ts';
import type { Log } from './log.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Where the operator's port is, and the names, in lower case, by which it is asked for besides addresses. */
export interface AdminAddress {
  readonly host: string;
  readonly port: number;
  readonly names?: ReadonlySet<string>;
}

/** What a service is started with. */
export interface ServiceOptions {
  readonly host: string;
  /** 0 asks for a free one. */
  readonly port: number;
  /** What it listens at in the place of a host and a port; null where there is none. */
  readonly socket?: ListeningSocket | null;
  /** The proxies in front of it; null where none is trusted. */
  readonly proxies?: TrustedProxies | null;
  readonly admin: AdminAddress | null;
  /** Where the service lives, as the operator says; null where nobody said so. */
  readonly url: string | null;
  /** Finds the keys that the operator keeps for schemes of tokens; null where the service has none. */
  readonly secrets?: Secrets | null;
  /** Whether receivers that callers register may have private addresses. */
  readonly allowPrivate?: boolean;
  /** What the service tells of itself: to callers where the document says so, and to the operator always. */
  readonly describe?: Describe;
  /** What else the operator’s port answers; null where nothing. */
  readonly pages?: AdminPages | null;
  readonly log: Log;
  /** Makes spans of what the service does; absent or null where nothing does. */
  readonly tracing?: Tracing | null;
}
