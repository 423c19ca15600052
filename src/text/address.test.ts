import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrl } from './address.ts';

test('an address is one that paths can be written after', () => {
  assert.equal(baseUrl('https://api.example.com'), 'https://api.example.com');
  assert.equal(baseUrl('http://127.0.0.1:3000/'), 'http://127.0.0.1:3000');
  assert.equal(baseUrl('https://example.com/api/v1/'), 'https://example.com/api/v1');
  for (const bad of [
    '',
    'example.com',
    'ftp://example.com',
    'https://',
    'https://ada:secret@example.com',
    'https://example.com?a=b',
    'https://example.com?',
    'https://example.com/#a',
    'https://example.com/a b',
    'https://exa\u00e4mple.com',
    'https:\\\\example.com',
    'https://{host}/',
    'https://*.example.com',
    'javascript:alert(1)//',
  ])
    assert.equal(baseUrl(bad), null, bad);
});
