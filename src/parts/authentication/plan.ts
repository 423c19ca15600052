import type { Resolved } from '../../model/resolve.ts';
import type { BrowsersPlan, SchemePlan, TokensPlan } from '../../plan/callers.ts';
import { everyInside } from '../../plan/inside.ts';
import type { AnswerStep, BeforeStep, InsideStep } from '../../plan/step.ts';
import type { Effective } from '../endpoints/effective.ts';
import { opensToNobody, schemesAt } from './access.ts';
import { originsOf } from './checkorigins.ts';
import type { Scheme } from './model.ts';

/** Where credentials stand, and whose rows they are for. */
export function planSchemes(r: Resolved): SchemePlan[] {
  return r.model.authentication.schemes.map((scheme) => ({
    name: scheme.name,
    header: scheme.header!.value.name,
    scheme: scheme.header!.value.scheme,
    resource: scheme.credentials!.value.resource.text,
    scopes: (scheme.scopes ?? []).map((scope) => scope.name.text),
    kind: scheme.kind!.value,
    mark: markOf(r.model.authentication.schemes, scheme),
    issuedBy: scheme.credentials!.value.by,
    tokens: planTokens(scheme),
  }));
}

function planTokens({ kind, tokens, credentials, scopes }: Scheme): TokensPlan | null {
  if (kind!.value === 'API key') return null;
  const oauth = kind!.value === 'OAuth 2 bearer';
  const own = credentials!.value.by.includes('steps');
  const keys = tokens.keys!.value;
  const lifetime = tokens.lifetime!.value === 'as the token says' ? null : tokens.lifetime!.value.milliseconds;
  const { field, claim } = tokens.subject!.value;
  return {
    algorithm: tokens.algorithm!.value,
    keys: keys === 'operator' ? keys : { url: keys.url, kept: keys.keptMilliseconds },
    issuer: tokens.issuer!.value,
    audience: tokens.audience!.value,
    lifetime: own ? lifetime : null,
    longest: own ? null : lifetime,
    skew: tokens.skew!.value,
    field: field.text,
    claim,
    scopes: scopes?.length ? (oauth ? { claim: 'scope', form: 'spaces' } : tokens.scopesIn!.value) : null,
    type: oauth ? 'at+jwt' : own ? 'JWT' : null,
    oauth,
  };
}

/** A resource's first scheme goes by the resource alone, so that its keys outlive a change of its heading. */
function markOf(schemes: readonly Scheme[], scheme: Scheme): string {
  const of = (one: Scheme): string => one.credentials!.value.resource.text;
  const first = schemes.find((one) => of(one) === of(scheme));
  return first === scheme ? of(scheme) : `${of(scheme)}/${scheme.name}`;
}

/** The step that finds out who calls an endpoint, by the schemes that its Access names; none where there are no callers. */
export function planAuthenticate(r: Resolved, one: Effective, line: (offset: number) => number): BeforeStep[] {
  const { schemes } = r.model.authentication;
  if (schemes.length === 0) return [];
  const taken = schemesAt(schemes, one);
  return [
    {
      do: 'authenticate',
      schemes: taken.map((scheme) => scheme.name),
      optional: opensToNobody(one),
      line: line(taken[0]!.span.from),
    },
  ];
}

/** What pages of other origins are told. Null: nothing. */
export function planBrowsers(r: Resolved): BrowsersPlan | null {
  const origins = originsOf(r.model.authentication)?.value;
  if (!origins || origins === 'none') return null;
  const { from, credentials, keptMilliseconds, shown } = origins;
  return { origins: from, credentials, kept: keptMilliseconds / 1000, shown: shown.map((name) => name.text) };
}

/** The request headers that an endpoint reads by what the document states, beside those that any page may send. */
export function requestHeaders(
  r: Resolved,
  before: readonly BeforeStep[],
  inside: readonly InsideStep[],
  after: AnswerStep,
): string[] {
  const out = before.flatMap((step) => headersOf(r, step));
  if ([...everyInside(inside)].some((step) => step.do === 'match') || after.conditional) out.push('If-Match');
  if (after.conditional) out.push('If-None-Match');
  return [...new Set(out)].sort();
}

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
