import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Notes, Phrase } from './phrase.ts';

/** Ways in which a reader may go round without taking what stands there. */
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
