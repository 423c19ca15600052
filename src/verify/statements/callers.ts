import { ambientOrigins, type BasicPlan, type ClaimPlan, isSafe } from '../../plan/callers.ts';
import { statementId } from '../../plan/lines.ts';
import type { Plan, SchemePlan } from '../../plan/step.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Endpoint } from './endpoints.ts';
import { setupOf } from './reach.ts';
import { type Draft, type Need, need, needAny, type SetupMember, those } from './statement.ts';
import { stepOf } from './tried.ts';
import { allowedNeeds, formatNeeds, typeNeeds } from './values.ts';

/** The facts of a scheme, as the plan’s lines have them, with the items that they belong to. */
const FACTS = {
  name: 'authentication/scheme',
  kind: 'authentication/scheme',
  algorithm: 'authentication/scheme',
  header: 'authentication/headers',
  cookie: 'authentication/headers',
  realm: 'authentication/headers',
  credentials: 'authentication/credentials',
  caller: 'authentication/credentials',
  subject: 'authentication/credentials',
  keys: 'authentication/credentials',
  issuer: 'authentication/credentials',
  audience: 'authentication/credentials',
  lifetime: 'authentication/credentials',
  type: 'authentication/credentials',
  skew: 'authentication/credentials',
  scopesIn: 'authentication/scopes',
} as const;

/**
 * The facts for which a test can change a token in one respect only; other statements about credentials are tested with
 * malformed credentials.
 */
const TOKEN_FACTS: ReadonlySet<string> = new Set(['algorithm', 'issuer', 'audience', 'lifetime', 'type']);

/** The statements of the part Authentication. */
export function callerDrafts(plan: Plan, endpoints: readonly Endpoint[]): Draft[] {
  return [
    ...plan.schemes.flatMap((scheme) => schemeDrafts(plan, scheme, endpoints)),
    ...unacceptedDrafts(endpoints),
    ...originDrafts(plan),
  ];
}

/** The traces of the access of endpoints that take credentials of a scheme. */
const accessTraces = (endpoints: readonly Endpoint[], what: string): Trace[] =>
  endpoints.map(({ plan }) => ({ statement: statementId.endpoint(plan.name, 'access'), what }));

function schemeDrafts(plan: Plan, scheme: SchemePlan, endpoints: readonly Endpoint[]): Draft[] {
  const of = endpoints.filter(({ contract }) => contract.access.schemes.includes(scheme.name));
  const setup = setupOf(scheme);
  const whole: Trace[] = Object.keys(FACTS).map((fact) => ({
    statement: statementId.scheme(scheme.name, fact),
    what: 'taken',
  }));
  const facts = Object.entries(FACTS).map(([fact, item]): Draft => {
    const id = statementId.scheme(scheme.name, fact);
    const alone = scheme.tokens && TOKEN_FACTS.has(fact);
    const refused = alone
      ? needAny(
          'a token that is issued says so',
          [
            { statement: id, what: 'issued' },
            { statement: id, what: 'refused' },
          ],
          setup,
        )
      : needAny(
          'credentials that are not accepted are refused',
          [{ statement: id, what: 'refused' }, ...accessTraces(of, 'refused credentials not accepted')],
          setup,
        );
    // One request of a caller tries all these facts at once.
    const closed = of.filter(({ contract }) => !contract.access.withoutCredentials);
    return {
      id,
      item,
      needs: [
        needAny('a caller is taken', [...whole, ...accessTraces(closed, 'taken')], setup),
        refused,
        ...(fact === 'header' && of.length > 0 ? wordNeeds(scheme, otherWords(scheme, plan, of), setup) : []),
        ...(scheme.basic ? basicNeeds(scheme, scheme.basic, fact) : []),
        ...(fact === 'cookie' ? COOKIE_NEEDS.map(([name, what]) => need(name, id, what, setup)) : []),
      ],
    };
  });
  return [
    ...facts,
    ...crossOriginDrafts(scheme, of, endpoints),
    ...whileDrafts(scheme, setup),
    ...(scheme.tokens?.claims ?? []).map((claim) => claimDraft(scheme, claim, setup)),
    ...scheme.scopes.map((scope) => scopeDraft(scheme, scope, setup)),
  ];
}

/** The needs of a statement about a cookie, beside a caller that is taken and one that is refused. */
const COOKIE_NEEDS = [
  ['an answer sets the cookie', 'set'],
  ['credentials in quotes are refused', 'refused in quotes'],
  ['a cookie that is sent twice is refused', 'refused twice'],
] as const;

/** The needs of a statement about HTTP Basic, beside a caller that is taken and one that is refused. */
function basicNeeds({ name }: SchemePlan, { ignoresCase }: BasicPlan, fact: string): Need[] {
  const id = statementId.scheme(name, fact);
  switch (fact) {
    case 'header':
      return [
        need('credentials that are no base64, or no text in it, are refused', id, 'refused malformed'),
        need('credentials without a colon are refused', id, 'refused without a colon'),
      ];
    case 'credentials':
      return [
        need('another password is refused', id, 'refused with another password'),
        need('a password with another last character is refused', id, 'refused with another last character'),
        need('a password with a character more is refused', id, 'refused with a character more'),
        need('a password in other letters is refused', id, 'refused in other letters'),
      ];
    case 'subject':
      return [
        need('another user name is refused', id, 'none'),
        ignoresCase
          ? need('a user name in other letters is taken', id, 'found in other letters')
          : need('a user name in other letters is refused', id, 'none in other letters'),
      ];
    default:
      return [];
  }
}

