import './whole-alone.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { withForms } from './file-forms.ts';
import { edited, type Service, Workspace } from './harness.ts';
import { tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/** The size of the disk, and how many uploads are refused before it has room again. */
const DISK_MIB = 24;
const REFUSALS = times(12, 60);
const CLIENTS = 4;

const FILES = edited(
  withForms(readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8')),
  ['| 600 requests per minute ', '| 900000 requests per second '],
  ['| 6000 requests per minute ', '| 900000 requests per second '],
);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A disk in memory, which takes no more than its size; null where this process may mount none. */
function diskAt(path: string, owner: number): Disk | null {
  const options = `size=${DISK_MIB}m,mode=0700,uid=${owner}`;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return {
    resize: (mib) => void execFileSync('mount', ['-o', `remount,size=${mib}m`, path]),
    remove: () => void execFileSync('umount', ['-l', path]),
  };
}

interface Disk {
  resize(mib: number): void;
  remove(): void;
}

/** The system’s nobody, as whom PostgreSQL runs where the tests run as root. */
const NOBODY = 65_534;

let server: PostgresServer;
/** The disks of the database, which go after it. */
const disks: Array<{ readonly disk: Disk; readonly path: string }> = [];
before(async () => {
  // The tablespace goes with its disk, and a server that others use would make no checkpoint after that.
  server = await PostgresServer.start();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  for (const { disk, path } of disks) {
    disk.remove();
    rmSync(path, { recursive: true, force: true });
  }
});

type Select = (sql: string) => Promise<Record<string, unknown>[]>;

/** The stores: where their disk is, and what makes them use it. */
const PLACES: Readonly<
  Record<string, (space: Workspace) => Promise<{ readonly path: string; fill(): Promise<void>; select: Select }>>
> = {
  SQLite: async (space) => {
    mkdirSync(space.data, { mode: 0o700 });
    return { path: space.data, fill: async () => {}, select: async (sql) => space.select(sql) };
  },
  PostgreSQL: async (space) => {
    const url = await server.database();
    space.place = ['--store', url];
    const path = mkdtempSync(join(tmpdir(), 'ninefold-disk-'));
    return {
      path,
      // The chunks alone are on the disk that is full: the log of the database is shared with other tests.
      fill: async () => {
        const name = `disk_${randomUUID().replaceAll('-', '')}`;
        await server.query(url, `CREATE TABLESPACE ${name} LOCATION '${path}'`);
        await server.query(url, `ALTER TABLE ninefold_chunk SET TABLESPACE ${name}`);
      },
      select: (sql) => server.query(url, sql),
    };
  },
};

for (const [name, place] of Object.entries(PLACES))
  test(`a disk that fills during uploads leaves no row without bytes on ${name}`, async (t) => {
    await using space = new Workspace(FILES, 'files.md');
    const { path, fill, select } = await place(space);
    const disk = diskAt(path, name === 'SQLite' ? 0 : NOBODY);
    if (!disk) {
      t.skip('this process may mount no disk');
      return;
    }
    using removal = new DisposableStack();
    if (name === 'SQLite') removal.defer(() => disk.remove());
    else disks.push({ disk, path });
    const id = randomUUID();
    assert.equal((await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada')).code, 0);
    const key = (await space.cliHere('keys', 'issue', 'Member', id)).out.trim();
    await fill();
    const service = await space.serve();

    const send = (method: string, to: string, body?: Buffer | FormData): Promise<Response> =>
      fetch(service.url + to, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(Buffer.isBuffer(body) && { 'Content-Type': 'application/octet-stream' }),
        },
        ...(body && { body: body as FormData }),
      });
    const known = new Map<string, string>();
    const statuses: string[] = [];
    let refusals = 0;
    const upload = async (isForm: boolean): Promise<void> => {
      const bytes = randomBytes(200_000 + Math.floor(Math.random() * 1_500_000));
      const form = new FormData();
      form.append('content', new Blob([bytes], { type: 'application/octet-stream' }));
      form.append('name', 'x');
      // A service that cannot store what comes may answer before all has come.
      const answer = await (isForm ? send('POST', '/forms', form) : send('POST', '/attachments?name=x', bytes)).catch(
        () => null,
      );
      statuses.push(`${isForm ? 'form' : 'bytes'} ${answer?.status ?? 'closed'}`);
      if (answer?.status === 201) known.set(((await answer.json()) as { id: string }).id, sha256(bytes));
      else refusals++;
    };
    const client = async (n: number): Promise<void> => {
      for (let i = n; refusals < REFUSALS; i++) await upload(i % 2 === 0);
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)));
    t.diagnostic(`${JSON.stringify(tally(statuses))} on ${DISK_MIB} MiB`);
    assert.ok(known.size > 0 && refusals >= REFUSALS);
    const odd = Object.keys(tally(statuses)).filter((one) => !/ (?:201|507|closed)$/.test(one));
    assert.deepEqual(odd, []);
    await whole(service, key, known, select);

    disk.resize(DISK_MIB * 8);
    const before = known.size;
    refusals = 0;
    for (let i = 0; i < 8; i++) await upload(i % 2 === 0);
    assert.equal(known.size, before + 8, 'the service goes on once there is room');
    await whole(service, key, known, select);
    await service.stop();
  });

/** Each acknowledged file is there and no other row is; what no row has is removed at a time. */
async function whole(service: Service, key: string, known: ReadonlyMap<string, string>, select: Select): Promise<void> {
  for (const [id, digest] of known) {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${service.url}/attachments/${id}/content`, { headers });
    assert.equal(answer.status, 200);
    assert.equal(sha256(Buffer.from(await answer.arrayBuffer())), digest);
  }
  const count = async (sql: string): Promise<number> =>
    Number((await select(`SELECT count(*) AS n FROM ${sql}`))[0]!.n);
  assert.equal(await count('attachment'), known.size, 'no other row is there');
  assert.equal(
    await count(
      'attachment a WHERE NOT EXISTS (SELECT 1 FROM ninefold_file f WHERE f.id = a."ninefold_bytes_content" AND f.until IS NULL)',
    ),
    0,
    'each row has its bytes',
  );
  assert.equal(
    await count(
      'ninefold_file f WHERE f.until IS NULL AND NOT EXISTS (SELECT 1 FROM attachment a WHERE a."ninefold_bytes_content" = f.id)',
    ),
    0,
    'bytes that no row has have a time',
  );
  assert.equal(
    await count('ninefold_chunk c WHERE NOT EXISTS (SELECT 1 FROM ninefold_file f WHERE f.id = c.file)'),
    0,
    'each chunk is of a file',
  );
}
