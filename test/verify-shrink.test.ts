import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { isExchange, type Report } from '../src/verify/report/report.ts';
import { verify } from '../src/verify/run/verify.ts';
import { Memory } from '../src/verify/session/replayable.ts';
import { subjectAt } from '../src/verify/session/subject.ts';
import { SetupError } from '../src/verify/setup/failures.ts';
import type { Setup } from '../src/verify/setup/setup.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import type { EventStream } from '../src/verify/target/event-stream.ts';
import type { Answer, Exchange, NoAnswer, Request } from '../src/verify/target/exchange.ts';
import { HttpTarget } from '../src/verify/target/http-target.ts';
import { placeOf } from '../src/verify/target/loopback.ts';
import type { Target } from '../src/verify/target/target.ts';
import { example } from './fixtures.ts';
import { IN_WHOLE } from './share.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** What becomes of an answer of a service that has a mistake. */
type Mistake = (request: Request, answer: Answer) => Answer | NoAnswer;

/** A service with a mistake in it that only what led there tells. */
class Mistaken implements Target {
  mistake: Mistake;
  private readonly target: HttpTarget;

  constructor(target: HttpTarget, mistake: Mistake) {
    this.target = target;
    this.mistake = mistake;
  }

  get sent(): number {
    return this.target.sent;
  }

  get gone(): string | null {
    return this.target.gone;
  }

  get silence(): string | null {
    return this.target.silence;
  }

  reach(): Promise<NoAnswer | null> {
    return this.target.reach();
  }

  async send(request: Request): Promise<Exchange> {
    return this.changed(await this.target.send(request));
  }

  async race(requests: readonly Request[]): Promise<Exchange[]> {
    return (await this.target.race(requests)).map((one) => this.changed(one));
  }

  follow(request: Request): Promise<EventStream | Exchange> {
    return this.target.follow(request);
  }

  private changed(exchange: Exchange): Exchange {
    const { outcome, request } = exchange;
    return 'failed' in outcome ? exchange : { ...exchange, outcome: this.mistake(request, outcome) };
  }
}

interface Asked {
  /** The mistake of a service that has just begun anew. */
  readonly mistake: () => Mistake;
  readonly most: number;
  readonly breaks?: number;
  readonly setup?: (own: Setup) => Partial<Setup>;
}

/** Holds the service of the orders to their document, with a mistake in it. */
async function run({ mistake, most, breaks = 1, setup = () => ({}) }: Asked): Promise<Report> {
  const text = example('orders');
  const { plan } = compile('orders.md', text);
  assert.ok(plan);
  const contract = contractOf(plan);
  const own = await startOwnService(plan);
  try {
    const target = new Mistaken(new HttpTarget(await placeOf(own.url, false)), mistake());
    const reset = async (): Promise<void> => {
      await own.setup.reset?.();
      target.mistake = mistake();
    };
    return await verify({
      subject: subjectAt({ plan, contract }, target, {
        serviceUrl: own.serviceUrl,
        setup: { ...own.setup, reset, ...setup(own.setup) },
      }),
      url: own.url,
      statements: statementsOf(plan, contract, text),
      only: null,
      seed: 1,
      budget: PATIENCE_MS,
      mostRequests: most,
      mostBreaks: breaks,
      version: '0',
    });
  } finally {
    await own.stop();
  }
}

const failing: Answer = { status: 500, headers: [], body: Buffer.from('{}') };
const requestsOf = ({ breaks: [one] }: Report): Request[] =>
  (one?.sequence ?? []).filter(isExchange).map(({ request }) => request);

test('of a long session those requests are listed alone that a break needs', IN_WHOLE, async () => {
  const report = await run({
    most: 400,
    mistake: () => {
      let opened = 0;
      return ({ method, target }, answer) => {
        if (method === 'POST' && target === '/orders' && answer.status === 201) opened += 1;
        return opened >= 3 && target === '/summary' && answer.status === 200 ? failing : answer;
      };
    },
  });
  assert.deepEqual(
    requestsOf(report).map(({ method, target }) => `${method} ${target}`),
    ['POST /orders', 'POST /orders', 'POST /orders', 'GET /summary'],
  );
  assert.doesNotMatch(report.breaks[0]?.why ?? '', /It did not|The run ended/);
});

test('a break at another page is shown again, whatever its cursor is in another session', IN_WHOLE, async () => {
  const report = await run({
    most: 2000,
    mistake: () => (request, answer) =>
      /[?&]cursor=/.test(request.target) && answer.status === 200 ? failing : answer,
  });
  assert.equal(report.breaks[0]?.endpoint, 'GET /orders');
  assert.doesNotMatch(report.breaks[0]?.why ?? '', /It did not/);
  const pages = requestsOf(report).filter(({ method }) => method === 'GET');
  assert.equal(pages.length, 2, 'the page before it and the page itself');
});

