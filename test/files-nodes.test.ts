import './whole-alone.ts';
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { withForms } from './file-forms.ts';
import { edited, type Service, Workspace } from './harness.ts';
import { each, tally } from './nodes.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';

const NODES = 3;
const UPLOADS = times(60, 600);
const RACES = times(12, 100);

const KEYED = 'Idempotency: header `Idempotency-Key`, optional, for each caller, kept 24 hours, answers below 500';
const FILES = edited(
  withForms(readFileSync(new URL('../docs/documents/files.md', import.meta.url), 'utf8')),
  ['| 600 requests per minute ', '| 900000 requests per second '],
  ['| 6000 requests per minute ', '| 900000 requests per second '],
  ['- Request: Attachment with name, content\n', `- Request: Attachment with name, content\n- ${KEYED}\n`],
);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

test(`${UPLOADS} uploads over ${NODES} nodes, and races for one row and one key`, async (t) => {
  await using space = new Workspace(FILES, 'files.md');
  const url = await server.database();
  space.place = ['--store', url];
  const member = randomUUID();
  assert.equal((await space.cliHere('rows', 'add', 'Member', `id=${member}`, 'name=Ada')).code, 0);
  const key = (await space.cliHere('keys', 'issue', 'Member', member)).out.trim();
  const nodes = await Promise.all(Array.from({ length: NODES }, () => space.serve()));
  const at = (n: number): Service => nodes[n % NODES]!;

  const send = (service: Service, method: string, to: string, body?: Buffer | FormData, more = {}): Promise<Response> =>
    fetch(service.url + to, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(Buffer.isBuffer(body) && { 'Content-Type': 'application/octet-stream' }),
        ...more,
      },
      ...(body && { body: body as FormData }),
    });
  const formOf = (bytes: Buffer): FormData => {
    const form = new FormData();
    form.append('name', 'x');
    form.append('content', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' }));
    return form;
  };
  const read = async (n: number, id: string): Promise<string | number> => {
    const answer = await send(at(n), 'GET', `/attachments/${id}/content`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    return answer.status === 200 ? sha256(bytes) : answer.status;
  };

  const made = await each(UPLOADS, 12, async (n) => {
    const bytes = randomBytes(1 + Math.floor(Math.random() * 900_000));
    const isForm = n % 2 === 0;
    const answer = await (isForm
      ? send(at(n), 'POST', '/forms', formOf(bytes))
      : send(at(n), 'POST', '/attachments?name=x', bytes));
    assert.equal(answer.status, 201, await answer.clone().text());
    const { id } = (await answer.json()) as { id: string };
    // Another node sends the bytes.
    assert.equal(await read(n + 1, id), sha256(bytes));
    return id;
  });

  // Several nodes replace the bytes of one row, and remove it.
  const outcomes = await each(RACES, 3, async (n) => {
    const id = made[n % made.length]!;
    const all = Array.from({ length: NODES }, () => randomBytes(300_000));
    const puts = all.map((bytes, i) => send(at(i), 'PUT', `/attachments/${id}/content`, bytes));
    const removed = n % 4 === 3 ? send(at(n), 'DELETE', `/attachments/${id}`) : null;
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    const gone = (await removed)?.status;
    const now = await read(n, id);
    if (gone === undefined) {
      const done = all.filter((_, i) => statuses[i] === 200).map(sha256);
      if (typeof now === 'string' && done.length > 0) assert.ok(done.includes(now), 'the bytes are those of one node');
    } else if (gone === 204) assert.equal(now, 404);
    return [...statuses, gone ?? 'kept'].join();
  });

  // One key at several nodes at once: one upload is made.
  const keyed = await each(RACES, 3, async (n) => {
    const bytes = randomBytes(200_000);
    const headers = { 'Idempotency-Key': `key-${n}` };
    const answers = await Promise.all(nodes.map((node) => send(node, 'POST', '/forms', formOf(bytes), headers)));
    const ids = await Promise.all(
      answers.map(async (one) => (one.status === 201 ? ((await one.json()) as { id: string }).id : null)),
    );
    assert.equal(new Set(ids.filter((one) => one !== null)).size, 1, 'one attachment is made');
    return answers
      .map(({ status }) => status)
      .sort()
      .join();
  });
  t.diagnostic(`replaced ${JSON.stringify(tally(outcomes))}`);
  t.diagnostic(`keyed ${JSON.stringify(tally(keyed))}`);

  const count = async (sql: string): Promise<number> =>
    Number((await server.query<{ n: string }>(url, `SELECT count(*) AS n FROM ${sql}`))[0]!.n);
  const of = 'a."ninefold_bytes_content"';
  assert.equal(
    await count(`attachment a WHERE NOT EXISTS (SELECT 1 FROM ninefold_file f WHERE f.id = ${of} AND f.until IS NULL)`),
    0,
    'each row has its bytes',
  );
  assert.equal(
    await count(`ninefold_file f WHERE f.until IS NULL AND NOT EXISTS (SELECT 1 FROM attachment a WHERE ${of} = f.id)`),
    0,
    'bytes that no row has have a time',
  );
  t.diagnostic(
    `${await count('attachment')} rows, ${await count('ninefold_file')} files, ${await count('ninefold_chunk')} chunks`,
  );
  for (const node of nodes) await node.stop();
});
