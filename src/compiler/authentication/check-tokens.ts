import type { Type } from '../../expression/tree/types.ts';
import { TOKEN_BULLETS } from '../../language/authentication.ts';
import { factsOf } from '../../language/statement.ts';
import { bullet, type Finding, type Written } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import { parameterType } from '../document/parameter-types.ts';
import type { Resolved } from '../document/resolve.ts';
import { checkParameter } from '../endpoints/check/parameters.ts';
import { kindsOfParameter } from '../resources/bounds.ts';
import type { Scheme, Tokens } from '../statements/authentication.ts';
import type { Parameter } from '../statements/endpoints.ts';
import { type Resource, uniqueKeys } from '../statements/resources.ts';
import { isBasic } from './check-basic.ts';
import { authenticationDiagnostics as d } from './messages.ts';

interface TokenFact {
  readonly member: keyof Tokens;
  readonly key: string;
  readonly what: string;
  readonly write: Written;
}

/** The statements about tokens within bullets that schemes of keys have, too. */
const IN_OTHER_BULLETS: readonly TokenFact[] = [
  {
    member: 'subject',
    key: 'whose',
    what: 'claim that names the caller',
    write: bullet('Caller', 'Customer whose id is claim `sub`'),
  },
  {
    member: 'scopesIn',
    key: 'Scopes: in claim',
    what: 'claim that lists scopes',
    write: bullet('Scopes', 'in claim `scope`, separated by spaces'),
  },
];

/** The statements about tokens that a scheme of tokens owes, with their names in questions. */
const OWED: readonly TokenFact[] = [...factsOf(TOKEN_BULLETS), ...IN_OTHER_BULLETS];

/** All statements about tokens, which a scheme of keys has none of. */
const OF_TOKENS: ReadonlyArray<Pick<TokenFact, 'member' | 'key'>> = [
  ...Object.entries(TOKEN_BULLETS).map(([key, { member }]) => ({ member, key })),
  ...IN_OTHER_BULLETS,
];

/** Checks the statements about JSON Web Tokens: a token scheme needs them all, a scheme of API keys has none. */
export function checkTokens(r: Resolved, scheme: Scheme, resource: Resource | null): void {
  const { findings } = r.notes;
  const kind = scheme.kind?.value;
  if (!kind) return;
  checkIssued(r, scheme, kind);
  const holds = HOLDS[kind];
  const { header, cookie } = scheme;
  if (header && header.value.holds !== holds)
    findings.push(d.report.header(header, { found: `{${header.value.holds}}`, holds }));
  if (cookie && cookie.value.place.holds !== holds && holds !== 'credentials')
    findings.push(d.report.cookie(cookie, { found: `{${cookie.value.place.holds}}`, holds }));
  if (holds !== 'token') {
    for (const { member, key } of OF_TOKENS)
      if (scheme.tokens[member] && !(member === 'subject' && isBasic(scheme)))
        findings.push(d.report.tokensOnly(scheme.tokens[member], { key, scheme: scheme.name, kind }));
    for (const { name } of scheme.claims.slice(0, 1))
      findings.push(d.report.claimsOfKeys(name, { scheme: scheme.name, kind }));
    return;
  }
  for (const { member, what, write } of OWED)
    if (!scheme.tokens[member] && owes(scheme, member))
      findings.push(d.report.schemeUnsaid(scheme.span, { what, scheme: scheme.name }, null, write));
  checkType(r, scheme);
  checkScopes(r, scheme);
  checkClaims(r, scheme);
  checkReadClaims(r, scheme);
  checkKeys(r, scheme);
  if (resource) checkSubject(r, scheme, resource);
  const isOther = header && (header.value.name !== 'Authorization' || !isBearer(header.value.scheme));
  if (kind === 'OAuth 2 bearer' && (isOther || cookie)) findings.push(d.report.bearerHeader((header ?? cookie)!));
}

/** The placeholder of the credentials of each kind. */
const HOLDS = { 'API key': 'key', JWT: 'token', 'OAuth 2 bearer': 'token', 'HTTP Basic': 'credentials' } as const;

