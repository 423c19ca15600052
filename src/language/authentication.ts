import { ALGORITHMS } from '../plan/callers.ts';
import { allowing, bullet, catalogue } from '../syntax/diagnostic.ts';
import { language } from '../syntax/messages.ts';
import { type Name, refuseRepeats } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Token } from '../syntax/tokens.ts';
import { nearest } from '../text/suggest.ts';
import { showDuration } from '../text/units.ts';
import { orEmpty } from './common-values.ts';
import {
  checked,
  choice,
  code,
  coded,
  constant,
  duration,
  either,
  flag,
  followed,
  type Grammar,
  led,
  list,
  made,
  maybe,
  name,
  oneOf,
  optional,
  quoted,
  sequence,
  shown,
  type ValueOf,
  words,
} from './grammar.ts';
import { FIELD_NAME, isFieldName, READ_ALREADY } from './header-fields.ts';
import type { BulletStatements, Stated } from './statement.ts';
import { inlineCode } from './written.ts';

/** A header with credentials, by the placeholder of the credentials. */
const headerOf = (holds = 'key'): string =>
  `\`Authorization: ${holds === 'credentials' ? 'Basic' : 'Bearer'} {${holds}}\``;

const COOKIE_SAMPLE = '`__Host-session={key}`, HttpOnly, SameSite Lax, Max-Age 30 days, removed when refused';

/** Findings about values that are understood but not allowed. */
const VALUES = catalogue('authentication', {
  header: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” does not show the place of the ${p.holds ?? 'key'}. Write the header, a word if there is one, and {${p.holds ?? 'key'}}.`,
    why: 'The header and the word have to be exact (RFC 9110, section 11).',
    write: (p) => headerOf(p.holds),
  },
  cookie: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is no cookie with credentials. Write the name of the cookie, “=”, and ${p.holds ? `{${p.holds}}` : '{key} or {token}'}.`,
    why: 'The name has to be a token (RFC 6265, section 4.1.1), and the credentials are the whole value.',
    write: (p) => `\`__Host-session={${p.holds ?? 'key'}}\``,
  },
  cookieAge: {
    severity: 'error',
    what: (p) => `Max-Age is in whole seconds, from 1 second to 400 days. This is ${p.found}.`,
    why: 'Browsers keep no cookie for longer than 400 days (RFC 6265bis, section 5.6.2).',
    write: () => 'Max-Age 400 days',
  },
  headerCookie: {
    severity: 'error',
    what: () => 'Credentials in a cookie have a bullet of their own. Write “Cookie” in place of “Header”.',
    why: 'A cookie has a name, and attributes that browsers obey.',
    write: () => bullet('Cookie', COOKIE_SAMPLE),
  },
  headerTaken: {
    severity: 'error',
    what: (p) =>
      `The header ${p.name} cannot carry a key: HTTP or the language uses it. Use Authorization, or a header of your own.`,
    why: 'A header has one meaning.',
    write: () => '`X-API-Key: {key}`',
  },
  realmForm: {
    severity: 'error',
    what: (p) => `“${p.found}” is no realm. A realm has 1 to 200 printable characters of ASCII.`,
    why: 'The realm is a quoted string in the challenge (RFC 9110, section 11.5), which HTTP carries safely in ASCII alone.',
    write: () => bullet('Realm', '`orders`, charset UTF-8'),
  },
  keysAddress: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not an address for keys. An address begins with “https://”, or with “http://” and this machine (localhost).`,
    why: 'Without TLS, an attacker could replace the keys and sign tokens.',
    write: () => bullet('Keys', 'from `https://id.example/keys`, kept 10 minutes'),
  },
  origin: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not an origin as browsers send it. An origin is http or https, a host in small letters (no “*”), and a port unless it is the default one.`,
    why: 'The service compares origins as text.',
    write: (p) => p.origin || '`https://app.example`',
  },
  tokenType: {
    severity: 'error',
    what: (p) => `“${p.found}” is no type of a token. A type is a media type, mostly without “application/”.`,
    why: 'The header parameter `typ` is a media type (RFC 7515, section 4.1.9).',
    write: () => bullet('Type', '`at+jwt`'),
  },
  originsAny: {
    severity: 'error',
    what: () => '“any” does not go with “with credentials”. List the origins, or write “without credentials”.',
    why: 'Any page could act in the name of its visitor; the Fetch Standard refuses the combination.',
    write: () => 'any, without credentials',
  },
});
const { report } = VALUES;
export const AUTHENTICATION_VALUES = VALUES.entries;

