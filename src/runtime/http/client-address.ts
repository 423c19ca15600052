import { BlockList, isIP } from 'node:net';
import { header, listItems } from '../../http/headers.ts';

/** The headers in which proxies name the client and its host. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-host'] as const;

export type ProxyHeader = (typeof PROXY_HEADERS)[number];

/** The proxies that are trusted to name the client, and the headers in which they do. */
export interface TrustedProxies {
  readonly addresses: BlockList;
  /** Whether the peer of the service's Unix socket is trusted. */
  readonly unix: boolean;
  /** The trusted headers; null for `X-Forwarded-For`, or `Forwarded` where that is missing. */
  readonly headers: readonly ProxyHeader[] | null;
}

/** The client of a request. */
export interface Client {
  /** An IP address, or the peer’s own, which is empty for a Unix socket. */
  readonly address: string;
  /** The host that the client has requested, from a proxy; null where it is the request's own. */
  readonly host: string | null;
}

/** One hop from a proxy's header; its address is null where it is missing or can't be read. */
interface Hop {
  readonly address: string | null;
  readonly host: string | null;
}

/**
 * Reads the trusted proxies: addresses, ranges (`10.0.0.0/8`, `fd00::/8`), `loopback` and `unix`, separated by commas.
 * Returns them, or the part of the text that is wrong.
 */
export function readTrusted(text: string): { addresses: BlockList; unix: boolean } | { wrong: string } {
  const addresses = new BlockList();
  const ranges: AddressRange[] = [];
  let unix = false;
  for (const item of listItems(text)) {
    if (item === 'unix') unix = true;
    else if (item === 'loopback') {
      addresses.addSubnet('127.0.0.0', 8, 'ipv4');
      addresses.addAddress('::1', 'ipv6');
    } else {
      const [address = '', bits, ...more] = item.split('/');
      const family = address.includes('%') ? 0 : isIP(address);
      const most = family === 6 ? 128 : 32;
      const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
      if (family === 0 || more.length > 0 || length < 0 || length > most)
        return {
          wrong: `“${item}” is not an address, a range of addresses such as 10.0.0.0/8, loopback or unix.`,
        };
      addresses.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
      ranges.push(rangeOf(address, length));
    }
  }
  const family = containsAll(ranges);
  if (family !== null)
    return {
      wrong: `“${text}” contains every address of ${family}, so every client could forge its address. Name only the proxies.`,
    };
  return { addresses, unix };
}

/**
 * Returns the client of a request: its peer, or, where the peer is a trusted proxy, the client that the proxy names.
 * Hops are read from the right, since each proxy appends its own; the first untrusted one is the client, and hops
 * before it are ignored, since the client may have made them up. Where a trusted proxy names no client in a readable
 * form, the proxy itself counts as the client.
 *
 * `peer` is the address of the connection, empty for a Unix socket; `rawHeaders` are Node's.
 */
export function clientOf(peer: string, rawHeaders: readonly string[], trusted: TrustedProxies): Client {
  const own = withoutMapping(peer);
  if (!(own === '' ? trusted.unix : trusts(trusted, own))) return { address: own, host: null };
  let address = own;
  let host: string | null = null;
  for (const hop of hopsOf(rawHeaders, trusted.headers)) {
    if (hop.address === null) break;
    ({ address, host } = { address: hop.address, host: hop.host });
    if (!trusts(trusted, address)) break;
  }
  if (trusted.headers?.includes('x-forwarded-host'))
    host = listItems(header(rawHeaders, 'x-forwarded-host') ?? '').findLast((one) => one !== '') ?? null;
  return { address, host: trusted.headers === null ? null : host };
}

