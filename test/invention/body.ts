import type { Contract } from './contract.ts';
import { type Draft, nameIn, Raw } from './draft.ts';
import { causes, type FaultMade, type Mutation } from './mutation.ts';
import { DEEP_VALUES, MALFORMED, NO_OBJECTS } from './texts.ts';

const KIB64 = 64 * 1024;
const reads = (draft: Draft): boolean => draft.fields !== null;

const FRAMING: readonly Mutation[] = [
  causes('length missing', ['framing'], 'no body', (draft) => {
    draft.framing = 'none';
  }),
  ...[KIB64 + 1, KIB64 * 4].map((size) =>
    causes('request too large', ['framing'], `${size} bytes`, (draft) => {
      tooLarge(draft, size);
      draft.framing = 'length';
    }),
  ),
  ...[KIB64 + 1, KIB64 * 4].map((size) =>
    causes('request too large', ['framing'], `${size} bytes in chunks`, (draft) => {
      tooLarge(draft, size);
      draft.framing = 'chunked';
    }),
  ),
];

function tooLarge(draft: Draft, size: number): void {
  draft.size = size;
  if (!draft.fields) draft.raw ??= Buffer.alloc(0);
}

const TYPES: ReadonlyArray<readonly string[]> = [
  [],
  [''],
  ['text/plain'],
  ['application/xml'],
  ['application/x-www-form-urlencoded'],
  ['multipart/form-data; boundary=x'],
  ['application/json; charset=iso-8859-1'],
  ['application/json; charset=utf-16'],
  ['application/json, application/json'],
  ['application/json', 'application/json'],
  ['application/jsonp'],
  ['application/problem+json'],
  ['application/json-patch+json'],
  ['application/*'],
  ['*/*'],
  ['json'],
  ['application/json;charset'],
  ['application /json'],
];

const KINDS: readonly Mutation[] = [
  ...TYPES.map((type) =>
    causes('unsupported media type', ['type'], type.join(' + ') || 'none', (draft) => {
      draft.type = [...type];
    }),
  ),
  causes(
    'unsupported media type',
    ['type'],
    'a merge patch where none is taken',
    (draft) => {
      draft.type = ['application/merge-patch+json'];
    },
    (draft) => draft.endpoint.method !== 'PATCH',
  ),
  ...['gzip', 'br', 'deflate', 'x-gzip', 'identity, gzip', 'gzip, identity', 'utf-8', 'chunked', '*'].map((encoding) =>
    causes('unsupported encoding', ['encoding'], encoding, (draft) => {
      draft.encoding = [encoding];
    }),
  ),
];

/** What a body instead of the members takes for itself. */
export const MEMBER_SLOTS: readonly string[] = ['member sku', 'member quantity', 'member note', 'extra'];

const TEXTS: readonly Mutation[] = [
  ...MALFORMED.map(([name, text]) => causes('malformed request', [...MEMBER_SLOTS], name, replace(text), reads)),
  ...NO_OBJECTS.map(([name, text]) =>
    causes(
      'invalid request',
      [...MEMBER_SLOTS],
      name,
      (draft) => {
        draft.raw = text;
        return [{ place: 'pointer', name: '', code: 'not_an_object' }];
      },
      reads,
    ),
  ),
];

function replace(text: Buffer) {
  return (draft: Draft): void => {
    draft.raw = text;
  };
}

/** A value that a field doesn’t allow, and the fault it is. */
const WRONG: ReadonlyArray<readonly [field: string, value: unknown, fault: string]> = [
  ['sku', null, 'null_refused'],
  ['quantity', null, 'null_refused'],
  ...[
    1,
    true,
    [],
    {},
    ['ABC-1234'],
    new Raw('"\\ud800"'),
    new Raw('"ABC-1234\\u0000"'),
    new Raw('"\\udc00\\ud800"'),
    new Raw('1e400'),
  ].map((value): [string, unknown, string] => ['sku', value, 'not_text']),
  ...[
    '',
    'abc-1234',
    'ABC-123',
    'ABC-12345',
    'ABC1234',
    'ÄBC-1234',
    'ABC-1234\n\u0007',
    'ABC-１２３４',
    "' OR 1=1 --",
    'ABC-1234x',
    'xABC-1234',
  ].map((value): [string, unknown, string] => ['sku', value, 'not_matching']),
  ['sku', 'A'.repeat(60_000), 'not_matching'],
  ...['1', '', true, [], {}, [1], 1.5, 0.1, 999.999].map((value): [string, unknown, string] => [
    'quantity',
    value,
    'not_integer',
  ]),
  ...['1e-400', '1.0000000000000002', '1.00000000000000000001', '1e-7', '12.5e0'].map(
    (text): [string, unknown, string] => ['quantity', new Raw(text), 'not_integer'],
  ),
  ...['0', '-0', '-1', '-0.0', '0e5', '-1E3', '-1e400'].map((text): [string, unknown, string] => [
    'quantity',
    new Raw(text),
    'too_small',
  ]),
  ...['1001', '1e4', '9007199254740993', '1E300', '1e400', '18446744073709551616'].map(
    (text): [string, unknown, string] => ['quantity', new Raw(text), 'too_large'],
  ),
  ...[0, false, [], {}, new Raw('"\\u0000"'), new Raw('"\\ud83d"'), ...DEEP_VALUES.map((text) => new Raw(text))].map(
    (value): [string, unknown, string] => ['note', value, 'not_text'],
  ),
  ...['x'.repeat(501), '😀'.repeat(501), 'x'.repeat(60_000), 'é'.repeat(20_000)].map(
    (value): [string, unknown, string] => ['note', value, 'too_long'],
  ),
];

