import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { compareCallers } from '../../src/diff/callers.ts';
import { documentText, planOf, withChange } from '../subject.ts';

const TEXT = documentText('docs/recipes/nightly-job.md');
const STEP = '   1. Move `old` by close.\n';
const NOTHING = { fields: new Map<string, string>(), resources: new Map<string, string>() };
const OTHER = `### Schedule other

- When: cron \`0 3 1 * *\` in \`UTC\`
- Missed: skipped after 10 minutes
- Overlap: skipped
- Within: 1 minute

1. Remove every Booking where \`status == "over"\`.

`;

/** The words of each change, where one statement of the schedule becomes another. */
const CHANGES: ReadonlyArray<readonly [from: string, to: string, told: string]> = [
  [
    'every day at 02:30 in `Europe/Berlin`',
    'every Sunday at 02:30 in `Europe/Berlin`',
    '“When” is every Sunday at 02:30 in Europe/Berlin, and was every day at 02:30 in Europe/Berlin',
  ],
  [
    'every day at 02:30 in `Europe/Berlin`',
    'every day at 02:30 in `Europe/Paris`',
    '“When” is every day at 02:30 in Europe/Paris, and was every day at 02:30 in Europe/Berlin',
  ],
  [
    '- Skipped times: run at the change',
    '- Skipped times: not run',
    '“Skipped times” is not run, and was run at the change',
  ],
  ['- Repeated times: run once', '- Repeated times: run twice', '“Repeated times” is run twice, and was run once'],
  ['- Missed: run once', '- Missed: each', '“Missed” is each, and was run once'],
  ['- Missed: run once', '- Missed: skipped after 2 hours', '“Missed” is skipped after 2 hours, and was run once'],
  ['- Overlap: waits', '- Overlap: skipped', '“Overlap” is skipped, and was waits'],
  ['- Within: 1 minute', '- Within: 2 minutes', '“Within” is 2 minutes, and was 1 minute'],
  [
    STEP,
    `${STEP}2. Remove every Booking where \`status == "lapsed"\`.\n`,
    'in its run, a step is new: remove every visible Booking where this.status == "lapsed"',
  ],
  ['### Schedule close_past', '### Schedule close_old', 'the schedule close_past is gone'],
  ['## Authentication', `${OTHER}## Authentication`, 'the schedule other is new'],
];

for (const [from, to, told] of CHANGES)
  test(`another schedule is told: ${told}`, () => {
    const [was, is] = [planOf(TEXT), planOf(withChange(TEXT, from, to))];
    assert.notDeepEqual(contractOf(was).schedules, contractOf(is).schedules);
    const there = compareCallers(was, is, NOTHING);
    assert.ok(there.length > 0 && there.length <= 2, JSON.stringify(there));
    assert.ok(
      there.some(({ text }) => text === told),
      JSON.stringify(there.map(({ at, text, breaking }) => ({ at, text, breaking }))),
    );
    assert.ok(compareCallers(is, was, NOTHING).length > 0);
  });

test('the same times in words and as a cron expression are no change', () => {
  const cron = withChange(TEXT, 'every day at 02:30 in', 'cron `30 2 * * *` in');
  assert.deepEqual(compareCallers(planOf(TEXT), planOf(cron), NOTHING), []);
});