/** The statement about origins is met where each endpoint that writes has refused a page of another origin. */
function crossOriginDrafts(
  { name, cookie, basic }: SchemePlan,
  of: readonly Endpoint[],
  endpoints: readonly Endpoint[],
): Draft[] {
  const origins = ambientOrigins({ ...(cookie && { cookie }), ...(basic && { basic }) });
  if (!origins) return [];
  const id = statementId.scheme(name, 'crossOrigin');
  const writing = endpoints.filter(
    (one) => !isSafe(one.plan.method) && (of.includes(one) || stepOf(one.plan, 'authenticate')?.sets?.includes(name)),
  );
  const item = 'authentication/headers';
  return [
    {
      id,
      item,
      needs: [
        need('a page of the service’s own origin', id, 'own'),
        need('a page of another origin', id, 'foreign'),
        basic
          ? need('a request that is of no page', id, 'no page')
          : need('a request that does not prove its origin', id, 'unproved'),
        ...origins.map((origin) => need(`a page of “${origin}”`, id, `from “${origin}”`)),
        ...writing.map(({ plan }) =>
          need(`a page of another origin at “${plan.name}”`, id, `refused at “${plan.name}”`),
        ),
      ],
    },
  ];
}

/** The condition of callers is met where a row calls while it holds, and is refused while it does not. */
function whileDrafts({ name, while: condition }: SchemePlan, setup: readonly SetupMember[]): Draft[] {
  const id = statementId.scheme(name, 'while');
  const needs = [
    need('a row calls while the condition holds', id, 'taken', setup),
    need('credentials are refused while the condition of their row does not hold', id, 'no caller', setup),
  ];
  return condition ? [{ id, item: 'authentication/credentials', needs }] : [];
}

/** A claim is met by tokens with values that are allowed, and by tokens with other ones, or without one. */
function claimDraft({ name }: SchemePlan, claim: ClaimPlan, setup: readonly SetupMember[]): Draft {
  const id = statementId.scheme(name, `claim ${claim.name}`);
  const { rule, nullable } = claim;
  const needs = [
    need('a token with it is taken', id, 'accepted'),
    need(`a token without it is ${nullable ? 'taken' : 'refused'}`, id, nullable ? 'left out' : 'refused missing'),
    ...typeNeeds(id, rule, false),
    ...formatNeeds(id, rule),
    ...allowedNeeds(id, rule, false).filter((one) => one.traces.every((trace) => trace.what !== 'accepted')),
  ];
  return { id, item: 'authentication/credentials', needs: needs.map((one) => ({ ...one, setup })) };
}

/** The need that credentials are refused after a word that is not theirs. */
function wordNeeds({ name, scheme }: SchemePlan, words: readonly string[], setup: readonly SetupMember[]): Need[] {
  const id = statementId.scheme(name, 'header');
  if (scheme === null) return [];
  return [
    need('credentials after another word are refused', id, 'refused after another word', setup),
    ...words.map((word) => need(`credentials after “${word}” are refused`, id, `refused after ${word}`, setup)),
  ];
}

/** The words of other schemes in the same header, at endpoints that take both. */
function otherWords({ name, header, scheme: own }: SchemePlan, plan: Plan, of: readonly Endpoint[]): string[] {
  const others = plan.schemes.filter(
    (one) =>
      one.name !== name &&
      one.header.toLowerCase() === header.toLowerCase() &&
      of.some(({ contract }) => contract.access.schemes.includes(one.name)),
  );
  const words = others.flatMap(({ scheme }) => (scheme === null ? [] : [scheme.toLowerCase()]));
  return [...new Set(words)].filter((word) => word !== own?.toLowerCase());
}

/**
 * A scope is met by two requests: an endpoint accepts a caller that it would refuse without this scope, and refuses a
 * caller that it would accept with it.
 */
function scopeDraft(scheme: SchemePlan, scope: string, setup: readonly SetupMember[]): Draft {
  const id = statementId.scheme(scheme.name, `scope ${scope}`);
  return {
    id,
    item: 'authentication/scopes',
    needs: [
      need('a caller with the scope is taken', id, 'taken', setup),
      need('a caller without the scope is refused', id, 'refused', setup),
    ],
  };
}

/** Credentials that are not accepted, at endpoints that need none. */
function unacceptedDrafts(endpoints: readonly Endpoint[]): Draft[] {
  const open = endpoints.filter(
    ({ contract }) => contract.access.schemes.length > 0 && contract.access.withoutCredentials,
  );
  const id = statementId.part('authentication', 'unaccepted');
  const name = 'a request with credentials that are not accepted, where none are needed';
  const traces = [{ statement: id, what: 'refused' }, ...accessTraces(open, 'refused credentials not accepted')];
  return open.length > 0 ? [{ id, item: 'authentication/credentials', needs: [needAny(name, traces)] }] : [];
}

/** The statement about pages of other origins (the CORS protocol). */
function originDrafts({ browsers }: Plan): Draft[] {
  const id = statementId.part('authentication', 'origins');
  return [
    {
      id,
      item: 'authentication/headers',
      needs: those(
        browsers && need('a request of an allowed origin', id, 'allowed'),
        browsers && need('a preflight request', id, 'preflight'),
        browsers?.origins !== 'any' && need('a request of another origin', id, 'not allowed'),
      ),
    },
  ];
}
