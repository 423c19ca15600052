import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { loadSetup } from '../../src/verify/setup/load.ts';
import { example } from '../fixtures.ts';

const PAGE = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');

const blockOf = (language: string): string => {
  const [, text] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  assert.ok(text, `docs/testing.md has a block of ${language}`);
  return text;
};

const { plan } = compile('orders.md', example('orders'));
assert.ok(plan);

async function withFile<T>(name: string, text: string, use: (path: string) => Promise<T>): Promise<T> {
  const place = mkdtempSync(join(tmpdir(), 'ninefold-testing-'));
  try {
    const path = join(place, name);
    writeFileSync(path, text);
    return await use(path);
  } finally {
    rmSync(place, { recursive: true });
  }
}

test('the JSON of docs/testing.md is a setup for the orders', async () => {
  await withFile('setup.json', blockOf('json'), async (path) => {
    const setup = await loadSetup(path, 'http://127.0.0.1:3000', plan);
    const row = await setup.row?.('Customer', {});
    assert.equal(row?.name, 'Ada');
    const scopes = ['orders:write', 'orders:read', 'orders:fulfil'];
    assert.equal(await setup.caller?.('API key', String(row?.id), scopes), 'key-of-ada');
    assert.equal(setup.receivers?.length, 1);
  });
});

test('the module of docs/testing.md is a setup with every member', async () => {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${body}`);
      answer.setHeader('Content-Type', 'application/json');
      answer.end(
        JSON.stringify({
          id: 'c-1',
          name: 'Ada',
          email: 'a@example.com',
          key: 'k-1',
          secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
          now: 5,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const code = blockOf('js').replace('http://127.0.0.1:3001', `http://127.0.0.1:${address.port}`);
  try {
    await withFile('setup.mjs', code, async (path) => {
      const setup = await loadSetup(path, 'http://127.0.0.1:3000', plan);
      assert.equal((await setup.row?.('Customer', { name: 'Ada' }))?.id, 'c-1');
      assert.equal(await setup.caller?.('API key', 'c-1', ['orders:read']), 'k-1');
      assert.match((await setup.receiver?.('http://127.0.0.1:4000/', ['order.placed'], null)) ?? '', /^whsec_/);
      assert.equal(await setup.clock?.now(), 5);
      await setup.clock?.pass(1000);
      await setup.reset?.();
    });
    assert.deepEqual(asked, [
      'POST /rows/Customer {"name":"Ada"}',
      'POST /keys {"identity":"c-1","scopes":["orders:read"],"claims":{}}',
      'POST /receivers {"url":"http://127.0.0.1:4000/","events":["order.placed"],"version":null}',
      'POST /clock {}',
      'POST /clock {"pass":1000}',
      'POST /clock {}',
      'POST /reset {}',
    ]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