function checkType(r: Resolved, { kind, tokens: { type }, credentials }: Scheme): void {
  if (!type) return;
  const report = (what: string) => r.notes.findings.push(d.report.typeFixed(type, { what }));
  if (kind?.value === 'OAuth 2 bearer')
    report('“Type” has no effect: OAuth 2 access tokens have the type `at+jwt`. Remove it.');
  else if (type.value === 'any' && credentials?.value.by.includes('steps'))
    report(
      'Steps issue these tokens with one type, and the service accepts no other. Name it, or remove “Type”: it is then `JWT`.',
    );
}

const isBearer = (word: string | null): boolean => word?.toLowerCase() === 'bearer';

/** Whether a scheme must state a member. The claim of the scopes is for a JWT with scopes; OAuth 2 fixes the claim. */
function owes(scheme: Scheme, key: keyof Tokens): boolean {
  if (key === 'subject') return scheme.caller !== null;
  if (key !== 'scopesIn') return true;
  return scheme.kind?.value === 'JWT' && (scheme.scopes?.length ?? 0) > 0;
}

function checkScopes(r: Resolved, { kind, tokens, scopes }: Scheme): void {
  const { scopesIn } = tokens;
  if (!scopesIn) return;
  const report = (what: string) => r.notes.findings.push(d.report.scopesTwice(scopesIn, { what }));
  if (kind?.value === 'OAuth 2 bearer')
    report('“Scopes” has no effect: OAuth 2 access tokens list their scopes in the claim `scope`. Remove it.');
  else if (!scopes?.length)
    report('“Scopes” has no effect: no table states a scope. Remove it, or add a table of scopes.');
}

/** Checks the claims that expressions read: their types, and that each tells more than another statement does. */
function checkReadClaims(r: Resolved, scheme: Scheme): void {
  const { findings } = r.notes;
  const { claims, credentials } = scheme;
  if (claims[0] && credentials?.value.by.includes('steps')) {
    findings.push(d.report.claimsOfSteps(claims[0].name, { scheme: scheme.name }));
    return;
  }
  for (const claim of claims) {
    const { text } = claim.name;
    checkParameter(r, claim);
    for (const kind of kindsOfParameter(claim)) r.answeredKinds.add(kind);
    const fault = faultOf(r, scheme, claim);
    if (fault) findings.push(fault);
    else if (!r.untyped && !r.claimUses.has(text) && !r.isSuggested(text))
      findings.push(d.report.claimUnused(claim.name, { claim: text }));
  }
}

/** The reason why an expression cannot read a claim as it is stated; null where it can. */
function faultOf(r: Resolved, scheme: Scheme, claim: Parameter): Finding | null {
  const { name, type, presence } = claim;
  const { text } = name;
  if (REGISTERED.includes(text)) return d.report.claimTaken(name, { claim: text });
  if ([scheme.tokens.subject?.value.claim, listOfScopes(scheme)].includes(text))
    return d.report.claimStated(name, { claim: text });
  if (presence?.value === 'else') return d.report.claimElse(presence, { claim: text });
  const known = parameterType(r, claim);
  if (type && isUnfit(known)) return d.report.claimType(type, { claim: text });
  const other = r.model.authentication.schemes.flatMap((one) => one.claims).find((one) => one.name.text === text);
  if (!type || !other || other === claim || areSame(known, parameterType(r, other))) return null;
  return d.report.claimDiffers(type, { claim: text, line: `${r.line(other.name.from)}` });
}

/** Whether a value of a type cannot come from a token: rows and passwords are the service's own. */
const isUnfit = (type: Type): boolean =>
  type.kind === 'list' ? isUnfit(type.of) : ['row', 'password', 'object'].includes(type.kind);

const areSame = (a: Type, b: Type): boolean =>
  JSON.stringify({ ...a, owner: '', nullable: false }) === JSON.stringify({ ...b, owner: '', nullable: false });

/** Registered claims, which describe the token itself (RFC 7519, section 4.1). */
const REGISTERED: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** Checks that the claim of the caller and the claim of the scopes differ, and that neither is a registered claim. */
function checkClaims(r: Resolved, scheme: Scheme): void {
  const { subject, scopesIn } = scheme.tokens;
  for (const one of [subject, scopesIn])
    if (one && REGISTERED.includes(one.value.claim ?? ''))
      r.notes.findings.push(d.report.claimTaken(one, { claim: one.value.claim ?? '' }));
  const listed = listOfScopes(scheme);
  if (subject && (subject.value.claim === null || subject.value.ignoresCase))
    r.notes.findings.push(d.report.subjectClaim(subject, { field: subject.value.field.text, scheme: scheme.name }));
  if (subject && listed !== undefined && subject.value.claim === listed)
    r.notes.findings.push(d.report.claimTwice(subject, { claim: listed }));
}

