import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { changed, example } from './fixtures.ts';

/** Patterns that backtracking engines take exponential or polynomial time for, each with what makes them. */
const CATASTROPHIC: ReadonlyArray<readonly [pattern: string, evil: (length: number) => string]> = [
  ['^(a+)+$', (n) => `${'a'.repeat(n)}!`],
  ['^(a*)*$', (n) => `${'a'.repeat(n)}!`],
  ['^(a|a)*$', (n) => `${'a'.repeat(n)}!`],
  ['^(a|aa)+$', (n) => `${'a'.repeat(n)}!`],
  ['^(a|a?)+$', (n) => `${'a'.repeat(n)}!`],
  ['^([a-zA-Z]+)*$', (n) => `${'a'.repeat(n)}!`],
  ['^(.*a){12}$', (n) => `${'a'.repeat(n - 1)}!`],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', (n) => 'a'.repeat(n)],
  ['^(\\w+\\s?)*$', (n) => `${'a '.repeat(n / 2)}!`],
  ['^(\\w+,?)+;$', (n) => 'a,'.repeat(n / 2)],
  ['^([0-9]+)*\\.$', (n) => '1'.repeat(n)],
  ['^((ab)*)+$', (n) => `${'ab'.repeat(n / 2)}!`],
  ['^(x+x+)+y$', (n) => 'x'.repeat(n)],
  ['^(?:.*=.*)*;$', (n) => '='.repeat(n)],
  ['^([a-zA-Z0-9._-]+)+@([a-z]+\\.)+com$', (n) => `${'a.'.repeat(n / 2)}@`],
  ['^(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$', (n) => `a.${'a'.repeat(n)}!`],
  ['\\s+$', (n) => `${' '.repeat(n)}x`],
  ['^\\s*(.*?)\\s*,$', (n) => ' '.repeat(n)],
  ['(.*)*(.*)*(.*)*[^.]$', (n) => '.'.repeat(n)],
  ['^(([^<>]+)*>)+$', (n) => 'x'.repeat(n)],
  ['^(a{0,30}){0,30}b$', (n) => 'a'.repeat(n)],
  ['^(?:(?:(?:a*)*)*)*b$', (n) => 'a'.repeat(n)],
  ['[^a]*[^b]*[^c]*[^d]*e$', (n) => 'x'.repeat(n)],
];

/** The smallest whole document of the reference. */
const NOTES = example('notes');

/** As much as the request takes. */
const LENGTH = 60_000;

/** A document with a field for each pattern. */
function documentWith(patterns: readonly string[]): string {
  const field = (pattern: string, i: number): string =>
    `| f${i} | string | | \`/${pattern.replaceAll('|', '\\|')}/\` | request | optional | |`;
  const names = patterns.map((_, i) => `f${i}`).join(', ');
  return changed(
    NOTES,
    [
      '| text    | string    |        | 1 to 200 characters | request            |          |          |',
      patterns.map(field).join('\n'),
    ],
    ['- Null in requests', '- Missing values in answers: left out\n- Null in requests'],
    ['- Shown: id, text, created', '- Shown: id, created'],
    ['- Request: Note with text', `- Request: Note with ${names}`],
    ['| 4 KiB ', '| 64 KiB '],
  );
}

test('no value makes a pattern slow', { timeout: 60_000 }, async (t) => {
  const { plan, findings } = compile('patterns.md', documentWith(CATASTROPHIC.map(([pattern]) => pattern)));
  assert.deepEqual(findings, []);
  const service = new Service({ host: '127.0.0.1', port: 0, admin: null, url: null, log: () => {} });
  await service.start(plan!, new SqliteStore(':memory:', plan!));
  t.after(() => service.stop());
  const took: string[] = [];
  for (const [i, [pattern, evil]] of CATASTROPHIC.entries()) {
    const before = performance.now();
    const response = await fetch(`http://127.0.0.1:${service.port}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [`f${i}`]: evil(LENGTH) }),
    });
    const expected = { errors: [{ pointer: `/f${i}`, code: 'not_matching', detail: 'It does not match the pattern' }] };
    const { errors } = (await response.json()) as typeof expected;
    assert.deepEqual(
      { pattern, status: response.status, errors: errors?.map((one) => one.code) },
      {
        pattern,
        status: 422,
        errors: ['not_matching'],
      },
    );
    took.push(`${Math.round(performance.now() - before)} ms ${pattern}`);
  }
  console.log(`${CATASTROPHIC.length} patterns, each against ${LENGTH} characters:\n  ${took.join('\n  ')}`);
});
