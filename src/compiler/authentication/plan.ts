import type { Cookie } from '../../language/authentication.ts';
import type { BrowsersPlan, SchemePlan, TokensPlan } from '../../plan/callers.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { AnswerStep, BeforeStep, InsideStep, PreconditionsKind } from '../../plan/step.ts';
import { cookiesSet, opensToNobody, schemesAt } from '../document/access.ts';
import type { Effective } from '../document/effective.ts';
import type { Resolved } from '../document/resolve.ts';
import { settledList, withStated } from '../document/settled.ts';
import { planArgument } from '../resources/plan-parameters.ts';
import type { Scheme, Tokens } from '../statements/authentication.ts';
import { isBasic, planBasic } from './check-basic.ts';
import { originsOf } from './check-origins.ts';

/** The plans of all schemes; undefined while one of the schemes isn't settled. */
export function planSchemes(r: Resolved): SchemePlan[] | undefined {
  const all = r.model.authentication.schemes;
  const schemes = settledList(all.map((scheme) => carried(withStated(scheme, 'credentials', 'kind'))));
  return schemes && settledList(schemes.map((scheme) => planScheme(r, schemes, scheme)));
}

/** A scheme that states its credentials and its kind. */
type StatedScheme = Scheme & { readonly [M in 'credentials' | 'kind']: NonNullable<Scheme[M]> };

/** The scheme, if it states what carries its credentials: a header, or a cookie and which origins may write with it. */
const carried = (scheme: StatedScheme | undefined): StatedScheme | undefined =>
  scheme && (scheme.cookie ? isWhole(scheme.cookie.value) && scheme.crossOrigin : scheme.header) ? scheme : undefined;

/** Whether a cookie states all attributes. */
const isWhole = ({ hidden, sameSite, ageMilliseconds, removed }: Cookie): boolean =>
  hidden && [sameSite, ageMilliseconds, removed].every((one) => one !== null);

function planScheme(r: Resolved, schemes: readonly StatedScheme[], scheme: StatedScheme): SchemePlan | undefined {
  const { credentials, kind } = scheme;
  const condition = scheme.condition && r.expr(scheme.condition);
  const isOfTokens = kind.value === 'JWT' || kind.value === 'OAuth 2 bearer';
  const tokens = isOfTokens ? planTokens(r, scheme, kind.value === 'OAuth 2 bearer') : null;
  const basic = isBasic(scheme) ? planBasic(r, scheme) : null;
  if (tokens === undefined || basic === undefined || condition === undefined) return undefined;
  return {
    name: scheme.name,
    ...planCarrier(scheme),
    resource: credentials.value.resource.text,
    while: condition,
    scopes: (scheme.scopes ?? []).map((scope) => scope.name.text),
    kind: kind.value,
    mark: markOf(schemes, scheme),
    issuedBy: credentials.value.by,
    tokens,
    ...(basic && { basic }),
  };
}

/** The place of the credentials in a request. */
function planCarrier({ header, cookie, crossOrigin }: StatedScheme): Pick<SchemePlan, 'header' | 'scheme' | 'cookie'> {
  if (!cookie) return { header: header!.value.name, scheme: header!.value.scheme };
  const { place, sameSite, ageMilliseconds, removed } = cookie.value;
  const maxAge = ageMilliseconds ? ageMilliseconds / 1000 : null;
  const plan = { name: place.name, sameSite: sameSite!, maxAge, removed: removed!, origins: crossOrigin!.value };
  return { header: 'Cookie', scheme: null, cookie: plan };
}

function planTokens(r: Resolved, scheme: StatedScheme, oauth: boolean): TokensPlan | undefined {
  const { tokens, credentials, scopes } = scheme;
  const stated = withStated(tokens, 'keys', 'lifetime', 'subject', 'algorithm', 'issuer', 'audience', 'skew');
  const { scopesIn } = tokens;
  const scopeClaim = scopes?.length ? (oauth ? ({ claim: 'scope', form: 'spaces' } as const) : scopesIn?.value) : null;
  const claims = settledList(scheme.claims.map((claim) => planArgument(r, claim)));
  const { field, claim = null } = stated?.subject.value ?? {};
  if (!stated || !claims || scopeClaim === undefined || !field || claim === null) return undefined;
  const own = credentials.value.by.includes('steps');
  const keys = stated.keys.value;
  const lifetime = stated.lifetime.value === 'as the token says' ? null : stated.lifetime.value.milliseconds;
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
    claims,
    type: oauth ? 'at+jwt' : typeOf(tokens, own),
    oauth,
  };
}

