import type { BrowsersPlan, SchemePlan, TokensPlan } from '../../plan/callers.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { AnswerStep, BeforeStep, InsideStep } from '../../plan/step.ts';
import { opensToNobody, schemesAt } from '../document/access.ts';
import type { Effective } from '../document/effective.ts';
import type { Resolved } from '../document/resolve.ts';
import { settledList, withStated } from '../document/settled.ts';
import type { Scheme } from '../statements/authentication.ts';
import { originsOf } from './check-origins.ts';

/** Where credentials stand, and whose rows they are for; undefined while one of the schemes isn't settled. */
export function planSchemes(all: readonly Scheme[]): SchemePlan[] | undefined {
  const schemes = settledList(all.map((scheme) => withStated(scheme, 'header', 'credentials', 'kind')));
  return schemes && settledList(schemes.map((scheme) => planScheme(schemes, scheme)));
}

/** A scheme that says where its credentials stand, whose they are and what they are. */
type StatedScheme = Scheme & { readonly [M in 'header' | 'credentials' | 'kind']: NonNullable<Scheme[M]> };

function planScheme(schemes: readonly StatedScheme[], scheme: StatedScheme): SchemePlan | undefined {
  const { header, credentials, kind } = scheme;
  const tokens = kind.value === 'API key' ? null : planTokens(scheme, kind.value === 'OAuth 2 bearer');
  if (tokens === undefined) return undefined;
  return {
    name: scheme.name,
    header: header.value.name,
    scheme: header.value.scheme,
    resource: credentials.value.resource.text,
    scopes: (scheme.scopes ?? []).map((scope) => scope.name.text),
    kind: kind.value,
    mark: markOf(schemes, scheme),
    issuedBy: credentials.value.by,
    tokens,
  };
}

function planTokens({ tokens, credentials, scopes }: StatedScheme, oauth: boolean): TokensPlan | undefined {
  const stated = withStated(tokens, 'keys', 'lifetime', 'subject', 'algorithm', 'issuer', 'audience', 'skew');
  const { scopesIn } = tokens;
  const scopeClaim = scopes?.length ? (oauth ? ({ claim: 'scope', form: 'spaces' } as const) : scopesIn?.value) : null;
  if (!stated || scopeClaim === undefined) return undefined;
  const own = credentials.value.by.includes('steps');
  const keys = stated.keys.value;
  const lifetime = stated.lifetime.value === 'as the token says' ? null : stated.lifetime.value.milliseconds;
  const { field, claim } = stated.subject.value;
  return {
    algorithm: stated.algorithm.value,
    keys: keys === 'operator' ? keys : { url: keys.url, kept: keys.keptMilliseconds },
    issuer: stated.issuer.value,
    audience: stated.audience.value,
    lifetime: own ? lifetime : null,
    longest: own ? null : lifetime,
    skew: stated.skew.value,
    field: field.text,
    claim,
    scopes: scopeClaim,
    type: oauth ? 'at+jwt' : own ? 'JWT' : null,
    oauth,
  };
}

/** A resource's first scheme goes by the resource alone, so that its keys outlive a change of its heading. */
function markOf(schemes: readonly StatedScheme[], scheme: StatedScheme): string {
  const of = (one: StatedScheme): string => one.credentials.value.resource.text;
  const first = schemes.find((one) => of(one) === of(scheme));
  return first === scheme ? of(scheme) : `${of(scheme)}/${scheme.name}`;
}

/**
 * The step that finds out who calls an endpoint, by the schemes that its Access names; none where there are no callers,
 * undefined where no scheme has the scope.
 */
export function planAuthenticate(r: Resolved, one: Effective): BeforeStep[] | undefined {
  const { schemes } = r.model.authentication;
  if (schemes.length === 0) return [];
  const accepted = schemesAt(schemes, one);
  const [first] = accepted;
  if (!first) return undefined;
  return [
    {
      do: 'authenticate',
      schemes: accepted.map((scheme) => scheme.name),
      optional: opensToNobody(one),
      line: r.line(first.span.from),
    },
  ];
}

/** What pages of other origins are told. Null: nothing. */
export function planBrowsers(r: Resolved): BrowsersPlan | null {
  const origins = originsOf(r.model.authentication)?.value;
  if (!origins || origins === 'none') return null;
  const { allowed, credentials, keptMilliseconds, shown } = origins;
  return { origins: allowed, credentials, kept: keptMilliseconds / 1000, shown: shown.map((name) => name.text) };
}

/** The request headers that an endpoint reads by what the document states, beside those that any page may send. */
export function requestHeaders(
  r: Resolved,
  before: readonly BeforeStep[],
  inside: readonly InsideStep[],
  after: AnswerStep,
  evaluated = false,
): string[] {
  const out = before.flatMap((step) => headersOf(r, step));
  const judged = evaluated || after.conditional || [...allNested(inside)].some((step) => step.do === 'match');
  if (judged) out.push('If-Match', 'If-None-Match');
  if (evaluated) out.push('If-Unmodified-Since');
  if (isResumed(r, after)) out.push('Last-Event-ID');
  return [...new Set(out)].sort();
}

/** Whether an answer is a stream that goes on where its reader was. */
export const isResumed = (r: Resolved, { body }: AnswerStep): boolean =>
  body?.kind === 'stream' && typeof r.model.events.stream?.resumption?.value === 'object';

/** The request headers that a step reads by what the document states. */
export function headersOf(r: Resolved, step: BeforeStep): string[] {
  switch (step.do) {
    case 'authenticate':
      return r.model.authentication.schemes.flatMap(({ name, header }) =>
        header && step.schemes.includes(name) ? [header.value.name] : [],
      );
    case 'choose version':
      return r.model.versioning.header ? [r.model.versioning.header.value] : [];
    case 'read body':
      return ['Content-Type'];
    case 'claim key':
      return [step.header];
    case 'read parameters':
      return step.header.map((one) => one.name);
    case 'limit':
    case 'require scope':
    case 'negotiate':
    case 'refuse body':
    case 'validate body':
    case 'read page':
      return [];
  }
}
