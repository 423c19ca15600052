const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * The milliseconds of a duration as CEL writes it (cel-spec, “Durations”): `24h`, `1h30m`, `-15m`, `2.5s`.
 * Null where the text is not one, or is finer than a millisecond.
 */
export function durationOf(text: string): number | null {
  if (!/^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) total += Number(amount) * UNITS[unit!]!;
  const exact = Math.round(total);
  if (Math.abs(exact - total) > 1e-6 || !Number.isSafeInteger(exact)) return null;
  return text.startsWith('-') ? -exact : exact;
}