/** The type of the tokens of a JWT scheme; null where any is accepted. */
const typeOf = ({ type }: Tokens, own: boolean): string | null =>
  type && type.value !== 'any' ? type.value : own ? 'JWT' : null;

/** The mark of a resource's first scheme is the resource alone, so that keys stay valid when its heading changes. */
function markOf(schemes: readonly StatedScheme[], scheme: StatedScheme): string {
  const of = (one: StatedScheme): string => one.credentials.value.resource.text;
  const first = schemes.find((one) => of(one) === of(scheme) && !isBasic(one));
  return first === scheme ? of(scheme) : `${of(scheme)}/${scheme.name}`;
}

/**
 * The step that authenticates the requests of an endpoint by the schemes that its Access names. Empty: the document has
 * no schemes; undefined: no scheme fits the Access.
 */
export function planAuthenticate(r: Resolved, one: Effective): BeforeStep[] | undefined {
  const { schemes } = r.model.authentication;
  if (schemes.length === 0) return [];
  const accepted = schemesAt(schemes, one);
  const [first] = accepted;
  if (!first) return undefined;
  const sets = cookiesSet(schemes, one);
  return [
    {
      do: 'authenticate',
      schemes: accepted.map((scheme) => scheme.name),
      optional: opensToNobody(one),
      ...(sets.length ? { sets } : {}),
      line: r.line(first.span.from),
    },
  ];
}

/** The plan of CORS. Null: answers carry no CORS headers. */
export function planBrowsers(r: Resolved): BrowsersPlan | null {
  const origins = originsOf(r.model.authentication)?.value;
  if (!origins || origins === 'none') return null;
  const { allowed, credentials, keptMilliseconds, shown } = origins;
  return { origins: allowed, credentials, kept: keptMilliseconds / 1000, shown: shown.map((name) => name.text) };
}

/** The request headers that an endpoint reads because of statements of the document. */
export function requestHeaders(
  r: Resolved,
  before: readonly BeforeStep[],
  inside: readonly InsideStep[],
  answers: readonly AnswerStep[],
  preconditions?: PreconditionsKind,
): string[] {
  const out = before.flatMap((step) => headersOf(r, step));
  const evaluated = preconditions === 'evaluated';
  const judged =
    evaluated ||
    preconditions === 'required' ||
    answers.some(({ conditional }) => conditional) ||
    [...allNested(inside)].some((step) => step.do === 'match');
  if (judged) out.push('If-Match', 'If-None-Match');
  if (evaluated) out.push('If-Unmodified-Since');
  if (answers.some((answer) => isResumed(r, answer))) out.push('Last-Event-ID');
  for (const { body, conditional } of answers)
    if (body?.kind === 'file' && body.ranges === 'served') out.push('Range', ...(conditional ? ['If-Range'] : []));
  // Browsers send cookies by themselves, and no script may name them (Fetch Standard, forbidden request-headers).
  return [...new Set(out)].filter((name) => name !== 'Cookie').sort();
}

/** Whether an answer is a stream that a client can resume after the last event that it received. */
export const isResumed = (r: Resolved, { body }: AnswerStep): boolean =>
  body?.kind === 'stream' && typeof r.model.events.stream?.resumption?.value === 'object';

/** The request headers that a step reads because of statements of the document. */
export function headersOf(r: Resolved, step: BeforeStep): string[] {
  switch (step.do) {
    case 'authenticate':
      return r.model.authentication.schemes.flatMap(({ name, header, cookie }) =>
        step.schemes.includes(name) ? (header ? [header.value.name] : cookie ? ['Cookie'] : []) : [],
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
    case 'check sunset':
    case 'negotiate':
    case 'refuse body':
    case 'validate body':
    case 'read page':
      return [];
  }
}
