import { header } from '../../http/headers.ts';
import { type Accepted, mediaRanges } from '../../http/media.ts';
import type { VersionsPlan } from '../../plan/step.ts';
import type { RequestContext } from '../context/request-context.ts';

/** The version that a request names; null where it names none. */
export interface RequestedVersion {
  readonly name: string | null;
}

/** Looks up a version by its name: null where the document doesn't have it. */
type Known = (name: string) => { readonly retired: boolean } | null;

const JSON_TYPE = 'application/json';

/** Compiles how the version of a request is read. */
export function asking({ by }: VersionsPlan, known: Known): (x: RequestContext) => RequestedVersion {
  if (by.kind === 'path') return (x) => ({ name: x.version });
  if (by.kind === 'media type')
    return (x) => ({ name: preferred(header(x.incoming.rawHeaders, 'accept'), by.template, known) });
  const lower = by.header.toLowerCase();
  return (x) => ({ name: header(x.incoming.rawHeaders, lower) ?? null });
}

/** Returns the media type of a version's answers. */
export function mediaTypeOf(plan: VersionsPlan | null, version: string): string {
  return plan?.by.kind === 'media type' ? plan.by.template.replace('{version}', version) : JSON_TYPE;
}

/**
 * Returns the version of highest weight in Accept that still answers; without one, the first known one, or the first.
 */
function preferred(accept: string | undefined, template: string, known: Known): string | null {
  const named = (accept === undefined ? null : mediaRanges(accept))?.flatMap((range) => {
    const name = range.weight > 0 ? versionIn(template, range) : null;
    return name === null ? [] : [{ name, weight: range.weight }];
  });
  if (!named?.length) return null;
  const sorted = named.toSorted((a, b) => b.weight - a.weight);
  const answering = sorted.find(({ name }) => known(name)?.retired === false) ?? sorted.find(({ name }) => known(name));
  return (answering ?? sorted[0]!).name;
}

/** Returns the version in a media type by a template; null for another media type. */
export function versionIn(template: string, { name, parameters }: Accepted): string | null {
  const [type = '', parameter] = template.split(/; ?/);
  if (parameter !== undefined) {
    const own = parameter.split('=')[0];
    return name === type ? (parameters.find(([one]) => one === own)?.[1] ?? null) : null;
  }
  const [before = '', after = ''] = type.split('{version}');
  if (!name.startsWith(before) || !name.endsWith(after) || name.length <= before.length + after.length) return null;
  return name.slice(before.length, name.length - after.length);
}
