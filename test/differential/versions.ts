import type { Model } from '../../src/compiler/statements/model.ts';
import { isOfName } from '../../src/language/versioning.ts';

/** How one version of a document speaks. */
export interface Speech {
  /** Empty where the document has no versions. */
  readonly version: string;
  readonly retired: boolean;
  readonly sunset: number | null;
  /** What every answer in it carries. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** What a field is called in it; null where it isn’t there. */
  readonly name: (resource: string, field: string) => string | null;
}

/** The versions of a document, the current one first. Differences add up from newer to older. */
export function speeches({ versioning }: Model): Speech[] {
  const names = new Map<string, string | null>();
  const current = versioning.current?.value ?? '';
  const out: Speech[] = [
    { version: current, retired: false, sunset: null, headers: [], name: (_resource, field) => field },
  ];
  const dated = (date: number | 'none' | undefined): number | null => (date === 'none' ? null : (date ?? null));
  for (const one of versioning.versions) {
    const [deprecated, sunset] = [dated(one.deprecated?.value), dated(one.sunset?.value)];
    for (const { resource, field, was } of (one.differences?.value ?? []).filter(isOfName))
      names.set(`${resource.text}.${field.text}`, was);
    const own = new Map(names);
    const headers: Array<[string, string]> = [];
    if (versioning.policy?.value.deprecation && deprecated !== null)
      headers.push(['Deprecation', `@${deprecated / 1000}`]);
    if (versioning.policy?.value.sunset && sunset !== null) headers.push(['Sunset', new Date(sunset).toUTCString()]);
    out.push({
      version: one.name,
      retired: one.state === 'retired',
      sunset,
      headers,
      name: (resource, field) => {
        const was = own.get(`${resource}.${field}`);
        return was === undefined ? field : was;
      },
    });
  }
  return out;
}
