import type { VersionsPlan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { header } from '../../serve/wire/headers.ts';
import type { Errors, Refusal } from '../errors/enforce.ts';

/** How one version speaks: the names of fields, and what its answers carry. */
export interface Speech {
  /** Empty where the document has no versions. */
  readonly version: string;
  readonly headers: readonly string[];
  readonly retired: boolean;
  readonly sunset: number | null;
  /** The name of `Resource.field` on the wire; null where this version doesn't have it. */
  wire(resource: string, field: string): string | null;
}

/** The versions of a document, and which one a request speaks. */
export class Versions {
  readonly current: Speech;
  private readonly plan: VersionsPlan | null;
  private readonly errors: Errors;
  private readonly known = new Map<string, Speech>();
  private readonly lowerHeader: string;

  constructor(plan: VersionsPlan | null, errors: Errors) {
    this.plan = plan;
    this.errors = errors;
    this.lowerHeader = plan?.header.toLowerCase() ?? '';
    this.current = plain(plan?.current ?? '');
    this.known.set(this.current.version, this.current);
    for (const version of plan?.older ?? []) {
      const headers: string[] = [];
      if (plan!.headers.deprecation && version.deprecated !== null)
        headers.push('Deprecation', `@${version.deprecated / 1000}`);
      if (plan!.headers.sunset && version.sunset !== null)
        headers.push('Sunset', new Date(version.sunset).toUTCString());
      const { names } = version;
      this.known.set(version.name, {
        version: version.name,
        headers,
        retired: version.retired,
        sunset: version.sunset,
        wire: (resource, field) => {
          const name = names[`${resource}.${field}`];
          return name === undefined ? field : name;
        },
      });
    }
  }

  /** Every version that can be spoken at `now`, the current one first. */
  spoken(now: number): Speech[] {
    return [...this.known.values()].filter((speech) => !isOver(speech, now));
  }

  find(name: string): Speech | null {
    return this.known.get(name) ?? null;
  }

  /** Throws the refusal of a version whose time has come meanwhile. */
  mustBeSpoken(speech: Speech, now: number): void {
    if (isOver(speech, now)) throw this.errors.condition('version retired');
  }

  /** Settles the version that a request speaks. Dates act: from its sunset on, a version is refused. */
  choose(x: Exchange): Refusal | null {
    const asked = header(x.incoming.rawHeaders, this.lowerHeader);
    if (asked === undefined && this.plan!.without === 'refused') return this.errors.condition('version missing');
    const speech = asked === undefined ? this.current : this.known.get(asked);
    if (!speech) return this.errors.condition('version unknown');
    if (isOver(speech, x.frame.now)) return this.errors.condition('version retired');
    x.speech = speech;
    x.frame.version = speech.version;
    x.versionKnown = true;
    return null;
  }
}

function isOver(speech: Speech, now: number): boolean {
  return speech.retired || (speech.sunset !== null && now >= speech.sunset);
}

function plain(version: string): Speech {
  return { version, headers: [], retired: false, sunset: null, wire: (_resource, field) => field };
}
