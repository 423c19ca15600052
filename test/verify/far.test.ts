import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { share } from '../share.ts';
import { documentText, subjectOf, withChange } from '../subject.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;
/** What chance finds within so few requests depends on its seed. */
const SEED = 20261126;
/** Within how many requests each change is found. */
const MOST_REQUESTS = 4000;

/** Two steps that refuse the same request; which of them comes first decides on its answer. */
const OWN = 'Require `wanted.owner != caller`, else own_book.';
const MANY =
  'Require `Loan.filter(l, l.borrower == caller && l.status in ["asked", "promised", "out"]).size() < 3`, else too_many.';

/** What is served in the place of a statement that decides only some requests away, and the statement that is then broken. */
const CHANGES: ReadonlyArray<readonly [document: string, from: string, to: string]> = [
  ['lending', '| refuse     | asked, promised |', '| refuse     | asked, promised, out |'],
  ['auction', '`opens > now() && Lot.exists(l, l.sale == this)`', '`opens > now()`'],
  ['lending', '.size() < 3', '.size() < 4'],
  ['auction', 'request.amount >= lot.start', 'request.amount > lot.start'],
  ['lending', '.sum() <= 90`', '.sum() < 90` '],
  ['auction', 'sale and title ignoring case', 'sale and title'],
  ['lending', '- Unique: book while `status == "out"`', '- Unique: book while `status == "back"`'],
  ['auction', '2 hours after `opens`', '3 hours after `opens`'],
  ['lending', '["asked", "promised", "out"]', '["asked", "out"]'],
  ['auction', 'sale.status == "over" && Bid', 'Bid'],
  ['wards', 'request.grams + 357 <= patient', 'request.grams + 357 < patient'],
  ['wards', ' && !p.gone).size() < 5', ').size() < 5'],
  ['wards', 'ward and code while `!gone`', 'ward and code'],
  ['tickets', 'answers below 500', 'answers below 400'],
  ['lending', `2. ${OWN}\n3. ${MANY}`, `2. ${MANY}\n3. ${OWN}`],
];

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

for (const [name, from, to] of share(CHANGES, 1, 2).cases)
  test(`a service is found that keeps “${firstLine(to)}” in the place of “${firstLine(from)}”`, async (t) => {
    const text = documentText(`test/verify/${name}.md`);
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
    // Another statement may require the same answer: the report names both then.
    const named = first ? [first.line, ...(first.otherLines ?? [])] : [];
    assert.ok(named.includes(line), `${named} ${first?.why} ${first?.expected} ${first?.actual}`);
  });
