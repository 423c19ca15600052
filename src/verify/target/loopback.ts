import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Place } from './connection.ts';

/** Resolves a name to every address that it has; rejects with a `code`, as node:dns does. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/** Why a service at an address isn't tested; the message says what to do. */
export class AddressError extends Error {}

/**
 * Finds the address of the service to test. Tests write, remove and overload: unless `remote` allows it, the address
 * must be one of this machine (127.0.0.0/8 or ::1), and a name must have no other. The checked address is the one that
 * is connected to: a name that resolves to another address later changes nothing. Rejects with AddressError.
 */
export async function placeOf(text: string, remote: boolean, lookup: Lookup = resolveBySystem): Promise<Place> {
  const url = urlOf(text);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(name) === 0 ? await resolved(name, lookup) : [name];
  const elsewhere = addresses.filter((one) => !isLoopback(one));
  if (elsewhere.length && !remote) throw new AddressError(refused(name, addresses, elsewhere));
  const tls = url.protocol === 'https:';
  // Most servers of a machine listen on IPv4, some on IPv6 alone.
  const [address = name, ...others] = [
    ...addresses.filter((one) => isIPv4(one)),
    ...addresses.filter((one) => !isIPv4(one)),
  ];
  return {
    name: `${url.protocol}//${url.host}`,
    address,
    others: [...new Set(others)].filter((one) => one !== address),
    port: Number(url.port || (tls ? 443 : 80)),
    tls,
    host: url.host,
    base: url.pathname.replace(/\/+$/, ''),
    trusted: elsewhere.length > 0,
  };
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new AddressError(`“${text}” is not an http or https URL, such as http://127.0.0.1:3000.`);
  if (url.username || url.password)
    throw new AddressError('The URL of the service has no user and no password. Credentials come from --setup.');
  if (url.search || url.hash)
    throw new AddressError(`The URL of the service has no query and no fragment: ${url.origin}${url.pathname}.`);
  return url;
}

async function resolved(name: string, lookup: Lookup): Promise<string[]> {
  try {
    const found = await lookup(name);
    if (found.length) return found.map(({ address }) => address);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTFOUND')
      throw new AddressError(`The name “${name}” can’t be looked up${code ? ` (${code})` : ''}.`);
  }
  throw new AddressError(`The name “${name}” has no address. Is --url spelled right?`);
}

function refused(name: string, addresses: readonly string[], elsewhere: readonly string[]): string {
  const [first = ''] = elsewhere;
  const any = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[name];
  if (any !== undefined)
    return `${name} stands for every address of a machine, where a service listens: name one to ask, such as ${any}.`;
  const where =
    isIP(name) !== 0
      ? `${name} is not an address of this machine`
      : elsewhere.length < addresses.length
        ? `“${name}” is this machine and also ${first}`
        : `“${name}” is ${first}, which is not this machine`;
  return `${where}. The test creates, changes and removes rows, and sends requests until limits refuse them. To test a service elsewhere that you may treat so, add --allow-remote.`;
}

/** Whether an address, as the system's resolver writes it, is one of this machine alone. */
function isLoopback(address: string): boolean {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  list.addAddress('::1', 'ipv6');
  list.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const resolveBySystem: Lookup = (host) => systemLookup(host, { all: true });