/** The claim that lists the scopes of a token. */
const listOfScopes = ({ kind, scopes, tokens }: Scheme): string | undefined =>
  kind?.value === 'OAuth 2 bearer' && scopes?.length ? 'scope' : tokens.scopesIn?.value.claim;

/** Whether the service keeps a hash of issued credentials; null for those that nobody issues. */
const KEPT = { 'API key': true, JWT: false, 'OAuth 2 bearer': false, 'HTTP Basic': null } as const;

function checkIssued(r: Resolved, scheme: Scheme, kind: NonNullable<Scheme['kind']>['value']): void {
  const takes = kind === 'API key' ? ['operator', 'steps'] : kind === 'JWT' ? ['steps', 'issuer'] : ['issuer'];
  const { credentials } = scheme;
  if (credentials && credentials.value.kept !== KEPT[kind])
    r.notes.findings.push(d.report.keptForm(credentials, { kind, resource: credentials.value.resource.text }));
  if (isBasic(scheme)) return;
  if (credentials?.value.by.includes('steps') && !r.once(issuedBySteps).has(scheme.name) && !r.isSuggested(scheme.name))
    r.notes.findings.push(d.report.neverIssued(credentials, { scheme: scheme.name }));
  for (const by of credentials?.value.by ?? [])
    if (!takes.includes(by)) {
      const who = by === 'steps' ? by : `the ${by}`;
      const kinds = kind === 'API key' ? 'API keys' : kind === 'JWT' ? 'JSON Web Tokens' : 'OAuth 2 access tokens';
      r.notes.findings.push(d.report.issuedByNobody(credentials, { kind: kinds, by: who }));
    }
}

/** The schemes whose credentials some step issues. */
const issuedBySteps = (r: Resolved): ReadonlySet<string> =>
  new Set(r.effective.flatMap((one) => one.every.flatMap((step) => (step.verb === 'Issue' ? [step.scheme.text] : []))));

/** Checks that the keys fit the algorithm and the issuer, and that the form of the lifetime fits the issuer. */
function checkKeys(r: Resolved, { tokens, credentials }: Scheme): void {
  const { keys, algorithm, lifetime } = tokens;
  const bySteps = credentials?.value.by.includes('steps') ?? false;
  const published = keys !== null && keys.value !== 'operator';
  const report = (at: Located<unknown> | Span, what: string, write: Written) =>
    r.notes.findings.push(d.report.keysOfIssuer(at, { what }, null, write));
  if (published && bySteps)
    report(
      keys,
      'Steps sign these tokens, so the operator has to give their keys: published keys cannot sign.',
      bullet('Keys', 'given by the operator'),
    );
  if (published && algorithm?.value.startsWith('HS'))
    report(
      algorithm,
      `${algorithm.value} signs with a shared secret, and the keys here are published. Use ES256, RS256 or another algorithm with a key pair.`,
      bullet('Algorithm', 'ES256'),
    );
  if (!lifetime || !credentials) return;
  const exact = lifetime.value !== 'as the token says' && !lifetime.value.most;
  if (exact !== bySteps) r.notes.findings.push(d.report.lifetimeForm(lifetime, { by: bySteps ? 'steps' : 'issuer' }));
}

/** Checks that the field by which a token names the caller is unique, and is a string or an integer. */
function checkSubject(r: Resolved, { tokens }: Scheme, resource: Resource): void {
  const name = tokens.subject?.value.field;
  const field = name && r.field(resource, name);
  if (!field) return;
  const keys = uniqueKeys(resource).filter((key) => key.length === 1);
  const kind = field.type?.value.kind;
  if (keys.some(([key]) => key === field.name.text) && (kind === 'string' || kind === 'integer')) return;
  const params = { resource: resource.name.text, field: field.name.text, write: keys[0]?.[0] ?? 'id' };
  r.notes.findings.push(d.report.subjectUnique(name, params));
}