const PLACEHOLDERS = ['key', 'token', 'credentials'] as const;
const HEADER_SAMPLES = PLACEHOLDERS.map(
  (one) => `Authorization: ${one === 'credentials' ? 'Basic' : 'Bearer'} {${one}}`,
);
type Placeholder = (typeof PLACEHOLDERS)[number];

/** The place of a credential: `Authorization: Bearer {key}`, or a header of its own, `X-API-Key: {key}`. */
interface SchemeHeader {
  readonly name: string;
  /** The placeholder of the credential: `key` of API keys, `token` of tokens, `credentials` of HTTP Basic. */
  readonly holds: Placeholder;
  /** The authentication scheme before the credential, such as `Bearer`; null in a header of its own. */
  readonly scheme: string | null;
}

/**
 * Reads `Authorization: Bearer {key}`: the header and the placeholder are words of the language, and the authentication
 * scheme between them is the document's own. In any other header, the scheme may be omitted: `X-API-Key: {key}`.
 */
function takeHeader(token: Token, phrase: Phrase): SchemeHeader | undefined {
  const { text, inner } = token;
  const { from, to } = inner;
  const match = new RegExp(`^(${FIELD_NAME}):(?: ([A-Za-z][A-Za-z0-9-]{0,63}))? (\\S+)$`).exec(text);
  const [, name = '', scheme = null, key = ''] = match ?? [];
  if (!isFieldName(name)) {
    phrase.findings.push(allowing(report.header(inner, { found: text }), HEADER_SAMPLES));
    return undefined;
  }
  const suggestion = nearest(name, ['Authorization']);
  for (const [span, found, word] of [
    [{ from, to: from + name.length }, name, suggestion ?? name],
    [
      { from: to - key.length, to },
      key,
      nearest(
        key,
        PLACEHOLDERS.map((one) => `{${one}}`),
      ) ?? '{key}',
    ],
  ] as const) {
    phrase.understood(span, suggestion || word !== name ? 'word' : 'value');
    if (found === word) continue;
    const params = { found, nearest: nearest(found, [word]) ?? '', expected: `“${word}”` };
    const legal = span.to === to ? PLACEHOLDERS.map((one) => `{${one}}`) : [word];
    phrase.findings.push(allowing(language.report.unknown(span, params), legal));
    return undefined;
  }
  if (name.toLowerCase() === 'cookie') {
    phrase.findings.push(report.headerCookie(inner));
    return undefined;
  }
  if (READ_ALREADY.includes(name.toLowerCase()) && name !== 'Authorization')
    phrase.findings.push(report.headerTaken({ from, to: from + name.length }, { name }));
  if (name === 'Authorization' && scheme === null) {
    phrase.findings.push(report.header(inner, { found: text }));
    return undefined;
  }
  return { name, scheme, holds: PLACEHOLDERS.find((one) => key === `{${one}}`) ?? 'key' };
}

const HEADER = coded({
  role: 'value',
  what: 'a header in inline code, such as `Authorization: Bearer {key}`',
  sample: 'Authorization: Bearer {key}',
  take: takeHeader,
  show: ({ name, scheme, holds }) => [`${name}:`, ...(scheme === null ? [] : [scheme]), `{${holds}}`].join(' '),
  writes: (given) => typeof given === 'object',
});

/** The place of a credential that a browser keeps: the name of the cookie, empty where it is not understood, and the placeholder of the credential. */
interface CookiePlace {
  readonly name: string;
  readonly holds: 'key' | 'token';
}

/** Reads `__Host-session={key}`. */
function takeCookie({ text, inner }: Token, phrase: Phrase): CookiePlace {
  const [, name = '', holds] = new RegExp(`^(${FIELD_NAME})=\\{(key|token)\\}$`).exec(text) ?? [];
  if (!isFieldName(name)) phrase.findings.push(report.cookie(inner, { found: text }));
  return { name, holds: holds === 'token' ? 'token' : 'key' };
}

/** The longest time for which browsers keep a cookie (RFC 6265bis, section 5.6.2): 400 days. */
const LONGEST_AGE_MS = 400 * 86_400_000;

