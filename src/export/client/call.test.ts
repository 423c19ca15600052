import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compile } from '../../compiler/compile.ts';
import { contractOf } from '../../contract/contract-of.ts';
import { callOf, type SentRequest } from './call.ts';

function calls(file: string) {
  const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const { plan } = compile(file, text);
  assert.ok(plan);
  const contract = contractOf(plan);
  const [version] = contract.versions;
  return (name: string, request: Partial<SentRequest>): string | null => {
    const endpoint = version!.endpoints.find((one) => one.name === name);
    assert.ok(endpoint, name);
    const sent = { path: '/', headers: [], body: null, scheme: null, baseUrl: 'http://127.0.0.1:8080', ...request };
    return callOf(contract, version!, endpoint, sent);
  };
}

test('a request is shown as the call of the client that sends it', () => {
  const call = calls('examples/orders.md');
  assert.equal(
    call('POST /orders', {
      path: '/orders',
      headers: [
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', 'k1'],
        ['X-Odd', '1'],
      ],
      body: { kind: 'text', text: `{"sku": "it's", "quantity": 2, "__proto__": null, "a-b": [1]}` },
      scheme: 'API key',
    }),
    `// The client does not send the header X-Odd.
const client = createClient({ baseUrl: 'http://127.0.0.1:8080', apiKey: key });
const result = await client.orders.create(
  { sku: "it's", quantity: 2, ['__proto__']: null, 'a-b': [1] },
  { idempotencyKey: 'k1' },
);`,
  );
  assert.equal(
    call('POST /orders/{id}/place', { path: '/orders/a%2Fb/place' }),
    `const client = createClient({ baseUrl: 'http://127.0.0.1:8080' });
const result = await client.orders.place('a/b');`,
  );
  assert.equal(call('POST /orders/{id}/place', { path: '/orders' }), null, 'another path');
  assert.equal(call('POST /orders/{id}/place', { path: '/orders/%/place' }), null, 'no percent-encoding');
  const broken = call('POST /orders', { path: '/orders', body: { kind: 'text', text: '{"' } });
  assert.match(broken ?? '', /^\/\/ The body is not JSON/);
});

test('no text of a request ends a string or a comment of the call', () => {
  const call = calls('examples/orders.md');
  const text = `'); process.exit(1); //\u2028\n\`\${x}`;
  const shown = call('POST /orders', {
    path: `/orders?${new URLSearchParams({ [text]: text })}`,
    headers: [[text, text]],
    body: { kind: 'text', text: JSON.stringify({ [text]: text }) },
  });
  for (const line of (shown ?? '').split('\n'))
    assert.match(line, /^(?:\/\/ |const client = |const result = await | {2}\{ "|\);)/, line);
  assert.doesNotMatch(shown ?? '', /[\u2028\r]/);
  // A program can be read from it.
  assert.ok(new Function(`async () => { ${shown} }`));
});

test('files are named, and come from nowhere', () => {
  const call = calls('docs/documents/pictures.md');
  const file = { type: 'image/png', fileName: 'a\nb.png' };
  const shown = call('POST /pictures', {
    path: '/pictures',
    body: {
      kind: 'parts',
      parts: [
        { name: 'title', text: 'One' },
        { name: 'tags', text: 'x' },
        { name: 'tags', text: 'y' },
        { name: 'image', file },
      ],
    },
  });
  assert.equal(
    shown,
    `const client = createClient({ baseUrl: 'http://127.0.0.1:8080' });
const file = new Blob([]); // the bytes of a b.png
const result = await client.pictures.create(
  { title: 'One', tags: ['x', 'y'], image: { type: 'image/png', content: file } },
);`,
  );
});
