import { mediaRanges } from '../../http/media.ts';
import { statementId } from '../../plan/lines.ts';
import type { EndpointPlan, Plan, VersionPlan } from '../../plan/step.ts';
import { byCondition, type Refusal } from './refusal.ts';

const JSON_TYPE = 'application/json';

/** The media type of a version’s answers. */
export function mediaTypeOf({ versions }: Plan, version: string): string {
  return versions?.by.kind === 'media type' ? versions.by.template.replace('{version}', version) : JSON_TYPE;
}

/** The path as endpoints state it, and the version before it; null where the path has none. */
export function splitPath(
  plan: Plan,
  path: string,
  isKnown: (path: string) => boolean,
): { path: string; version: string | null } {
  const by = plan.versions?.by;
  const bare = { path, version: null };
  if (by?.kind !== 'path') return bare;
  const before = by.prefix.slice(0, by.prefix.indexOf('{'));
  const end = path.startsWith(before) ? path.indexOf('/', before.length) : -1;
  if (end <= before.length) return bare;
  const versioned = { path: path.slice(end), version: path.slice(before.length, end) };
  if (isVersion(plan, versioned.version)) return versioned;
  return !isKnown(path) && isKnown(versioned.path) ? versioned : bare;
}

const isVersion = ({ versions }: Plan, name: string): boolean =>
  versions !== null && (versions.current === name || versions.older.some((one) => one.name === name));

/** The API version of a request, or the reason for its refusal. `inPath`: the version in its path. */
export function chosenVersion(
  plan: Plan,
  inPath: string | null,
  sent: (name: string) => string | undefined,
  now: number,
): { readonly name: string } | Refusal {
  const { versions } = plan;
  if (!versions) return { name: '' };
  const { by } = versions;
  const asked =
    by.kind === 'path'
      ? inPath
      : by.kind === 'header'
        ? (sent(by.header) ?? null)
        : preferred(plan, sent('accept'), by.template, now);
  const { without, current } = versions;
  if (asked === null && without === 'refused') return byCondition('version missing');
  const name = asked ?? (typeof without === 'string' ? current : without.version);
  if (name === current) return { name };
  const older = versions.older.find((one) => one.name === name);
  if (!older) return byCondition('version unknown');
  if (isOver(older, now)) return byCondition('version retired', { statement: statementId.version(name) });
  return { name };
}

const isOver = ({ retired, sunset }: VersionPlan, now: number): boolean =>
  retired || (sunset !== null && now >= sunset);

/**
 * The headers about the end of an endpoint and of a version (null: not known yet) in every answer (RFC 9745; RFC 8594).
 * Where both end, the earlier date counts.
 */
export function endHeaders(
  { versions }: Plan,
  version: string | null,
  { deprecation }: EndpointPlan,
): Array<readonly [string, string]> {
  const older = version === null ? undefined : versions?.older.find((one) => one.name === version);
  const deprecated = [
    versions?.headers.deprecation ? older?.deprecated : null,
    deprecation?.headers.deprecation ? deprecation.from : null,
  ];
  const sunsets = [
    versions?.headers.sunset ? older?.sunset : null,
    deprecation?.headers.sunset ? deprecation.until?.at : null,
  ];
  const [from, until] = [deprecated, sunsets].map(
    (all) => all.flatMap((one) => one ?? []).toSorted((a, b) => a - b)[0],
  );
  return [
    ...(from === undefined ? [] : [['Deprecation', `@${from / 1000}`] as const]),
    ...(until === undefined ? [] : [['Sunset', new Date(until).toUTCString()] as const]),
  ];
}

/**
 * The version with the highest weight in Accept that the service serves; if it serves none, the first that Accept
 * names.
 */
function preferred(plan: Plan, accept: string | undefined, template: string, now: number): string | null {
  const ranges = accept === undefined ? null : mediaRanges(accept);
  const all = (ranges ?? []).flatMap((range) => {
    const name = range.weight > 0 ? versionIn(template, range) : null;
    return name === null ? [] : [{ name, weight: range.weight }];
  });
  const sorted = all.sort((a, b) => b.weight - a.weight);
  const ended = ({ name }: { name: string }): boolean =>
    plan.versions?.older.some((one) => one.name === name && isOver(one, now)) ?? false;
  const described = sorted.filter((one) => isVersion(plan, one.name));
  return (described.find((one) => !ended(one)) ?? described[0] ?? sorted[0])?.name ?? null;
}

type Range = NonNullable<ReturnType<typeof mediaRanges>>[number];

/** The version that a media type names by a template; null where it is another media type. */
export function versionIn(template: string, { name, parameters }: Range): string | null {
  const [type = '', parameter] = template.split(/; ?/);
  if (parameter !== undefined) {
    const own = parameter.split('=')[0];
    return name === type ? (parameters.find(([one]) => one === own)?.[1] ?? null) : null;
  }
  const [before = '', after = ''] = type.split('{version}');
  if (!name.startsWith(before) || !name.endsWith(after) || name.length <= before.length + after.length) return null;
  return name.slice(before.length, name.length - after.length);
}
