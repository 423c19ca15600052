import { beginsWith, credential, schemeOnly } from '../../http/bearer.ts';
import { cookieIn, isFromOrigin, isWithoutOrigin } from '../../http/cookies.ts';
import { header } from '../../http/headers.ts';
import {
  ambientOrigins,
  type CookiePlan,
  challengedScopes,
  challengesOf,
  hasNeeded,
  isSafe,
  type NeededScopes,
  type SchemePlan,
  setCookie,
} from '../../plan/callers.ts';
import { named } from '../../plan/named.ts';
import type { BeforeStep, Plan } from '../../plan/step.ts';
import type { Program, Store } from '../../store/store.ts';
import { Refusal } from '../context/refusal.ts';
import type { AuthenticatedCaller, CallerAgain, RequestContext } from '../context/request-context.ts';
import type { RerunState } from '../context/rerun-state.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import type { Passwords } from '../resources/passwords.ts';
import type { UnitOfWork } from '../resources/unit-of-work.ts';
import { isSameCaller, KeyHolders } from './key-holders.ts';
import { PasswordHolders } from './password-holders.ts';
import { SelfVisibility } from './self-visibility.ts';
import type { TokenKeys } from './signing-keys.ts';
import { TokenHolders } from './token-holders.ts';

/** The reasons for which well-formed credentials are refused. */
export type NotKnown = (typeof WORST)[number];

/** Reasons by priority: of several, the first in this list is answered. */
const WORST = ['unavailable', 'credentials expired', 'credentials not accepted'] as const;

/** A caller is not what it was assumed to be: its request begins anew. */
export class WrongCaller extends Error {}

/** Finds the callers of one scheme. */
export interface Acceptor {
  accept(
    credential: string,
    x: Pick<RequestContext, 'frame' | 'deadline' | 'assumes'>,
  ): Promise<AuthenticatedCaller | NotKnown> | AuthenticatedCaller | NotKnown;
}

type Refusals = Readonly<Record<NotKnown, Refusal>>;

/** The progress through an endpoint's schemes. */
interface Far {
  next: number;
  /** The index in WORST of the most important reason so far. */
  worst: number;
  /** Whether a scheme's name was sent without a credential. */
  bare: boolean;
}

/** A scheme as an endpoint takes it. */
interface AcceptedScheme {
  readonly plan: SchemePlan;
  readonly lowerHeader: string;
  /** The place of the credentials: a header, or a cookie by its name. */
  readonly place: string;
  readonly acceptor: Acceptor;
  readonly identity: number;
}

/** The text that holds the credentials of a scheme in a request; undefined where it is not sent. */
function sentBy({ plan: { cookie }, lowerHeader }: AcceptedScheme, rawHeaders: readonly string[]): string | undefined {
  const sent = header(rawHeaders, lowerHeader);
  if (!cookie || sent === undefined) return sent;
  const value = cookieIn(sent, cookie.name);
  // A cookie that is sent twice is no valid credential: no key and no token has this form.
  return value === null ? '' : value;
}

/**
 * Whether a request carries credentials that browsers send by themselves. Browsers send `Origin` with every request by an
 * unsafe method (Fetch Standard, section 3.2), so one with HTTP Basic and without an origin comes from another program.
 */
function isCarried(one: AcceptedScheme, rawHeaders: readonly string[]): boolean {
  const sent = sentBy(one, rawHeaders);
  if (sent === undefined || !one.plan.basic) return sent !== undefined;
  return beginsWith(sent, one.plan.scheme!) && !isWithoutOrigin((name) => header(rawHeaders, name));
}

/** The refusals of credentials in a cookie, with the header that removes the cookie. */
function removing(refusals: Refusals, cookie: CookiePlan): Refusals {
  const removed = (one: Refusal): Refusal =>
    new Refusal(one.outcome, one.condition, one.faults, [...one.headers, 'Set-Cookie', setCookie(cookie, null)]);
  return {
    ...refusals,
    'credentials expired': removed(refusals['credentials expired']),
    'credentials not accepted': removed(refusals['credentials not accepted']),
  };
}

type Authenticate = Extract<BeforeStep, { do: 'authenticate' }>;

