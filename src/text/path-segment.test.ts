import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathSegment, segmentText } from './path-segment.ts';

test('every text is one segment of a path, which an address keeps', () => {
  for (const text of ['', '.', '..', '...', '~', '~.', '~~', 'a/b', '%2e', '?#', 'ü', 'a.b', '.a', '\u2028']) {
    const url = new URL(`http://x/rows/R/${pathSegment(text)}/change`);
    const [, , , segment = '', last] = url.pathname.split('/');
    assert.equal(last, 'change', text);
    assert.equal(segmentText(segment), text);
  }
});
