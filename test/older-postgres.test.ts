import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installOnce } from './install-once.ts';
import { OTHER_VERSION, SHARED_EMPTY, SHARED_PORT, SHARED_PROGRAMS } from './postgres.ts';
import { IN_WHOLE, WHOLE } from './share.ts';

/** The packages of the older versions: nothing else uses them. */
const FOLDER = join(import.meta.dirname, 'older-postgres');

/** The versions that are tried beside the pinned one, which all other tests use. */
const VERSIONS = [14, 15, 16, 17];

/** The tests that compare both stores, their functions, and migrations, backups and nodes. */
const FILES = [
  'test/postgres.test.ts',
  'test/functions.test.ts',
  'test/agree.test.ts',
  'test/differential.test.ts',
  'test/nodes.test.ts',
  'test/zones.test.ts',
  'test/migration/shared.test.ts',
  'test/migration/kinds.test.ts',
  'test/migration/restored.test.ts',
];

/** Up to PostgreSQL 14, every user may create tables in the schema `public`, which a test of its refusals takes from one. */
const filesFor = (version: number): readonly string[] =>
  version < 15 ? FILES.filter((file) => file !== 'test/migration/shared.test.ts') : FILES;

const here = process.platform === 'linux' && process.arch === 'x64';
const options = !WHOLE ? IN_WHOLE : here ? {} : { skip: 'the older versions are packages for Linux on x64' };

for (const version of VERSIONS)
  test(`PostgreSQL ${version} stores rows as the pinned version does`, options, async () => {
    installOnce(FOLDER, 'older versions of PostgreSQL');
    const found = join(FOLDER, 'node_modules', `postgres-${version}`, 'dist/index.js');
    const {
      [SHARED_PORT]: _port,
      [SHARED_PROGRAMS]: _programs,
      [SHARED_EMPTY]: _empty,
      NINEFOLD_WHOLE: _whole,
      NODE_TEST_CONTEXT: _context,
      ...env
    } = process.env;
    const words = [
      '--test',
      `--test-global-setup=${join(import.meta.dirname, 'everywhere.ts')}`,
      '--test-concurrency=2',
    ];
    const child = spawn(process.execPath, [...words, '--test-reporter=spec', ...filesFor(version)], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...env, [OTHER_VERSION]: pathToFileURL(found).href },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said = `${said}${chunk}`.slice(-20_000);
      });
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0, said);
    assert.match(said, /ℹ pass \d{2,}/);
  });
