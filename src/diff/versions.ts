import type { Contract, VersionContract, VersioningContract } from '../contract/contract.ts';
import type { EndpointContract } from '../contract/endpoint.ts';
import { type StatementId, statementId } from '../plan/lines.ts';
import { withoutNames } from '../plan/paths.ts';
import { unversionedName, unversionedText } from '../plan/versions.ts';
import { answers } from './answers.ts';
import type { Side } from './causes.ts';
import { type Compare, changed, flag, follows, listed, members, on, value } from './compare.ts';
import { BREAKS, type Difference, difference, type Here, KEEPS, stated } from './difference.ts';
import { endpoint } from './endpoints.ts';
import { events } from './events.ts';
import { form, type Values } from './values.ts';
import { words } from './words.ts';

/** A version of the old document, and the version of the new one that answers the same requests. */
export interface Pair {
  readonly old: VersionContract;
  readonly next: VersionContract;
  /** Whether the pair concerns requests that name the version, rather than requests that name none. */
  readonly named: boolean;
}

/**
 * The versions to compare. A request that names a version is answered in the version of that name; a request that names
 * none, in the current version, which may have changed.
 */
export function pairsOf(old: Contract, next: Contract): Pair[] {
  const [was, is] = [old.versions[0], next.versions[0]];
  const described = old.versions.flatMap((one): Pair[] => {
    const same = next.versions.find(({ name }) => name === one.name);
    return same ? [{ old: one, next: same, named: true }] : [];
  });
  return was && is && was.name !== is.name ? [{ old: was, next: is, named: false }, ...described] : described;
}

/** Compares a version. */
export function version(values: Values, old: Side, next: Side): Compare<VersionContract> {
  return members<VersionContract>({
    name: follows('it is the same, or there is none in a request'),
    status: follows('the version itself is compared'),
    deprecated: follows('the version itself is compared'),
    sunset: follows('the version itself is compared'),
    mediaType: follows('the scheme of versions says it'),
    renamed: follows('what requests hold and answers show has those names'),
    words: (was = [], is = [], here) => words([was, is], [old.contract, next.contract], here),
    shapes: listed<VersionContract['shapes'][number]>({
      what: 'the form',
      all: 'the forms',
      name: (one) => one.name,
      // Payloads with the form report its differences. For a form in no payload, the same texts are reported as not
      // breaking.
      compare: (was, is, here) => values.objects(was.type, is.type, 'neither', here, form(is.name)),
      added: KEEPS.unmet,
      removed: KEEPS.unmet,
      here: (here, one) => ({ ...here, of: one.name }),
    }),
    endpoints: (was, is, here) =>
      // A retired version has no endpoints; the comparison of versions reports it.
      was.length === 0 || is.length === 0
        ? emptied(was, is, old, next, here)
        : endpoints(values, old, next)(was, is, here),
    events: events(values),
    elsewhere: (was, is, here) => answers(values, old, next)(was, is, { ...here, of: 'requests to no endpoint' }),
  });
}

const emptied = (
  was: readonly EndpointContract[],
  is: readonly EndpointContract[],
  old: Side,
  next: Side,
  here: Here,
): Difference[] =>
  old.version.status === 'retired' || next.version.status === 'retired'
    ? []
    : [...was, ...is].map((one) =>
        difference(
          { ...here, of: null, place: one.name },
          was.length ? 'the endpoint is gone' : 'the endpoint is new',
          was.length ? BREAKS.refused : KEEPS.unused,
        ),
      );

const endpoints = (values: Values, old: Side, next: Side): Compare<readonly EndpointContract[]> =>
  listed<EndpointContract>({
    what: 'the endpoint',
    all: 'the endpoints',
    name: ({ name }) => withoutNames(name),
    show: (one) => one.name,
    compare: endpoint(values, old, next),
    added: KEEPS.unused,
    removed: BREAKS.refused,
    here: (here, one) => ({ ...here, of: null, place: one.name }),
  });

const schemeText = ({ kind, ...by }: VersioningContract['by']): string => `${kind} ${Object.values(by).join('')}`;

const HEADERS = { so: KEEPS.unused, not: BREAKS.missing } as const;

const versioningFact = (fact: string): StatementId => statementId.part('versioning', fact);

const versioningOf = (old: Contract, next: Contract): Compare<VersioningContract> =>
  members<VersioningContract>({
    by: on(versioningFact('scheme'), value('the version scheme', BREAKS.refused, schemeText)),
    without: on(
      versioningFact('without'),
      value(
        'a request without a version',
        (_was, is) => (is === 'refused' ? BREAKS.refused : isOtherwise(old, next) ? BREAKS.otherwise : KEEPS.accepted),
        (one) =>
          one === 'refused' ? one : `answered in ${one === 'current version' ? 'the ' : ''}${unversionedText(one)}`,
      ),
    ),
    // Without `Vary`, a cache may answer a request with the response of another version.
    vary: on(
      versioningFact('scheme'),
      flag('every answer names the version’s header in Vary', 'not every answer names the version’s header in Vary', {
        so: KEEPS.unused,
        not: BREAKS.otherwise,
      }),
    ),
    headers: on(
      versioningFact('policy'),
      members<VersioningContract['headers']>({
        deprecation: flag('answers have Deprecation', 'answers have no Deprecation', HEADERS),
        sunset: flag('answers have Sunset', 'answers have no Sunset', HEADERS),
      }),
    ),
  });

