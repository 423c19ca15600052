import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hunksOf } from './line-changes.ts';
import { isConflict, mergedLines, mergedText } from './line-merge.ts';

const merged = (before: string, mine: string, theirs: string): string =>
  mergedText(mergedLines(before, mine, theirs), ({ mine: m, theirs: t }) => [`<${m.join('|')}/${t.join('|')}>`]);

test('edits of different lines are both in the merged text', () => {
  assert.equal(merged('a\nb\nc', 'A\nb\nc', 'a\nb\nC'), 'A\nb\nC');
  assert.equal(merged('a\nb\nc', 'a\nb\nc\nd', 'b\nc'), 'b\nc\nd');
  assert.equal(merged('a\nb\nc\nd\ne', 'x\na\nb\nc\nd\ne', 'a\nb\nc\ne'), 'x\na\nb\nc\ne');
});

test('edits of the same line are a conflict, unless both wrote the same, and edits of neighbouring lines if one adds lines', () => {
  assert.equal(merged('a\nb\nc', 'a\nB\nc', 'a\nX\nc'), 'a\n<B/X>\nc');
  assert.equal(merged('a\nb\nc', 'a\nB\nc', 'a\nB\nc'), 'a\nB\nc');
  assert.equal(merged('a\nb\nc', 'A\nb\nc', 'a\nB\nc'), 'A\nB\nc');
  assert.equal(merged('a\nb\nc', 'A\nb\nc', 'a\nc'), 'A\nc');
  assert.equal(merged('a\nb\nc', 'A\nx\nb\nc', 'a\nB\nc'), '<A|x|b/a|B>\nc');
  assert.equal(merged('a\nb\nc', 'A\nb\nc', 'a\nx\nb\nc'), '<A/a|x>\nb\nc');
  assert.equal(merged('a\nb', 'a\nx\nb', 'a\ny\nb'), 'a\n<x/y>\nb');
  assert.equal(merged('a\nb', '', 'a\nB'), '</a|B>');
  assert.equal(merged('a\nb\nc\nd', 'A\nB\nC\nx\nd', 'a\nX\nc\nD'), '<A|B|C|x|d/a|X|c|D>');
});

const TEXT = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 12 }).map((lines) => lines.join('\n'));

test('differences turn one list into the other, with equal lines between them', () => {
  fc.assert(
    fc.property(TEXT, TEXT, (before, after) => {
      const [old, now] = [before.split('\n'), after.split('\n')];
      const hunks = hunksOf(old, now);
      let [at, made] = [0, [] as string[]];
      for (const { from, to, start, end } of hunks) {
        assert.ok(from < to || start < end);
        assert.ok(from > at || at === 0, 'an equal line is between');
        made = [...made, ...old.slice(at, from), ...now.slice(start, end)];
        at = to;
      }
      assert.deepEqual([...made, ...old.slice(at)], now);
    }),
  );
});

test('each choice of all conflicts gives the whole text of that side, and the changes of the other side elsewhere', () => {
  fc.assert(
    fc.property(TEXT, TEXT, TEXT, (before, mine, theirs) => {
      assert.equal(merged(before, mine, before), mine);
      assert.equal(merged(before, before, theirs), theirs);
      assert.equal(merged(before, mine, mine), mine);
      const parts = mergedLines(before, mine, theirs);
      const mirrored = mergedLines(before, theirs, mine);
      assert.deepEqual(
        mirrored.map((part) => (isConflict(part) ? { ...part, mine: part.theirs, theirs: part.mine } : part)),
        parts,
      );
      const original = parts.flatMap((part) => (isConflict(part) ? part.before : []));
      assert.ok(original.length <= before.split('\n').length);
    }),
  );
});

test('texts of 40,000 lines are merged, also where all lines differ', () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => (i % 2 ? '' : `line ${i}`));
  const before = lines.join('\n');
  assert.equal(merged(before, `x\n${before}`, `${before}\ny`), `x\n${before}\ny`);
  const other = lines.map((line, i) => `${line} ${i}`).join('\n');
  const parts = mergedLines(before, other, `${before}\ny`);
  assert.equal(
    mergedText(parts, ({ mine }) => mine),
    other,
  );
});
