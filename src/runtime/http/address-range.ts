import { isIP } from 'node:net';

/** A range of addresses, first and last, as 128-bit numbers. IPv4 is mapped (RFC 4291, section 2.5.5.2). */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = { 4: 32, 6: 128 } as const;
const MAPPED = 0xffffn << 32n;

/** The range of a prefix; `address` is one of IPv4 or IPv6, without a zone, and `length` the prefix's number of bits. */
export function rangeOf(address: string, length: number): AddressRange {
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

/** Returns the family of which the ranges contain every public address; null where there is none. */
export function containsAll(ranges: readonly AddressRange[]): string | null {
  const sorted = ranges.toSorted((one, other) => (one.first < other.first ? -1 : one.first > other.first ? 1 : 0));
  const whole = PUBLIC.find(([, { first, last }]) => {
    let next = first;
    for (const range of sorted) if (range.first <= next && range.last >= next) next = range.last + 1n;
    return next > last;
  });
  return whole?.[0] ?? null;
}
