import { isIP } from 'node:net';

/**
 * Whether a request of the operator's port has a host name that the operator has given. A page of another origin whose
 * name resolves to this machine (DNS rebinding) sends its own name in `Host`. Any address and port pass, since an
 * address is no such name: monitors use addresses, and tunnels change the port. `host` is the header as received; a
 * request without it comes from no browser.
 */
export function isNamed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || names.has(name);
}

/** Returns the number of Host headers of a request. More than one is invalid in HTTP/1.1 (RFC 9112, section 3.2). */
export const hostLines = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length;