/** The version of requests that name none; null where they are refused. */
const unnamedIn = ({ versioning, versions: [current] }: Contract): string | null =>
  unversionedName(versioning, current?.name ?? null);

/** Whether requests that name no version are answered in another version than before. */
function isOtherwise(old: Contract, next: Contract): boolean {
  const was = unnamedIn(old);
  return was !== null && was !== unnamedIn(next);
}

const versionsOf = (here: Here): Here => ({ ...here, of: 'versions', place: null });

/** Compares the version scheme. Without one, requests name no version. */
export const versioning =
  (was: Contract, is: Contract): Compare<VersioningContract | null> =>
  (old, next, service) => {
    const here = stated(versionsOf(service), old, next);
    if (old && next) return versioningOf(was, is)(old, next, here);
    if (!old && !next) return [];
    const refused =
      next?.without === 'refused' ? 'and a request without one is refused' : 'and a request without one is answered';
    if (next)
      return [
        difference(
          here,
          `versions are new, by ${schemeText(next.by)}, ${refused}`,
          next.without === 'refused' ? BREAKS.refused : KEEPS.accepted,
        ),
      ];
    return [difference(here, 'versions are gone, and what names one is not understood', BREAKS.refused)];
  };

const day = (one: string | null): string => one ?? 'none';

/** Whether a sunset date is earlier than before. */
const sooner = (old: string | null, next: string | null): boolean => next !== null && (old === null || next < old);

/** The differences of a version's status and dates, apart from its contents. */
function becameCurrent(old: VersionContract, next: VersionContract, service: Here): Difference[] {
  const here = stated({ ...service, of: `version ${next.name}` }, old, next);
  const [was, is] = [old.status, next.status];
  if (is === 'retired' && was !== is)
    return [difference(here, 'it is retired, and requests that name it are refused', BREAKS.refused)];
  if (was !== is) {
    const from = next.sunset === null ? '' : `, and requests that name it are refused from ${next.sunset}`;
    return [difference(here, `it is ${is}${is === 'deprecated' ? from : ''}, and was ${was}`, KEEPS.accepted)];
  }
  return [
    ...value<string | null>('its deprecation', KEEPS.words, day)(old.deprecated, next.deprecated, here),
    ...value<string | null>(
      'its sunset',
      (a, b) => (is === 'retired' ? KEEPS.unmet : sooner(a, b) ? BREAKS.refused : KEEPS.accepted),
      day,
    )(old.sunset, next.sunset, here),
  ];
}

/** Compares the lists of versions. A change of the current version is reported separately. */
export const versions: Compare<readonly VersionContract[]> = (old, next, service) => {
  const [[was], [is]] = [old, next];
  // The comparison of version schemes reports versions as a whole that are new or gone.
  if (!was || !is || was.name === null || is.name === null) return [];
  const moved = was.name !== is.name;
  const list = listed<VersionContract>({
    what: 'version',
    name: (one) => String(one.name),
    compare: becameCurrent,
    added: KEEPS.unused,
    // Requests that name it are refused as before, but with the error for an unknown version.
    removed: ({ status }) => (status === 'retired' ? BREAKS.otherwise : BREAKS.refused),
    here: versionsOf,
    order: null,
  });
  const compared = (all: typeof old, others: typeof old): VersionContract[] =>
    all.filter(({ name, status }) => !moved || status !== 'current' || others.some((one) => one.name === name));
  return list(compared(old, next), compared(next, old), versionsOf(service));
};

/**
 * The difference of the current version: requests that name the old one may be refused, and requests that name none are
 * answered in the new one. `other`: whether its answers differ.
 */
export function currentVersion(old: Contract, next: Contract, other: boolean, service: Here): Difference[] {
  const [was, is] = [old.versions[0], next.versions[0]];
  if (!was || !is || was.name === null || is.name === null || was.name === is.name) return [];
  const answers = next.versions.some(({ name, status }) => name === was.name && status !== 'retired');
  const unnamed = old.versioning?.without === 'current version' && next.versioning?.without === 'current version';
  const text = `the current version ${changed(was.name, is.name)}`;
  const here = stated(versionsOf(service), was, is);
  if (!answers) return [difference(here, `${text}, and requests that name ${was.name} are refused`, BREAKS.refused)];
  if (unnamed && other) return [difference(here, `${text}, also for requests that name none`, BREAKS.otherwise)];
  return [difference(here, text, KEEPS.accepted)];
}
