import './whole-alone.ts';
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { withForms } from './file-forms.ts';
import { edited, type Service, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

/** The size of the file, in MiB. */
const SIZE_MIB = times(64, 1024);
const MIB = 1024 * 1024;
/** How much the process may grow while a file goes through it, in MiB: less than the file, whatever its size. */
const MOST_MIB = times(56, 128);

const FILES = withForms(
  edited(
    readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8'),
    ['at most 10 MiB, application', 'at most 1024 MiB, application'],
    ['| Request size | 10 MiB ', '| Request size | 1024 MiB '],
  ),
);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const PLACES: Readonly<Record<string, () => Promise<readonly string[] | null>>> = {
  SQLite: async () => null,
  PostgreSQL: async () => ['--store', await server.database()],
};

/** What stands before and after the bytes of a file in a form. */
const FORM = [
  '--b\r\nContent-Disposition: form-data; name="content"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n',
  '\r\n--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nbig\r\n--b--\r\n',
].map((text) => Buffer.from(text)) as [Buffer, Buffer];

/** The memory of a process now, in MiB; `VmHWM`: the most since `forget`. */
const memory = (service: Service, what: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024;
};

for (const [name, place] of Object.entries(PLACES))
  test(`a file of ${SIZE_MIB} MiB goes in and out at constant memory on ${name}`, async (t) => {
    await using space = new Workspace(FILES, 'files.md');
    space.place = (await place()) ?? space.place;
    const id = randomUUID();
    await space.cliHere('rows', 'add', 'Member', `id=${id}`, 'name=Ada');
    const key = (await space.cliHere('keys', 'issue', 'Member', id)).out.trim();
    const service = await space.serve();
    const { hostname, port } = new URL(service.url);
    const headers = { Authorization: `Bearer ${key}` };
    const piece = randomBytes(MIB);

    const upload = async (mib: number, isForm = false): Promise<{ id: string; sha256: string }> => {
      const hash = createHash('sha256');
      const [first, last] = isForm ? FORM : [Buffer.alloc(0), Buffer.alloc(0)];
      const sent = request({
        hostname,
        port,
        method: 'POST',
        path: isForm ? '/forms' : '/attachments?name=big',
        headers: {
          ...headers,
          'Content-Type': isForm ? 'multipart/form-data; boundary=b' : 'application/octet-stream',
          'Content-Length': mib * MIB + first.length + last.length,
        },
      });
      sent.write(first);
      for (let i = 0; i < mib; i++) {
        piece.writeUInt32LE(i);
        hash.update(piece);
        if (!sent.write(Buffer.from(piece))) await once(sent, 'drain');
      }
      sent.end(last);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      assert.equal(answer.statusCode, 201, text);
      const made = JSON.parse(text) as { id: string; content: { sha256: string; size: number } };
      assert.equal(made.content.size, mib * MIB);
      const sha256 = hash.digest('hex');
      assert.equal(made.content.sha256, sha256);
      return { id: made.id, sha256 };
    };
    const download = async (one: { id: string; sha256: string }): Promise<void> => {
      const sent = request({ hostname, port, path: `/attachments/${one.id}/content`, headers }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const hash = createHash('sha256');
      for await (const chunk of answer) hash.update(chunk as Buffer);
      assert.equal(hash.digest('hex'), one.sha256);
    };

    await download(await upload(16));
    const [before, begun] = [memory(service, 'VmHWM'), performance.now()];
    const big = await upload(SIZE_MIB);
    const [uploaded, between] = [memory(service, 'VmHWM'), performance.now()];
    const form = await upload(SIZE_MIB, true);
    const [formed, after] = [memory(service, 'VmHWM'), performance.now()];
    await download(form);
    await download(big);
    const downloaded = memory(service, 'VmHWM');
    const rate = (from: number, to: number): string => `${Math.round((SIZE_MIB * 1000) / (to - from))} MiB/s`;
    t.diagnostic(
      `most memory ${Math.round(before)} MiB before, ${Math.round(uploaded)} after the upload (${rate(begun, between)}), ${Math.round(formed)} after that of a form (${rate(between, after)}), ${Math.round(downloaded)} after the downloads`,
    );
    assert.ok(downloaded - before < MOST_MIB, `the process grew by ${Math.round(downloaded - before)} MiB`);
    await service.stop();
  });
