import './whole-alone.ts';
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withForms } from './file-forms.ts';
import { edited, type Service, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

const KILLS = times(4, 20);
const CLIENTS = 6;

const FILES = edited(
  withForms(readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8')),
  ['| 600 requests per minute ', '| 900000 requests per second '],
  ['| 6000 requests per minute ', '| 900000 requests per second '],
);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

/** The stores: how a document is served there, and how its tables are read. */
const PLACES = {
  SQLite: async (space: Workspace) => (sql: string) => Promise.resolve(space.select(sql)),
  PostgreSQL: async (space: Workspace) => {
    const url = await server.database();
    space.place = ['--store', url];
    return (sql: string) => server.query<Record<string, unknown>>(url, sql);
  },
};

for (const [name, place] of Object.entries(PLACES))
  describe(`kill -9 on ${name}`, () => {
    const space = new Workspace(FILES, 'files.md');
    let select: (sql: string) => Promise<Record<string, unknown>[]>;
    let key: string;
    /** The digest that each acknowledged attachment has; those of later requests may be there instead. */
    const known = new Map<string, Set<string>>();
    const removed = new Set<string>();
    let refused = 0;

    before(async () => {
      select = await place(space);
      const id = randomUUID();
      assert.equal((await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada')).code, 0);
      const issued = await space.cliHere('keys', 'issue', 'Member', id);
      assert.equal(issued.code, 0, issued.err);
      key = issued.out.trim();
    });
    after(() => space[Symbol.asyncDispose]());

    const send = async (service: Service, method: string, path: string, body?: Buffer | FormData): Promise<Response> =>
      fetch(service.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(Buffer.isBuffer(body) && { 'Content-Type': 'application/octet-stream' }),
        },
        ...(body && { body: body as FormData }),
      });
    let forms = 0;
    /** Uploads an attachment, as bytes alone or as a part of a form. */
    const upload = async (service: Service, bytes: Buffer): Promise<Response> => {
      if (Math.random() < 0.5) return send(service, 'POST', '/attachments?name=x', bytes);
      const form = new FormData();
      if (Math.random() < 0.5) form.append('name', 'x');
      form.append('content', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' }));
      if (!form.has('name')) form.append('name', 'x');
      const answer = await send(service, 'POST', '/forms', form);
      forms++;
      return answer;
    };

    /** Uploads, replaces and removes until the service is gone. */
    async function live(service: Service): Promise<void> {
      try {
        for (;;) {
          const bytes = randomBytes(1 + Math.floor(Math.random() * 900_000));
          const made = await upload(service, bytes);
          if (made.status !== 201) {
            refused++;
            continue;
          }
          const { id } = (await made.json()) as { id: string };
          const digests = new Set([sha256(bytes)]);
          known.set(id, digests);
          const chance = Math.random();
          if (chance < 0.3) {
            const other = randomBytes(1 + Math.floor(Math.random() * 300_000));
            digests.add(sha256(other));
            const put = await send(service, 'PUT', `/attachments/${id}/content`, other);
            if (put.status === 200) digests.delete(sha256(bytes));
          } else if (chance < 0.5) {
            removed.add(id);
            await send(service, 'DELETE', `/attachments/${id}`);
          }
        }
      } catch {
        // The service has been killed.
      }
    }

    test(`${KILLS} times under load: each row has its bytes, and no others are kept`, async (t) => {
      for (let kill = 0; kill < KILLS; kill++) {
        const service = await space.serve();
        const clients = Promise.all(Array.from({ length: CLIENTS }, () => live(service)));
        await sleep(300 + Math.random() * 900);
        await service.kill();
        await clients;
      }
      const service = await space.serve();
      let whole = 0;
      for (const [id, digests] of known) {
        const answer = await send(service, 'GET', `/attachments/${id}/content`);
        if (answer.status === 404 && removed.has(id)) continue;
        assert.equal(answer.status, 200, `${id} ${await answer.clone().text()}`);
        assert.ok(digests.has(sha256(Buffer.from(await answer.arrayBuffer()))), 'the bytes are those of a request');
        whole++;
      }
      const table = 'attachment';
      const rows = await select(`SELECT count(*) AS n FROM ${table}`);
      const missing = await select(
        `SELECT count(*) AS n FROM ${table} a WHERE NOT EXISTS (SELECT 1 FROM ninefold_file f WHERE f.id = a."ninefold_bytes_content" AND f.until IS NULL)`,
      );
      assert.equal(Number(missing[0]!.n), 0, 'each row has its bytes');
      const strays = await select(
        `SELECT count(*) AS n FROM ninefold_file f WHERE f.until IS NULL AND NOT EXISTS (SELECT 1 FROM ${table} a WHERE a."ninefold_bytes_content" = f.id)`,
      );
      assert.equal(Number(strays[0]!.n), 0, 'bytes that no row has have a time');
      if (name === 'SQLite')
        await until(
          async () =>
            (
              await select(
                `SELECT count(*) AS n FROM ninefold_chunk c WHERE NOT EXISTS (SELECT 1 FROM ${table} a WHERE a."ninefold_bytes_content" = c.file)`,
              )
            )[0]!.n === 0,
          'the removal of bytes without a row',
          60,
        );
      t.diagnostic(
        `${known.size} acknowledged, ${forms} of forms, ${whole} whole, ${refused} refused, ${Number(rows[0]!.n)} rows`,
      );
      await service.stop();
    });

    test('a backup has the bytes, and a restored store serves them', async () => {
      const to = join(space.dir, `files-${name}.backup`);
      const made = await space.cli('backup', '--to', to);
      assert.equal(made.code, 0, made.err);
      const other = new Workspace(FILES, 'files.md');
      try {
        if (name === 'PostgreSQL') other.place = ['--store', await server.database()];
        const restored = await other.cli('restore', '--from', to);
        assert.equal(restored.code, 0, restored.err);
        const service = await other.serve();
        let seen = 0;
        for (const [id, digests] of known) {
          const answer = await send(service, 'GET', `/attachments/${id}/content`);
          if (answer.status === 404 && removed.has(id)) continue;
          assert.equal(answer.status, 200);
          assert.ok(digests.has(sha256(Buffer.from(await answer.arrayBuffer()))));
          seen++;
        }
        assert.ok(seen > 0);
        await service.stop();
      } finally {
        await other[Symbol.asyncDispose]();
      }
    });
  });
