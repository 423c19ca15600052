import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Served } from './served.ts';

const FILES = readFileSync('docs/documents/files.md', 'utf8');
const ADA = '0195c2a0-0000-7000-8000-000000000001';

test('the client sends bytes with their media type, and reads a file as a stream', async () => {
  await using served = await Served.start(FILES);
  await served.operator.add(
    'Member',
    new Map([
      ['id', ADA],
      ['name', 'Ada'],
    ]),
  );
  const { key } = await served.operator.issueKey('Member', ADA, []);
  const client = served.client({ apiKey: key });
  const content = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
  const made = await client.attachments.create({ type: 'application/octet-stream', content }, { name: 'a.bin' });
  assert.ok(made.ok, JSON.stringify(made));
  assert.deepEqual([made.data.content.type, made.data.content.size], ['application/octet-stream', 300_000]);
  const file = await client.attachments.content.get(made.data.id);
  assert.ok(file.ok, JSON.stringify(file));
  assert.deepEqual(new Uint8Array(await new Response(file.data).arrayBuffer()), content);
  const put = await client.attachments.content.set(made.data.id, { type: 'text/plain', content: new Blob(['text']) });
  assert.ok(put.ok, JSON.stringify(put));
  assert.equal(put.data.content.size, 4);
  const named = await client.attachments.update(made.data.id, { name: 'b.txt' });
  assert.ok(named.ok, JSON.stringify(named));
});

test('the client sends files beside values as a form, each with its media type', async () => {
  await using served = await Served.start(readFileSync('docs/documents/pictures.md', 'utf8'));
  await served.operator.add('Member', new Map(Object.entries({ id: ADA, name: 'Ada' })));
  const { key } = await served.operator.issueKey('Member', ADA, []);
  const client = served.client({ apiKey: key });
  const content = Uint8Array.from(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5000, 0xff)]));
  const image = { type: 'image/png', content };
  const made = await client.pictures.create({ title: 'a', tags: ['x', 'y'], image, thumbnail: image });
  assert.ok(made.ok, JSON.stringify(made));
  assert.deepEqual([made.data.tags, made.data.image.size, made.data.thumbnail.size], [['x', 'y'], 5008, 5008]);
  const put = await client.pictures.update(made.data.id, { title: 'b' });
  assert.ok(put.ok, JSON.stringify(put));
  assert.deepEqual([put.data.title, put.data.thumbnail.size], ['b', 5008]);
  const file = await client.pictures.image(made.data.id);
  assert.deepEqual(new Uint8Array(await new Response(file.data).arrayBuffer()), content);
});