const takes =
  (field: string) =>
  (draft: Draft, contract: Contract): boolean => {
    const request = draft.endpoint.effective.settings.request!.value;
    return (
      request !== 'none' &&
      request.fields.some((name) => name.text === field) &&
      nameIn(contract, draft, field) !== null
    );
  };

const shown = (value: unknown): string => {
  const text = value instanceof Raw ? value.text : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
};

const MEMBERS: readonly Mutation[] = [
  ...WRONG.map(([field, value, fault]) =>
    causes(
      'invalid request',
      [`member ${field}`],
      `${field} ${shown(value)}`,
      (draft, { contract }): FaultMade[] => {
        draft.fields!.set(field, value);
        return [{ place: 'pointer', name: `/${nameIn(contract, draft, field)}`, code: fault }];
      },
      takes(field),
    ),
  ),
  ...['sku', 'quantity'].map((field) =>
    causes(
      'invalid request',
      [`member ${field}`],
      `${field} missing`,
      (draft, { contract }): FaultMade[] => {
        draft.fields!.delete(field);
        return [{ place: 'pointer', name: `/${nameIn(contract, draft, field)}`, code: 'missing' }];
      },
      (draft, contract) => draft.endpoint.method === 'POST' && takes(field)(draft, contract),
    ),
  ),
];

/** Members that no version of the request has, as they are written, and the pointers to them. */
const EXTRA: ReadonlyArray<readonly [member: string, pointer: string]> = [
  ['"x":1', '/x'],
  ['"":1', '/'],
  ['"__proto__":{"quantity":1}', '/__proto__'],
  ['"constructor":{"prototype":{}}', '/constructor'],
  ['"toString":null', '/toString'],
  ['"a/b":1', '/a~1b'],
  ['"a~b":1', '/a~0b'],
  ['"~1":1', '/~01'],
  ['"Sku":"ABC-1234"', '/Sku'],
  ['"Quantity":1', '/Quantity'],
  ['" quantity":1', '/ quantity'],
  ['"quantity\\u0000":1', '/quantity\0'],
  ['"\\ud800":1', '/\ud800'],
  ['"é":1', '/é'],
  ['"id":"0195c2a0-0000-7000-8000-000000000001"', '/id'],
  ['"customer":"0195c2a0-0000-7000-8000-000000000001"', '/customer'],
  ['"status":"delivered"', '/status'],
  ['"created":"2026-01-01T00:00:00.000Z"', '/created'],
  [`"deep":${DEEP_VALUES[0]}`, '/deep'],
  [`"${'n'.repeat(20_000)}":1`, `/${'n'.repeat(20_000)}`],
];

const EXTRAS: readonly Mutation[] = [
  ...EXTRA.map(([member, pointer]) =>
    causes(
      'unknown field',
      ['extra'],
      member.slice(0, 40),
      (draft): FaultMade[] => {
        draft.extra.push(member);
        return [{ place: 'pointer', name: pointer, code: 'unknown_field' }];
      },
      reads,
    ),
  ),
  // What one version calls `product` is no member of another, and what it doesn’t have is unknown to it.
  ...(['product', 'sku', 'note'] as const).map((member) =>
    causes(
      'unknown field',
      ['extra'],
      `${member} of another version`,
      (draft): FaultMade[] => {
        draft.extra.push(`"${member}":"ABC-1234"`);
        return [{ place: 'pointer', name: `/${member}`, code: 'unknown_field' }];
      },
      (draft, contract) =>
        reads(draft) &&
        draft.endpoint.method === 'POST' &&
        !NAMES.some((name) => nameIn(contract, draft, name) === member),
    ),
  ),
  causes(
    'unknown field',
    ['extra'],
    'sku, which cannot be changed',
    (draft): FaultMade[] => {
      draft.extra.push('"sku":"ABC-1234"');
      return [{ place: 'pointer', name: '/sku', code: 'unknown_field' }];
    },
    (draft) => draft.endpoint.method === 'PATCH',
  ),
];

const NAMES = ['sku', 'quantity', 'note'];

const UNREAD: readonly Mutation[] = (['length', 'chunked', 'chunked, trailers'] as const).flatMap((framing) =>
  ['{}', 'x', ' ', 'GET /summary HTTP/1.1\r\nHost: a\r\n\r\n', 'y'.repeat(KIB64)].map((text) =>
    causes('body not expected', ['framing'], `${framing} ${text.slice(0, 10)}`, (draft) => {
      draft.raw = Buffer.from(text);
      draft.framing = framing;
    }),
  ),
);

/** Everything that can be wrong with a body. */
export const BODY: readonly Mutation[] = [...FRAMING, ...KINDS, ...TEXTS, ...MEMBERS, ...EXTRAS, ...UNREAD];
