import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { clientOf } from '../../src/export/client/client.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { planOf } from '../subject.ts';

const contract = contractOf(planOf(readFileSync('src/compiler/endpoints/cases/documents/library.md', 'utf8')));
const version = contract.versions[0];
assert.ok(version);

/** The members of what is shown that may be null, each as `form.member`. */
const nullable = version.shapes.flatMap(({ name, type }) =>
  type.members.flatMap((member) => (member.nullable ? [`${name}.${member.name}`] : [])),
);

test('a row of a reference that the caller may not see is declared as null, and a row at hand is not', () => {
  assert.deepEqual(nullable, ['Book.author', 'Book.other', 'Book as Short.author', 'Loan.book']);
  const answered = version.endpoints.flatMap(({ name, answers }) => {
    const type = answers.at(-1)?.body?.type;
    return type?.kind === 'object' ? type.members.map((one) => [`${name} ${one.name}`, one.nullable] as const) : [];
  });
  const named = (is: boolean): string[] => answered.flatMap(([name, may]) => (may === is ? [name] : []));
  assert.deepEqual(named(true), [
    'GET /books next',
    'GET /short next',
    'GET /loans next',
    'GET /books/{id} plain',
    'GET /books/{id} either',
  ]);
  assert.deepEqual(named(false).slice(3), [
    'GET /books/{id} all',
    'GET /books/{id} own',
    'POST /books/{id}/late book',
    'POST /books/{id}/late either',
    'DELETE /me me',
    'DELETE /me caller',
  ]);
});

test('OpenAPI and the client say so too', () => {
  const { components } = JSON.parse(JSON.stringify(openApiOf(contract, version, '3.1')));
  assert.deepEqual(components.schemas.Book.properties.author, {
    anyOf: [{ $ref: '#/components/schemas/Author' }, { type: 'null' }],
  });
  const client = clientOf(contract, version);
  for (const line of ['readonly author: Author | null;', 'readonly plain: Author | null;', 'readonly own: Member;'])
    assert.ok(client.includes(line), line);
});
