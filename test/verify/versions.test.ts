import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { textReport } from '../../src/verify/report/text.ts';
import { onlyOf } from '../../src/verify/run/only.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Answer, Exchange, Request } from '../../src/verify/target/exchange.ts';
import { HttpTarget } from '../../src/verify/target/http-target.ts';
import { placeOf } from '../../src/verify/target/loopback.ts';
import { IN_WHOLE, share } from '../share.ts';
import { documentText, subjectOf } from '../subject.ts';

const OLDER = '2025-06-01';
const text = documentText('examples/orders.md');
const LINE = text.split('\n').findIndex((line) => line.startsWith(`| ${OLDER}`)) + 1;

type Change = (request: Request, answer: Answer) => Answer;

/** A service that answers some requests otherwise. */
class Faulty extends HttpTarget {
  readonly change: Change;

  constructor(place: ConstructorParameters<typeof HttpTarget>[0], change: Change) {
    super(place);
    this.change = change;
  }

  override async send(request: Request): Promise<Exchange> {
    const exchange = await super.send(request);
    return 'failed' in exchange.outcome ? exchange : { ...exchange, outcome: this.change(request, exchange.outcome) };
  }
}

const inOlder = ({ headers }: Request): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'orders-version' && value === OLDER);

const written =
  (from: RegExp, to: string): Change =>
  (_, answer) => ({ ...answer, body: Buffer.from(answer.body.toString().replace(from, to)) });

const refusal = (status: number, code: string): Change => {
  const body = Buffer.from(JSON.stringify({ type: 'about:blank', title: code, status, code }));
  return (_, answer) => ({ ...answer, status, headers: [['Content-Type', 'application/problem+json']], body });
};

/** What a service does in one endpoint, and the way in which it is wrong. */
const FAULTS: ReadonlyArray<readonly [name: string, endpoint: string, isOf: (answer: Answer) => boolean, Change]> = [
  [
    'shows another quantity',
    'GET /orders/{id}',
    ({ status }) => status === 200,
    written(/"quantity":\d+/, '"quantity":0'),
  ],
  [
    'shows another state',
    'GET /orders/{id}',
    ({ status }) => status === 200,
    written(/"status":"[a-z]+"/, '"status":"x"'),
  ],
  [
    'shows a field under its new name',
    'GET /orders/{id}',
    ({ status }) => status === 200,
    written(/"product":/, '"sku":'),
  ],
  ['finds no row', 'GET /orders/{id}', ({ status }) => status === 200, refusal(404, 'order_not_found')],
  ['refuses what it is sent', 'POST /orders', ({ status }) => status === 201, refusal(422, 'invalid_request')],
  [
    'answers with another status',
    'POST /orders',
    ({ status }) => status === 201,
    (_, answer) => ({ ...answer, status: 200 }),
  ],
];

/** The first line that is blamed where a service is wrong, and what is said. */
async function blamedLine(t: TestContext, endpoint: string, change: Change): Promise<readonly [number | null, string]> {
  const subject = await subjectOf(t, text);
  const statements = statementsOf(subject.plan, subject.contract, text);
  const report = await verify({
    subject: { ...subject, target: new Faulty(await placeOf(subject.serviceUrl, false), change) },
    url: subject.serviceUrl,
    statements,
    text,
    only: onlyOf(endpoint, statements, subject.plan),
    seed: 1,
    budget: 600_000,
    mostRequests: 600,
    mostBreaks: 1,
    version: '0',
  });
  return [report.breaks[0]?.line ?? null, textReport(report)];
}

/** In the current version, the field has this name. */
const OF_OLDER_ALONE = 'shows a field under its new name';

for (const [name, endpoint, isOf, change] of share(FAULTS, 1, 2).cases) {
  test(`a service that ${name} in an older version alone is blamed on the line of the version`, async (t) => {
    const [line, told] = await blamedLine(t, endpoint, (request, answer) =>
      inOlder(request) && isOf(answer) ? change(request, answer) : answer,
    );
    assert.equal(line, LINE, told);
  });

  if (name === OF_OLDER_ALONE) continue;
  test(`a service that ${name} in every version is not blamed on the line of a version`, IN_WHOLE, async (t) => {
    const [line, told] = await blamedLine(t, endpoint, (request, answer) =>
      isOf(answer) ? change(request, answer) : answer,
    );
    assert.notEqual(line, null, told);
    assert.notEqual(line, LINE, told);
  });
}
