import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { example } from '../../test/fixtures.ts';
import { Workspace } from '../../test/harness.ts';
import { newKeyText } from '../../test/tokens.ts';
import { keyVariable, secretsIn } from './secrets.ts';

test('a scheme’s key is in a variable of its name, or in a file', async () => {
  await using shop = new Workspace(example('accounts'), 'accounts.md');
  const file = join(shop.dir, 'key');
  writeFileSync(file, 'from a file');
  assert.equal(keyVariable('Machine key (old)'), 'NINEFOLD_KEY_MACHINE_KEY_OLD_');
  assert.equal(secretsIn({ NINEFOLD_KEY_SESSION: 'from here' })('Session', 'EdDSA'), 'from here');
  assert.equal(secretsIn({ NINEFOLD_KEY_SESSION_FILE: file })('Session', 'EdDSA'), 'from a file');
  const twice = { NINEFOLD_KEY_SESSION_FILE: file, NINEFOLD_KEY_SESSION: 'a' };
  assert.throws(() => secretsIn(twice)('Session', 'EdDSA'), /both give the key/);
  assert.throws(
    () => secretsIn({})('Session', 'EdDSA'),
    /set NINEFOLD_KEY_SESSION, .*openssl genpkey -algorithm ed25519/,
  );
  assert.throws(() => secretsIn({ NINEFOLD_KEY_SESSION_FILE: '/nowhere' })('Session', 'EdDSA'), /can’t be read/);
});

test('serve does not start without the keys that it needs, and never tells them', async () => {
  await using shop = new Workspace(example('accounts'), 'accounts.md');
  const without = await shop.serveRefused('--port', '0');
  assert.equal(without.code, 2);
  assert.match(without.err, /The scheme “Session” needs its key/);
  const wrong = newKeyText('RS256');
  await assert.rejects(shop.serve({ env: { NINEFOLD_KEY_SESSION: wrong } }), (error: Error) => {
    assert.match(error.message, /has to be an Ed25519 key/);
    assert.ok(!error.message.includes(wrong.split('\n')[1]!));
    return true;
  });
  const key = newKeyText('EdDSA');
  const service = await shop.serve({ env: { NINEFOLD_KEY_SESSION: key }, args: ['--log', 'debug'] });
  const signed = await service.request('POST', '/users', {
    body: { email: 'ada@example.com', password: 'correct horse battery' },
  });
  assert.equal(signed.status, 201);
  const { token } = signed.body as { token: string };
  assert.equal((await service.request('GET', '/me', { key: token })).status, 200);
  assert.equal(await service.stop(), 0);
  const listed = await shop.cli('rows', 'list', 'User');
  assert.equal(listed.code, 0, 'commands need no keys');
  const told = service.out + service.err + listed.out;
  for (const secret of [key.split('\n')[1]!, token, 'correct horse battery', '$scrypt$'])
    assert.ok(!told.includes(secret));
});
