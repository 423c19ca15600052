import type { Value } from '../../expression/values/value.ts';
import { credential, schemeOnly } from '../../http/bearer.ts';
import { challengedScopes, type NeededScopes } from '../../plan/callers.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { BeforeStep, EndpointPlan, SchemePlan } from '../../plan/step.ts';
import type { Claims } from '../setup/setup.ts';
import { byCondition, type Refusal, Unknown } from './refusal.ts';
import type { Run } from './run.ts';
import type { OracleCaller } from './scope.ts';
import type { KnownCredentials, State } from './state.ts';

type Authenticate = Extract<BeforeStep, { do: 'authenticate' }>;

/** Whether the row of some credentials may call: by the condition of its scheme, and by its own `Visible`. */
type Calls = (caller: OracleCaller) => boolean;

/** The typed claims of a token; null where the document does not allow one. */
type ClaimsOf = (scheme: SchemePlan, told: Claims) => OracleCaller['claims'] | null;

/** The caller of a request, null for an anonymous request, or the reason for its refusal. */
export function authenticated(
  state: State,
  step: Authenticate,
  endpoint: EndpointPlan,
  sent: (name: string) => string | undefined,
  now: number,
  claimsOf: ClaimsOf,
  calls: Calls,
): OracleCaller | null | Refusal {
  const schemes = step.schemes.map((name) => named(state.plan.schemes, name));
  const headers = [...new Set(schemes.map(({ header }) => header.toLowerCase()))].filter(
    (name) => sent(name) !== undefined,
  );
  const key = statementId.endpoint(endpoint.name, 'access');
  if (headers.length > 1) return refusal('credentials not accepted', schemes, true, key);
  const [name] = headers;
  if (name === undefined) return step.optional ? null : refusal('credentials missing', schemes, false, key);
  const text = sent(name) ?? '';
  let bare = false;
  let expired = false;
  for (const scheme of schemes) {
    if (scheme.header.toLowerCase() !== name) continue;
    const own = scheme.scheme === null ? text : credential(text, { scheme: scheme.scheme });
    if (own === null) {
      bare ||= scheme.scheme !== null && schemeOnly(text, { scheme: scheme.scheme });
      continue;
    }
    const caller = callerOf(state, scheme, own, now, claimsOf, calls);
    if (caller === 'expired') expired = true;
    else if (caller) return caller;
    bare = false;
  }
  if (bare && !step.optional) return refusal('credentials missing', schemes, false, key);
  return refusal(expired ? 'credentials expired' : 'credentials not accepted', schemes, true, key);
}

/** The trace of good credentials that are refused after another word than that of their scheme. */
export function underAnotherWord(
  state: State,
  step: Authenticate,
  sent: (name: string) => string | undefined,
): Array<readonly [statement: StatementId, what: string]> {
  return step.schemes.flatMap((name) => {
    const { scheme: own, header } = named(state.plan.schemes, name);
    const [, word = '', text = ''] = /^(\S+) +(.*)$/.exec(sent(header) ?? '') ?? [];
    const known = state.credentials.get(text);
    const isGood = known !== undefined && known.scheme === name && !known.revoked;
    if (own === null || !isGood || word.toLowerCase() === own.toLowerCase()) return [];
    const key = statementId.scheme(name, 'header');
    return [[key, 'refused after another word'] as const, [key, `refused after ${word.toLowerCase()}`] as const];
  });
}

/** Instants in tokens are whole seconds in most services (NumericDate, RFC 7519, section 2). */
export const TOKEN_UNIT_MS = 1000;

function callerOf(
  state: State,
  scheme: SchemePlan,
  text: string,
  now: number,
  claimsOf: ClaimsOf,
  calls: Calls,
): OracleCaller | 'expired' | null {
  const known = state.credentials.get(text);
  if (!known || known.revoked || known.scheme !== scheme.name) return null;
  const row = state.rows.byIdentity(known.resource, known.identity);
  const claims = row && claimsOf(scheme, known.claims);
  if (!row || !claims) return null;
  const caller: OracleCaller = { row, scopes: known.scopes, claims, scheme: scheme.name, credentials: text };
  // A row that is hidden from itself, or past the condition of its scheme, is no caller, even with valid credentials.
  if (!calls(caller)) return null;
  if (known.expiresAt !== null && now >= known.expiresAt) return 'expired';
  if (known.expiresAt !== null && now > known.expiresAt - TOKEN_UNIT_MS)
    throw new Unknown('A token may tell in whole seconds when it is over.');
  return caller;
}

/**
 * A refusal with status 401: it has a challenge for each scheme (RFC 9110, section 11.6.1), and an error where a token
 * was sent (RFC 6750, section 3.1).
 */
function refusal(
  condition: 'credentials missing' | 'credentials not accepted' | 'credentials expired',
  schemes: readonly SchemePlan[],
  sent: boolean,
  statement: StatementId,
): Refusal {
  const challenges = schemes.map(({ scheme, header }) => {
    const word = scheme ?? header;
    return sent && word.toLowerCase() === 'bearer' ? `${word} error="invalid_token"` : word;
  });
  return byCondition(condition, { headers: [['WWW-Authenticate', [...new Set(challenges)].join(', ')]], statement });
}

/** The refusal of a caller whose credentials lack the scope that an endpoint needs (RFC 6750, section 3.1). */
export function scopeMissing(
  state: State,
  caller: OracleCaller | null,
  needed: NeededScopes,
  statement: StatementId,
): Refusal {
  const scheme = caller && named(state.plan.schemes, caller.scheme);
  const challenge = scheme?.tokens?.oauth
    ? `${scheme.scheme} error="insufficient_scope", scope="${challengedScopes(needed, scheme)}"`
    : null;
  return byCondition('scope missing', { headers: challenge ? [['WWW-Authenticate', challenge]] : [], statement });
}

/** Registers the credentials that the steps have issued, and marks those that they have revoked. */
export function handOut(state: State, run: Run, caller: OracleCaller | null, now: number): void {
  for (const { scheme, of } of run.revoked)
    for (const [text, known] of state.credentials) {
      const own = of === null ? text === caller?.credentials : known.scheme === scheme && known.identity === of;
      if (own) state.credentials.set(text, { ...known, revoked: true });
    }
  for (const { scheme: name, mark, to, scopes } of run.issued) {
    const scheme = state.plan.schemes.find((one) => one.name === name);
    if (!scheme) continue;
    const lifetime = scheme.tokens?.lifetime ?? null;
    const expiresAt = lifetime === null ? null : now + lifetime + (scheme.tokens?.skew ?? 0);
    const identity = scheme.tokens ? (identityBy(run, scheme.resource, scheme.tokens.field, to) ?? to) : to;
    const made: KnownCredentials = {
      scheme: name,
      resource: scheme.resource,
      identity,
      scopes,
      claims: {},
      revoked: false,
      expiresAt,
      issued: true,
    };
    state.credentials.set(mark, made);
  }
}

/** The identity of the row that a token names by another field. */
function identityBy(run: Run, resource: string, field: string, value: Value): Value | null {
  const { rows } = run.work;
  const row = rows.byIdentity(resource, value) ?? rows.all(resource).find((one) => one.get(field) === value);
  return row ? rows.identity(row) : null;
}
