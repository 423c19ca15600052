import type {
  AddressContract,
  BrowsersContract,
  CodeContract,
  ErrorPayloadContract,
  RateContract,
  SchemeContract,
  TokenContract,
  ToldContract,
  WireContract,
} from '../contract/contract.ts';
import type { ContractType, ObjectContract } from '../contract/types.ts';
import { showDuration } from '../text/units.ts';
import { type Compare, flag, follows, listed, members, optional, record, same, value, words } from './compare.ts';
import { BREAKS, difference, KEEPS, type Verdict } from './difference.ts';
import { form, type Values } from './values.ts';

const duration = (one: number | null): string => (one === null ? 'none' : showDuration(one));
const shorter = (old: number | null, next: number | null): Verdict =>
  next !== null && (old === null || next < old) ? BREAKS.refused : KEEPS.accepted;

export const address: Compare<AddressContract> = members<AddressContract>({
  url: value('the address', BREAKS.otherwise),
});

export const wire: Compare<WireContract> = members<WireContract>({
  text: value('white space around text', BREAKS.otherwise),
  missing: value('a missing value in an answer', BREAKS.unreadable),
  emptyText: value('empty text in requests', BREAKS.otherwise),
});

type Subject = TokenContract['subject'];

const token: Compare<TokenContract> = members<TokenContract>({
  algorithm: value('the algorithm of tokens', BREAKS.refused),
  type: value('the type of tokens', (_old, next) => (next === null ? KEEPS.accepted : BREAKS.refused)),
  issuer: value('the issuer of tokens', BREAKS.refused),
  audience: value('the audience of tokens', BREAKS.refused),
  keys: value('the address of the keys of tokens', BREAKS.refused),
  lifetime: value('the lifetime of tokens', shorter, duration),
  longest: value('the longest lifetime of tokens', shorter, duration),
  skew: value('the clock skew', shorter, duration),
  subject: members<Subject>({
    claim: value('the claim that finds the caller', BREAKS.refused),
    field: value('the field that finds the caller', BREAKS.refused),
  }),
  scopes: value('the claim with the scopes', BREAKS.refused),
});

const scheme: Compare<SchemeContract> = members<SchemeContract>({
  name: follows('schemes are compared by their names'),
  kind: value('the kind of credentials', BREAKS.refused),
  header: value('the header of credentials', BREAKS.refused),
  word: value('the word before credentials', BREAKS.refused),
  caller: value('the resource whose rows callers are', BREAKS.otherwise),
  issuedBy: words('the issuer of credentials:', { added: KEEPS.accepted, removed: BREAKS.refused }),
  scopes: listed<SchemeContract['scopes'][number]>({
    what: 'the scope',
    name: (one) => one.name,
    compare: members<SchemeContract['scopes'][number]>({ name: follows('scopes are compared by their names') }),
    added: KEEPS.unused,
    removed: BREAKS.refused,
  }),
  token: optional('the rules of tokens', token, { added: BREAKS.refused, removed: BREAKS.refused }),
});

export const schemes = listed<SchemeContract>({
  what: 'the scheme',
  name: (one) => one.name,
  compare: scheme,
  added: KEEPS.accepted,
  removed: BREAKS.refused,
  here: (here, one) => ({ ...here, of: one.name }),
});

/** Origins of pages: any, or those that are listed. */
const origins: Compare<BrowsersContract['origins']> = (old, next, here) =>
  old === 'any' || next === 'any'
    ? value<BrowsersContract['origins']>('the allowed origins', next === 'any' ? KEEPS.accepted : BREAKS.refused)(
        old,
        next,
        here,
      )
    : words('the origin', { added: KEEPS.accepted, removed: BREAKS.refused })(old, next, here);

