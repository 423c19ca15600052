import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../src/verify/requests/random.ts';
import { Session } from '../src/verify/session/session.ts';
import type { Subject } from '../src/verify/session/subject.ts';
import { documentText, subjectOf, withChange } from './subject.ts';

const TODOS = documentText('examples/todos.md');
const ANY = 'any, without credentials, preflight kept 1 hour, showing headers Location, Retry-After';
const LISTED = withChange(
  TODOS,
  ANY,
  '`https://a.example`, `https://b.example`, with credentials, preflight not kept, showing no headers',
);

const HEADERS: ReadonlyArray<ReadonlyArray<readonly [string, string]>> = [
  [],
  [['Origin', 'https://a.example']],
  [['Origin', 'https://x.example']],
  [['Access-Control-Request-Method', 'GET']],
  [
    ['Origin', 'https://a.example'],
    ['Access-Control-Request-Method', 'GET'],
  ],
  [
    ['Origin', 'https://x.example'],
    ['Access-Control-Request-Method', 'GET'],
  ],
];

/** What differs where pages of other origins ask, at every path, by several methods. */
async function differencesOf(subject: Subject): Promise<string[]> {
  const session = await Session.begin(subject, new Random(1));
  const paths = [...new Set(subject.plan.endpoints.map(({ path }) => path.replace(/\{.*?\}/g, 'x'))), '/nothing'];
  const out: string[] = [];
  for (const target of paths)
    for (const method of ['GET', 'OPTIONS', 'DELETE', 'TRACE'])
      for (const headers of HEADERS) {
        const request = { method, target, headers, body: null };
        const { verdict } = await session.send(request, `${out.length}`);
        assert.notEqual(verdict.kind, 'not judged');
        if (verdict.kind === 'broken') out.push(...verdict.differences.map(({ at }) => at));
      }
  return [...new Set(out)].sort();
}

for (const [name, text] of [
  ['any origin', TODOS],
  ['listed origins', LISTED],
  ['blog.md', documentText('docs/documents/blog.md')],
] as const)
  test(`a service is held to what it tells browsers: ${name}`, async (t) => {
    assert.deepEqual(await differencesOf(await subjectOf(t, text)), []);
  });

for (const [name, served, found] of [
  ['preflight kept', withChange(TODOS, 'kept 1 hour', 'kept 2 hours'), 'header Access-Control-Max-Age'],
  ['headers shown', withChange(TODOS, 'Location, Retry-After', 'Location'), 'header Access-Control-Expose-Headers'],
  ['no origins', withChange(TODOS, ANY, 'none'), 'header Access-Control-Allow-Origin'],
  ['origins listed', LISTED, 'header Access-Control-Allow-Credentials'],
] as const)
  test(`a service that tells browsers something else is found: ${name}`, async (t) => {
    const differences = await differencesOf(await subjectOf(t, TODOS, served));
    assert.ok(differences.includes(found), differences.join(', '));
  });
