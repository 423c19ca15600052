import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const ranOld = (bin: string): string => {
    const old = `Object.defineProperty(process, 'versions', { value: { node: '22.17.3' } }); import('${pathToFileURL(bin)}')`;
    const ran = spawnSync(process.execPath, ['-e', old], { encoding: 'utf8' });
    assert.equal(ran.status, 2);
    assert.equal(ran.stdout, '');
    assert.match(ran.stderr, /^error: Ninefold needs Node\.js 22\.18 or newer, and this is Node\.js 22\.17\.3 /);
    return ran.stderr;
  };
  assert.match(ranOld(BIN), /`npm ci`.*`npx ninefold …`/);
  // A package that npm has installed has no sources, and nobody has a clone to run anything in.
  const installed = mkdtempSync(join(tmpdir(), 'ninefold-'));
  try {
    mkdirSync(join(installed, 'bin'));
    copyFileSync(BIN, join(installed, 'bin/ninefold.mjs'));
    const told = ranOld(join(installed, 'bin/ninefold.mjs'));
    assert.doesNotMatch(told, /npm ci/);
    assert.match(told, /nodejs\.org/);
  } finally {
    rmSync(installed, { recursive: true });
  }
});

test('an exit code is the same where nobody can read why', { skip: !existsSync('/dev/full') }, () => {
  const shell = (to: string): string => `"${process.execPath}" "${BIN}" check /nowhere.md 2>${to}`;
  for (const to of ['/dev/full', '>(true)'])
    assert.equal(spawnSync('bash', ['-c', shell(to)], { encoding: 'utf8' }).status, 2, to);
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