function trusts({ addresses }: TrustedProxies, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && addresses.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Returns the hops in the headers, the nearest first. */
function hopsOf(rawHeaders: readonly string[], headers: readonly ProxyHeader[] | null): Iterable<Hop> {
  const read = (name: ProxyHeader): string | undefined =>
    headers === null || headers.includes(name) ? header(rawHeaders, name) : undefined;
  const plain = read('x-forwarded-for');
  if (plain !== undefined) return plainHops(plain);
  const forwarded = read('forwarded');
  return forwarded === undefined ? [] : forwardedHops(forwarded);
}

/**
 * Yields the hops of `X-Forwarded-For`, the last first. The header has no standard: its items are addresses, some with
 * brackets or a port.
 */
function* plainHops(value: string): Iterable<Hop> {
  for (const item of listItems(value).reverse())
    if (item !== '') yield { address: nodeAddress(item, true), host: null };
}

/** The most commas within one element of `Forwarded`: its quoted strings may contain some. */
const COMMAS_IN_ELEMENT = 8;

/**
 * Returns the hops of `Forwarded` (RFC 7239, section 4), the last first. A client may have sent an invalid list, such
 * as one with an open quotation. Elements are read from the right, so that an invalid one can't hide those after it.
 */
function* forwardedHops(value: string): Iterable<Hop> {
  const pieces = value.split(',');
  while (pieces.length > 0) {
    let text = pieces.pop()!;
    if (text.trim() === '') continue;
    let hop = elementOf(text);
    for (let more = 0; hop === null && more < COMMAS_IN_ELEMENT && pieces.length > 0; more++) {
      text = `${pieces.pop()!},${text}`;
      hop = elementOf(text);
    }
    if (hop === null) return yield { address: null, host: null };
    yield hop;
  }
}

/**
 * An optional parameter, and its separator or the end. The value is a token or a quoted string (RFC 9110, section 5.6).
 */
const PARAMETER = /(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)"))?(;|$)/y;

/** Reads one element of `Forwarded`; null where it is invalid. */
function elementOf(text: string): Hop | null {
  const element = text.trim();
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  let ended = false;
  while (!ended) {
    const match = PARAMETER.exec(element);
    if (!match) return null;
    const [, name, token, quoted = '', mark] = match;
    ended = mark === '';
    if (name === undefined) continue;
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), token ?? quoted.replace(/\\(.)/g, '$1'));
  }
  const node = parameters.get('for');
  return { address: node === undefined ? null : nodeAddress(node, false), host: parameters.get('host') ?? null };
}

/**
 * Returns the address of a node (RFC 7239, section 6) without its port; null where there is none. `bare` allows an IPv6
 * address without brackets.
 */
function nodeAddress(node: string, bare: boolean): string | null {
  const match = /^(?:(\d[\d.]*)|\[([\da-f:.]+)\])(?::\w{1,16})?$/i.exec(node);
  const address = match ? (match[1] ?? match[2]!) : bare && /^[\da-f:.]+$/i.test(node) ? node : '';
  return isIP(address) === 0 ? null : withoutMapping(address);
}

/** Returns an address, with a mapped IPv6 address as the IPv4 address in it. */
const withoutMapping = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped ? mapped[1]! : address;
};

/** A range of addresses, first and last, as 128-bit numbers. IPv4 is mapped (RFC 4291, section 2.5.5.2). */
interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;
const MAPPED = 0xffffn << 32n;

/** The range of a prefix; `address` is one of IPv4 or IPv6, without a zone, and `length` the prefix's number of bits. */
function rangeOf(address: string, length: number): AddressRange {
  const family = isIP(address) === 6 ? 6 : 4;
  const size = 1n << BigInt(BITS[family] - length);
  const number = family === 6 ? numberOf6(address) : MAPPED + numberOf4(address);
  const first = number - (number % size);
  return { first, last: first + size - 1n };
}

const numberOf4 = (address: string): bigint =>
  address.split('.').reduce((number, byte) => (number << 8n) + BigInt(byte), 0n);

function numberOf6(address: string): bigint {
  const plain = address.replace(/\d+\.\d+\.\d+\.\d+$/, (last) => {
    const number = numberOf4(last);
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  });
  const [before = '', after] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...before, ...Array(8 - before.length - (after?.length ?? 0)).fill('0'), ...(after ?? [])];
  return groups.reduce((number, group) => (number << 16n) + BigInt(`0x${group}`), 0n);
}

/** The addresses of clients of the internet: all of IPv4 but its special ends, and the global addresses of IPv6. */
const PUBLIC: ReadonlyArray<readonly [name: string, range: AddressRange]> = [
  ['IPv4', { first: rangeOf('1.0.0.0', 32).first, last: rangeOf('223.255.255.255', 32).last }],
  ['IPv6', rangeOf('2000::', 3)],
];

/** Returns the family (IPv4 or IPv6) whose public addresses are all in the ranges; null if there is no such family. */
function containsAll(ranges: readonly AddressRange[]): string | null {
  const sorted = ranges.toSorted((one, other) => (one.first < other.first ? -1 : one.first > other.first ? 1 : 0));
  const whole = PUBLIC.find(([, { first, last }]) => {
    let next = first;
    for (const range of sorted) if (range.first <= next && range.last >= next) next = range.last + 1n;
    return next > last;
  });
  return whole?.[0] ?? null;
}
