import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { importOpenApi } from '../src/import/import-openapi.ts';
import { readSource } from '../src/import/source.ts';

/** Broken files, and the place and the reason that are told. */
const BROKEN: ReadonlyArray<readonly [text: string, place: string, reason: RegExp]> = [
  ['{\n  "openapi": "3.0.0",\n  "paths": {,}\n}', '3:13', /no JSON: Expected property name/],
  ['{"openapi": "3.0.0"', '1:20', /no JSON: Expected ',' or '}'/],
  ['{"openapi": "3.0.0",\n "paths": {"/a": {}}, "paths": {}}', '2:23', /member "paths" twice/],
  ['{"openapi": "3.0.0", "paths": {"/a": {}, "/\\u0061": {}}}', '1:42', /member "\/a" twice/],
  ['openapi: 3.0.0\ninfo:\n  title: a\n   version: b\n', '3:10', /no YAML: Nested mappings/],
  ['openapi: 3.0.0\nopenapi: 3.0.1\n', '2:1', /no YAML: Map keys must be unique/],
  ['openapi: "3.0.0', '1:16', /no YAML: Missing closing/],
  ['{"swagger": "1.2"}', '#/swagger', /“?"1\.2"”? is not read/],
  ['{"openapi": "4.0.0"}', '#/openapi', /is not read\. Read are/],
  ['openapi: 3\n', '#/openapi', /is not read/],
  ['{"asyncapi": "3.0.0"}', '#', /no description by OpenAPI/],
  ['[1]', '1:1', /not an object/],
  ['', '1:1', /not an object/],
  ['# A document\n\n## Endpoints\n', '1:1', /not an object/],
  ['openapi: 3.0.0\na: &a\n  b: *a\n', '', /nested in more than 200 levels/],
  [`{"openapi": "3.0.0", "a": ${'['.repeat(5000)}${']'.repeat(5000)}}`, '', /nested in more than 200 levels/],
  [laughs(), '', /Aliases/],
];

/** Lists of ten lists of ten lists: 10^9 values from ten lines. */
function laughs(): string {
  const ten = (of: string): string => `[${Array.from({ length: 10 }, () => of).join(', ')}]`;
  const lines = 'bcdefghi'.split('').map((name, i) => `${name}: &${name} ${ten(`*${'abcdefgh'.charAt(i)}`)}`);
  return ['openapi: 3.0.0', `a: &a ${ten('x')}`, ...lines, ''].join('\n');
}

for (const [text, place, reason] of BROKEN)
  test(`a broken file has a place and a reason: ${JSON.stringify(text).slice(0, 50)}`, () => {
    const source = readSource(text);
    assert.ok('reason' in source);
    assert.match(source.reason, reason);
    const { line, column, pointer } = source;
    assert.equal(line === null ? (pointer ?? '') : `${line}:${column}`, place);
  });

/** Members of a wrong type, each in place of a right one: none of them ends the import. */
const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  '',
  'text',
  [],
  [null],
  {},
  { $ref: '#' },
  { $ref: '#/nothing' },
  { $ref: 1 },
];

test('a member of a wrong type is listed or left out, and never ends the import', () => {
  const whole = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1', description: 'D' },
    servers: [{ url: 'https://a.example' }],
    security: [{ key: [] }],
    paths: {
      '/a/{b}': {
        parameters: [{ name: 'b', in: 'path', required: true, schema: { type: 'string', maxLength: 5 } }],
        post: {
          summary: 'S',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          responses: {
            200: { description: 'D', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          },
        },
      },
    },
    webhooks: { hook: { post: {} } },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        o: { type: 'oauth2', flows: { implicit: { scopes: { a: 'b' } } } },
      },
      schemas: {
        A: {
          type: 'object',
          required: ['a'],
          properties: {
            a: { type: 'array', items: { type: 'string' }, maxItems: 3 },
            b: { type: 'number', minimum: 1 },
            c: { allOf: [{ enum: ['x'] }] },
          },
        },
      },
    },
  };
  for (const path of pathsOf(whole))
    for (const wrong of WRONG) {
      const source = readSource(JSON.stringify(replaced(whole, path, wrong)));
      if ('reason' in source) continue;
      assert.ok(importOpenApi(source).text.startsWith('#'), path.join('/'));
    }
});

test('a schema may hold itself in any way', () => {
  const self = { $ref: '#/components/schemas/A' };
  const holders: readonly unknown[] = [
    self,
    { type: 'array', items: self },
    { type: 'array', items: { type: 'array', items: self } },
    { type: 'object', additionalProperties: self },
    { allOf: [self, self, self, self], properties: { a: self } },
    { allOf: [self] },
    { oneOf: [self, { type: 'null' }] },
    { anyOf: [self, self, self] },
    {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: self, c: { allOf: [self, self, self] } } } },
    },
  ];
  for (const holder of holders) {
    const content = { 'application/json': { schema: self } };
    const root = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      paths: {
        '/a': {
          post: {
            parameters: [{ name: 'q', in: 'query', schema: self }],
            requestBody: { content },
            responses: { 200: { description: 'D', content }, 400: { description: 'D', content } },
          },
        },
      },
      components: { schemas: { A: holder } },
    };
    const { text } = importOpenApi({ root, version: '3.1' });
    const { findings } = compile('a.md', text);
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
      [],
      JSON.stringify(holder),
    );
  }
});

/** The way to each member of data. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [[key], ...pathsOf(member).map((path) => [key, ...path])]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string, unknown>)[key] = replaced((value as Record<string, unknown>)[key], rest, by);
  return copy;
}
