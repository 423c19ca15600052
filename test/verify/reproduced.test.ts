import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { races } from '../../src/verify/probes/races.ts';
import { rates } from '../../src/verify/probes/rates.ts';
import { curlLines } from '../../src/verify/report/curl.ts';
import type { Break, Report } from '../../src/verify/report/report.ts';
import { StableTexts } from '../../src/verify/report/stable.ts';
import { textReport } from '../../src/verify/report/text.ts';
import { Random } from '../../src/verify/requests/random.ts';
import { Doubt } from '../../src/verify/run/doubt.ts';
import { FoundBreaks } from '../../src/verify/run/found-breaks.ts';
import { onlyOf } from '../../src/verify/run/only.ts';
import type { VerifyOptions } from '../../src/verify/run/options.ts';
import { Reproduction } from '../../src/verify/run/reproduction.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { Session } from '../../src/verify/session/session.ts';
import type { Subject } from '../../src/verify/session/subject.ts';
import { Symbols } from '../../src/verify/session/symbols.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Answer, Exchange, Request } from '../../src/verify/target/exchange.ts';
import { HttpTarget } from '../../src/verify/target/http-target.ts';
import { placeOf } from '../../src/verify/target/loopback.ts';
import { IN_WHOLE } from '../share.ts';
import { documentText, subjectOf } from '../subject.ts';

/** A service that answers some requests otherwise. */
class Faulty extends HttpTarget {
  readonly change: (request: Request, answer: Answer) => Answer;

  constructor(place: ConstructorParameters<typeof HttpTarget>[0], change: Faulty['change']) {
    super(place);
    this.change = change;
  }

  override async send(request: Request): Promise<Exchange> {
    const exchange = await super.send(request);
    return 'failed' in exchange.outcome ? exchange : { ...exchange, outcome: this.change(request, exchange.outcome) };
  }
}

/** Holds the service of a document with a fault in it to the document. */
async function reportOf(t: TestContext, text: string, about: string | null, change: Faulty['change']): Promise<Report> {
  const subject = await subjectOf(t, text);
  const target = new Faulty(await placeOf(subject.serviceUrl, false), change);
  const statements = statementsOf(subject.plan, subject.contract, text);
  return verify({
    subject: { ...subject, target },
    url: subject.serviceUrl,
    statements,
    text,
    only: about === null ? null : onlyOf(about, statements, subject.plan),
    seed: 1,
    budget: 600_000,
    mostRequests: about === null ? 3000 : 400,
    mostBreaks: 1,
    version: '0',
  });
}

const optionsOf = (subject: Subject, text: string): VerifyOptions => ({
  subject,
  url: subject.serviceUrl,
  statements: statementsOf(subject.plan, subject.contract, text),
  only: null,
  seed: 1,
  budget: 600_000,
  mostBreaks: 1,
  version: '0',
});

const failing: Answer = { status: 500, headers: [], body: Buffer.from('{}') };

