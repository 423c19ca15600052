import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { jsonReport } from '../src/verify/report/json.ts';
import { isExchange, type Report } from '../src/verify/report/report.ts';
import { textReport } from '../src/verify/report/text.ts';
import type { VerifyOptions } from '../src/verify/run/options.ts';
import { verify } from '../src/verify/run/verify.ts';
import { subjectAt } from '../src/verify/session/subject.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { documents, example, fileOf } from './fixtures.ts';
import { IN_WHOLE, SEED, share, times } from './share.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** Holds a service of one document to another. */
async function run(
  name: string,
  text: string,
  served: string,
  {
    seed = SEED,
    most = Number.POSITIVE_INFINITY,
    breaks = 25,
    ...bounds
  }: { seed?: number; most?: number; breaks?: number } & Partial<Pick<VerifyOptions, 'budget' | 'time'>>,
): Promise<Report> {
  const { plan } = compile(fileOf(name), text);
  const { plan: other } = compile(fileOf(name), served);
  assert.ok(plan && other, name);
  const contract = contractOf(plan);
  const own = await startOwnService(other);
  try {
    const target = new HttpTarget(await placeOf(own.url, false));
    return await verify({
      subject: subjectAt({ plan, contract }, target, own),
      url: own.url,
      statements: statementsOf(plan, contract, text),
      only: null,
      seed,
      budget: PATIENCE_MS,
      mostRequests: most,
      mostBreaks: breaks,
      version: '0',
      ...bounds,
    });
  } finally {
    await own.stop();
  }
}

const told = ({ breaks }: Report): string[] =>
  breaks.map((one) => `line ${one.line} ${one.why}\nexpected ${one.expected}\nactual ${one.actual}`);

for (const { name, text } of share(documents(), 2).cases)
  test(`nothing of ${name} is broken by its own service`, async (t) => {
    const report = await run(name, text, text, { most: times(60, 500) });
    assert.deepEqual(told(report), [], `seed ${SEED}`);
    const kept = report.results.filter(({ outcome }) => outcome === 'kept').length;
    t.diagnostic(`seed ${SEED}: ${report.requests} requests, ${kept} of ${report.results.length} statements kept`);
  });

test('what endpoints are about is made before it is removed', IN_WHOLE, async () => {
  const text = example('bookings');
  const { endpoints } = await run('bookings.md', text, text, { most: 400 });
  const answered = endpoints.find(({ endpoint }) => endpoint === 'GET /bookings/{booking}')?.statuses ?? [];
  assert.ok(answered.includes(200), `seed ${SEED}: ${answered.join(', ')}`);
});

test('a token that the operator hands out is good for the clock skew beyond its lifetime', async () => {
  const text = readFileSync(join(import.meta.dirname, 'verify', 'skew.md'), 'utf8');
  assert.deepEqual(told(await run('skew.md', text, text, { most: 60 })), [], `seed ${SEED}`);
});

// With this seed a comment is made by a token at the end of its life: its answer is not judged, and the next comment has another number.
test('what an answer may have changed that is not judged is held against nobody', IN_WHOLE, async () => {
  const text = example('blogging');
  assert.deepEqual(told(await run('blogging.md', text, text, { seed: 900, budget: 20_000, time: () => 0 })), []);
});

test('the same seed makes the same requests and the same report', async () => {
  const text = example('orders');
  const broken = text.replace('| 1 to 1000 ', '| 1 to 999  ');
  const seen: string[] = [];
  for (let i = 0; i < 2; i++) seen.push(reported(await run('orders.md', text, broken, { most: times(40, 200) })));
  assert.equal(seen[0], seen[1]);
});

test('a budget that is used up is used up by the same requests, whatever time they take', IN_WHOLE, async () => {
  const text = example('bookings');
  const budget = 8000;
  const seen: string[] = [];
  // A machine on which no time passes, and one that is a thousand times as fast as this one.
  for (const time of [() => 0, () => performance.now() / 1000])
    seen.push(reported(await run('bookings.md', text, text, { budget, time })));
  assert.equal(seen[0], seen[1]);
});

test('a budget is used up by time, too', async () => {
  const text = example('orders');
  let asked = 0;
  const report = await run('orders.md', text, text, { budget: 60_000, time: () => 100 * asked++ });
  assert.ok(report.requests > 0 && report.requests < 1000, `${report.requests} requests`);
  assert.ok(report.run.outOfTime);
  assert.match(textReport(report), /\nThis run used up its time before its work/);
});

/** What of a report is the same for the same seed. */
function reported(report: Report): string {
  const { run: _, ...same } = JSON.parse(jsonReport(report)) as Record<string, unknown>;
  return JSON.stringify(same);
}

/** A change of a served document, which the line of the original says otherwise. */
const CHANGES: ReadonlyArray<readonly [document: string, from: string, to: string]> = [
  // No refusal is kept for its key, which another request may have then.
  ['orders', 'kept 24 hours, answers below 500', 'kept 24 hours, answers below 400'],
  ['orders', '| place      | draft         | placed ', '| place      | draft, placed | placed '],
  // No answer shows the identities of its rows.
  ['blogging', 'comment.author == caller ||', 'comment.author != caller ||'],
  ['blogging', '- Lifetime: 7 days', '- Lifetime: 8 days'],
  ['blogging', '- Issuer: `https://blogging.example`', '- Issuer: `https://blogging.example.com`'],
  ['blogging', '- Shown: username, email, bio, image', '- Shown: username, email, bio, following'],
  ['apiary', 'heather, lime, meadow, rape | request', 'lime, meadow, rape | request'],
  // A list of members that ignores others might have lost it as well.
  ['blogging', '- Shown: number, body, author as Profile', '- Shown: number, author as Profile'],
  // The answer differs at its end, and the step at fault is one of a transition.
  ['apiary', ' where `apiary == moved.apiary && health == "healthy"`', ''],
  // Only a stream too many is answered with this.
  ['apiary', '| Close another stream first     ', '| Close another stream first now '],
  ['apiary', '0.00 to 200.00', '-0.01 to 200.00'],
  // Whoever looks for this sends thousands of requests first.
  ['orders', '`quantity <= 100 ', '`quantity <= 101 '],
  ['orders', 'kept 24 hours, answers below 500', 'kept 1 hour, answers below 500'],
];

for (const [i, [document, from, to]] of CHANGES.entries())
  test(
    `“${to.trim()}” in the place of “${from.trim()}” is found, and its line is named`,
    i < 1 ? {} : IN_WHOLE,
    async () => {
      const text = example(document);
      assert.ok(text.includes(from), from);
      const report = await run(
        `${document}.md`,
        text,
        text.replace(from, () => to),
        { breaks: 1 },
      );
      const line = text.slice(0, text.indexOf(from)).split('\n').length;
      assert.ok(
        report.breaks.some((one) => one.line === line),
        `line ${line} is not among ${told(report).join('\n') || 'no breaks'}`,
      );
      for (const { sequence } of report.breaks) assert.ok(sequence.filter(isExchange).length <= 8);
    },
  );
