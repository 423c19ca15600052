import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, example } from '../../../test/fixtures.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { compile } from '../compile.ts';

/** Readers that loop without taking the next token. */
const LOOPS: ReadonlyArray<readonly [what: string, read: (phrase: Phrase) => void]> = [
  [
    'waits for the end and takes words alone',
    (phrase) => {
      while (!phrase.done()) phrase.take('word');
    },
  ],
  [
    'waits for a mark and takes words alone',
    (phrase) => {
      while (phrase.peek() && phrase.peek()?.kind !== 'mark') phrase.word('word', 'a word');
    },
  ],
  [
    'looks ahead for a mark',
    (phrase) => {
      while (phrase.peek(1)?.text !== ',' && phrase.peek()) phrase.mark(',');
    },
  ],
  [
    'waits until something is taken',
    (phrase) => {
      do phrase.mark(',');
      while (!phrase.done() && !phrase.take('else'));
    },
  ],
];

for (const [what, read] of LOOPS)
  test(`a reader ends that ${what}, and what stands there is not understood`, { timeout: 20_000 }, () => {
    const notes: Notes = { findings: [], marks: [] };
    const source = '`no` more';
    const phrase = new Phrase({ source, from: 0, to: source.length, inTable: false }, notes);
    read(phrase);
    assert.ok(!phrase.end());
    assert.deepEqual(
      notes.findings.map(({ standing, found }) => [standing, found]),
      [['not understood', 'no']],
    );
  });

test('`\\|` in a plain cell is a bar, as GFM reads it: in titles and in allowed values', () => {
  const orders = changed(
    example('orders'),
    ['| This API key may not do this             |', '| Not this \\| that |'],
    ['| status    | query | Order.status | any            |', '| status | query | string | one of a\\|b, c |'],
    ['`status == query.status`', '`note == query.status`'],
  );
  const { findings, plan } = compile('x.md', orders);
  assert.deepEqual(findings, []);
  assert.equal(plan?.errors.conditions['scope missing']?.title, 'Not this | that');
  assert.match(JSON.stringify(plan?.endpoints), /"a\|b"/);
});