/**
 * A cookie with credentials, and its attributes (RFC 6265bis). All cookies here are `HttpOnly`, `Secure` and for every
 * path; the last two follow from a name that begins with `__Host-`, and are stated with any other name.
 */
const COOKIE = checked(
  sequence(
    {
      place: coded({
        role: 'value',
        what: 'a cookie in inline code, such as `__Host-session={key}`',
        sample: '__Host-session={key}',
        take: takeCookie,
        show: ({ name, holds }) => `${name}={${holds}}`,
        writes: (given) => typeof given === 'object',
      }),
    },
    { everywhere: flag(', Secure, every path') },
    { hidden: shown(flag(', HttpOnly'), ', HttpOnly') },
    { sameSite: shown(optional(', SameSite', oneOf('Strict', 'Lax', 'None')), ', SameSite Lax') },
    /** How long the browser keeps the cookie, in milliseconds: 0 until the browser ends its session. */
    {
      ageMilliseconds: shown(
        maybe(either(constant(', no Max-Age', 0), led(', Max-Age', duration('30 days')))),
        ', Max-Age 30 days',
        ', no Max-Age',
      ),
    },
    /** Whether the answer that refuses the credentials removes the cookie. */
    {
      removed: shown(
        maybe(either(constant(', removed when refused', true), constant(', kept when refused', false))),
        ', removed when refused',
        ', kept when refused',
      ),
    },
  ),
  ({ ageMilliseconds: age }, phrase) => {
    if (age !== null && (age > LONGEST_AGE_MS || age % 1000 !== 0))
      phrase.findings.push(report.cookieAge(phrase.span, { found: showDuration(age) }));
  },
);

/** The issuers of credentials: the keys of `texts` name the issuers, joined by “and”. */
const issuers = <const K extends string>(texts: Readonly<Record<K, string>>) =>
  made(
    choice(texts),
    (key) => key.split(' and ') as ReadonlyArray<'operator' | 'steps' | 'issuer'>,
    (by) => by.join(' and ') as K,
    Array.isArray,
  );

/** The credentials of HTTP Basic: nobody issues the user name and the password of a row. */
const OF_ROWS = made(
  sequence({ kept: constant('user name and password of one', null) }, { resource: name('a resource', 'Customer') }),
  (value) => ({ ...value, by: [] as ReadonlyArray<'operator' | 'steps' | 'issuer'> }),
  ({ kept, resource }) => ({ kept, resource }),
  (given) => (given as { readonly kept?: unknown } | null)?.kept === null,
);

/**
 * The issuers of credentials, and the resource whose rows the credentials are for. The service keeps a hash of
 * credentials that can be revoked.
 */
const CREDENTIALS = either(
  sequence(
    { kept: constant('issued and revoked by', true) },
    { by: issuers({ operator: 'the operator', steps: 'steps', 'operator and steps': 'the operator and steps' }) },
    ', each for one',
    { resource: name('a resource', 'Customer') },
    ', kept as a hash',
  ),
  sequence(
    { kept: constant('issued by', false) },
    { by: issuers({ issuer: 'the issuer', steps: 'steps' }) },
    ', each for one',
    { resource: name('a resource', 'Customer') },
  ),
  OF_ROWS,
);

const CLAIM = 'the name of a claim in inline code';

/**
 * The caller is a row: of tokens, the row whose field has the value of the claim; of HTTP Basic (no claim), the row
 * whose field is the user name. Its credentials are accepted while the condition holds.
 */
const CALLER = sequence(
  { resource: name('a resource', 'Customer') },
  {
    subject: optional(
      'whose',
      sequence(
        { field: name('a field', 'id') },
        { claim: either(led('is claim', quoted(CLAIM, 'sub')), constant('is the user name', null)) },
        { ignoresCase: flag(', ignoring case') },
      ),
    ),
  },
  { condition: optional('while', code('expression', 'a condition in inline code', 'closed == null')) },
);

/** The claim that lists scopes, and whether as text or as a list. */
const SCOPES_IN = sequence(
  'in claim',
  { claim: quoted(CLAIM, 'scope') },
  { form: choice({ spaces: ', separated by spaces', list: ', as a list' }) },
);

