import type { Value } from '../../expression/values/value.ts';
import { beginsWith, credential, schemeOnly } from '../../http/bearer.ts';
import { cookieIn, isFromOrigin, isWithoutOrigin } from '../../http/cookies.ts';
import {
  ambientOrigins,
  type CookiePlan,
  challengedScopes,
  challengesOf,
  isSafe,
  type NeededScopes,
  setCookie,
} from '../../plan/callers.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { BeforeStep, EndpointPlan, SchemePlan } from '../../plan/step.ts';
import type { Claims } from '../setup/setup.ts';
import { byCondition, type Refusal, Unknown } from './refusal.ts';
import type { Run } from './run.ts';
import { note, type OracleCaller } from './scope.ts';
import type { KnownCredentials, State } from './state.ts';
import { rowOfUser } from './user-names.ts';

type Authenticate = Extract<BeforeStep, { do: 'authenticate' }>;

/** Whether the row of some credentials may call: by the condition of its scheme, and by its own `Visible`. */
type Calls = (caller: OracleCaller) => boolean;

/** The typed claims of a token; null where the document does not allow one. */
type ClaimsOf = (scheme: SchemePlan, told: Claims) => OracleCaller['claims'] | null;

/** Notes what a request shows of a statement. */
type Noted = (statement: StatementId, what: string) => void;

/** The caller of a request, null for an anonymous request, or the reason for its refusal. */
export function authenticated(
  state: State,
  step: Authenticate,
  endpoint: EndpointPlan,
  sent: (name: string) => string | undefined,
  now: number,
  claimsOf: ClaimsOf,
  calls: Calls,
  noted: Noted,
): OracleCaller | null | Refusal {
  const schemes = step.schemes.map((name) => named(state.plan.schemes, name));
  const carried = [...new Map(schemes.map((one) => [placeOf(one), one])).values()].filter(
    (one) => carriedBy(one, sent) !== undefined,
  );
  const key = statementId.endpoint(endpoint.name, 'access');
  if (carried.length > 1) return refusal('credentials not accepted', schemes, true, key);
  const [by] = carried;
  if (by === undefined) return step.optional ? null : refusal('credentials missing', schemes, false, key);
  const text = carriedBy(by, sent) ?? '';
  let bare = false;
  let expired = false;
  /** The statement by which the credentials of HTTP Basic are refused. */
  let decides: StatementId | null = null;
  const deciding: Noted = (statement, what) => {
    decides = statement;
    noted(statement, what);
  };
  for (const scheme of schemes) {
    if (placeOf(scheme) !== placeOf(by)) continue;
    const own = scheme.scheme === null ? text : credential(text, { scheme: scheme.scheme });
    if (own === null) {
      bare ||= scheme.scheme !== null && schemeOnly(text, { scheme: scheme.scheme });
      continue;
    }
    const caller = scheme.basic
      ? userOf(state, scheme, own, calls, deciding)
      : callerOf(state, scheme, own, now, claimsOf, calls);
    if (caller === 'expired') expired = true;
    else if (caller) return caller;
    bare = false;
  }
  if (bare && !step.optional) return refusal('credentials missing', schemes, false, key);
  return refusal(
    expired ? 'credentials expired' : 'credentials not accepted',
    schemes,
    true,
    decides ?? key,
    by.cookie,
  );
}

/** The place of a scheme's credentials in a request: a header, or a cookie. */
const placeOf = ({ header, cookie }: SchemePlan): string => (cookie ? `cookie ${cookie.name}` : header.toLowerCase());

/** The credentials of a scheme in a request: a cookie that is sent twice is none that anybody has. */
function carriedBy({ header, cookie }: SchemePlan, sent: (name: string) => string | undefined): string | undefined {
  const text = sent(header);
  if (!cookie || text === undefined) return text;
  const value = cookieIn(text, cookie.name);
  return value === null ? '' : value;
}

/** The kind of the statement that says where the credentials of a scheme are. */
export const carrierOf = ({ cookie }: SchemePlan): 'cookie' | 'header' => (cookie ? 'cookie' : 'header');

/**
 * The refusal of a request by an unsafe method that carries a cookie, or is answered with one, and does not come from an
 * accepted origin; null for any other request. `own`: the origin of the service.
 */
