import { isOfName, type Scheme, type Without } from '../../language/versioning.ts';
import type { VersionPlan, VersionsPlan } from '../../plan/step.ts';
import type { Unversioned } from '../../plan/versions.ts';
import { settledList, withStated } from '../document/settled.ts';
import type { Model } from '../statements/model.ts';
import { wordsByVersion } from './words.ts';

/**
 * The versions, each with all its differences from the current one; null where the document has none, undefined while
 * unsettled.
 */
export function planVersions(model: Model): VersionsPlan | null | undefined {
  const { versioning } = model;
  if (!versioning.scheme) return null;
  const stated = withStated(versioning, 'scheme', 'policy', 'current', 'without');
  const versions = settledList(
    versioning.versions.map((version) => withStated(version, 'deprecated', 'sunset', 'differences')),
  );
  if (!stated || !versions) return undefined;
  const names: Record<string, string | null> = {};
  const words = wordsByVersion(model);
  const older = versions.map((version, i): VersionPlan => {
    // Newest first: a name that an older version doesn't change is that of the newer version.
    for (const one of version.differences.value.filter(isOfName))
      names[`${one.resource.text}.${one.field.text}`] = one.was;
    return {
      name: version.name,
      retired: version.state === 'retired',
      deprecated: dateOf(version.deprecated.value),
      sunset: dateOf(version.sunset.value),
      names: { ...names },
      ...(words[i]?.length && { words: words[i] }),
    };
  });
  const { deprecation, sunset } = stated.policy.value;
  return {
    by: planScheme(stated.scheme.value),
    vary: versioning.vary ? (versioning.header?.value ?? 'Accept') : null,
    current: stated.current.value,
    without: planWithout(stated.without.value),
    headers: { deprecation, sunset },
    older,
  };
}

const dateOf = (date: number | 'none'): number | null => (date === 'none' ? null : date);

const planWithout = (without: Without): Unversioned =>
  typeof without === 'string' ? without : { version: without.version.text };

function planScheme(scheme: Scheme): VersionsPlan['by'] {
  if (scheme.kind === 'path') return scheme;
  if (scheme.kind === 'media type') return { kind: scheme.kind, template: scheme.template };
  return { kind: 'header', header: scheme.header };
}