function checkOrigin({ text, inner }: Token, phrase: Phrase): void {
  const url = URL.parse(text);
  const origin = url && /^https?:$/.test(url.protocol) ? url.origin : '';
  const isHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url?.hostname ?? '');
  if (origin !== text || !isHost)
    phrase.findings.push(report.origin(inner, { found: text, origin: isHost ? origin : '' }));
}

const ORIGIN = code('value', 'an origin in inline code, such as `https://app.example`', 'https://app.example.com');

/** Origins with commas between them. A comma may follow the last. */
const LISTED: Grammar<readonly string[]> = {
  read: (phrase) => {
    const all: Token[] = [];
    do {
      const one = ORIGIN.read(phrase);
      if (!one) return undefined;
      checkOrigin(one, phrase);
      all.push(one);
    } while (phrase.peek(1)?.kind === 'code' && phrase.mark(','));
    refuseRepeats(
      all.map(({ text, inner }) => ({ text, ...inner })),
      phrase.findings,
    );
    return all.map(({ text }) => text);
  },
  print: (all) => all.map((text) => `\`${text}\``).join(', '),
  writes: Array.isArray,
  samples: ORIGIN.samples,
};

/** A header of answers that scripts may read; those that Fetch shows them anyway are not among them. */
const SHOWABLE = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
] as const;

const REPLAYS = 'the header of repeated answers in inline code';

const SHOWN: Grammar<Name> = {
  read: (phrase) => {
    const marked = phrase.peek()?.kind === 'code' ? phrase.code('value', REPLAYS) : null;
    if (marked) return { text: marked.text, ...marked.inner };
    const from = phrase.peek()?.from ?? phrase.text.to;
    const text = phrase.choose(SHOWABLE, REPLAYS);
    return text === null ? undefined : { text, from, to: from + text.length };
  },
  print: ({ text }) => (SHOWABLE.some((one) => one === text) ? text : inlineCode(text)),
  writes: () => true,
  samples: ['ETag, Link'],
};

/** The origins, besides the service's own, from which requests that write are accepted with a cookie. */
const CROSS_ORIGIN = made(
  sequence('refused', { origins: optional('except from', LISTED) }),
  ({ origins }): readonly string[] => origins ?? [],
  (all) => ({ origins: all.length ? all : null }),
  Array.isArray,
);

/** Permissions for pages of other origins in a browser: the Fetch Standard's CORS protocol. */
const ORIGINS = checked(
  sequence(
    { allowed: either(words('any'), LISTED) },
    /** Whether browsers may send credentials of their own accord, such as cookies. */
    { credentials: either(constant(', without credentials', false), constant(', with credentials', true)) },
    /** How long a browser caches the answer to a preflight request. */
    { keptMilliseconds: either(constant(', preflight not kept', 0), led(', preflight kept', duration('1 day'))) },
    { shown: orEmpty(either(constant(', showing no headers', null), led(', showing headers', list(SHOWN)))) },
  ),
  ({ allowed, credentials, shown }, phrase) => {
    refuseRepeats(shown, phrase.findings);
    if (credentials && allowed === 'any') phrase.findings.push(report.originsAny(phrase.span));
  },
);
export type Origins = ValueOf<typeof ORIGINS>;

/** The bullet for the origins of all schemes, or of one scheme: the part needs it once. */
export const BROWSER_ORIGINS = {
  member: 'origins',
  value: either(words('none'), ORIGINS),
  ask: {
    code: 'origins',
    what: 'May pages of other origins call the service from a browser?',
    why: 'Ninefold has no defaults (CORS, Fetch Standard).',
    write: 'none',
  },
} as const;

/** `## Authentication` */
export const AUTHENTICATION = {
  Scheme: { member: 'none', value: words('none') },
  'Unaccepted credentials where none are needed': { member: 'unaccepted', value: oneOf('refused') },
  'Browser origins': BROWSER_ORIGINS,
} as const satisfies BulletStatements;

const REALM = 'the realm in inline code';

function checkRealm({ text, inner }: Token, phrase: Phrase): void {
  if (!/^[\x20-\x7e]{1,200}$/.test(text)) phrase.findings.push(report.realmForm(inner, { found: text }));
}

