import * as t from '../../expression/tree/types.ts';
import type { Access } from '../../language/endpoints.ts';
import { hasNeeded, isSafe, type NeededScopes } from '../../plan/callers.ts';
import { addTo } from '../../text/lists.ts';
import type { Scheme } from '../statements/authentication.ts';
import { reachedBy } from './anonymous-reach.ts';
import type { Effective } from './effective.ts';
import { parameterType } from './parameter-types.ts';
import { clearedBy } from './removal-effects.ts';
import type { Resolved } from './resolve.ts';
import { writesOf } from './writes.ts';

/** Whether an endpoint accepts anonymous requests (`Access: anyone`). */
export function opensToNobody(one: Effective): boolean {
  return one.settings.access?.value.kind === 'anyone';
}

/** Whether the document has no schemes, and so no callers. */
export const hasNoCallers = ({ model: { authentication } }: Resolved): boolean => authentication.schemes.length === 0;

/** The endpoints that accept anonymous requests. */
export const openEndpoints = (r: Resolved): readonly Effective[] => r.effective.filter(opensToNobody);

/** Whether descriptions show an endpoint to some callers alone. */
export function hasAudience({ settings: { audience } }: Effective): boolean {
  return audience !== null && audience.value !== 'none' && audience.value.kind !== 'anyone';
}

/** The schemes whose credentials an endpoint takes, by its Access. */
export const schemesAt = (schemes: readonly Scheme[], { settings }: Effective): readonly Scheme[] =>
  schemesOf(schemes, settings.access?.value);

/** The schemes whose credentials fit an Access. */
export function schemesOf(schemes: readonly Scheme[], access: Access | undefined): readonly Scheme[] {
  if (access?.kind === 'scope') {
    const needed = neededScopes(access);
    return schemes.filter((scheme) => hasNeeded(needed, (scope) => hasScope(scheme, scope)));
  }
  if (access?.kind === 'any')
    return schemes.filter(({ caller }) => access.names.some((name) => name.text === caller?.text));
  return schemes;
}

/** The schemes whose cookie the steps of an endpoint set. */
export function cookiesSet(schemes: readonly Scheme[], { every }: Effective): string[] {
  const issued = new Set(every.flatMap((step) => (step.verb === 'Issue' ? [step.scheme.text] : [])));
  return schemes.flatMap(({ name, cookie }) => (cookie && issued.has(name) ? [name] : []));
}

/**
 * Whether requests at an endpoint have to prove their origin: credentials that browsers send by themselves make them act
 * for somebody, or they set a cookie.
 */
export function checksOrigin({ model: { authentication } }: Resolved, one: Effective): boolean {
  const { schemes } = authentication;
  const sent = schemesAt(schemes, one).some(({ cookie, kind }) => cookie || kind?.value === 'HTTP Basic');
  return !isSafe(one.endpoint.method) && (sent || cookiesSet(schemes, one).length > 0);
}

/** The scopes of an Access that needs some. */
export const neededScopes = ({ names, all }: Access): NeededScopes => ({ scopes: names.map(({ text }) => text), all });

export function hasScope(scheme: Scheme, name: string): boolean {
  return (scheme.scopes ?? []).some((scope) => scope.name.text === name);
}

/**
 * The types of `caller` and `scopes` in what runs at some endpoints. Where callers may be rows of several resources,
 * `caller` has a member for each, such as `caller.Customer`, and all but one of them are null.
 */
function callerNames(
  r: Resolved,
  where: readonly Effective[],
  nobody = where.some(opensToNobody),
): Map<string, t.Type> {
  const { schemes } = r.model.authentication;
  const names = new Map<string, t.Type>();
  if (schemes.length === 0) return names;
  const accepted = new Set(where.flatMap((one) => schemesAt(schemes, one)));
  // An Access that fits no scheme has a finding of its own: the caller is unknown, which causes no further findings.
  const unknown = where.length > 0 && accepted.size === 0;
  const type = unknown ? t.UNKNOWN : callerType(r, accepted.size ? [...accepted] : schemes, nobody);
  names.set('caller', type);
  r.callersAt.set(type, where);
  const oneOf = schemes.flatMap((scheme) => (scheme.scopes ?? []).map((scope) => scope.name.text));
  names.set('scopes', { kind: 'list', of: { ...t.STRING, oneOf, owner: 'a scope' }, nullable: false });
  const claims = claimTypes(r, accepted.size ? [...accepted] : schemes, nobody);
  if (claims) names.set('claims', claims);
  return names;
}

/**
 * The type of `claims`: a member for each claim of the schemes. It may be null where a request may come with other
 * credentials, or with none.
 */
function claimTypes(r: Resolved, schemes: readonly Scheme[], nobody: boolean): t.ObjectType | null {
  const all = schemes.flatMap((scheme) => scheme.claims);
  if (all.length === 0) return null;
  const isEverywhere = (name: string): boolean =>
    schemes.every((scheme) => scheme.claims.some((one) => one.name.text === name));
  const members = all.map((claim) => {
    const { text } = claim.name;
    const typed = parameterType(r, claim);
    const type: t.Type = typed.kind === 'string' && typed.owner ? { ...typed, owner: `claims.${text}` } : typed;
    return [text, t.nullable(type, type.nullable || nobody || !isEverywhere(text))] as const;
  });
  return { kind: 'object', members: Object.fromEntries(members), ofToken: true, nullable: false };
}

