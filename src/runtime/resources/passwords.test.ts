import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from './passwords.ts';

test('a hash has the parameters that the document states, and may take as much memory as one may state', async () => {
  const passwords = new Passwords({ cost: 262_144, blocks: 8, lanes: 1 });
  const kept = await passwords.compute('correct horse battery', null, Number.POSITIVE_INFINITY);
  assert.ok(typeof kept === 'string');
  assert.match(kept, /^\$scrypt\$ln=18,r=8,p=1\$/);
  assert.equal(await passwords.compute('correct horse battery', kept, Number.POSITIVE_INFINITY), true);
});
