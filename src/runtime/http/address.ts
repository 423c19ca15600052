/** The number of 16-bit groups of an IPv6 address, and of those that identify the network (RFC 4291, section 2.5.4). */
const GROUPS = 8;
const NETWORK = 4;

/**
 * Prefixes of an IPv4 address within an IPv6 one: mapped (RFC 4291, section 2.5.5.2) or translated (RFC 6052, section
 * 2.1).
 */
const EMBEDDING: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * Returns the network under which an address is counted: an IPv4 address itself, in whatever form it is written; of an
 * IPv6 address the first 64 bits, since a host can choose among all addresses in them. A text that is no address is
 * returned as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.split('%', 1)[0]!);
  if (!groups) return address;
  const words = groups.map((group) => group.toString(16));
  if (EMBEDDING.includes(words.slice(0, 6).join(':')))
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${words.slice(0, NETWORK).join(':')}::/64`;
}

/** Returns the groups of an IPv6 address in any text form (RFC 4291, section 2.2); null for another text. */
function groupsOf(address: string): number[] | null {
  const halves = address.split('::');
  if (halves.length > 2) return null;
  const [before = [], after = []] = halves.map(half);
  const missing = GROUPS - before.length - after.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const all = [...before, ...Array.from({ length: missing }, () => 0), ...after];
  return all.every((group) => group >= 0 && group <= 0xffff) ? all : null;
}

/** Returns the groups on one side of `::`; an invalid group is NaN. */
function half(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    const octets = group.split('.').map(Number);
    if (octets.length !== 4) return [/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : Number.NaN];
    if (!octets.every((octet) => octet >= 0 && octet <= 255)) return [Number.NaN];
    return [octets[0]! * 256 + octets[1]!, octets[2]! * 256 + octets[3]!];
  });
}
