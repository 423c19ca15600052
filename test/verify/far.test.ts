import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { share } from '../share.ts';
import { documentText, subjectOf, withChange } from '../subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;
/** What chance finds within so few requests depends on its seed. */
const SEED = 20261123;
/** Within how many requests each change is found. */
const MOST_REQUESTS = 4000;

const DOCUMENT = 'test/verify/lending.md';

/** What is served in the place of a statement that decides only some requests away, and the statement that is then broken. */
const CHANGES: ReadonlyArray<readonly [from: string, to: string]> = [
  ['["asked", "promised", "out"]', '["asked", "out"]'],
  ['.size() < 3', '.size() < 4'],
  ['.sum() <= 90`', '.sum() < 90` '],
  ['- Unique: book while `status == "out"`', '- Unique: book while `status == "back"`'],
  ['| refuse     | asked, promised |', '| refuse     | asked, promised, out |'],
];

for (const [from, to] of share(CHANGES, 2).cases)
  test(`a service is found that keeps “${to}” in the place of “${from}”`, async (t) => {
    const text = documentText(DOCUMENT);
    const subject = await subjectOf(t, text, withChange(text, from, to));
    const { breaks, requests } = await verify({
      subject,
      url: subject.serviceUrl,
      statements: statementsOf(subject.plan, subject.contract, text),
      only: null,
      seed: SEED,
      budget: PATIENCE_MS,
      mostRequests: MOST_REQUESTS,
      mostBreaks: 1,
      version: '0',
    });
    t.diagnostic(`${requests} requests`);
    const line = text.slice(0, text.indexOf(from)).split('\n').length;
    const [first] = breaks;
    assert.equal(first?.line, line, `${first?.why} ${first?.expected} ${first?.actual}`);
  });