/** The types of `caller` and `scopes` in the steps of an endpoint: of callers of two resources, one is there. */
export function callerAt(r: Resolved, one: Effective): Map<string, t.Type> {
  const names = callerNames(r, [one]);
  const caller = names.get('caller');
  const all = caller?.kind === 'object' && !opensToNobody(one) ? Object.entries(caller.members) : [];
  if (caller?.kind !== 'object' || all.length !== 2) return names;
  const beside = (name: string): string => `caller.${all.find(([other]) => other !== name)?.[0]}`;
  const members = Object.fromEntries(all.map(([name, of]) => [name, { ...of, otherwise: beside(name) }]));
  const type: t.Type = { ...caller, members };
  r.callersAt.set(type, [one]);
  return names.set('caller', type);
}

function callerType(r: Resolved, schemes: readonly Scheme[], nullable: boolean): t.Type {
  const settled = (scheme: Scheme): string | null => {
    const caller = scheme.caller?.text;
    const issued = scheme.credentials?.value.resource.text ?? caller;
    return caller && caller === issued && r.rows.has(caller) ? caller : null;
  };
  const callers = new Set(schemes.map(settled));
  const resources = [...callers].filter((resource) => resource !== null);
  const row = (resource: string, maybe: boolean): t.Type => ({ kind: 'row', resource, nullable: maybe });
  if (resources.length < callers.size) return t.UNKNOWN;
  const [only = '', ...others] = resources;
  if (others.length === 0) return row(only, nullable);
  const members = Object.fromEntries(resources.map((resource) => [resource, row(resource, true)]));
  return { kind: 'object', members, nullable: false };
}

/**
 * The types of `caller` and `scopes` where the requests of callers are counted. `only`: the resource whose callers alone
 * are counted; null for all callers.
 */
export function callerCounted(
  r: Resolved,
  where: readonly Effective[],
  only: string | null,
): ReadonlyMap<string, t.Type> {
  const names = callerNames(r, where, false);
  const caller = names.get('caller');
  if (caller?.kind !== 'object' || only === null) return names;
  const own = caller.members[only];
  if (!own) return names;
  return names.set('caller', { ...caller, members: { ...caller.members, [only]: t.nullable(own, false) } });
}

/** The types of `caller` and `scopes` for the readers of streams at some endpoints. */
export const callerOfStreams = (r: Resolved, where: readonly Effective[]): Map<string, t.Type> => callerNames(r, where);

/** The types of `caller` and `scopes` in expressions that hold at every endpoint, such as `Visible`. */
export const callerAnywhere = (r: Resolved): ReadonlyMap<string, t.Type> => callerNames(r, r.effective);

/**
 * The types of `caller` and `scopes` in the `Visible` and the derived fields of a resource. `caller` may be null, but
 * can be read where no anonymous request reaches rows of the resource.
 */
export function callerOfRows(r: Resolved, resource: string): ReadonlyMap<string, t.Type> {
  const names = r.once(callerAnywhere);
  const caller = names.get('caller');
  const reaching = r.once(anonymousReach).filter(({ reached }) => reached.has(resource));
  if (reaching.length > 0 || !caller || r.once(openEndpoints).length === 0) return names;
  const claims = claimTypes(r, r.model.authentication.schemes, false);
  const sure = new Map(names);
  if (claims) sure.set('claims', claims);
  if (caller.kind === 'row') sure.set('caller', { ...caller, unreached: true });
  return sure;
}

/** The endpoints for anyone, with the resources that they reach. */
const anonymousReach = (r: Resolved) =>
  r.once(openEndpoints).map((one) => ({ name: one.endpoint.name, reached: reachedBy(r, one) }));

/** The types of `caller` and `scopes` at the endpoints that create rows of the resource, or that write them later. */
export function callerAsWritten(r: Resolved, resource: string, moment: string): Map<string, t.Type> {
  const { created, written } = r.once(writers);
  return callerNames(r, (moment === 'create' ? created : written).get(resource) ?? []);
}

type Writers = ReadonlyMap<string, readonly Effective[]>;

/** For each resource, the endpoints that create its rows, and the endpoints that write existing rows. */
function writers(r: Resolved): { created: Writers; written: Writers } {
  const created = new Map<string, Effective[]>();
  const written = new Map<string, Effective[]>();
  for (const one of r.effective)
    for (const { does, resource } of writesOf(one.steps)) {
      if (resource === null) continue;
      const to = does === 'Create' ? created : written;
      // Removing a row also writes the rows whose references to it are cleared.
      for (const name of [resource, ...clearedBy(r, does, resource).keys()]) addTo(to, name, one);
    }
  return { created, written };
}
