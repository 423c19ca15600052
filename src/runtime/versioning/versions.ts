import { header } from '../../http/headers.ts';
import { type Accepted, mediaRanges } from '../../http/media.ts';
import type { VersionsPlan } from '../../plan/step.ts';
import { announced, endingHeaders, NO_ENDING } from '../../plan/versions.ts';
import { wordsIn } from '../../plan/words.ts';
import type { Refusal } from '../context/refusal.ts';
import type { ApiVersion, RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';

/** The versions of a document, and the choice of a request's version. */
export class Versions {
  readonly current: ApiVersion;
  /** The version of requests that name none; null where those are refused. */
  private readonly unnamed: ApiVersion | null;
  private readonly plan: VersionsPlan | null;
  private readonly errors: Errors;
  private readonly known = new Map<string, ApiVersion>();
  private readonly asked: (x: RequestContext) => RequestedVersion;

  constructor(plan: VersionsPlan | null, errors: Errors) {
    this.plan = plan;
    this.errors = errors;
    this.asked = plan ? asking(plan, (name) => this.known.get(name) ?? null) : () => ({ name: null });
    this.current = plain(plan?.current ?? '', mediaTypeOf(plan, plan?.current ?? ''));
    this.known.set(this.current.version, this.current);
    for (const version of plan?.older ?? []) {
      const { names } = version;
      const ending = announced(version.deprecated, version.sunset, plan!.headers);
      this.known.set(version.name, {
        version: version.name,
        headers: endingHeaders(ending).flat(),
        ending,
        mediaType: mediaTypeOf(plan, version.name),
        retired: version.retired,
        sunset: version.sunset,
        wire: (resource, field) => {
          const name = names[`${resource}.${field}`];
          return name === undefined ? field : name;
        },
        words: (field) => wordsIn(version, field),
      });
    }
    const without = plan?.without ?? 'current version';
    this.unnamed =
      without === 'current version' ? this.current : without === 'refused' ? null : this.known.get(without.version)!;
  }

  /** Returns the versions that are not retired at `now`, the current one first. */
  spoken(now: number): ApiVersion[] {
    return [...this.known.values()].filter((apiVersion) => !isOver(apiVersion, now));
  }

  /** Returns the names of all versions of the document, including retired ones. */
  described(): string[] {
    return [...this.known.keys()];
  }

  find(name: string): ApiVersion | null {
    return this.known.get(name) ?? null;
  }

  /**
   * Returns the path without its version prefix, and the version (null where there is no prefix). A path with the
   * prefix of a known version is of that version; any other is first tried as a path without a version.
   */
  split(path: string, isKnown: (path: string) => boolean): { readonly path: string; readonly version: string | null } {
    const by = this.plan?.by;
    const bare = { path, version: null };
    if (by?.kind !== 'path') return bare;
    const before = by.prefix.slice(0, by.prefix.indexOf('{'));
    const end = path.startsWith(before) ? path.indexOf('/', before.length) : -1;
    if (end <= before.length) return bare;
    const versioned = { path: path.slice(end), version: path.slice(before.length, end) };
    if (this.known.has(versioned.version)) return versioned;
    return !isKnown(path) && isKnown(versioned.path) ? versioned : bare;
  }

  /** Whether a body's media type is of the request's version; null where the type names no version. */
  takes(x: RequestContext, contentType: string): boolean | null {
    const by = this.plan?.by;
    const range = by?.kind === 'media type' ? mediaRanges(contentType)?.[0] : null;
    const named = range && by?.kind === 'media type' ? versionIn(by.template, range) : null;
    return named === null || named === undefined ? null : named === x.apiVersion.version;
  }

  /** Throws the refusal of a version that has been retired since the request. */
  mustBeSpoken(apiVersion: ApiVersion, now: number): void {
    if (isOver(apiVersion, now)) throw this.errors.condition('version retired');
  }

  /** Sets the version of a request. From its sunset date on, a version is refused. */
  choose(x: RequestContext): Refusal | null {
    const asked = this.asked(x).name;
    const apiVersion = asked === null ? this.unnamed : this.known.get(asked);
    if (asked === null && !apiVersion) return this.errors.condition('version missing');
    if (!apiVersion) return this.errors.condition('version unknown');
    if (isOver(apiVersion, x.frame.now)) return this.errors.condition('version retired');
    x.apiVersion = apiVersion;
    x.frame.version = apiVersion.version;
    x.versionKnown = true;
    return null;
  }
}

function isOver(apiVersion: ApiVersion, now: number): boolean {
  return apiVersion.retired || (apiVersion.sunset !== null && now >= apiVersion.sunset);
}

function plain(version: string, mediaType: string): ApiVersion {
  const wire = (_resource: string, field: string): string => field;
  return { version, headers: [], ending: NO_ENDING, mediaType, retired: false, sunset: null, wire, words: () => null };
}

/** The version that a request names; null where it names none. */
interface RequestedVersion {
  readonly name: string | null;
}

/** Looks up a version by its name: null where the document doesn't have it. */
type Known = (name: string) => ApiVersion | null;

const JSON_TYPE = 'application/json';

/** Compiles how the version of a request is read. */
function asking({ by }: VersionsPlan, known: Known): (x: RequestContext) => RequestedVersion {
  if (by.kind === 'path') return (x) => ({ name: x.version });
  if (by.kind === 'media type')
    return (x) => ({ name: preferred(header(x.incoming.rawHeaders, 'accept'), by.template, known, x.frame.now) });
  const lower = by.header.toLowerCase();
  return (x) => ({ name: header(x.incoming.rawHeaders, lower) ?? null });
}

/** Returns the media type of a version's answers. */
function mediaTypeOf(plan: VersionsPlan | null, version: string): string {
  return plan?.by.kind === 'media type' ? plan.by.template.replace('{version}', version) : JSON_TYPE;
}

/**
 * Returns the version of highest weight in Accept that still answers; without one, the first known one, or the first.
 */
function preferred(accept: string | undefined, template: string, known: Known, now: number): string | null {
  const named = (accept === undefined ? null : mediaRanges(accept))?.flatMap((range) => {
    const name = range.weight > 0 ? versionIn(template, range) : null;
    return name === null ? [] : [{ name, weight: range.weight }];
  });
  if (!named?.length) return null;
  const sorted = named.toSorted((a, b) => b.weight - a.weight);
  const described = sorted.filter(({ name }) => known(name));
  const answering = described.find(({ name }) => !isOver(known(name)!, now));
  return (answering ?? described[0] ?? sorted[0]!).name;
}

/** Returns the version in a media type by a template; null for another media type. */
function versionIn(template: string, { name, parameters }: Accepted): string | null {
  const [type = '', parameter] = template.split(/; ?/);
  if (parameter !== undefined) {
    const own = parameter.split('=')[0];
    return name === type ? (parameters.find(([one]) => one === own)?.[1] ?? null) : null;
  }
  const [before = '', after = ''] = type.split('{version}');
  if (!name.startsWith(before) || !name.endsWith(after) || name.length <= before.length + after.length) return null;
  return name.slice(before.length, name.length - after.length);
}
