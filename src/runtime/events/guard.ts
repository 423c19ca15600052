import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Resolves a host name to every address it has; rejects with a `code` such as ENOTFOUND, as node:dns does. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** The result of resolving a host: its checked addresses, the only ones to connect to, or a short stable reason. */
type Resolution =
  | { kind: 'resolved'; host: string; addresses: readonly LookupAddress[] }
  | { kind: 'refused'; reason: string };

type Range = readonly [network: string, prefix: number];

/** IPv4 ranges that are not public (IANA IPv4 Special-Purpose Address Registry, RFC 6890), and multicast. */
const PRIVATE_V4: readonly Range[] = [
  ['0.0.0.0', 8], // this network, RFC 791
  ['10.0.0.0', 8], // private use, RFC 1918
  ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['169.254.0.0', 16], // link-local and cloud metadata, RFC 3927
  ['172.16.0.0', 12], // private use, RFC 1918
  ['192.0.0.0', 24], // IETF protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.88.99.0', 24], // 6to4 relay anycast, RFC 7526
  ['192.168.0.0', 16], // private use, RFC 1918
  ['198.18.0.0', 15], // benchmarking, RFC 2544
  ['198.51.100.0', 24], // documentation, RFC 5737
  ['203.0.113.0', 24], // documentation, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved, RFC 1112, and the broadcast address
];

/**
 * The only IPv6 ranges that may be public. All others are refused without a list: ::, ::1, IPv4-compatible, local
 * NAT64, discard, unique-local, link-local, site-local, multicast, and ranges that are assigned in future.
 */
const OPEN_V6: readonly Range[] = [
  ['2000::', 3], // global unicast, RFC 4291
  ['64:ff9b::', 96], // NAT64, RFC 6052: as public as the IPv4 address within
  ['::ffff:0:0', 96], // IPv4-mapped, RFC 4291: likewise
];

/** Ranges within OPEN_V6 that are not public. */
const PRIVATE_V6: readonly Range[] = [
  ['2001::', 23], // IETF protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation, RFC 3849
  ['3fff::', 20], // documentation, RFC 9637
  ...PRIVATE_V4.flatMap(embedded),
];

const privateV4 = listOf(PRIVATE_V4, 'ipv4');
const openV6 = listOf(OPEN_V6, 'ipv6');
const privateV6 = listOf(PRIVATE_V6, 'ipv6');

/**
 * Whether posting to an address needs the operator's permission. `address` is a literal IPv4 or IPv6 address as the
 * system resolver writes it, with or without a zone (`%eth0`). A text that is no such literal counts as private.
 */
export function isPrivate(address: string): boolean {
  if (isIPv4(address)) return privateV4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return true;
  return !openV6.check(address, 'ipv6') || privateV6.check(address, 'ipv6');
}

/**
 * Resolves the host of a URL and checks all its addresses. `hostname` is a name or an address, with or without
 * brackets, in any spelling that the WHATWG URL Standard reads (`2130706433` is 127.0.0.1). With `allowPrivate` false,
 * the host is refused when any address is private, and a name that is local by RFC 6761 is refused without a look-up.
 * Resolves to the canonical host and the addresses; never rejects. `lookup` replaces the system's resolver in tests.
 */
export async function resolveSafely(
  hostname: string,
  allowPrivate: boolean,
  lookup: Lookup = resolveBySystem,
): Promise<Resolution> {
  const host = canonical(hostname);
  if (host === null) return { kind: 'refused', reason: 'invalid host' };
  if (!allowPrivate && /(?:^|\.)localhost\.?$/.test(host)) return refusedAsPrivate();
  let addresses: readonly LookupAddress[];
  try {
    addresses = isIP(host) === 0 ? await lookup(host) : [{ address: host, family: isIP(host) }];
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    return { kind: 'refused', reason: code === 'ENOTFOUND' ? 'host not found' : 'host lookup failed' };
  }
  if (addresses.length === 0) return { kind: 'refused', reason: 'host not found' };
  if (!allowPrivate && addresses.some(({ address }) => isPrivate(address))) return refusedAsPrivate();
  return { kind: 'resolved', host, addresses: [...addresses] };
}

/**
 * Returns a look-up that resolves a name once for all concurrent callers. The system's resolver runs on a few threads
 * of the process, so that many deliveries to one name that doesn't resolve would block all others. Results are not
 * cached.
 */
export function shared(lookup: Lookup = resolveBySystem): Lookup {
  const pending = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    const known = pending.get(hostname);
    if (known !== undefined) return known;
    const asked = lookup(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, asked);
    return asked;
  };
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return systemLookup(hostname, { all: true });
}

function refusedAsPrivate(): Resolution {
  return { kind: 'refused', reason: 'private address refused' };
}

/** The host as the URL parser writes it, without brackets, or null if the text is more or less than a host. */
function canonical(hostname: string): string | null {
  if (/[\s/?#@\\]/.test(hostname)) return null;
  const url = URL.parse(`http://${isIPv6(hostname) ? `[${hostname}]` : hostname}/`);
  if (url === null || url.port !== '') return null;
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * Returns an IPv4 range in the IPv6 forms of IPv4 addresses: mapped (RFC 4291), NAT64 (RFC 6052) and 6to4 (RFC 3056).
 */
function embedded([network, prefix]: Range): Range[] {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  const sixToFour = `2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::`;
  return [
    [`::ffff:${network}`, 96 + prefix],
    [`64:ff9b::${network}`, 96 + prefix],
    [sixToFour, 16 + prefix],
  ];
}

function listOf(ranges: readonly Range[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
