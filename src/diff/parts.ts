import type {
  AddressContract,
  BasicContract,
  BrowsersContract,
  ClaimContract,
  CodeContract,
  CookieContract,
  ErrorPayloadContract,
  RateContract,
  SchemeContract,
  TokenContract,
  ToldContract,
  WireContract,
} from '../contract/contract.ts';
import type { ContractType, ObjectContract } from '../contract/types.ts';
import { typeText } from '../contract/words.ts';
import { credentialField } from '../plan/callers.ts';
import { type StatementId, statementId } from '../plan/lines.ts';
import { showDuration } from '../text/units.ts';
import {
  type Compare,
  changed,
  flag,
  follows,
  listed,
  members,
  on,
  optional,
  record,
  same,
  value,
  words,
} from './compare.ts';
import { BREAKS, difference, type Here, KEEPS, statedAt, type Verdict } from './difference.ts';
import { form, type Values } from './values.ts';
import { variance } from './variance.ts';

const duration = (one: number | null): string => (one === null ? 'none' : showDuration(one));
const shorter = (old: number | null, next: number | null): Verdict =>
  next !== null && (old === null || next < old) ? BREAKS.refused : KEEPS.accepted;

export const address: Compare<AddressContract> = members<AddressContract>({
  url: value('the address', BREAKS.otherwise, (one) => one ?? 'given by the operator'),
});

const wireFact = (fact: string): StatementId => statementId.part('resources', fact);

export const wire: Compare<WireContract> = members<WireContract>({
  text: on(wireFact('text'), value('white space around text', BREAKS.otherwise)),
  missing: on(wireFact('missing'), value('a missing value in an answer', BREAKS.unreadable)),
  emptyText: on(wireFact('emptyText'), value('empty text in requests', BREAKS.otherwise)),
});

type Subject = TokenContract['subject'];

/** The place of a scheme's statement; the scheme is the subject of the comparison. */
const schemeFact =
  (fact: string) =>
  (here: Here): Here =>
    statedAt(here, statementId.scheme(here.of ?? '', fact));

const claim: Compare<ClaimContract> = members<ClaimContract>({
  name: follows('claims are compared by their names'),
  type: value(
    'its values',
    (old, next) => (variance(old, next).fewer ? BREAKS.refused : KEEPS.accepted),
    (one) => typeText(one),
  ),
  required: (was, is, at) =>
    value<boolean>('it', is ? BREAKS.refused : KEEPS.accepted, (one) => (one ? 'required' : 'optional'))(was, is, at),
});

const token: Compare<TokenContract> = members<TokenContract>({
  algorithm: on(schemeFact('algorithm'), value('the algorithm of tokens', BREAKS.refused)),
  type: on(
    schemeFact('algorithm'),
    value('the type of tokens', (_old, next) => (next === null ? KEEPS.accepted : BREAKS.refused)),
  ),
  issuer: on(schemeFact('issuer'), value('the issuer of tokens', BREAKS.refused)),
  audience: on(schemeFact('audience'), value('the audience of tokens', BREAKS.refused)),
  keys: on(
    schemeFact('keys'),
    value('the keys of tokens', BREAKS.refused, (one) => one ?? 'given by the operator'),
  ),
  lifetime: on(schemeFact('lifetime'), value('the lifetime of tokens', shorter, duration)),
  longest: on(schemeFact('lifetime'), value('the longest lifetime of tokens', shorter, duration)),
  skew: on(
    schemeFact('skew'),
    value('the clock skew', shorter, (one) => (one ? showDuration(one) : 'none')),
  ),
  subject: on(
    schemeFact('subject'),
    members<Subject>({
      claim: value('the claim that finds the caller', BREAKS.refused),
      field: value('the field that finds the caller', BREAKS.refused),
    }),
  ),
  scopes: on(
    schemeFact('scopesIn'),
    value('the claim with the scopes', BREAKS.refused, (one) =>
      one ? `\`${one.claim}\`, ${one.form === 'list' ? 'a list' : 'with spaces between them'}` : 'none',
    ),
  ),
  claims: listed<ClaimContract>({
    what: 'the claim',
    all: 'the claims',
    name: (one) => one.name,
    compare: claim,
    here: (here, one) => schemeFact(`claim ${one.name}`)(here),
    added: (one) => (one.required ? BREAKS.refused : KEEPS.accepted),
    removed: KEEPS.accepted,
  }),
});

/** The header of credentials, as messages show it. */
const sentAs = (one: SchemeContract): string => `\`${credentialField(one, '…').join(': ')}\``;