const browsersOf: Compare<BrowsersContract> = members<BrowsersContract>({
  origins,
  credentials: flag('pages may send credentials', 'pages may send no credentials', {
    so: KEEPS.accepted,
    not: BREAKS.refused,
  }),
  preflightSeconds: value('the time that a preflight is kept, in seconds', KEEPS.unused, String),
  exposedHeaders: words('the exposed header', { added: KEEPS.unused, removed: BREAKS.missing }),
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

const rate: Compare<RateContract> = members<RateContract>({
  name: follows('rates are compared by their names'),
  per: value('its scope', BREAKS.refused),
  requests: value('the number of requests', (old, next) => (next < old ? BREAKS.refused : KEEPS.accepted), String),
  milliseconds: value('the window', (old, next) => (next > old ? BREAKS.refused : KEEPS.accepted), showDuration),
  // It is stated once for all.
  headers: (old, next, here) => rateHeaders(old, next, { ...here, of: 'rates' }),
});

export const rates = listed<RateContract>({
  what: 'the rate',
  name: (one) => one.name,
  compare: rate,
  added: BREAKS.refused,
  removed: KEEPS.accepted,
  here: (here, one) => ({ ...here, of: `rate ${one.name}` }),
});

/** What is known of the codes of both documents. */
interface Codes {
  /** The conditions that somebody may meet, in either document. */
  readonly arising: readonly [old: ReadonlySet<string>, next: ReadonlySet<string>];
  /** The conditions that have a code in the new one. */
  readonly coded: ReadonlySet<string>;
  /** The codes that are called otherwise than they were: that is told. */
  readonly renamed: ReadonlySet<string>;
}

const code =
  ({ arising: [, arising], coded, renamed }: Codes): Compare<CodeContract> =>
  (old, next, here) =>
    members<CodeContract>({
      code: follows('codes are compared by their names'),
      status: value('the status', BREAKS.unknown, String),
      // Another code brings its own words.
      title: renamed.has(next.code) ? follows('the code is another') : value('the title', KEEPS.words),
      // A condition that has lost its code has another, or none, and is answered otherwise; where it can't arise, nobody meets it.
      conditions: (was, is, at) => {
        // One that has another code now is told of that.
        const changes = [
          ...is.filter((one) => arising.has(one) && !was.includes(one)).map((one) => [one, 'it answers'] as const),
          ...was
            .filter((one) => arising.has(one) && !coded.has(one))
            .map((one) => [one, 'it no longer answers'] as const),
        ];
        return changes.map(([one, how]) => difference(at, `${how} the condition ${one}`, BREAKS.unknown));
      },
      more: record((name) => value(`its ${name}`, BREAKS.unknown), 'its', {
        added: KEEPS.unused,
        removed: BREAKS.missing,
      }),
    })(old, next, here);

/**
 * The codes that errors have. That one has come or gone with the conditions that it answers follows from what brings those
 * about, which is told.
 */
export function codes(known: Codes): Compare<readonly CodeContract[]> {
  const [before, after] = known.arising;
  const list = listed<CodeContract>({
    what: 'the code',
    name: (one) => one.code,
    compare: code(known),
    added: BREAKS.unknown,
    // What it answered is answered otherwise where it can still arise.
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
        // A condition that has another code is told of that.
        one.conditions.some((each) => after.has(each) && !known.coded.has(each)),
    );
    const added = next.filter(
      (one) => stays(one, old) || one.conditions.length === 0 || one.conditions.some((each) => before.has(each)),
    );
    return list(removed, added, here);
  };
}

const toldMember: Compare<ToldContract> = (old, next, here) =>
  members<ToldContract>({
    name: follows('members are compared by their names'),
    kind: follows('what they hold says it'),
    value: value(`the value of the member ${next.name} of errors`, BREAKS.otherwise),
    key: value(`the keys of the member ${next.name} of errors`, BREAKS.otherwise),
    otherwise: value(`the value of the member ${next.name} of errors without a single fault`, BREAKS.otherwise),
    members: toldMembers,
  })(old, next, here);

/** What comes and goes is told of what errors hold. */
const toldMembers: Compare<readonly ToldContract[]> = (old, next, here) => {
  const stayed = (list: readonly ToldContract[], other: readonly ToldContract[]): ToldContract[] =>
    list.filter((one) => other.some(({ name }) => name === one.name));
  return listed<ToldContract>({
    what: 'the member',
    name: (one) => one.name,
    compare: toldMember,
    added: KEEPS.unused,
    removed: BREAKS.missing,
    order: null,
  })(stayed(old, next), stayed(next, old), here);
};

/** How errors are told. */
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
      type: objects,
      withFaults: objects,
      told: toldMembers,
      faults: record((name) => value(`the words of the fault ${name}`, KEEPS.words), 'the fault', {
        added: BREAKS.unknown,
        removed: KEEPS.known,
      }),
    })(old, next, at);
  };
  return optional('the payload of errors', compare, { added: BREAKS.unreadable, removed: BREAKS.missing });
}

/**
 * What errors hold without the codes that there are and what is said of them, which is told of the codes. What else a
 * member is that is computed otherwise now follows from that.
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
