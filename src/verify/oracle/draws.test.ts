import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Draws, tagMeaning } from './draws.ts';
import { hasMark, matchMarks, withoutMarks } from './marks.ts';

test('what is not known yet is no text for people', () => {
  const draws = new Draws();
  const [id, tag] = [draws.of('uuid', 'a'), draws.of('tag', 'b')];
  assert.equal(
    withoutMarks(`by User “${id}”, about own User “${id}” (bio missing)`),
    'by User, about own User (bio missing)',
  );
  assert.equal(withoutMarks(`body /id: "${id}"\nheader ETag: ${tag}`), 'body /id: "(a uuid)"\nheader ETag: (a tag)');
  assert.equal(withoutMarks('by User “ada”'), 'by User “ada”');
});

test('what stands in the place of marks is told, the same for the same mark', () => {
  const draws = new Draws();
  const id = draws.of('uuid', 'a');
  const actual = '0190a000-0000-7000-8000-000000000001';
  assert.deepEqual(matchMarks(`/orders/${id}`, `/orders/${actual}`, draws), [[id, actual]]);
  assert.equal(matchMarks(`${id} ${id}`, `${actual} 0190a000-0000-7000-8000-000000000002`, draws), null);
  assert.equal(matchMarks(`/orders/${id}`, '/orders/7', draws), null);
});

test('a mark is one in large letters too', () => {
  const draws = new Draws();
  for (const kind of ['uuid', 'secret', 'credential', 'tag', 'cursor'] as const) {
    const mark = draws.of(kind, 'a');
    assert.ok(hasMark(`/orders/${mark}`), kind);
    assert.ok(hasMark(`/orders/${mark.toUpperCase()}`), kind);
  }
  assert.ok(!hasMark('/orders/0190a000-0000-7000-8000-000000000001'));
});

test('a row has another tag in each state and each version', () => {
  const draws = new Draws();
  const key = (identity: string, revision: number, version: string): string => {
    const mark = draws.of('tag', tagMeaning('Order', identity, revision, version));
    return draws.keyOf(mark) ?? '';
  };
  draws.learn(key('a', 1, '2026'), '"1"');
  for (const [other, had] of [
    [key('a', 1, '2026'), false],
    [key('a', 2, '2026'), true],
    [key('a', 1, '2025'), true],
    [key('b', 2, '2026'), false],
  ] as const)
    assert.equal(draws.hadTag(other, '"1"'), had, other);
  assert.equal(draws.copy().hadTag(key('a', 2, '2026'), '"1"'), true);
  assert.equal(draws.hadTag(key('a', 2, '2026'), '"2"'), false);
});