const cookie: Compare<CookieContract> = members<CookieContract>({
  name: follows('the comparison of the header has it'),
  sameSite: value('SameSite of the cookie', BREAKS.otherwise),
  maxAge: value('how long browsers keep the cookie', BREAKS.otherwise, (seconds) =>
    seconds === null ? 'until they end' : showDuration(seconds * 1000),
  ),
  removedWhenRefused: flag('a refused cookie is removed', 'a refused cookie is kept', {
    so: BREAKS.otherwise,
    not: BREAKS.otherwise,
  }),
  origins: on(
    schemeFact('crossOrigin'),
    words('writes with the cookie from pages of', { added: KEEPS.accepted, removed: BREAKS.refused }),
  ),
});

const basic: Compare<BasicContract> = members<BasicContract>({
  realm: on(schemeFact('realm'), value('the realm of challenges', BREAKS.otherwise)),
  userName: on(schemeFact('subject'), value('the field that is the user name', BREAKS.refused)),
  ignoresCase: on(
    schemeFact('subject'),
    flag('the case of the user name is ignored', 'the case of the user name counts', {
      so: KEEPS.accepted,
      not: BREAKS.refused,
    }),
  ),
  origins: on(
    schemeFact('crossOrigin'),
    words('writes from pages of', { added: KEEPS.accepted, removed: BREAKS.refused }),
  ),
});

const scheme: Compare<SchemeContract> = (old, next, here) =>
  members<SchemeContract>({
    name: follows('schemes are compared by their names'),
    kind: on(schemeFact('kind'), value('the kind of credentials', BREAKS.refused)),
    header: (_was, _is, at) => {
      const header = value<string>('credentials: the header', BREAKS.refused);
      return on(schemeFact('header'), header)(sentAs(old), sentAs(next), at);
    },
    word: follows('it stands in the header'),
    basic: (was, is, at) => (was && is ? basic(was, is, at) : []),
    cookie: on(schemeFact('cookie'), (was, is, at) => (was && is ? cookie(was, is, at) : [])),
    caller: on(schemeFact('credentials'), value('the resource whose rows callers are', BREAKS.otherwise)),
    while: on(
      (at) => statedAt(at, statementId.resource(next.caller, 'visible')),
      value<SchemeContract['while']>(
        'the condition on rows that are callers',
        (_was, is) => (is === null ? KEEPS.accepted : BREAKS.refused),
        (one) => (one === null ? 'none' : `\`${one.text}\``),
      ),
    ),
    issuedBy: on(
      schemeFact('credentials'),
      words('the issuer of credentials:', { added: KEEPS.accepted, removed: BREAKS.refused }),
    ),
    scopes: listed<SchemeContract['scopes'][number]>({
      what: 'the scope',
      all: 'the scopes',
      name: (one) => one.name,
      compare: members<SchemeContract['scopes'][number]>({ name: follows('scopes are compared by their names') }),
      added: KEEPS.unused,
      removed: BREAKS.refused,
    }),
    token: optional('the rules of tokens', token, { added: BREAKS.refused, removed: BREAKS.refused }),
  })(old, next, here);

export const schemes = listed<SchemeContract>({
  what: 'the scheme',
  all: 'the schemes',
  name: (one) => one.name,
  compare: scheme,
  added: KEEPS.accepted,
  removed: BREAKS.refused,
  here: (here, one) => ({ ...here, of: one.name }),
});

/** Compares the allowed origins of pages. */
const origins: Compare<BrowsersContract['origins']> = (old, next, here) =>
  old === 'any' || next === 'any'
    ? value<BrowsersContract['origins']>(
        'the allowed origins',
        next === 'any' ? KEEPS.accepted : BREAKS.refused,
        (one) => (one === 'any' ? one : one.join(', ')),
      )(old, next, here)
    : words('the origin', { all: 'the origins', added: KEEPS.accepted, removed: BREAKS.refused })(old, next, here);

const browsersOf: Compare<BrowsersContract> = members<BrowsersContract>({
  origins,
  credentials: flag('pages may send credentials', 'pages may send no credentials', {
    so: KEEPS.accepted,
    not: BREAKS.refused,
  }),
  preflightSeconds: value('the time that a preflight is kept', KEEPS.unused, (seconds) =>
    seconds === 0 ? 'none' : showDuration(seconds * 1000),
  ),
  exposedHeaders: words('the exposed header', {
    all: 'the exposed headers',
    added: KEEPS.unused,
    removed: BREAKS.missing,
  }),
});

