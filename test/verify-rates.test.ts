import { idText } from '../src/plan/lines.ts';
import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rates } from '../src/verify/probes/rates.ts';
import { Random } from '../src/verify/requests/random.ts';
import { Session } from '../src/verify/session/session.ts';
import type { Exchange, Request } from '../src/verify/target/exchange.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import { documentText, subjectOf, withChange } from './subject.ts';

const SEED = 21;

/** The header in which a request carries credentials. */
const keyOf = ({ headers }: Request): string => headers.find(([name]) => name === 'Authorization')?.[1] ?? '';

/** A service that counts a rate by key: what another key sends than the first of a probe is not counted with the others. */
class CountingKeys extends HttpTarget {
  private first: Exchange | null = null;

  override async send(request: Request): Promise<Exchange> {
    if (this.first && keyOf(request) !== keyOf(this.first.request)) return { ...this.first, request };
    const exchange = await super.send(request);
    this.first ??= exchange;
    return exchange;
  }
}

test('a rate of each caller is found that is counted by key', async (t) => {
  const stated = withChange(
    documentText('examples/orders.md'),
    'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), Retry-After',
    'Retry-After',
  );
  const subject = await subjectOf(t, stated);
  const target = new CountingKeys(await placeOf(subject.serviceUrl, false));
  const random = new Random(SEED);
  const { breaks } = await rates.run(await Session.begin({ ...subject, target }, random), random);
  const [found] = breaks;
  assert.ok(found?.statement);
  assert.equal(idText(found.statement), 'rate 0', JSON.stringify(breaks.map(({ why }) => why)));
  assert.match(found?.why ?? '', /request 601 in a window, and the one before it carries other credentials/);
  assert.deepEqual([found?.expected, found?.actual], ['429', '404']);
});

/** Counts how many requests to sign in are under way at once. */
class Crowd extends HttpTarget {
  most = 0;
  private now = 0;

  override async send(request: Request): Promise<Exchange> {
    if (request.target !== '/users/login') return super.send(request);
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    try {
      return await super.send(request);
    } finally {
      this.now -= 1;
    }
  }
}

test('few requests at once use up a rate where each has a password hashed', async (t) => {
  const subject = await subjectOf(t, documentText('examples/blogging.md'));
  const target = new Crowd(await placeOf(subject.serviceUrl, false));
  const random = new Random(SEED);
  const { breaks } = await rates.run(await Session.begin({ ...subject, target }, random), random);
  assert.deepEqual(breaks, []);
  assert.ok(target.most > 0 && target.most <= 4, `${target.most} at once`);
});

test('a rate at one endpoint is used up beside one of the same kind at all', async (t) => {
  const own = '| Rate         | 10 requests per minute                      | each caller, at `GET /summary`      |\n';
  const stated = documentText('examples/orders.md').replace('| Rate         | 6000 ', `${own}| Rate         | 6000 `);
  const subject = await subjectOf(t, stated);
  const random = new Random(SEED);
  const { breaks, traces } = await rates.run(await Session.begin(subject, random), random);
  assert.deepEqual(breaks, []);
  for (const statement of ['rate 0', 'rate 1'])
    assert.ok(
      traces.some((one) => idText(one.statement) === statement && one.what === 'refused'),
      statement,
    );
});
