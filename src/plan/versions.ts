/** The treatment of requests that name no version. */
export type Unversioned = 'current version' | 'refused' | { readonly version: string };

/** Prints the treatment of requests that name no version. */
export const unversionedText = (without: Unversioned): string =>
  typeof without === 'string' ? without : `version ${without.version}`;

/** The name of the version of requests that name none; null where they are refused, or there are no versions. */
export function unversionedName(
  versions: { readonly without: Unversioned } | null | undefined,
  current: string | null,
): string | null {
  const without = versions?.without ?? 'refused';
  return without === 'refused' ? null : without === 'current version' ? current : without.version;
}

/** The dates that answers announce for the end of a version or an endpoint, in milliseconds; null where there is none. */
export interface Ending {
  readonly deprecation: number | null;
  readonly sunset: number | null;
}

/** The ending that answers announce by the stated headers. */
export const announced = (
  deprecated: number | null,
  sunset: number | null,
  headers: { readonly deprecation: boolean; readonly sunset: boolean },
): Ending => ({ deprecation: headers.deprecation ? deprecated : null, sunset: headers.sunset ? sunset : null });

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** The ending of a deprecated endpoint in a deprecated version: the earlier date of each. */
export const earliest = (a: Ending, b: Ending): Ending => ({
  deprecation: earlier(a.deprecation, b.deprecation),
  sunset: earlier(a.sunset, b.sunset),
});

/** The headers Deprecation (RFC 9745) and Sunset (RFC 8594) of an ending, with their values. */
export const endingHeaders = ({ deprecation, sunset }: Ending): Array<readonly [name: string, value: string]> => [
  ...(deprecation === null ? [] : [['Deprecation', `@${deprecation / 1000}`] as const]),
  ...(sunset === null ? [] : [['Sunset', new Date(sunset).toUTCString()] as const]),
];

/** An ending without dates. */
export const NO_ENDING: Ending = { deprecation: null, sunset: null };

/** The deprecation of one endpoint. Dates are in milliseconds. */
export interface DeprecationPlan {
  readonly from: number;
  /** The instant from which requests are refused with the code; null where there is none. */
  readonly until: { readonly at: number; readonly code: string } | null;
  readonly headers: { readonly deprecation: boolean; readonly sunset: boolean };
}

/** The ending that a deprecated endpoint announces in its answers. */
export const endingOf = ({ from, until, headers }: DeprecationPlan): Ending =>
  announced(from, until?.at ?? null, headers);

/** The date of an instant in UTC. */
export const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
