import { MEMBER_SLOTS } from './body.ts';
import type { Draft } from './draft.ts';
import { nameIn } from './draft.ts';
import { harmless, type Mutation } from './mutation.ts';
import { cursorOf } from './steps.ts';
import { fullKey } from './world.ts';

const reads = (draft: Draft): boolean => draft.fields !== null;
const bare = (draft: Draft): boolean => draft.fields === null;
const lists = (draft: Draft): boolean => draft.endpoint.effective.steps.some((step) => step.verb === 'List');
const owned = (draft: Draft): boolean => draft.order !== null;

const put =
  <K extends 'framing' | 'size' | 'writing'>(slot: K, value: Draft[K]) =>
  (draft: Draft): void => {
    draft[slot] = value;
  };

const set =
  <K extends 'accept' | 'type' | 'encoding' | 'version' | 'host'>(slot: K, ...sent: string[]) =>
  (draft: Draft): void => {
    draft[slot] = sent;
  };

const ACCEPTS = [
  ...[
    '*/*',
    'application/json',
    'application/*',
    'application/json;q=0.1',
    'text/html, */*;q=0.1',
    'APPLICATION/JSON',
    '',
  ],
  ...[
    'application/json;charset=utf-8',
    'text/html;q=1, application/json;q=0.001',
    'nonsense',
    '*/*;q=0, application/json',
  ],
];

const TYPES = [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="UTF-8"',
  'application/json ; x=y',
  'application/json;',
];

