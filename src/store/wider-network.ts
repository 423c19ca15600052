/** The networks that addresses count as, as text: of an IPv6 address 64 bits, of an IPv4 address all. */
const FORMS: ReadonlyArray<readonly [form: RegExp, wider: (kept: string) => string]> = [
  [/^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/, (kept) => `${kept}::/48`],
  [/^([0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/48$/, (kept) => `${kept}::/32`],
  [/^(\d+\.\d+\.\d+)\.\d+$/, (kept) => `${kept}.0/24`],
  [/^(\d+\.\d+)\.\d+\.0\/24$/, (kept) => `${kept}.0.0/16`],
];

/** All networks that are not told apart any more. */
const ALL = 'all networks';

const WIDEST = /^[0-9a-f]+:[0-9a-f]+::\/32$|^\d+\.\d+\.0\.0\/16$/;

/** The network that a network is part of; null for all of them, and for what is no network, such as a caller. */
export function widerNetwork(key: string): string | null {
  for (const [form, wider] of FORMS) {
    const found = form.exec(key);
    if (found) return wider(found[1]!);
  }
  return WIDEST.test(key) ? ALL : null;
}
