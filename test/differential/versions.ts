import type { Model } from '../../src/compiler/statements/model.ts';

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
  for (const one of versioning.versions) {
    for (const { resource, field, was } of one.differences?.value ?? [])
      names.set(`${resource.text}.${field.text}`, was);
    const own = new Map(names);
    const headers: Array<[string, string]> = [];
    if (versioning.policy?.value.deprecation && one.deprecated)
      headers.push(['Deprecation', `@${one.deprecated.value / 1000}`]);
    if (versioning.policy?.value.sunset && one.sunset)
      headers.push(['Sunset', new Date(one.sunset.value).toUTCString()]);
    out.push({
      version: one.name,
      retired: one.state === 'retired',
      sunset: one.sunset?.value ?? null,
      headers,
      name: (resource, field) => {
        const was = own.get(`${resource}.${field}`);
        return was === undefined ? field : was;
      },
    });
  }
  return out;
}
