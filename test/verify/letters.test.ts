import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verify } from '../../src/verify/run/verify.ts';
import type { Setup } from '../../src/verify/setup/setup.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { documentText, subjectOf, withChange } from '../subject.ts';

const notes = documentText('docs/documents/notes.md');

/** The notes, each with a token that no answer shows: whoever has it reads the note. */
const withToken = withChange(
  withChange(
    notes,
    '| created | timestamp |',
    '| token | string | uuid | any | on create `uuid()` | | yes |\n| created | timestamp |',
  ),
  '### `GET /notes`\n',
  [
    '### `GET /letters/{token}`',
    '',
    '| Parameter | In | Type | Allowed values | Presence | Otherwise |',
    '| --- | --- | --- | --- | --- | --- |',
    '| token | path | Note.token | any | always | note_not_found |',
    '',
    '1. Find `note`: Note where `token == path.token`, else note_not_found.',
    '2. Answer 200 with `note`.',
    '',
    '### `GET /notes`',
    '',
  ].join('\n'),
);

/** What the test says of the step that finds a row by its token, and what it finds wrong. */
async function outcomeOf(t: TestContext, change: (setup: Setup) => Setup) {
  const subject = await subjectOf(t, withToken);
  const statements = statementsOf(subject.plan, subject.contract, withToken);
  const { results, breaks } = await verify({
    subject: { ...subject, setup: change(subject.setup) },
    url: subject.serviceUrl,
    statements,
    only: null,
    seed: 1,
    budget: 600_000,
    mostRequests: 150,
    mostBreaks: 5,
    version: '0',
  });
  const of = results.find(({ statement }) => statement.text.includes('token == path.token'));
  assert.ok(of);
  return { outcome: of.outcome, because: of.because, breaks };
}

test('a row is found by a value that no answer shows where the setup lists rows', async (t) => {
  const { outcome, because, breaks } = await outcomeOf(t, (setup) => setup);
  assert.deepEqual(breaks, []);
  assert.equal(outcome, 'kept', because ?? '');
});

test('a value that no answer shows, and a setup without a list of rows, is why a step is untestable', async (t) => {
  const { outcome, because, breaks } = await outcomeOf(t, ({ list: _, ...setup }) => setup);
  assert.deepEqual(breaks, []);
  assert.equal(outcome, 'untestable');
  assert.match(
    because ?? '',
    /The setup lacks a way to list rows \(`list`\), which hold a value that no answer shows\./,
  );
});

test('a list of rows that does not hold the value leaves the step untestable, and blames nobody', async (t) => {
  for (const list of [async () => [], async () => [{ id: 'nonsense' }, { token: 5 }]]) {
    const { outcome, breaks } = await outcomeOf(t, (setup) => ({ ...setup, list }));
    assert.deepEqual(breaks, []);
    assert.equal(outcome, 'untestable');
  }
});
