import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { contractOf } from '../../src/contract/contract-of.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { clientOf } from '../../src/export/client/client.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { readCases } from '../cases.ts';
import { example } from '../fixtures.ts';
import { edited } from '../harness.ts';
import { planOf } from '../subject.ts';

const LIBRARY = readFileSync('src/compiler/endpoints/cases/documents/library.md', 'utf8');

const validator = new Validator();

const exported = (text: string) => {
  const contract = contractOf(planOf(text));
  const [version] = contract.versions;
  assert.ok(version);
  const [three, two] = (['3.1', '3.2'] as const).map((format) =>
    JSON.parse(JSON.stringify(openApiOf(contract, version, format))),
  );
  return {
    openapi: [three, two],
    asyncapi: JSON.parse(JSON.stringify(asyncApiOf(contract, version))),
    client: clientOf(contract, version),
  };
};

test('what is derived from constants is one of them in schemas, and a literal type in the client', () => {
  const { openapi, client } = exported(
    edited(
      LIBRARY,
      [
        '- Derived other: Author',
        '- Derived object: string, `"book"`\n- Derived live: boolean, `true`\n- Derived kind: string, `late ? "old" : "new"`\n- Derived rank: integer, `7`\n- Derived maybe: string, `second == null ? null : "two"`\n- Derived other: Author',
      ],
      ['- Shown: id, author as Author', '- Shown: id, object, live, kind, rank, maybe, author as Author'],
      ['own: `caller`.', 'own: `caller`, object: `"answer"`.'],
    ),
  );
  const { object, live, kind, rank, maybe } = openapi[0].components.schemas.Book.properties;
  assert.deepEqual(
    [object, live, rank],
    [
      { type: 'string', const: 'book' },
      { type: 'boolean', const: true },
      { type: 'integer', const: 7 },
    ],
  );
  assert.deepEqual(
    [kind, maybe],
    [
      { type: 'string', enum: ['old', 'new'] },
      { type: ['string', 'null'], enum: ['two', null] },
    ],
  );
  for (const line of [
    "readonly object: 'book';",
    'readonly live: true;',
    "export type BookKind = 'old' | 'new';",
    'readonly rank: 7;',
    "readonly maybe: 'two' | null;",
    "readonly object: 'answer';",
  ])
    assert.ok(client.includes(line), line);
});

/** The headers of API keys, in the forms that the language has. */
const KEYS = [
  ['Authorization: Bearer {key}', { type: 'http', scheme: 'bearer' }],
  ['Authorization: Token {key}', { type: 'apiKey', in: 'header', name: 'Authorization' }],
  ['X-Key: {key}', { type: 'apiKey', in: 'header', name: 'X-Key' }],
  ['X-Key: Secret {key}', { type: 'apiKey', in: 'header', name: 'X-Key' }],
] as const;

for (const [form, kind] of KEYS)
  test(`an API key in \`${form}\` is described as tools understand it, and the client sends it so`, async () => {
    const { openapi, client } = exported(edited(LIBRARY, ['X-Key: {key}', form]));
    const [header = '', value = ''] = form.split(': ');
    const word = value.replace('{key}', '').trim();
    for (const made of openapi) {
      const { description, ...scheme } = made.components.securitySchemes.Key;
      assert.deepEqual(scheme, kind);
      const isTold = kind.type === 'apiKey' && word !== '';
      const told = `\`${header}: ${word} …\`. The value has to be the word “${word}”, a space, and then the key.`;
      assert.equal(description, isTold ? told : undefined);
      assert.ok((await validator.validate(made)).valid);
    }
    assert.ok(client.includes(`key: ['${header}', '${word === '' ? '' : `${word} `}'],`), form);
  });

test('a token whose word is not Bearer is a key in the header Authorization', async () => {
  const { openapi, client } = exported(
    edited(example('blogging'), ['`Authorization: Bearer {token}`', '`Authorization: Token {token}`']),
  );
  const [scheme] = Object.values<Record<string, unknown>>(openapi[0].components.securitySchemes);
  assert.deepEqual(
    [scheme?.type, scheme?.in, scheme?.name, scheme?.bearerFormat],
    ['apiKey', 'header', 'Authorization', undefined],
  );
  for (const made of openapi) assert.ok((await validator.validate(made)).valid);
  assert.ok(client.includes("['Authorization', 'Token ']"));
});

test('Unix time is an integer in schemas, and a number in the client', () => {
  const [unix] = readCases('src/compiler/resources/cases/unix-time.md');
  assert.ok(unix);
  const { openapi, client } = exported(unix.document);
  for (const document of openapi)
    assert.deepEqual(document.components.schemas.Order.properties.created, {
      type: 'integer',
      format: 'int64',
      description: 'Unix time, in seconds.',
      minimum: -62_135_596_800,
      maximum: 253_402_300_799,
    });
  assert.ok(client.includes('readonly created: number;'));
});