export const browsers = optional('access for pages of other origins', browsersOf, {
  added: KEEPS.accepted,
  removed: BREAKS.refused,
});

const VERDICTS = { so: KEEPS.unused, not: BREAKS.missing } as const;

const rateHeaders = members<RateContract['headers']>({
  rateLimit: flag(
    'answers have RateLimit-Policy and RateLimit',
    'answers have no RateLimit-Policy and RateLimit',
    VERDICTS,
  ),
  retryAfter: flag('refusals have Retry-After', 'refusals have no Retry-After', VERDICTS),
});

const rateText = ({ requests, by, milliseconds }: RateContract): string =>
  `${requests ?? `${by?.expression} (${by?.least} or more${by?.most ? `, at most ${by.most}` : ''})`} requests in ${showDuration(milliseconds)}`;

/** The verdict on a changed rate: breaking if fewer requests are allowed, or if they are counted over a longer time. */
const stricter = (old: RateContract, next: RateContract): Verdict => {
  const isWider = next.milliseconds <= old.milliseconds && leastOf(next) >= mostOf(old);
  return isWider ? KEEPS.accepted : BREAKS.refused;
};

const leastOf = ({ requests, by }: RateContract): number => requests ?? by?.least ?? 0;
const mostOf = ({ requests, by }: RateContract): number => requests ?? by?.most ?? Number.POSITIVE_INFINITY;

const rate: Compare<RateContract> = (old, next, here) =>
  members<RateContract>({
    name: follows('rates are compared by their names'),
    per: value('its scope', BREAKS.refused),
    row: follows('rates are compared by their names, which hold the row'),
    by: follows('the comparison shows the expression of the number, whose bounds follow from its fields'),
    requests: (_was, _is, at) =>
      rateText(old) === rateText(next)
        ? []
        : [difference(at, `it ${changed(rateText(old), rateText(next))}`, stricter(old, next))],
    milliseconds: follows('it is told with the number of requests'),
    // The document states the headers once for all rates.
    headers: (was, is, at) =>
      on(statementId.part('limits', 'rateHeaders'), rateHeaders)(was, is, { ...at, of: 'rates' }),
  })(old, next, here);

export const rates = listed<RateContract>({
  what: 'the rate',
  all: 'the rates',
  name: (one) => one.name,
  compare: rate,
  added: BREAKS.refused,
  removed: KEEPS.accepted,
  here: (here, one) => ({ ...here, of: `rate ${one.name}` }),
});

/** Facts about the error codes of both documents. */
interface Codes {
  /** The conditions that a request can cause, in either document. */
  readonly arising: readonly [old: ReadonlySet<string>, next: ReadonlySet<string>];
  /** The conditions that have a code in the new document. */
  readonly coded: ReadonlySet<string>;
  /** Renamed codes; the rename itself is reported elsewhere. */
  readonly renamed: ReadonlySet<string>;
}

const code =
  ({ arising: [, arising], coded, renamed }: Codes): Compare<CodeContract> =>
  (old, next, here) =>
    members<CodeContract>({
      code: follows('codes are compared by their names'),
      status: value('the status', BREAKS.unknown, String),
      // A renamed code has a title of its own.
      title: renamed.has(next.code) ? follows('the code is another') : value('the title', KEEPS.words),
      // A condition without its former code has another code or none, so its answer differs; a condition that cannot
      // arise concerns nobody.
      conditions: (was, is, at) => {
        // A condition that has another code now is reported for that code.
        const changes = [
          ...is.filter((one) => arising.has(one) && !was.includes(one)).map((one) => [one, 'it answers'] as const),
          ...was
            .filter((one) => arising.has(one) && !coded.has(one))
            .map((one) => [one, 'it no longer answers'] as const),
        ];
        return changes.map(([one, how]) => difference(at, `${how} the condition ${one}`, BREAKS.unknown));
      },
      // One cell can hold for all codes without one, so its change is reported once, with all these codes as places.
      more: (was, is, at) => more(was, is, { ...at, of: null, place: next.code }),
    })(old, next, here);

/** Compares the cells of a code in the further columns. */
const more = record<string | null>((name) => value(`its ${name}`, BREAKS.unknown), 'its', {
  added: KEEPS.unused,
  removed: BREAKS.missing,
});

/**
 * Compares the codes of errors. A code that is new or gone together with its conditions is not reported, because the
 * cause of the conditions is.
 */