test(
  'a break by an identity in capitals comes again, and its lines make that identity of the answer',
  IN_WHOLE,
  async (t) => {
    const report = await reportOf(t, documentText('examples/orders.md'), null, ({ method, target }, answer) =>
      method === 'GET' && /^\/orders\/[0-9A-F-]{36}$/.test(target) && /[A-F]/.test(target) && answer.status === 200
        ? failing
        : answer,
    );
    const text = textReport(report);
    assert.equal(report.breaks[0]?.endpoint, 'GET /orders/{id}', text);
    assert.doesNotMatch(text, /intermittent/);
    assert.match(text, /id_in_capitals=\$\(.*jq -r '\.id \| ascii_upcase'\)/);
    assert.match(text, /"\$url\/orders\/\$\{?id_in_capitals/);
  },
);

test('an identity in capitals and credentials that are changed are those of another session there', () => {
  const [here, there] = [new Symbols(), new Symbols()];
  const id = '018f3c1e-7b2a-7cc1-9c1d-0a1b2c3d4e5f';
  here.add('id of request1', id);
  here.add('credentials1', 'k_MixedCase');
  there.add('id of request1', id.replace('018f', '02af'));
  there.add('credentials1', 'k_OtherCase');
  const requestBy = (key: string): Request => ({
    method: 'GET',
    target: `/orders/${id.toUpperCase()}`,
    headers: [['Authorization', `Bearer ${key}`]],
    body: null,
  });
  for (const [sent, again] of [
    ['k_mixedcase', 'k_othercase'],
    ['k_MixedCas', 'k_OtherCas'],
    ['k_MixAdCase', 'k_OthArCase'],
    ['k_MixedCase', 'k_OtherCase'],
  ] as const) {
    const request = there.requestOf(here.templateOf(requestBy(sent), new Map()), () => null);
    assert.equal(request?.target, `/orders/${id.replace('018f', '02af').toUpperCase()}`);
    assert.deepEqual(request?.headers, [['Authorization', `Bearer ${again}`]]);
  }
});

test('the comment of a row that the operator adds holds the values of its fields', async (t) => {
  const report = await reportOf(t, documentText('examples/orders.md'), 'GET /orders/{id}', ({ target }, answer) =>
    target.startsWith('/orders') && answer.status === 200 ? failing : answer,
  );
  const text = textReport(report);
  assert.match(text, /# the operator adds a row of Customer with \{"[a-z]+":.*\}; the result is \$customer\d/);
});

test('a break in a member of the payload of errors shows the line of the member', IN_WHOLE, async (t) => {
  const report = await reportOf(t, documentText('examples/issues.md'), 'errors', (_, answer) => {
    if (answer.status !== 404 && answer.status !== 422) return answer;
    return { ...answer, body: Buffer.from(answer.body.toString().replace('"message"', '"text"')) };
  });
  const [, line] = textReport(report).split('\n');
  assert.match(line ?? '', /tested\.md:\d+ {2}\| message /);
});

test('an answer past a rate that lacks a header is listed with the loop that uses the rate up', async (t) => {
  const text = documentText('examples/orders.md');
  const subject = await subjectOf(t, text);
  const withoutHeader = ({ headers, ...answer }: Answer): Answer => ({
    ...answer,
    headers: headers.filter(([name]) => name.toLowerCase() !== 'retry-after'),
  });
  const target = new Faulty(await placeOf(subject.serviceUrl, false), (_, answer) =>
    answer.status === 429 ? withoutHeader(answer) : answer,
  );
  const faulty = { ...subject, target };
  const random = new Random(1);
  const session = await Session.begin(faulty, random);
  const { breaks } = await rates.run(session, random);
  const [found] = breaks;
  assert.ok(found?.wrong, JSON.stringify(breaks.map(({ why, endpoint }) => [endpoint, why])));
  const options = optionsOf(faulty, text);
  const reproduction = new Reproduction(options, { isCut: () => false }, async () => undefined);
  const one = await reproduction.ofProbe(found, session);
  assert.doesNotMatch(one.why, /intermittent|The run ended/);
  const lines = curlLines(one.sequence, new StableTexts(one.sequence)).join('\n');
  assert.match(lines, /for i in \$\(seq \d\d\d?\); do curl /);
});

/** What the probe of races finds of the notes where some answers are changed, as it is reported. */
async function racedBreaks(t: TestContext, change: Faulty['change']): Promise<readonly Break[]> {
  const text = documentText('docs/documents/notes.md');
  const subject = await subjectOf(t, text);
  const faulty = { ...subject, target: new Faulty(await placeOf(subject.serviceUrl, false), change) };
  const random = new Random(1);
  const session = await Session.begin(faulty, random);
  const { breaks } = await races.run(session, random);
  assert.equal(breaks.length, 1);
  const options = optionsOf(faulty, text);
  const found = new FoundBreaks(options);
  const reproduction = new Reproduction(options, { isCut: () => false }, async () => undefined);
  for (const one of breaks) await found.addOfProbe(one, session, reproduction, new Doubt());
  return found.all;
}

test('what a read after a race shows is blamed on the read where it shows it without a race', async (t) => {
  const [found, ...others] = await racedBreaks(t, ({ method }, answer) => {
    if (method !== 'GET') return answer;
    return { ...answer, body: Buffer.from(answer.body.toString().replace(/"text":"[^"]*"/g, '"text":"another"')) };
  });
  assert.deepEqual(others, []);
  assert.match(found?.endpoint ?? '', /^GET /);
  assert.doesNotMatch(found?.why ?? '', /at the same time/);
});