export function foreign(
  state: State,
  { schemes, sets = [] }: Authenticate,
  { name, method }: EndpointPlan,
  sent: (name: string) => string | undefined,
  own: string | null,
  note: Noted,
): Refusal | null {
  if (isSafe(method)) return null;
  for (const one of state.plan.schemes) {
    const isCarried = schemes.includes(one.name) && carriedBy(one, sent) !== undefined;
    const origins = ambientOrigins(one);
    if (!origins || !(isCarried || sets.includes(one.name))) continue;
    const statement = statementId.scheme(one.name, 'crossOrigin');
    if (one.basic) {
      if (!beginsWith(carriedBy(one, sent) ?? '', one.scheme ?? '')) continue;
      if (isWithoutOrigin((field) => sent(field))) {
        note(statement, 'no page');
        continue;
      }
    }
    const isOwn = isFromOrigin((field) => sent(field), own, []);
    if (isOwn) note(statement, sent('origin') === undefined ? 'own by Sec-Fetch-Site' : 'own');
    else if (isFromOrigin((field) => sent(field), own, origins)) note(statement, `from “${sent('origin')}”`);
    else {
      note(statement, sent('origin') === undefined ? 'unproved' : 'foreign');
      note(statement, `refused at “${name}”`);
      return byCondition('origin not accepted', { statement });
    }
  }
  return null;
}

/** The cookies that steps have set and removed, as the header Set-Cookie. */
export function cookiesOf({ plan }: State, run: Run): Array<readonly [string, string]> {
  const set = new Map<string, readonly [string, string]>();
  for (const { scheme } of run.revoked.filter(({ of }) => of === null)) {
    const { cookie } = named(plan.schemes, scheme);
    if (cookie) set.set(cookie.name, [setCookie(cookie, null), scheme]);
  }
  for (const { scheme, mark } of run.issued) {
    const { cookie } = named(plan.schemes, scheme);
    if (cookie) set.set(cookie.name, [setCookie(cookie, mark), scheme]);
  }
  for (const [text, scheme] of set.values())
    note(run.work, statementId.scheme(scheme, 'cookie'), text.includes('Max-Age=0') ? 'removed' : 'set');
  return [...set.values()].map(([text]) => ['Set-Cookie', text] as const);
}

/**
 * The trace of good credentials that are refused for their form: another word than that of their scheme precedes them,
 * or their cookie has quotes or is sent twice.
 */
export function inAnotherForm(
  state: State,
  step: Authenticate,
  sent: (name: string) => string | undefined,
): Array<readonly [statement: StatementId, what: string]> {
  return step.schemes.flatMap((name): ReturnType<typeof inAnotherForm> => {
    const { scheme: own, header, cookie } = named(state.plan.schemes, name);
    if (cookie) {
      const value = cookieIn(sent(header) ?? '', cookie.name);
      const goods = [...state.credentials].filter(([, known]) => known.scheme === name && isOfRow(state, known));
      const isGood = (isIn: (text: string) => boolean): boolean => goods.some(([text]) => isIn(text));
      const id = statementId.scheme(name, 'cookie');
      if (value === null && isGood((text) => sent(header)?.includes(text) ?? false)) return [[id, 'refused twice']];
      return isGood((text) => value === `"${text}"`) ? [[id, 'refused in quotes']] : [];
    }
    const [, word = '', text = ''] = /^(\S+) +(.*)$/.exec(sent(header) ?? '') ?? [];
    const known = state.credentials.get(text);
    const scheme = named(state.plan.schemes, name);
    const isUser = scheme.basic !== undefined && rowOfUser(state, scheme, text).row !== null;
    const isGood = isUser || (known?.scheme === name && isOfRow(state, known));
    if (own === null || !isGood || word.toLowerCase() === own.toLowerCase()) return [];
    const key = statementId.scheme(name, 'header');
    return [[key, 'refused after another word'] as const, [key, `refused after ${word.toLowerCase()}`] as const];
  });
}

/** Whether credentials are not revoked, and their row is still there. */
const isOfRow = ({ rows }: State, { revoked, resource, identity }: KnownCredentials): boolean =>
  !revoked && rows.byIdentity(resource, identity) !== null;

/** Instants in tokens are whole seconds in most services (NumericDate, RFC 7519, section 2). */
export const TOKEN_UNIT_MS = 1000;

/** The caller that has the user name and the password, with notes of the statements that refuse the request. */
function userOf(state: State, scheme: SchemePlan, text: string, calls: Calls, noted: Noted): OracleCaller | null {
  const { row, notes } = rowOfUser(state, scheme, text);
  for (const [statement, what] of notes) noted(statement, what);
  if (!row) return null;
  const caller: OracleCaller = { row, scopes: [], claims: new Map(), scheme: scheme.name, credentials: text };
  return calls(caller) ? caller : null;
}

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
  cookie?: CookiePlan,
): Refusal {
  const removed = cookie?.removed ? [['Set-Cookie', setCookie(cookie, null)] as const] : [];
  const headers = [['WWW-Authenticate', challengesOf(schemes, sent)] as const, ...removed];
  return byCondition(condition, { headers, statement });
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