/** The bullets of a scheme about its credentials, whatever their kind. */
export const CREDENTIAL_BULLETS = {
  Scheme: {
    member: 'kind',
    value: oneOf('API key', 'JWT', 'OAuth 2 bearer', 'HTTP Basic'),
    fact: { what: 'kind of scheme', write: 'API key' },
  },
  Header: { member: 'header', value: HEADER, fact: { what: 'header', write: '`Authorization: Bearer {key}`' } },
  Cookie: { member: 'cookie', value: COOKIE },
  /** The protection space of HTTP Basic (RFC 9110, section 11.5), and the one charset that RFC 7617 has a name for. */
  Realm: { member: 'realm', value: followed(quoted(REALM, 'orders', checkRealm), ', charset UTF-8') },
  'Cross-origin writes': { member: 'crossOrigin', value: CROSS_ORIGIN },
  Credentials: {
    member: 'credentials',
    value: CREDENTIALS,
    fact: {
      what: 'source of credentials',
      write: 'issued and revoked by the operator, each for one Customer, kept as a hash',
    },
  },
  Caller: { member: 'caller', value: CALLER },
  Scopes: {
    member: 'scopes',
    value: either(words('none'), SCOPES_IN),
    fact: { what: 'list of scopes', write: 'none' },
  },
  'Browser origins': BROWSER_ORIGINS,
} as const satisfies BulletStatements;

function checkKeysAddress({ text, inner }: Token, phrase: Phrase): void {
  const url = URL.parse(text);
  const local = url && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) || url.username || url.hash)
    phrase.findings.push(report.keysAddress(inner, { found: text }));
}

function checkTokenType({ text, inner }: Token, phrase: Phrase): void {
  if (!/^[\w!#$&^.+-]{1,127}(?:\/[\w!#$&^.+-]{1,127})?$/.test(text))
    phrase.findings.push(report.tokenType(inner, { found: text }));
}

/** The bullets of a scheme about its JSON Web Tokens (RFC 7519). */
export const TOKEN_BULLETS = {
  /** The value of the header parameter `typ` (RFC 8725, section 3.11). */
  Type: {
    member: 'type',
    value: either(words('any'), quoted('a type in inline code', 'at+jwt', checkTokenType)),
  },
  Algorithm: { member: 'algorithm', value: oneOf(...ALGORITHMS), fact: { what: 'algorithm', write: 'ES256' } },
  /** The source of the keys: the operator, or a JWK Set that the issuer publishes. */
  Keys: {
    member: 'keys',
    value: either(
      constant('given by the operator', 'operator'),
      sequence(
        'from',
        { url: quoted('the address of a JWK Set in inline code', 'https://id.example.com/keys', checkKeysAddress) },
        ', kept',
        { keptMilliseconds: duration('10 minutes') },
      ),
    ),
    fact: { what: 'source of keys', write: 'given by the operator' },
  },
  Issuer: {
    member: 'issuer',
    value: quoted('the issuer in inline code, as tokens name it', 'https://id.example.com'),
    fact: { what: 'issuer', write: '`https://id.example`' },
  },
  Audience: {
    member: 'audience',
    value: quoted('the audience in inline code, as tokens name it', 'orders'),
    fact: { what: 'audience', write: '`orders`' },
  },
  /**
   * The lifetime of a token: exact where steps issue the token; otherwise a maximum, or the lifetime in the token
   * itself.
   */
  Lifetime: {
    member: 'lifetime',
    value: either(
      words('as the token says'),
      sequence({ most: flag('at most') }, { milliseconds: duration('1 hour') }),
    ),
    fact: { what: 'lifetime', write: 'as the token says' },
  },
  /** The largest difference between the issuer's clock and this one, in milliseconds. */
  'Clock skew': {
    member: 'skew',
    value: either(constant('none', 0), duration('30 seconds')),
    fact: { what: 'clock skew', write: '30 seconds' },
  },
} as const satisfies BulletStatements;

/** The bullets under the heading of a scheme. */
export const SCHEME = { ...CREDENTIAL_BULLETS, ...TOKEN_BULLETS } as const;

export type Cookie = ValueOf<typeof COOKIE>;
export type SchemeBullets = Stated<typeof CREDENTIAL_BULLETS>;
export type TokenBullets = Stated<typeof TOKEN_BULLETS>;
export type Subject = NonNullable<ValueOf<typeof CALLER>['subject']>;
export type ScopesIn = ValueOf<typeof SCOPES_IN>;

/** `orders:read` */
export const SCOPE = name('the name of a scope', 'orders:read', 'declaration');
