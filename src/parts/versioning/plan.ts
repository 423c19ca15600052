import type { Resolved } from '../../model/resolve.ts';
import type { VersionPlan, VersionsPlan } from '../../plan/step.ts';
import type { Scheme } from './model.ts';

/** The versions, each with all its differences from the current one. */
export function planVersions(r: Resolved): VersionsPlan | null {
  const { versioning } = r.model;
  if (!versioning.scheme) return null;
  const names: Record<string, string | null> = {};
  const older = versioning.versions.map((version): VersionPlan => {
    // Newest first: what an older version doesn't rename again stays as the newer one has it.
    for (const one of version.differences!.value) names[`${one.resource.text}.${one.field.text}`] = one.was;
    return {
      name: version.name,
      retired: version.state === 'retired',
      deprecated: version.deprecated?.value ?? null,
      sunset: version.sunset?.value ?? null,
      names: { ...names },
    };
  });
  const { deprecation, sunset } = versioning.policy!.value;
  return {
    by: planScheme(versioning.scheme.value),
    vary: versioning.vary ? (versioning.header?.value ?? 'Accept') : null,
    current: versioning.current!.value,
    without: versioning.without!.value,
    headers: { deprecation, sunset },
    older,
  };
}

function planScheme(scheme: Scheme): VersionsPlan['by'] {
  if (scheme.kind === 'path' || scheme.kind === 'media type') return scheme;
  return { kind: 'header', header: scheme.header };
}