test('time that a break needs is listed, and no other', IN_WHOLE, async () => {
  const { breaks } = await run({
    most: 2000,
    breaks: 3,
    mistake: () => (request, answer) => {
      const isRead = request.method === 'GET' && /^\/orders\/[\w-]+$/.test(request.target) && answer.status === 200;
      return isRead && answer.body.includes('"cancelled"') && !answer.body.includes('note') ? failing : answer;
    },
  });
  for (const { sequence } of breaks) {
    const waits = sequence.flatMap((act) => (isExchange(act) ? [] : [act.operator])).filter((one) => /clock/.test(one));
    const cancels = sequence.some((act) => isExchange(act) && act.request.target.endsWith('/cancel'));
    // It is cancelled by a request, or by the day that passes.
    assert.equal(waits.length, cancels ? 0 : 1, waits.join());
    if (!cancels) assert.match(waits[0] ?? '', /^the service’s clock is moved on by /);
  }
  assert.ok(breaks.length > 0);
});

test('a break that does not come again says so, and lists what it names', IN_WHOLE, async () => {
  let count = 0;
  const report = await run({
    most: 900,
    mistake: () => (request, answer) => {
      const isRead = request.method === 'GET' && /^\/orders\/[\w-]+$/.test(request.target) && answer.status === 200;
      return isRead && ++count === 5 ? failing : answer;
    },
  });
  assert.match(
    report.breaks[0]?.why ?? '',
    /The break did not occur again when its requests were repeated: it may be intermittent\. Of \d+ earlier requests, the list contains those/,
  );
  assert.ok(requestsOf(report).length <= 20, `${requestsOf(report).length}`);
  assert.ok(requestsOf(report).some(({ method, target }) => method === 'POST' && target === '/orders'));
});

test('without a reset, a break says that its sequence was not shortened', async () => {
  let count = 0;
  const report = await run({
    most: 300,
    setup: () => ({ reset: undefined }),
    mistake: () => (request, answer) => {
      const isRead = request.method === 'GET' && request.target.startsWith('/orders') && answer.status === 200;
      return isRead && ++count > 2 ? failing : answer;
    },
  });
  assert.match(report.breaks[0]?.why ?? '', /The setup has no `reset`, so the test did not shorten this sequence\./);
  assert.ok(requestsOf(report).length <= 20);
});

test('what is broken in the same way at each endpoint is told twice, with the other endpoints', async () => {
  const { breaks } = await run({
    most: 400,
    breaks: 25,
    mistake: () => (_, answer) =>
      answer.status === 401
        ? { ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'www-authenticate') }
        : answer,
  });
  const own = breaks.filter(({ expected }) => /header WWW-Authenticate/i.test(expected));
  assert.ok(own.length > 0 && own.length <= 4, `${own.length}`);
  assert.ok(own.some(({ also }) => (also ?? []).length > 0));
});

test('a service that a request has ended is told apart from a setup that fails', async () => {
  let over = false;
  const report = await run({
    most: 300,
    breaks: 25,
    setup: (own) => ({
      reset: async () => {
        if (over) throw new SetupError('`reset` of setup.mjs failed: fetch failed.');
        await own.reset?.();
      },
    }),
    mistake: () => (request, answer) => {
      if (request.target !== '/summary' || answer.status !== 200) return answer;
      over = true;
      return { failed: 'closed', detail: 'The service closed the connection without an answer.' };
    },
  });
  assert.equal(report.stopped, '`reset` of setup.mjs failed: fetch failed.');
  assert.equal(report.breaks[0]?.endpoint, 'GET /summary');
  assert.match(report.breaks[0]?.why ?? '', /The run ended before the test could shorten this sequence\./);
});

test('answers of megabytes are kept whole up to a bound', () => {
  const memory = new Memory();
  const body = Buffer.alloc(4 << 20, 'x');
  const exchange: Exchange = {
    request: { method: 'GET', target: '/', headers: [], body: null },
    outcome: { status: 200, headers: [], body },
    sentAt: 0,
    endedAt: 0,
  };
  const lengths = Array.from({ length: 100 }, () => {
    const { outcome } = memory.kept(exchange);
    return 'failed' in outcome ? 0 : outcome.body.length;
  });
  assert.equal(lengths[0], body.length);
  assert.ok(lengths.reduce((sum, one) => sum + one, 0) < 150 << 20);
});
