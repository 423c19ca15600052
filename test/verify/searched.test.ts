import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { share } from '../share.ts';
import { outcomesOf } from './needs/outcomes.ts';
import { articles, SEARCH } from './needs/searches.ts';

/** Leaves a trigger of the full-text index out of all databases that are made until the end of the test. */
function leaveOut(t: TestContext, trigger: string): () => number {
  const { exec } = Database.prototype;
  let count = 0;
  Database.prototype.exec = function (sql: string) {
    if (!sql.startsWith(`CREATE TRIGGER "ninefold_search_article.words ${trigger}"`)) return exec.call(this, sql);
    count++;
    return this;
  };
  t.after(() => {
    Database.prototype.exec = exec;
  });
  return () => count;
}

const LEFT_OUT = [
  ['inserted', 'a new row is not in the index'],
  ['updated', 'the new words of a changed row are not in the index'],
] as const;

for (const [trigger, what] of share(LEFT_OUT, 1).cases)
  test(`the test finds that ${what}`, async (t) => {
    const leftOut = leaveOut(t, trigger);
    const { results, breaks } = await outcomesOf(t, { name: what, stated: articles, key: SEARCH }, 1000);
    assert.ok(leftOut() > 0);
    assert.ok(breaks.length > 0);
    assert.ok(results.some(({ outcome }) => outcome !== 'kept'));
  });
