import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplayableRequest } from '../session/replayable.ts';
import { withFewerCallers } from './shrink.ts';

const act = (name: string, ...headers: ReadonlyArray<readonly [string, string]>): ReplayableRequest => ({
  name,
  template: { method: 'GET', target: '/', headers, body: null },
  writes: false,
  answered: '',
  at: 0,
});

test('the latest credentials make way for the earliest, and only in the header that they stand in', () => {
  const [ann, bob] = ['Bearer \u{E002}credential request1 0\u{E003}', 'Bearer \u{E002}credentials2\u{E003}'];
  const acts = [
    act('a', ['Authorization', ann]),
    act('b', ['Authorization', bob], ['If-Match', '\u{E002}tag of a\u{E003}']),
    act('c', ['X-Key', '\u{E002}credentials3\u{E003}']),
    act('d'),
  ];
  const callers = [...withFewerCallers(acts)].map((some) =>
    some.map(({ template }) =>
      template.headers.map(([, value]) => (value === ann ? 'ann' : value === bob ? 'bob' : '-')).join(),
    ),
  );
  assert.deepEqual(callers, [
    ['ann', 'ann,-', '-', ''],
    ['bob', 'bob,-', '-', ''],
  ]);
});
