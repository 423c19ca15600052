import { isIP } from 'node:net';

/**
 * Whether a request of the operator's port asks for it by a name that the operator has given. A page of another origin
 * whose name is made to lead to this machine (DNS rebinding) asks by its own name, which a browser puts into `Host`. An
 * address is no name, so that any address and any port pass: monitors ask by address, and tunnels change the port.
 *
 * `host` is the field as it came; a request without the field comes from no browser.
 */
export function isNamed(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || names.has(name);
}

/** How many lines a request has of the field Host. More than one is no request of HTTP/1.1 (RFC 9112, section 3.2). */
export const hostLines = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length;
