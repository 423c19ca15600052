import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { groupsOf } from '../../src/export/openapi/groups.ts';
import { example } from '../fixtures.ts';
import { edited } from '../harness.ts';
import { planOf } from '../subject.ts';

/** The endpoints of each group, in the order of the document. */
function groupsIn(text: string): Readonly<Record<string, readonly string[]>> {
  const { versions, schemes } = contractOf(planOf(text));
  const [version] = versions;
  assert.ok(version);
  const groups = Map.groupBy(groupsOf(version, schemes), ([, group]) => group ?? 'none');
  return Object.fromEntries([...groups].map(([group, all]) => [group, all.map(([name]) => name)]));
}

test('an endpoint that also writes a row of an audit trail is not about the audit trail', () => {
  const text = readFileSync(new URL('../rewritten/clinic.md', import.meta.url), 'utf8');
  assert.deepEqual(groupsIn(text), {
    Patient: ['POST /patients', 'POST /sessions', 'DELETE /sessions/current', 'GET /me', 'DELETE /me'],
    Staff: [
      'POST /sessions/staff',
      'DELETE /sessions/staff/current',
      'POST /staff',
      'GET /staff',
      'DELETE /staff/{colleague}',
    ],
    Appointment: [
      'POST /appointments',
      'GET /appointments',
      'GET /appointments/{appointment}',
      'PATCH /appointments/{appointment}',
      'POST /appointments/{appointment}:cancel',
      'POST /appointments/{appointment}:arrive',
      'POST /appointments/{appointment}:see',
      'GET /waiting',
      'GET /appointments.csv',
      'GET /figures',
    ],
    Note: ['POST /appointments/{appointment}/notes', 'GET /appointments/{appointment}/notes'],
    Act: ['GET /acts'],
  });
});

test('rows that are listed at a path, and one of them below it, are one group, though the last parameter finds another', () => {
  const { Member, Repo } = groupsIn(example('issues'));
  assert.deepEqual(Member, [
    'PUT /repos/{owner}/{repo}/collaborators/{username}',
    'DELETE /repos/{owner}/{repo}/collaborators/{username}',
    'GET /repos/{owner}/{repo}/collaborators',
  ]);
  assert.equal(Repo?.length, 5);
});

test('an endpoint that answers with bytes is about the rows that another endpoint of its path answers with', () => {
  assert.deepEqual(groupsIn(example('files')).Member, ['PUT /me/photo', 'GET /me/photo']);
});

test('a tag that an endpoint states is described by the prose below its heading, or is that of a resource', () => {
  const text = edited(
    example('orders'),
    [
      '### `GET /summary`\n',
      '### Tag Figures\n\nNumbers for those who plan.\n\n### `GET /summary`\n\n- Tag: Figures\n',
    ],
    ['### `DELETE /orders/{id}`\n', '### `DELETE /orders/{id}`\n\n- Tag: Customer\n'],
  );
  const contract = contractOf(planOf(text));
  const [version] = contract.versions;
  assert.ok(version);
  const { tags, paths } = openApiOf(contract, version, '3.1') as unknown as {
    readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>;
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
  };
  assert.deepEqual(paths['/summary']?.get?.tags, ['Figures']);
  assert.deepEqual(paths['/orders/{id}']?.delete?.tags, ['Customer']);
  assert.deepEqual(
    tags.find(({ name }) => name === 'Figures'),
    { name: 'Figures', description: 'Numbers for those who plan.' },
  );
});

test('the tag of operations that are about no resource says whether there are others', () => {
  const described = (text: string, shown: RegExp): string | undefined => {
    const contract = contractOf(planOf(text));
    const [version] = contract.versions;
    assert.ok(version);
    const endpoints = version.endpoints.filter(({ name }) => shown.test(name));
    const { tags } = openApiOf(contract, { ...version, endpoints }, '3.1') as unknown as {
      readonly tags: ReadonlyArray<{ readonly description: string }>;
    };
    return tags.at(-1)?.description;
  };
  assert.equal(described(example('blog'), /^GET /), 'Other operations.');
  assert.equal(described(example('blog'), /^GET \/me$/), 'All operations.');
});
