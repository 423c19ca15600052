import './whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';

const FILES = readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8');
const RENAMED = FILES.replaceAll('photo', 'picture');
/** The document without the file of a member. */
const WITHOUT = FILES.replace(/^\| photo .*\n/m, '')
  .replace('Shown: id, name, photo', 'Shown: id, name')
  .replace(/### `PUT \/me\/photo`[\s\S]*?(?=## Authentication)/, '')
  .replace(/^\| no_photo .*\n/m, '');
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

for (const name of ['SQLite', 'PostgreSQL'])
  test(`a renamed field keeps its bytes, and a dropped one lets them go, on ${name}`, async () => {
    await using space = new Workspace(FILES, 'files.md');
    const url = name === 'SQLite' ? null : await server.database();
    if (url !== null) space.place = ['--store', url];
    const id = randomUUID();
    await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada');
    const headers = { Authorization: `Bearer ${(await space.cliHere('keys', 'issue', 'Member', id)).out.trim()}` };
    let service = await space.serveHere();
    const sent = { ...headers, 'Content-Type': 'image/png' };
    assert.equal((await fetch(`${service.url}/me/photo`, { method: 'PUT', headers: sent, body: PNG })).status, 204);
    await service.stop();

    space.write(RENAMED);
    const dry = await space.cli('migrate', '--dry-run', '--rename', 'Member.photo=Member.picture');
    assert.match(dry.out, /the bytes of Member\.photo is renamed to the bytes of Member\.picture/);
    const moved = await space.cli('migrate', '--rename', 'Member.photo=Member.picture');
    assert.equal(moved.code, 0, moved.err);
    service = await space.serveHere();
    const shown = await fetch(`${service.url}/me/picture`, { headers });
    assert.ok(Buffer.from(await shown.arrayBuffer()).equals(PNG));
    await service.stop();

    space.write(WITHOUT.replaceAll('photo', 'picture'));
    const refused = await space.cli('migrate');
    assert.match(refused.err, /--accept "drop Member\.picture\.size"/);
    assert.match(refused.err, /--accept "drop Member\.picture"/);
    const lost = ['', '.type', '.size', '.sha256'].map((member) => `drop Member.picture${member}`);
    const accepted = lost.flatMap((one) => ['--accept', one]);
    const dropped = await space.cli('migrate', ...accepted);
    assert.equal(dropped.code, 0, dropped.err);
    service = await space.serveHere();
    const count = 'SELECT count(*) AS n FROM ninefold_chunk';
    const strays = 'SELECT count(*) AS n FROM ninefold_file WHERE until IS NULL';
    const select = async (sql: string): Promise<number> => {
      const [row] = url === null ? space.select(sql) : await server.query<Record<string, unknown>>(url, sql);
      return Number(row!.n);
    };
    // Other nodes may still send them for a while.
    await until(async () => (await select(url === null ? count : strays)) === 0, 'the removal of the bytes', 60);
    await service.stop();
  });

test('no value of a migration stands for bytes', async () => {
  await using space = new Workspace(WITHOUT, 'files.md');
  assert.equal((await space.cliHere('rows', 'add', 'Member', `id=${randomUUID()}`, 'name=Ada')).code, 0);
  space.write(FILES);
  const facts = ['type=image/png', 'size=9', `sha256=${'a'.repeat(64)}`].flatMap((one) => [
    '--fill',
    `Member.photo.${one}`,
  ]);
  const filled = await space.cli('migrate', ...facts);
  assert.deepEqual(
    [filled.code, filled.err.trim()],
    [2, 'error: Member.photo.type is about the bytes of Member.photo. Only a request can send bytes.'],
  );
  const renamed = await space.cli('migrate', '--rename', 'Member.name=Member.photo.type');
  assert.match(renamed.err, /^error: Member\.photo\.type is about the bytes of Member\.photo\./);
  const added = await space.cli('migrate');
  assert.equal(added.code, 0, added.err);
});

test('a migration advises no value for what the service measures of bytes, and takes none', async () => {
  await using space = new Workspace(WITHOUT, 'files.md');
  const id = randomUUID();
  assert.equal((await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada')).code, 0);
  space.write(
    FILES.replace('first bytes checked | request | optional |', 'first bytes checked | request | |')
      .replace(/1\. Require `caller\.photo\.size != null`, else no_photo\.\n2\. /, '1. ')
      .replace(/`id == caller\.id`, else no_photo/, '`id == caller.id`, else no_attachment')
      .replace(/^\| no_photo .*\n/m, ''),
  );
  const unfilled = await space.cli('migrate');
  assert.equal(unfilled.code, 1, unfilled.err + unfilled.out);
  assert.doesNotMatch(unfilled.err, /--fill/);
  assert.equal(
    unfilled.err.split('Only a request can send bytes. Make the field optional.').length - 1,
    4,
    unfilled.err,
  );

  space.write(FILES);
  assert.equal((await space.cli('migrate')).code, 0);
  const headers = { Authorization: `Bearer ${(await space.cliHere('keys', 'issue', 'Member', id)).out.trim()}` };
  const service = await space.serve();
  const sent = { ...headers, 'Content-Type': 'image/png' };
  assert.equal((await fetch(`${service.url}/me/photo`, { method: 'PUT', headers: sent, body: PNG })).status, 204);
  await service.stop();
  space.write(FILES.replace('at most 64 KiB, image/png, image/jpeg', 'at most 64 KiB, image/jpeg'));
  const relabelled = await space.cli('migrate', '--replace', 'Member.photo.type:image/png=image/jpeg');
  assert.deepEqual(
    [relabelled.code, relabelled.err.trim()],
    [2, 'error: Member.photo.type is about the bytes of Member.photo. Only a request can send bytes.'],
  );
  const narrowed = await space.cli('migrate');
  assert.equal(narrowed.code, 1);
  assert.match(
    narrowed.err,
    /Change these rows first, with the old document: what the service has measured of bytes stays/,
  );
  assert.doesNotMatch(narrowed.err, /--replace/);
});
