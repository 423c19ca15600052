/** The networks by which addresses are counted, as text: 64 bits of an IPv6 address, and all of an IPv4 address. */
const FORMS: ReadonlyArray<readonly [form: RegExp, wider: (kept: string) => string]> = [
  [/^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/, (kept) => `${kept}::/48`],
  [/^([0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/48$/, (kept) => `${kept}::/32`],
  [/^(\d+\.\d+\.\d+)\.\d+$/, (kept) => `${kept}.0/24`],
  [/^(\d+\.\d+)\.\d+\.0\/24$/, (kept) => `${kept}.0.0/16`],
];

/** The network of all addresses. */
const ALL = 'all networks';

const WIDEST = /^[0-9a-f]+:[0-9a-f]+::\/32$|^\d+\.\d+\.0\.0\/16$/;

/** The network that contains a network; null for the network of all, and for other keys, such as callers. */
export function widerNetwork(key: string): string | null {
  for (const [form, wider] of FORMS) {
    const found = form.exec(key);
    if (found) return wider(found[1]!);
  }
  return WIDEST.test(key) ? ALL : null;
}