/** Authenticates requests. Refused credentials never make a request anonymous. */
export class Callers {
  private readonly errors: Errors;
  private readonly schemes: ReadonlyMap<string, AcceptedScheme>;
  /** The origin of the service's own pages; null where its address is unknown. */
  private readonly origin: string | null;

  constructor(
    plan: Plan,
    store: Store,
    errors: Errors,
    keys: ReadonlyMap<string, TokenKeys>,
    expressions: Expressions,
    url: string | null,
    passwords: Passwords | null,
  ) {
    this.errors = errors;
    this.origin = url === null ? null : new URL(url).origin;
    const acceptor = (scheme: SchemePlan): Acceptor => {
      const sees = SelfVisibility.of(scheme, plan.resources, expressions.seeingAll());
      const { basic } = scheme;
      if (basic) return new PasswordHolders({ ...scheme, basic }, plan, store, passwords!, sees);
      if (!scheme.tokens) return new KeyHolders(scheme, store, sees);
      return new TokenHolders(scheme, plan, store, keys.get(scheme.name) ?? null, sees);
    };
    const identity = ({ resource }: SchemePlan): number => {
      const { columns, identity: name } = named(plan.resources, resource);
      return columns.findIndex((column) => column.name === name);
    };
    this.schemes = new Map(
      plan.schemes.map((scheme) => [
        scheme.name,
        {
          plan: scheme,
          lowerHeader: scheme.header.toLowerCase(),
          place: scheme.cookie ? `cookie ${scheme.cookie.name}` : scheme.header.toLowerCase(),
          acceptor: acceptor(scheme),
          identity: identity(scheme),
        },
      ]),
    );
  }

  /** Compiles the step of one endpoint. */
  authenticator(step: Authenticate) {
    const schemes = step.schemes.map((name) => this.schemes.get(name)!);
    const missing = step.optional ? null : this.refusal('credentials missing', schemes, false);
    const refused = this.refusal('credentials not accepted', schemes, true);
    const refusals: Refusals = {
      unavailable: this.errors.condition('unavailable'),
      'credentials expired': this.refusal('credentials expired', schemes, true),
      'credentials not accepted': refused,
    };
    const at = { schemes, missing, refusals };
    const isForeign = this.originChecker(step);
    return (x: RequestContext): Refusal | null | Promise<Refusal | null> => {
      const { rawHeaders } = x.incoming;
      if (isForeign?.(x)) return this.errors.condition('origin not accepted');
      let place = '';
      let text: string | undefined;
      let by: SchemePlan | undefined;
      for (const one of schemes) {
        const sent = one.place === place ? undefined : sentBy(one, rawHeaders);
        if (sent === undefined) continue;
        // Two credentials in one request are refused: choosing one would be a guess.
        if (text !== undefined) return refused;
        ({ place } = one);
        text = sent;
        by = one.plan;
      }
      if (text === undefined) return missing;
      const { cookie } = by!;
      return this.accept(x, { place, text }, cookie?.removed ? { ...at, refusals: removing(refusals, cookie) } : at);
    };
  }

  /**
   * Compiles the test whether a request by an unsafe method comes from a page that may not send it: one with a cookie of
   * a scheme, or one whose answer sets the cookie, has to prove its origin; one with HTTP Basic may not have another
   * origin. Null where the endpoint has no such schemes.
   */
  private originChecker({ schemes, sets = [] }: Authenticate): ((x: RequestContext) => boolean) | null {
    const all = [...new Set([...schemes, ...sets])].map((name) => this.schemes.get(name)!);
    const carried = all.filter(({ plan }) => ambientOrigins(plan));
    if (carried.length === 0) return null;
    return ({ incoming: { method, rawHeaders } }) =>
      !isSafe(method) &&
      carried.some(
        (one) =>
          (sets.includes(one.plan.name) || isCarried(one, rawHeaders)) &&
          !isFromOrigin((name) => header(rawHeaders, name), this.origin, ambientOrigins(one.plan)!),
      );
  }

