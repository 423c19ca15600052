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
  assert.deepEqual(words(curlOf(sent, 'http://127.0.0.1:1', `{"a":"'"}`)), [
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
