import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ADA, Shown } from './harness.test.ts';
import type { EndpointAnswer, Problem, ServiceAnswer, TryAnswer, TryRequest } from './protocol.ts';

const document = (name: string): string =>
  readFileSync(new URL(`../../docs/documents/${name}.md`, import.meta.url), 'utf8');

const CALLER = { scheme: 'API key', id: ADA, scopes: [] };

async function opened(name: string): Promise<Shown> {
  const page = await Shown.open(document(name), { url: 'https://service.example' });
  assert.equal((await page.post('/rows/Member', { fields: { id: ADA, name: 'Ada' } })).http, 200);
  return page;
}

const sample = async (page: Shown, name: string, about = ''): Promise<TryRequest> =>
  (await page.get<EndpointAnswer>(`/endpoints/${encodeURIComponent(name)}${about}`)).sample;

test('a file is sent as it is, and downloaded as bytes that no browser runs', async () => {
  const page = await opened('files');
  try {
    const html = Buffer.from('<script>alert(1)</script>\xff', 'latin1');
    const request = {
      method: 'POST',
      path: '/attachments?name=x',
      headers: [['Content-Type', 'text/plain']],
      body: null,
      file: { name: 'x.html', type: 'text/plain', base64: html.toString('base64') },
      caller: CALLER,
    };
    const made = await page.post<TryAnswer>('/try', request);
    assert.equal(made.status, 201, made.body);
    const { id } = JSON.parse(made.body) as { readonly id: string };
    const path = `/console/api/rows/Attachment/${id}/files/content`;
    const came = await page.ask(path, { headers: { cookie: page.cookie } });
    assert.equal(came.status, 200);
    assert.equal(came.headers['content-type'], 'application/octet-stream');
    assert.equal(came.headers['content-disposition'], `attachment; filename="Attachment-${id}-content.plain"`);
    assert.equal(came.headers['x-content-type-options'], 'nosniff');
    assert.equal(came.headers['content-security-policy'], "default-src 'none'; sandbox");
    assert.equal(Number(came.headers['content-length']), html.length);
    assert.match(came.text, /^<script>/);
    assert.equal((await page.ask(path)).status, 401, 'without a session');
    for (const wrong of ['Attachment/x/files/content', `Attachment/${id}/files/name`, `Member/${ADA}/files/photo`])
      assert.equal((await page.get<Problem>(`/rows/${wrong}`)).http, 404, wrong);
    const { resources } = await page.get<ServiceAnswer>('/service');
    const [file] = resources.find(({ name }) => name === 'Attachment')?.files ?? [];
    assert.deepEqual(file?.taken, ['PUT /attachments/{id}/content']);
    const replacing = await sample(page, 'PUT /attachments/{id}/content', `?resource=Attachment&row=${id}`);
    assert.equal(replacing.path, `/attachments/${id}/content`);
    const replaced = await page.post<TryAnswer>('/try', { ...replacing, caller: CALLER });
    assert.equal(replaced.status, 200, replaced.body);
    // The rules stay: the size that the document allows, and the first bytes of a photo.
    const photo = await sample(page, 'PUT /me/photo');
    assert.equal((await page.post<TryAnswer>('/try', { ...photo, caller: CALLER })).status, 204);
    const wrong = { ...photo, file: { name: 'x', type: 'image/png', base64: html.toString('base64') } };
    assert.equal((await page.post<TryAnswer>('/try', { ...wrong, caller: CALLER })).status, 415);
  } finally {
    await page.stop();
  }
});

test('a form of several parts is sent with its files', async () => {
  const page = await opened('pictures');
  try {
    const asked = await sample(page, 'POST /pictures');
    assert.ok(asked.parts?.some(({ file }) => file?.type === 'image/png'));
    const made = await page.post<TryAnswer>('/try', { ...asked, caller: CALLER });
    assert.equal(made.status, 201, made.body);
    const parts = (asked.parts ?? []).map((part) =>
      part.file ? { ...part, file: { ...part.file, type: 'image/png\r\nX: y' } } : part,
    );
    const injected = await page.post<Problem>('/try', { ...asked, parts, caller: CALLER });
    assert.equal(injected.kind, 'wrong use');
    const big = {
      ...asked,
      parts: [{ name: 'image', file: { name: 'x', type: 'image/png', base64: 'A'.repeat(8_100_000) } }],
    };
    assert.equal((await page.post<Problem>('/try', { ...big, caller: CALLER })).http, 413);
  } finally {
    await page.stop();
  }
});
