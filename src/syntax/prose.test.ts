import assert from 'node:assert/strict';
import { test } from 'node:test';
import { example } from '../../test/fixtures.ts';
import { compile } from '../compiler/compile.ts';

/** Returns the codes of the findings after a paragraph is added to an example. */
function found(line: string): string[] {
  const text = example('orders').replace('Opens a draft.', `Opens a draft.\n\n${line}\n\n`);
  return compile('orders.md', text).findings.map(({ code }) => code);
}

test('code spans quote what looks like a row, as CommonMark pairs their backquotes', () => {
  assert.deepEqual(found('`a | b | c` and ``a | ` | c``'), []);
  assert.deepEqual(found('`a | ``b | c'), ['language/looks-like']);
  assert.deepEqual(found('``a | b` | c'), ['language/looks-like']);
});

test('a line of very many backquotes that pair with none is read to its end', () => {
  const runs = Array.from({ length: 1400 }, (_, i) => '`'.repeat(i + 1)).join(' ');
  assert.deepEqual(found(runs), []);
});