/** Headers that the document doesn’t read, here or anywhere. */
const IGNORED: ReadonlyArray<readonly [string, string]> = [
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '10.0.0.1'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Forwarded', 'for=1.2.3.4'],
  ['Cookie', 'session=1'],
  ['Origin', 'https://evil.example'],
  ['Access-Control-Request-Method', 'PUT'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'Fri, 20 Nov 2026 00:00:00 GMT'],
  ['If-Unmodified-Since', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['Prefer', 'return=minimal'],
  ['Accept-Encoding', 'gzip'],
  ['Accept-Language', 'de'],
  ['Accept-Charset', 'latin1'],
  ['TE', 'trailers'],
  ['Max-Forwards', '0'],
  ['Upgrade', 'h2c'],
  ['Upgrade', 'websocket'],
  ['Expect', 'nothing-known'],
  ['Date', 'nonsense'],
  ['Via', '1.1 proxy'],
  ['Idempotency-Key', 'unread'],
  ['If-Match', '"unread"'],
  ['Content-Location', '/x'],
  ['__proto__', '1'],
  ['constructor', '1'],
  ['X-Empty', ''],
  ['X-Long', 'a'.repeat(3000)],
  ['X-Bytes', '\xff\xfe\x80'],
];

const HEADERS: readonly Mutation[] = [
  ...ACCEPTS.map((accept) => harmless(['accept'], `Accept: ${accept}`, set('accept', accept))),
  harmless(['accept'], 'two Accepts', set('accept', 'text/html', 'application/json')),
  ...TYPES.map((type) => harmless(['type'], `Content-Type: ${type}`, set('type', type), reads)),
  harmless(['type'], 'a merge patch', set('type', 'application/merge-patch+json'), (draft) => draft.method === 'PATCH'),
  harmless(['type'], 'a type without a body', set('type', 'text/plain'), bare),
  harmless(['encoding'], 'identity', set('encoding', 'identity')),
  harmless(['encoding'], 'an encoding without a body', set('encoding', 'gzip'), bare),
  ...['localhost', '', '127.0.0.1:1', '[::1]:80', 'EXAMPLE.com:', 'a.b'].map((host) =>
    harmless(['host'], `Host: ${host}`, set('host', host)),
  ),
  ...IGNORED.map(([name, value]) =>
    harmless(
      [`header ${name}`],
      `${name}: ${value.slice(0, 20)}`,
      (draft) => {
        draft.headers.push([name, value]);
        if (name === 'Upgrade') draft.headers.push(['Connection', 'Upgrade']);
      },
      (draft) => !(name === 'Idempotency-Key' && draft.key.length) && !(name === 'If-Match' && draft.match.length),
    ),
  ),
  harmless(['caller', 'scope'], 'the scheme in other case and spaces', (draft) => {
    draft.authorization = draft.authorization.map((value) => value.replace('Bearer ', 'bEARER   '));
  }),
  harmless(
    ['caller', 'scope', 'row', 'state'],
    'by somebody who may see every order',
    (draft, { world }) => {
      draft.authorization = [`Bearer ${fullKey(world.customers.find((one) => one !== draft.caller)!)}`];
    },
    owned,
  ),
  harmless(
    ['key'],
    'a key in quotes',
    (draft) => {
      draft.key = [`"${draft.key[0]}"`];
    },
    (draft) => draft.key.length > 0,
  ),
  harmless(
    ['match'],
    'a list of tags',
    (draft) => {
      draft.match = [`"other", W/"weak" ,${draft.match[0]}`];
    },
    (draft) => draft.match.length > 0,
  ),
  harmless(
    ['match'],
    'any tag',
    (draft) => {
      draft.match = ['*'];
    },
    (draft) => draft.match.length > 0,
  ),
];

const TARGETS: readonly Mutation[] = [
  harmless(['path'], 'a letter as an escape', (draft) => {
    draft.path = draft.path.replace('r', '%72');
  }),
  harmless(['path'], 'absolute', (draft) => {
    draft.path = `http://other.example:99${draft.path}`;
  }),
  harmless(['path'], 'absolute, in other case', (draft) => {
    draft.path = `HTTPS://other.example${draft.path}`;
  }),
  harmless(['query'], 'an empty query', (draft) => {
    draft.query.push('');
  }),
  harmless(['query'], 'a query of ampersands', (draft) => {
    draft.query.push('&&');
  }),
  harmless(
    ['row'],
    'an identity in capitals',
    (draft) => {
      draft.path = draft.path.replace(draft.order!.id, draft.order!.id.toUpperCase());
    },
    owned,
  ),
  harmless(
    ['row'],
    'an identity with escapes',
    (draft) => {
      draft.path = draft.path.replace(draft.order!.id, draft.order!.id.replaceAll('-', '%2D'));
    },
    owned,
  ),
  ...['1', '100', '20'].map((limit) =>
    harmless(['page'], `limit=${limit}`, (draft) => void draft.query.push(`limit=${limit}`), lists),
  ),
  harmless(['filter status'], 'status', (draft) => void draft.query.push('status=dra%66t'), lists),
  harmless(
    ['filter sku'],
    'sku',
    (draft, { contract }) => void draft.query.push(`${nameIn(contract, draft, 'sku')}=+ABC-1234%20`),
    lists,
  ),
  harmless(
    ['page', 'caller', 'scope', 'version', 'filter status', 'filter sku'],
    'the next page',
    async (draft, bench) => {
      draft.authorization = [`Bearer ${fullKey(draft.caller)}`];
      draft.query.push(`cursor=${await cursorOf(draft, bench, '?limit=1')}`);
    },
    lists,
  ),
];

const KIB64 = 64 * 1024;

const BODIES: readonly Mutation[] = [
  ...(['chunked', 'chunked, trailers'] as const).map((framing) =>
    harmless(['framing'], framing, put('framing', framing)),
  ),
  harmless(['framing'], 'a length of zero', put('framing', 'length'), bare),
  harmless(['framing'], 'an expectation', (draft) => void draft.headers.push(['Expect', '100-continue']), reads),
  ...[KIB64 - 1, KIB64].map((size) => harmless(['framing'], `${size} bytes`, put('size', size), reads)),
  harmless(
    ['framing'],
    '64 KiB in chunks',
    (draft) => {
      draft.framing = 'chunked';
      draft.size = KIB64;
    },
    reads,
  ),
  ...(['escaped', 'spaced', 'exponents'] as const).map((writing) =>
    harmless(['writing'], writing, put('writing', writing), reads),
  ),
  harmless(['member note'], 'a note of null', (draft) => void draft.fields!.set('note', null), reads),
  harmless(
    [...MEMBER_SLOTS],
    'nothing to change',
    (draft) => draft.fields!.clear(),
    (draft) => draft.endpoint.method === 'PATCH',
  ),
];

/** Changes after which a request has to be answered as before. */
export const HARMLESS: readonly Mutation[] = [...HEADERS, ...TARGETS, ...BODIES];
