import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conformanceCases, outside } from './conformance/cases.ts';
import { missed, outcomeOf } from './conformance/run.ts';

/** How many cases pass at least: it only ever goes up. */
const PASSED = 569;

/** Where the language means to differ, by the names of cases. */
const MEANT: ReadonlyArray<readonly [RegExp, string]> = [
  [/^fields\/quoted_map_fields\//, 'a member in backticks would end the inline code that an expression stands in'],
  [/^logic\/.*\/short_circuit_error_/, 'dividing by 0, written out, is refused when the document is read'],
  [/^macros\/.*\/list_empty$/, 'items of an empty list that is written out have no type'],
  [/^macros\/map\/list_error$/, 'a quotient by 0 is null, and typed so'],
  [/^parse\/(?:nest\/list_index|repeat\/index)$/, 'an item of a list may not be there, and has to be tested for'],
  [/^string_ext\/value_errors\//, 'a place beyond the ends of a text is its nearest end'],
  [/^timestamps\/(?:timestamp|duration)_range\//, 'durations go to 2^53 − 1 milliseconds'],
];

test('the conformance cases of CEL that apply give what they say, or differ for a stated reason', (context) => {
  const skipped = new Map<string, number>();
  const misses = new Map<string, string[]>();
  const unmeant: string[] = [];
  let applied = 0;
  const all = conformanceCases();
  for (const one of all) {
    const why = outside(one);
    if (why) {
      skipped.set(why, (skipped.get(why) ?? 0) + 1);
      continue;
    }
    applied++;
    const miss = missed(one, outcomeOf(one));
    if (!miss) continue;
    const meant = MEANT.find(([names]) => names.test(one.name))?.[1];
    if (meant) misses.set(meant, [...(misses.get(meant) ?? []), one.name]);
    else unmeant.push(`${one.name}: ${one.expr}: ${miss}`);
  }
  const missedAll = [...misses.values()].flat().length + unmeant.length;
  const passed = applied - missedAll;
  context.diagnostic(`${all.length} cases: ${applied} apply, of which ${passed} pass and ${missedAll} differ`);
  for (const [why, names] of misses) context.diagnostic(`${names.length} differ: ${why} (${names.join(', ')})`);
  for (const [why, count] of [...skipped].sort(([, a], [, b]) => b - a))
    context.diagnostic(`${count} are about ${why}`);
  assert.deepEqual(unmeant, []);
  assert.ok(passed >= PASSED, `${passed} pass, and ${PASSED} did`);
});
