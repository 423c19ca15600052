import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf } from './page/endpoints/curl.ts';

/** What a shell makes of a command whose program prints its arguments. */
const words = (command: string): string[] =>
  execFileSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\n'`)], { env: { KEY: 'k1', PATH: process.env.PATH } })
    .toString()
    .trimEnd()
    .split('\n');

test('a shell reads the request as it was sent, whatever is in it', () => {
  const headers = [
    ['Authorization', 'Bearer …'],
    ['Content-Length', '9'],
    ['X-Odd', `it's "$HOME" \`id\``],
    ['X-Empty', ''],
  ] as const;
  const sent = { line: "PATCH /a?b='$(id)' HTTP/1.1", headers };
  assert.deepEqual(words(curlOf(sent, 'http://127.0.0.1:1', { body: `{"a":"'"}`, file: null, parts: null })), [
    '-i',
    '-X',
    'PATCH',
    "http://127.0.0.1:1/a?b='$(id)'",
    '-H',
    'Authorization: Bearer k1',
    '-H',
    `X-Odd: it's "$HOME" \`id\``,
    '-H',
    'X-Empty;',
    '--data-binary',
    `{"a":"'"}`,
  ]);
});

test('curl sends files as files, and texts as texts', () => {
  const sent = {
    line: 'POST /a/../b HTTP/1.1',
    headers: [['Content-Type', 'multipart/form-data; boundary=x']],
  } as const;
  const file = { name: `a"b'.png`, type: 'image/png', base64: '' };
  const parts = [
    { name: 'title', text: '@/etc/passwd' },
    { name: 'image', file },
  ];
  const form = ['-i', '-X', 'POST', '--path-as-is', 'http://127.0.0.1:1/a/../b'];
  assert.deepEqual(words(curlOf(sent, 'http://127.0.0.1:1', { body: null, file: null, parts })), [
    ...form,
    '--form-string',
    'title=@/etc/passwd',
    '-F',
    `image=@"a\\"b'.png";type=image/png`,
  ]);
  assert.deepEqual(words(curlOf(sent, 'http://127.0.0.1:1', { body: null, file, parts: null })), [
    ...form,
    '-H',
    'Content-Type: multipart/form-data; boundary=x',
    '--data-binary',
    `@a"b'.png`,
  ]);
});
