import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comment } from './words.ts';

test('prose of a document makes no tag of a comment where it is wrapped', () => {
  const prose = 'The words @deprecated and @param are prose here, and so is @internal at an end';
  for (let width = 20; width < 100; width++) {
    const lines = comment([prose], '', width);
    assert.ok(
      lines.every((line) => !/^ \* @/.test(line)),
      lines.join('\n'),
    );
    assert.equal(
      lines
        .join(' ')
        .replaceAll(/ \*(?!\/)|\/\*\*|\*\//g, '')
        .replace(/ +/g, ' ')
        .trim(),
      prose,
    );
  }
});