export function codes(known: Codes): Compare<readonly CodeContract[]> {
  const [before, after] = known.arising;
  const list = listed<CodeContract>({
    what: 'the code',
    all: 'the codes',
    name: (one) => one.code,
    compare: code(known),
    added: BREAKS.unknown,
    // If a condition of the removed code can still arise, its answer differs.
    removed: ({ conditions }) =>
      conditions.some((one) => after.has(one) && !known.coded.has(one)) ? BREAKS.unknown : KEEPS.known,
    here: (here, one) => ({ ...here, of: one.code }),
  });
  return (old, next, here) => {
    const stays = ({ code: name }: CodeContract, others: typeof old): boolean =>
      others.some((one) => one.code === name);
    const removed = old.filter(
      (one) =>
        stays(one, next) ||
        one.conditions.length === 0 ||
        // A condition that has another code is reported for that code.
        one.conditions.some((each) => after.has(each) && !known.coded.has(each)),
    );
    const added = next.filter(
      (one) => stays(one, old) || one.conditions.length === 0 || one.conditions.some((each) => before.has(each)),
    );
    return list(removed, added, here);
  };
}

/** Compares a member of errors; `names` are those of the enclosing members. */
const toldMember =
  (names: readonly string[]): Compare<ToldContract> =>
  (old, next, here) => {
    const path = [...names, next.name];
    return members<ToldContract>({
      name: follows('members are compared by their names'),
      kind: follows('what they hold says it'),
      value: value(`the value of the member ${next.name} of errors`, BREAKS.otherwise),
      key: value(`the keys of the member ${next.name} of errors`, BREAKS.otherwise),
      otherwise: value(`the value of the member ${next.name} of errors without a single fault`, BREAKS.otherwise),
      members: toldMembers(path),
    })(old, next, statedAt(here, statementId.payloadMember(path)));
  };

/** Compares the members that both documents have. Added and removed members are reported by the types of errors. */
const toldMembers =
  (names: readonly string[]): Compare<readonly ToldContract[]> =>
  (old, next, here) => {
    const stayed = (list: readonly ToldContract[], other: readonly ToldContract[]): ToldContract[] =>
      list.filter((one) => other.some(({ name }) => name === one.name));
    return listed<ToldContract>({
      what: 'the member',
      name: (one) => one.name,
      compare: toldMember(names),
      added: KEEPS.unused,
      removed: BREAKS.missing,
      order: null,
    })(stayed(old, next), stayed(next, old), here);
  };

/** Compares the payload of errors. */
export function payload(values: Values, words: ReadonlySet<string>): Compare<ErrorPayloadContract | null> {
  const compare: Compare<ErrorPayloadContract> = (old, next, at) => {
    const withoutMembers = (list: typeof old.told) => list.map((one) => ({ ...one, members: [] }));
    const computed = withoutMembers(old.told).filter(
      (one) => !withoutMembers(next.told).some((other) => same(one, other)),
    );
    const others = computed.map(({ name }) => name);
    const objects: Compare<ObjectContract> = (was, is, here) => {
      const [before, after] = [was, is].map((one) => without(one, words, others));
      return before && after ? values.objects(before, after, 'answer', here, form('errors')) : [];
    };
    return members<ErrorPayloadContract>({
      kind: value('the form of errors', BREAKS.unreadable),
      mediaType: value('the media type of errors', BREAKS.unreadable),
      problemType: (was, is, here) =>
        was === null || is === null ? [] : value('the type of problems', BREAKS.unknown)(was, is, here),
      type: objects,
      withFaults: objects,
      told: toldMembers([]),
      faults: record((name) => value(`the words of the fault ${name}`, KEEPS.words), 'the fault', {
        added: BREAKS.unknown,
        removed: KEEPS.known,
      }),
    })(old, next, at);
  };
  return optional('the payload of errors', compare, { added: BREAKS.unreadable, removed: BREAKS.missing });
}

/**
 * The type of errors without codes and their titles, whose changes are reported for the codes. A member with a changed
 * expression is replaced by null, because its type follows from the expression.
 */
function without(object: ObjectContract, words: ReadonlySet<string>, computed: readonly string[]): ObjectContract {
  const of = (type: ContractType): ContractType => {
    if (type.kind === 'text' && type.oneOf) return { ...type, oneOf: type.oneOf.filter((one) => !words.has(one)) };
    return type.kind === 'object' ? without(type, words, []) : type;
  };
  return {
    ...object,
    members: object.members.map((one) => ({
      ...one,
      type: computed.includes(one.name) ? { kind: 'null' } : of(one.type),
    })),
  };
}
