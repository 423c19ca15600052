import { BODY } from './body.ts';
import type { Draft } from './draft.ts';
import { HARMLESS } from './harmless.ts';
import { causes, type FaultMade, type Mutation } from './mutation.ts';
import type { Broken } from './sent.ts';
import { STEPS } from './steps.ts';

const broken = (name: string, status: number, head: (head: string) => string, ...more: string[]): Mutation => ({
  name: `no HTTP: ${name}`,
  slots: ['broken', ...more],
  effect: { bare: status },
  at: () => true,
  apply: (draft) => {
    draft.broken = { name, status, head } satisfies Broken;
  },
});

/** Puts a line after the first one. */
const line = (text: string) => (head: string) => head.replace('\r\n', () => `\r\n${text}\r\n`);
const first = (change: (line: string) => string) => (head: string) => head.replace(/^[^\r]*/, change);

const BROKEN: readonly Mutation[] = [
  broken('two lengths', 400, line('Content-Length: 3\r\nContent-Length: 4')),
  broken('the same length twice', 400, line('Content-Length: 0\r\nContent-Length: 0')),
  broken('length and chunks', 400, line('Content-Length: 3\r\nTransfer-Encoding: chunked')),
  broken('a length with a sign', 400, line('Content-Length: +3')),
  broken('a negative length', 400, line('Content-Length: -3')),
  broken('a length in hexadecimal', 400, line('Content-Length: 0x3')),
  broken('a length past every number', 400, line('Content-Length: 99999999999999999999999')),
  broken('a list of lengths', 400, line('Content-Length: 3, 3')),
  broken('an unknown coding last', 400, line('Transfer-Encoding: chunked, gzip'), 'framing'),
  broken('no coding known', 400, line('Transfer-Encoding: identity'), 'framing'),
  broken('a coding with a tail', 400, line('Transfer-Encoding: xchunked'), 'framing'),
  broken('a space before the colon', 400, line('X-A : 1')),
  broken('a folded line', 400, line('X-A: 1\r\n 2')),
  broken('a NUL in a value', 400, line('X-A: a\0b')),
  broken('a control in a value', 400, line('X-A: a\x01b')),
  broken('a bare carriage return', 400, line('X-A: a\rb')),
  broken('a line without a colon', 400, line('nonsense')),
  broken('an empty name', 400, line(': a')),
  broken('a name that is no token', 400, line('X(A): 1')),
  broken('a second host', 400, line('Host: other.example')),
  broken('no host', 400, (head) => head.replace(/\r\nHost:[^\r]*/i, '')),
  broken('a host with a path', 400, (head) => head.replace(/\r\nHost:[^\r]*/i, '\r\nHost: a/b')),
  broken('a host with a user', 400, (head) => head.replace(/\r\nHost:[^\r]*/i, '\r\nHost: a@b')),
  broken(
    'an unknown method',
    400,
    first((text) => text.replace(/^\S+/, 'FETCH')),
  ),
  broken(
    'a method in small letters',
    400,
    first((text) => text.replace(/^\S+/, (method) => method.toLowerCase())),
  ),
  broken(
    'HTTP/3.7',
    400,
    first((text) => text.replace('HTTP/1.1', 'HTTP/3.7')),
  ),
  broken(
    'another protocol',
    400,
    first((text) => text.replace('HTTP/1.1', 'ICE/1.1')),
  ),
  broken(
    'a space in the target',
    400,
    first((text) => text.replace(' HTTP/', ' x HTTP/')),
  ),
  broken('bare line feeds', 400, (head) => head.replaceAll('\r\n', '\n')),
  broken(
    'a target beyond ASCII',
    400,
    first((text) => text.replace(' HTTP/', '\xe9 HTTP/')),
  ),
  broken('a header too long', 431, line(`X-A: ${'a'.repeat(17_000)}`)),
  broken('headers too many', 431, line(Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`).join('\r\n'))),
  broken(
    'an address too long',
    431,
    first((text) => text.replace(' HTTP/', `?${'a'.repeat(17_000)} HTTP/`)),
  ),
];

const path = (name: string, change: (path: string, draft: Draft) => string, ...more: string[]): Mutation =>
  causes('no such endpoint', ['path', ...more], name, (draft) => {
    draft.path = change(draft.path, draft);
  });

const PATHS: readonly Mutation[] = [
  path('double slash', (text) => `/${text}`),
  path('double slash inside', (text) => text.replace(/(?<=.)\//, '//').replace(/^\/([^/]+)$/, '/$1//')),
  path('trailing slash', (text) => `${text}/`),
  path('dot segment', (text) => `/.${text}`),
  path('dot dot segment', (text) => `/x/..${text}`),
  path('dots that are written as escapes', (text) => `/%2e${text}`),
  path('other case', (text) => text.replace(/[a-z]/, (letter) => letter.toUpperCase())),
  path('a slash that is an escape', (text) => `/%2f${text.slice(1)}`),
  path('bad escape', (text) => `${text}%zz`),
  path('half an escape', (text) => `${text}%4`),
  path('escape of no UTF-8', (text) => `${text}%ff`),
  path('overlong escape', (text) => `${text}/x/%c0%af`),
  path('null', (text) => `${text}/x/y/%00`),
  path('fragment', (text) => `${text}#x`),
  path('semicolon', (text) => text.replace(/^\/(\w+)/, '/$1;a=1')),
  path('the root', () => '/'),
  path('an asterisk', () => '*', 'query', 'form', 'page', 'filter status', 'filter sku'),
  path('no scheme known', (text) => `ftp://host${text}`),
  path('long', (text) => `${text}/${'a/'.repeat(1000)}`),
  path('a question mark that is an escape', (text) => `${text}/x/y/%3fa=1`),
  path('something beside', () => '/order'),
  path('something below', (text) => `${text}/x/y/z`),
  path('usual suspects: health', () => '/health'),
  path('usual suspects: metrics', () => '/metrics'),
  path('usual suspects: openapi', () => '/openapi.json'),
  path('usual suspects: favicon', () => '/favicon.ico'),
  path('a template', () => '/orders/{id}/orders'),
  path('prototype', () => '/__proto__'),
  path('constructor', () => '/constructor/prototype'),
];

/** Methods that HTTP has and Node reads. HEAD and OPTIONS are methods like others where a document doesn’t serve them. */
const METHODS = [
  'HEAD',
  'OPTIONS',
  'PUT',
  'TRACE',
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'QUERY',
  'PROPFIND',
  'LOCK',
  'PURGE',
  'M-SEARCH',
];

const ROUTING: readonly Mutation[] = [
  ...PATHS,
  ...METHODS.map((method) =>
    causes(
      'method not allowed',
      ['method'],
      method,
      (draft) => {
        draft.method = method;
      },
      (draft, contract) =>
        !contract.endpoints.some((one) => one.method === method && one.path.join() === draft.endpoint.path.join()),
    ),
  ),
];

const caller = (
  condition: 'credentials missing' | 'credentials not accepted',
  name: string,
  change: (key: string) => string[],
): Mutation =>
  causes(condition, ['caller'], name, (draft) => {
    draft.authorization = change(draft.authorization[0]!.slice('Bearer '.length));
  });

const CALLERS: readonly Mutation[] = [
  caller('credentials missing', 'no header', () => []),
  caller('credentials missing', 'the scheme alone', () => ['Bearer']),
  caller('credentials missing', 'the scheme and a space', () => ['Bearer ']),
  caller('credentials not accepted', 'empty', () => ['']),
  caller('credentials not accepted', 'the key alone', (key) => [key]),
  caller('credentials not accepted', 'another scheme', (key) => [`Token ${key}`]),
  caller('credentials not accepted', 'basic', (key) => [`Basic ${Buffer.from(`${key}:`).toString('base64')}`]),
  caller('credentials not accepted', 'no space', (key) => [`Bearer${key}`]),
  caller('credentials not accepted', 'a tab', (key) => [`Bearer\t${key}`]),
  caller('credentials not accepted', 'two keys', (key) => [`Bearer ${key}, Bearer ${key}`]),
  caller('credentials not accepted', 'two headers', (key) => [`Bearer ${key}`, `Bearer ${key}`]),
  caller('credentials not accepted', 'one letter less', (key) => [`Bearer ${key.slice(0, -1)}`]),
  caller('credentials not accepted', 'one letter more', (key) => [`Bearer ${key}A`]),
  caller('credentials not accepted', 'one letter other', (key) => [
    `Bearer ${key.slice(0, -5)}${key.at(-5) === 'A' ? 'B' : 'A'}${key.slice(-4)}`,
  ]),
  caller('credentials not accepted', 'other case', (key) => [
    `Bearer ${key.toLowerCase() === key ? key.toUpperCase() : key.toLowerCase()}`,
  ]),
  caller('credentials not accepted', 'padded', (key) => [`Bearer ${key}==`]),
  caller('credentials not accepted', 'a wildcard', () => ['Bearer *']),
  caller('credentials not accepted', 'a token of another kind', () => ['Bearer eyJhbGciOiJub25lIn0.e30.']),
  caller('credentials not accepted', 'SQL', () => ["Bearer ' OR 1=1 --"]),
  caller('credentials not accepted', 'long', () => [`Bearer ${'a'.repeat(3000)}`]),
  caller('credentials not accepted', 'beyond ASCII', (key) => [`Bearer ${key}\xe9`]),
  causes('credentials not accepted', ['caller'], 'revoked', (draft, { world }) => {
    draft.authorization = [`Bearer ${world.revoked}`];
  }),
  causes('scope missing', ['scope', 'caller'], 'a key of other scopes', (draft, { world, random }) => {
    const needed = draft.endpoint.effective.settings.access!.value.name.text;
    const key = random.pick(world.customers[0]!.keys.filter((one) => !one.scopes.includes(needed))).key;
    // Whose key it is doesn’t matter: scopes come before rows.
    draft.authorization = [`Bearer ${key}`];
  }),
];

const version = (condition: 'version unknown' | 'version retired', name: string, ...sent: string[]): Mutation =>
  causes(condition, ['version'], name, (draft) => {
    draft.version = sent;
  });

const VERSIONS: readonly Mutation[] = [
  version('version retired', 'the retired one', '2024-12-01'),
  version('version unknown', 'empty', ''),
  version('version unknown', 'latest', 'latest'),
  version('version unknown', 'another day', '2026-11-02'),
  version('version unknown', 'a day that isn’t', '2026-02-30'),
  version('version unknown', 'without dashes', '20261101'),
  version('version unknown', 'a time', '2026-11-01T00:00:00Z'),
  version('version unknown', 'twice', '2026-11-01', '2026-11-01'),
  version('version unknown', 'a list', '2026-11-01, 2025-06-01'),
  version('version unknown', 'quoted', '"2026-11-01"'),
  version('version unknown', '__proto__', '__proto__'),
  version('version unknown', 'long', '1'.repeat(2000)),
];

const accept = (...sent: string[]): Mutation =>
  causes('not acceptable', ['accept'], sent.join(' + '), (draft) => {
    draft.accept = sent;
  });

const ACCEPTS: readonly Mutation[] = [
  ...[
    'text/html',
    'application/xml',
    'application/*;q=0',
    '*/*;q=0',
    'application/json;q=0',
    'application/json;q=0.000, */*',
  ].map((one) => accept(one)),
  ...[
    'application/problem+json',
    'image/*',
    'application/json;charset=latin1',
    'application/json;version=2',
    'text/json',
  ].map((one) => accept(one)),
  accept('text/html', 'image/png'),
];

const query = (name: string, piece: string, fault: FaultMade): Mutation =>
  causes('unknown parameter', ['query'], name, (draft) => {
    draft.query.push(piece);
    return [fault];
  });
const unknown = (name: string): FaultMade => ({ place: 'parameter', name, code: 'unknown_parameter' });

const QUERIES: readonly Mutation[] = [
  query('one', 'x=1', unknown('x')),
  query('without a value', 'fields', unknown('fields')),
  query('without a name', '=1', unknown('')),
  query('__proto__', '__proto__=1', unknown('__proto__')),
  query('constructor', 'constructor', unknown('constructor')),
  query('other case', 'Limit=5', unknown('Limit')),
  query('brackets', 'status[]=draft', unknown('status[]')),
  query('escaped', '%61%62=1', unknown('ab')),
  query('space', '+limit=1', unknown(' limit')),
  query('a question mark', '?a=1', unknown('?a')),
  query('beyond ASCII', '%E2%82%AC=1', unknown('€')),
  query('null', 'a%00b=1', unknown('a\0b')),
  query('a method', '_method=DELETE', unknown('_method')),
  query('a field of the path', 'id=1', unknown('id')),
  query('a field', 'customer=1', unknown('customer')),
  query('long', `${'y'.repeat(2000)}=1`, unknown('y'.repeat(2000))),
  ...['%', '%zz=1', 'a=%4', 'a=%ff', '%c0%80=1', 'a=%ed%a0%80', 'a="<>%"'].map((piece) =>
    causes('malformed request', ['form'], `query ${piece}`, (draft) => {
      draft.query.push(piece);
    }),
  ),
];

/** Every way of making a request wrong whose answer is known. */
export const MUTATIONS: readonly Mutation[] = [
  ...BROKEN,
  ...ROUTING,
  ...CALLERS,
  ...VERSIONS,
  ...ACCEPTS,
  ...QUERIES,
  ...BODY,
  ...STEPS,
];

export { HARMLESS };
