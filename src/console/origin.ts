import type { AdminRequest } from '../runtime/admin/admin.ts';

/** Why a request is refused for where it comes from, or where it goes. */
interface OriginProblem {
  readonly status: 403 | 421;
  readonly why: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Whatever is listened at is reached by these names from the same machine. */
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The names, as they stand in `Host`, by which the console can be asked for. A page of another origin whose name is made
 * to lead here (DNS rebinding) asks by its own name.
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
 * Why a request may not be answered: it asks for another host, or a page of another origin has sent it. Null where it
 * may. `named` is the address that the operator has given.
 */
export function originProblem(request: AdminRequest, named: string, api: boolean): OriginProblem | null {
  const host = request.headers.host?.toLowerCase() ?? '';
  // A browser leaves the port of http out.
  const authority = /:\d+$/.test(host) ? host : `${host}:80`;
  if (!hostsOf(request, named).has(authority))
    return { status: 421, why: 'The console answers only at the address that it listens on.' };
  const { origin } = request.headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host}`)
    return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  const site = request.headers['sec-fetch-site'];
  // Another port of this machine is of the same site, and so gets the cookie sent.
  const own = site === undefined || site === 'same-origin' || (site === 'none' && request.method === 'GET');
  if (api && !own) return { status: 403, why: 'Another page has sent this request. The console answers only its own.' };
  return null;
}
