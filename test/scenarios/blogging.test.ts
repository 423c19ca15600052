import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { changed, example } from '../fixtures.ts';
import { type Service, until, Workspace } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';

// What a team would try on the day it starts its blogging service, in the order in which it would.

/** Hashing passwords takes its time on a busy machine. */
const PATIENT = changed(example('blogging'), ['| Time-out     | 10 seconds ', '| Time-out     | 120 seconds']);
const space = new Workspace(PATIENT, 'blogging.md');
let service: Service;

before(async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  service = await space.serve({
    declared: true,
    args: ['--url', 'https://blogging.example'],
    env: { NINEFOLD_KEY_TOKEN: key },
  });
});
after(async () => {
  await space[Symbol.asyncDispose]();
});

type Body = Record<string, unknown>;

async function ask(method: string, path: string, token: string | null, body?: unknown) {
  const answer = await service.request(method, path, { ...(token ? { key: token } : {}), body });
  return { status: answer.status, body: answer.body as Body, headers: answer.headers };
}

async function signUp(username: string): Promise<string> {
  const answer = await ask('POST', '/users', null, {
    user: { username, email: `${username}@example.com`, password: 'correct horse battery' },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.deepEqual(answer.body.user, { username, email: `${username}@example.com`, bio: null, image: null });
  return String(answer.body.token);
}

let ada: string;
let bob: string;

test('people sign up and log in, and what is wrong is told by field', async () => {
  ada = await signUp('ada');
  bob = await signUp('bob');
  const taken = await ask('POST', '/users', null, {
    user: { username: 'Ada', email: 'another@example.com', password: 'correct horse battery' },
  });
  assert.deepEqual([taken.status, taken.body], [422, { errors: { username: ['has been taken'] } }]);
  const wrong = await ask('POST', '/users', null, {
    user: { username: 'no spaces', email: 'nobody', password: 'short' },
  });
  assert.equal(wrong.status, 422);
  assert.deepEqual(Object.keys(wrong.body.errors as object).sort(), ['user.email', 'user.password', 'user.username']);
  const login = { email: 'ada@example.com', password: 'correct horse battery' };
  const again = await ask('POST', '/users/login', null, login);
  assert.equal(again.status, 200);
  assert.deepEqual((await ask('GET', '/user', String(again.body.token))).body.user, again.body.user);
  for (const other of [
    { ...login, password: 'wrong horse' },
    { ...login, email: 'nobody@example.com' },
  ]) {
    const refused = await ask('POST', '/users/login', null, other);
    assert.equal(refused.status, 401);
    assert.deepEqual(Object.keys(refused.body.errors as object), ['email']);
  }
  assert.equal((await ask('GET', '/user', null)).status, 401);
  assert.equal((await ask('GET', '/articles', 'not.a.token')).status, 401);
});

test('articles have addresses and tags, and only who wrote one may change it', async () => {
  const article = { title: 'Ünder the Sea!', description: 'Fish', body: 'Many fish.', tags: ['sea', 'fish'] };
  const made = await ask('POST', '/articles', ada, { article });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal(made.headers.get('location'), 'https://blogging.example/articles/under-the-sea');
  assert.deepEqual((made.body.article as Body).tags, ['fish', 'sea']);
  assert.deepEqual((await ask('POST', '/articles', bob, { article })).body, { errors: { title: ['has been used'] } });
  assert.deepEqual((await ask('POST', '/articles', bob, { article: { ...article, title: '!!!' } })).body, {
    errors: { title: ['has no letter and no digit'] },
  });
  const path = '/articles/under-the-sea';
  assert.equal((await ask('PUT', path, bob, { article: { body: 'No fish.' } })).status, 403);
  assert.equal((await ask('PUT', path, ada, { article: { title: 'Over the Sea' } })).status, 200);
  assert.equal((await ask('GET', path, null)).status, 404);
  const moved = await ask('GET', '/articles/over-the-sea', null);
  assert.deepEqual((moved.body.article as Body).author, { username: 'ada', bio: null, image: null, following: false });
  assert.deepEqual((await ask('GET', '/tags', null)).body, { tags: ['fish', 'sea'] });
});

test('readers follow, favour and comment, and each sees it as their own', async () => {
  assert.deepEqual((await ask('POST', '/profiles/bob/follow', bob)).body, {
    errors: { username: ['nobody follows themselves'] },
  });
  for (let i = 0; i < 2; i++)
    assert.equal(((await ask('POST', '/profiles/ada/follow', bob)).body.profile as Body).following, true);
  const feed = await ask('GET', '/feed', bob);
  assert.equal(feed.body.count, 1);
  const [teaser] = feed.body.articles as Body[];
  assert.equal('body' in teaser!, false);
  assert.equal((teaser!.author as unknown as { following: boolean }).following, true);
  assert.equal((await ask('GET', '/feed', ada)).body.count, 0);
  for (let i = 0; i < 2; i++) await ask('POST', '/articles/over-the-sea/favourite', bob);
  const seen = async (token: string | null) => {
    const { favourites, favourited } = (await ask('GET', '/articles/over-the-sea', token)).body.article as Body;
    return [favourites, favourited];
  };
  assert.deepEqual(
    [await seen(bob), await seen(ada), await seen(null)],
    [
      [1, true],
      [1, false],
      [1, false],
    ],
  );
  assert.equal((await ask('GET', '/articles?favourite=bob&tag=sea&author=ada', null)).body.count, 1);
  assert.equal((await ask('GET', '/articles?favourite=ada', null)).body.count, 0);
  const said = await ask('POST', '/articles/over-the-sea/comments', bob, { comment: { body: 'Lovely fish' } });
  assert.equal(said.status, 201);
  const number = String((said.body.comment as Body).number);
  const carl = await signUp('carl');
  assert.equal((await ask('DELETE', `/articles/over-the-sea/comments/${number}`, carl)).status, 403);
  assert.equal(((await ask('GET', '/articles/over-the-sea/comments', carl)).body.comments as Body[]).length, 1);
  assert.equal((await ask('DELETE', `/articles/over-the-sea/comments/${number}`, ada)).status, 204);
  assert.equal((await ask('DELETE', '/articles/over-the-sea', ada)).status, 204);
  assert.equal((await ask('GET', '/feed', bob)).body.count, 0);
});

test('a change of password or of name holds from then on', async () => {
  const changed = await ask('PUT', '/user', bob, {
    user: { password: 'another horse', bio: 'Reads.', username: 'bobby' },
  });
  assert.deepEqual((changed.body.user as Body).bio, 'Reads.');
  const login = (password: string) => ask('POST', '/users/login', null, { email: 'bob@example.com', password });
  assert.deepEqual([(await login('correct horse battery')).status, (await login('another horse')).status], [401, 200]);
  assert.equal((await ask('GET', '/profiles/bob', null)).status, 404);
  assert.equal((await ask('GET', '/profiles/bobby', ada)).status, 200);
});

test('who guesses at passwords is stopped, whosever token they send along', IN_WHOLE, async () => {
  const login = { email: 'bob@example.com', password: 'a wrong horse' };
  const tokens = [ada, bob, null];
  // At once, so that all of them come within a minute.
  const asked = Array.from({ length: 45 }, (_, n) => ask('POST', '/users/login', tokens[n % 3] ?? null, login));
  const told = (await Promise.all(asked)).map(({ status }) => status);
  assert.ok(told.filter((status) => status === 429).length >= 5, told.join(' '));
  assert.ok(!told.includes(200), told.join(' '));
});

test('a key that its operator replaces is in force once the service is told to read it again', IN_WHOLE, async () => {
  await using own = new Workspace(PATIENT, 'blogging.md');
  const file = join(own.dir, 'token.key');
  const replace = (): void => {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  };
  replace();
  const env = { NINEFOLD_KEY_TOKEN: undefined, NINEFOLD_KEY_TOKEN_FILE: file };
  const blog = await own.serve({ args: ['--url', 'https://blogging.example'], env });
  const user = { username: 'ada', email: 'ada@example.com', password: 'correct horse battery' };
  const signedUp = await blog.request('POST', '/users', { body: { user } });
  const key = String((signedUp.body as Body).token);
  const status = async (): Promise<number> => (await blog.request('GET', '/user', { key })).status;
  assert.equal(await status(), 200);
  replace();
  assert.equal(await status(), 200, 'nobody asked for it yet');
  blog.child.kill('SIGHUP');
  await until(() => blog.out.includes('is read again. It is served.'), 'the key read again');
  assert.equal(await status(), 401);
  writeFileSync(file, 'no key');
  blog.child.kill('SIGHUP');
  await until(() => blog.err.includes('The last good document is still served'), 'what is no key refused');
  assert.equal(blog.err.includes('no key'), false);
});
