import type { AdminRequest } from '../runtime/admin/admin.ts';

/** The reason to refuse a request because of its origin or host. */
interface OriginProblem {
  readonly status: 403 | 421;
  readonly why: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Host names that always reach a port of the same machine. */
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The values of `Host` under which the console answers. With DNS rebinding, a page of another origin sends its own name
 * in `Host`.
 */
function hostsOf(request: AdminRequest, named: string): ReadonlySet<string> {
  const { localAddress = '', localPort = 0 } = request.socket;
  const everywhere = named === '0.0.0.0' || named === '::';
  const local = LOOPBACK.has(localAddress) || everywhere ? LOCAL_NAMES : [];
  const address = localAddress.replace(/^::ffff:(?=\d)/, '');
  const names = [...local, bracketed(address), ...(everywhere ? [] : [bracketed(named)])];
  return new Set(names.map((name) => `${name.toLowerCase()}:${localPort}`));
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * The reason to refuse a request: a wrong host, or a page of another origin; null if there is none. The operator gives
 * the host `named`.
 */
export function originProblem(request: AdminRequest, named: string, api: boolean): OriginProblem | null {
  const host = request.headers.host?.toLowerCase() ?? '';
  // Browsers omit the default port of http.
  const authority = /:\d+$/.test(host) ? host : `${host}:80`;
  if (!hostsOf(request, named).has(authority))
    return { status: 421, why: 'The console answers only at the address that it listens on.' };
  const { origin } = request.headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
    return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  const site = request.headers['sec-fetch-site'];
  // Another port of this machine belongs to the same site, so its pages send the cookie, too.
  const own = site === undefined || site === 'same-origin' || (site === 'none' && request.method === 'GET');
  if (api && !own) return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  return null;
}