  /** Accepts a header's credentials by the first of an endpoint's schemes, from `next` on, for which they are valid. */
  private accept(
    x: RequestContext,
    sent: { readonly place: string; readonly text: string },
    at: { readonly schemes: readonly AcceptedScheme[]; readonly missing: Refusal | null; readonly refusals: Refusals },
    so: Far = { next: 0, worst: WORST.length - 1, bare: false },
  ): Refusal | null | Promise<Refusal | null> {
    const { schemes, missing, refusals } = at;
    for (let i = so.next; i < schemes.length; i++) {
      const taken = schemes[i]!;
      const { scheme } = taken.plan;
      if (taken.place !== sent.place) continue;
      const text = scheme === null ? sent.text : credential(sent.text, { scheme });
      if (text === null) {
        so.bare ||= schemeOnly(sent.text, { scheme: scheme! });
        continue;
      }
      const known = taken.acceptor.accept(text, x);
      so.next = i + 1;
      if (known instanceof Promise)
        return known.then((one) => (this.holds(x, taken, one, so, refusals) ? null : this.accept(x, sent, at, so)));
      if (this.holds(x, taken, known, so, refusals)) return null;
    }
    return (so.bare && missing) || refusals[WORST[so.worst]!];
  }

  /** Checks credentials by one scheme; keeps the most important reason for a refusal. */
  private holds(
    x: RequestContext,
    taken: AcceptedScheme,
    known: AuthenticatedCaller | NotKnown,
    so: Far,
    refusals: Refusals,
  ): boolean {
    if (typeof known !== 'string') {
      this.settle(x, taken, known, refusals['credentials not accepted']);
      return true;
    }
    so.bare = false;
    so.worst = Math.min(so.worst, WORST.indexOf(known));
    return false;
  }

  /** Sets the caller, its scopes and its claims. */
  private settle(
    x: RequestContext,
    { plan, identity }: AcceptedScheme,
    known: AuthenticatedCaller,
    refused: Refusal,
  ): void {
    const { frame } = x;
    frame.caller = known.row;
    frame.callerOf = plan.resource;
    frame.scopes = known.scopes;
    frame.claims = known.claims;
    x.holder = known.row[identity]!;
    // The resource is part of the key, since callers of several resources may have equal identities.
    x.callerKey = `${plan.resource}/${x.holder}`;
    x.known = {
      again: (now, rerunState) => known.again(now, rerunState),
      asking: known.asking ?? null,
      assumed: known.assumed ?? null,
      refused,
      scheme: plan,
      keyId: known.keyId,
    };
  }

  /**
   * Reads the caller again inside the transaction: its key may have been revoked, and its row changed or hidden, since
   * it was authenticated.
   */
  *again(x: RequestContext, work: UnitOfWork): Program<void> {
    if (!x.known) return;
    const again = yield* this.confirmed(x.known, x.frame.now, work.rerunState);
    x.frame.scopes = again.scopes;
    x.frame.claims = again.claims;
    x.frame.caller = again.row;
    work.rowsOf(x.frame.callerOf!).set(x.holder, again.row);
  }

  /**
   * Reads the caller; throws WrongCaller where it is not what it is assumed to be, and the refusal where its credentials have
   * become invalid.
   */
  *confirmed(known: NonNullable<RequestContext['known']>, now: number, rerunState?: RerunState): Program<CallerAgain> {
    const again = yield* known.again(now, rerunState);
    const { assumed } = known;
    if (assumed) {
      if (!again?.found || !isSameCaller(again.found, assumed)) throw new WrongCaller();
      known.assumed = null;
    }
    if (!again) throw known.refused;
    return again;
  }

  requireScope(x: RequestContext, needed: NeededScopes): Refusal | null {
    if (hasNeeded(needed, (scope) => x.frame.scopes.includes(scope))) return null;
    const scheme = x.known?.scheme;
    // RFC 6750, section 3.1: a request whose access token lacks the scope is answered with the scope that it needs.
    const headers = scheme?.tokens?.oauth
      ? ['WWW-Authenticate', `${scheme.scheme} error="insufficient_scope", scope="${challengedScopes(needed, scheme)}"`]
      : [];
    return this.errors.condition('scope missing', [], headers);
  }

  /** A 401 names a challenge for each scheme. */
  private refusal(
    condition: 'credentials missing' | 'credentials not accepted' | 'credentials expired',
    schemes: readonly AcceptedScheme[],
    sent: boolean,
  ): Refusal {
    const challenges = challengesOf(
      schemes.map(({ plan }) => plan),
      sent,
    );
    return this.errors.condition(condition, [], ['WWW-Authenticate', challenges]);
  }
}
