import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCallers } from '../../src/diff/callers.ts';
import { BEFORE, DESK, NEXT } from '../desk.ts';
import { planOf, withChange } from '../subject.ts';

const NOTHING = { fields: new Map<string, string>(), resources: new Map<string, string>() };

const told = (old: string, next: string) => compareCallers(planOf(old), planOf(next), NOTHING);

test('a split state and a new value are covered by the version that has the old words for them', () => {
  const found = told(BEFORE, NEXT);
  const about = (at: string) => found.filter((one) => one.at === at);
  for (const at of ['Ticket.priority', 'Ticket.status']) {
    const [one, ...others] = about(at);
    assert.match(one?.text ?? '', /^a new value: /);
    assert.deepEqual([one?.breaking, one?.covered, others], [true, 'v2', []]);
  }
  // Transitions are compared in the old words: assign and hold have become wider.
  const uncovered = found.filter((one) => one.breaking && one.covered === null).map(({ at, text }) => `${at}: ${text}`);
  assert.deepEqual(uncovered, ['versions: the current version is v3, and was v2, also for requests that name none']);
});

test('without the old words, the same change breaks callers of that version', () => {
  const wordless = NEXT.replace(/(\| v2 {6}\|[^|]*\|[^|]*\|[^|]*\|).*/, '$1 none |');
  const status = told(BEFORE, wordless).filter(({ at }) => at === 'Ticket.status');
  assert.ok(status.some(({ breaking, covered }) => breaking && covered === null));
});

test('another word for a value, and another value for a word, is told', () => {
  const other = withChange(DESK, 'Ticket.status `on_hold` is `waiting`', 'Ticket.status `on_hold` is `closed`');
  const texts = told(DESK, other).map(({ at, text, breaking }) => `${at}: ${text} ${breaking}`);
  assert.ok(
    texts.includes('Ticket.status: the word for “on_hold” is “closed”, and was “waiting” true'),
    texts.join('\n'),
  );
  const sent = withChange(DESK, 'is `high`, sent as `high`', 'is `high`, sent as `urgent`');
  assert.deepEqual(
    told(DESK, sent).map(({ at, text, breaking, versions }) => [at, text, breaking, versions]),
    [['Ticket.priority', 'a body with “high” gives urgent, and gave high', true, ['v2', 'v1']]],
  );
});
