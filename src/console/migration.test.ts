import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { edited } from '../../test/harness.ts';
import { IN_WHOLE } from '../../test/share.ts';
import { ORDERS, Shown, until } from './harness.test.ts';
import type { Activity, DocumentAnswer, MigrationAnswer, PreviewOutcome } from './protocol.ts';

let page: Shown;
before(async () => {
  page = await Shown.open();
  await page.customer();
  await page.order('ABC-0001', 2);
});
after(() => page.stop());

/** Writes another document, and waits for what its preview says. */
async function previewed(document: string): Promise<PreviewOutcome> {
  writeFileSync(page.file, document);
  assert.equal((await page.get<MigrationAnswer>('/migration')).disk, 'changed');
  await page.post('/migration/preview', {});
  return until(async () => {
    const { preview } = await page.get<MigrationAnswer>('/migration');
    return preview?.state === 'done' && preview.outcome;
  }, 'the preview is done');
}

test('a document that has changed on disk is previewed on a copy of the rows', IN_WHOLE, async () => {
  assert.deepEqual(await page.get<MigrationAnswer>('/migration'), { disk: 'same', preview: null, http: 200 });
  const outcome = await previewed(edited(ORDERS, ['at most 500 characters', 'at most 400 characters']));
  assert.ok(outcome.kind === 'compiled', JSON.stringify(outcome));
  assert.equal(outcome.rows, 'possible');
  assert.equal(outcome.changes.length, 1);
  assert.ok(outcome.callers.some((one) => one.breaking));
  assert.equal((await page.get<Activity>('/activity')).changedOnDisk, true);
});

test('rows that do not fit are told of, with what could be done', IN_WHOLE, async () => {
  const outcome = await previewed(edited(ORDERS, ['1 to 1000', '3 to 1000']));
  assert.ok(outcome.kind === 'compiled', JSON.stringify(outcome));
  assert.equal(outcome.rows, 'refused');
  assert.equal(outcome.hindrances[0]?.rows, 1);
  assert.match(
    outcome.hindrances[0]?.text ?? '',
    /: replace Order\.quantity:OLD=NEW\.$/,
    'without a flag of a command',
  );
  const { text } = await page.get<DocumentAnswer>('/document');
  assert.match(text, /1 to 1000/, 'what is served stays');
  assert.deepEqual(
    readdirSync(`${page.folder}/data`).filter((name) => name.includes('trial')),
    [],
  );
});

test('a document with findings is told of by its lines', IN_WHOLE, async () => {
  const outcome = await previewed(edited(ORDERS, ['1 to 1000', 'some   ']));
  assert.ok(outcome.kind === 'findings', JSON.stringify(outcome));
  assert.match(outcome.findings[0]?.message ?? '', /some/);
  assert.ok(outcome.findings[0]?.line);
});
