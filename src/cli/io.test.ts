import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BIN } from './harness.test.ts';
import { showsColor } from './io.ts';

test('colours are for terminals, and for people who haven’t declined them', () => {
  assert.equal(showsColor(true, {}), true);
  assert.equal(showsColor(true, { NO_COLOR: '' }), true);
  assert.equal(showsColor(true, { NO_COLOR: '1' }), false);
  assert.equal(showsColor(true, { TERM: 'dumb' }), false);
  assert.equal(showsColor(false, {}), false);
});

test('an old Node is told what is needed, which it is and how to get another', () => {
  const old = `Object.defineProperty(process, 'versions', { value: { node: '22.17.3' } }); import('${pathToFileURL(BIN)}')`;
  const ran = spawnSync(process.execPath, ['-e', old], { encoding: 'utf8' });
  assert.equal(ran.status, 2);
  assert.equal(ran.stdout, '');
  assert.match(ran.stderr, /^error: Ninefold needs Node\.js 22\.18 or newer, and this is Node\.js 22\.17\.3 /);
  assert.match(ran.stderr, /`npm ci`.*\n.*`npx ninefold …`/);
});

test('a disk that is full where the output goes is told of', { skip: !existsSync('/dev/full') }, () => {
  const ran = spawnSync('bash', ['-c', `"${process.execPath}" "${BIN}" init - > /dev/full`], { encoding: 'utf8' });
  assert.equal(ran.stderr, 'error: the output can’t be written: its disk is full.\n');
  assert.equal(ran.status, 3);
});

test('a reader that stops early is no failure', { skip: process.platform === 'win32' }, () => {
  const shell = `"${process.execPath}" "${BIN}" init - | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const ran = spawnSync('bash', ['-c', shell], { encoding: 'utf8' });
  assert.equal(ran.stderr, '');
  assert.equal(ran.stdout, '# The name of the service\n0\n');
});
