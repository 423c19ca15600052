import { idText, linesOf, statementId } from '../../src/plan/lines.ts';
import { PART_ITEMS, partAndItem } from '../../src/plan/parts.ts';
import type { Break, Report, ReportedStep } from '../../src/verify/report/report.ts';
import { coverageOf, type Result } from '../../src/verify/statements/judge.ts';
import type { Exchange } from '../../src/verify/target/exchange.ts';

/** Text that breaks whatever is written without care: quotes, ends of lines, ends of CDATA, controls, emoji, halves. */
export const HOSTILE =
  'a\'b"c $HOME `id` \\ %s ]]> <x> & \u0000\u0007\u001b[31m\r\n\u0085\u2028\u202e\ud800 \u{1f41d}\ufffe !!';

/** What an implementation makes anew in each run. */
export interface Made {
  readonly id: string;
  readonly key: string;
  readonly tag: string;
  readonly port: number;
  readonly at: string;
}

export const MADE: Made = {
  id: '018f3c1e-7b2a-7cc1-9c1d-0a1b2c3d4e5f',
  key: 'nf_3mJr7AoUXx2Wqd9cVb5Ka1',
  tag: '"Gk3v-9sQ"',
  port: 41_234,
  at: '2026-11-23T10:11:12.345Z',
};

/** An exchange with an answer in JSON. */
export function exchange(
  request: Pick<Exchange['request'], 'method' | 'target' | 'late'> & {
    headers?: Exchange['request']['headers'];
    body?: string | Buffer | null;
  },
  answer: { status: number; headers?: Exchange['request']['headers']; body?: unknown } | Exchange['outcome'],
): Exchange {
  const { method, target, headers = [], body = null, late } = request;
  const outcome: Exchange['outcome'] =
    'failed' in answer || Buffer.isBuffer(answer.body)
      ? (answer as Exchange['outcome'])
      : {
          status: (answer as { status: number }).status,
          headers: answer.headers ?? [],
          body: Buffer.from(answer.body === undefined ? '' : JSON.stringify(answer.body)),
        };
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  return { request: { method, target, headers, body: sent, late }, outcome, sentAt: 1, endedAt: 2 };
}

/** A sequence in which what answers tell is used later. */
export function ordersSequence({ id, key, tag, at }: Made): ReportedStep[] {
  const authorized = ['Authorization', `Bearer ${key}`] as const;
  const json = ['Content-Type', 'application/json'] as const;
  return [
    {
      operator: `the operator adds the Customer ${id.replace('018f', '0190')}, and issues an API key with orders:write`,
      gives: { name: 'key', value: key },
    },
    exchange(
      { method: 'POST', target: '/orders', headers: [authorized, json], body: '{"sku":"ABC-1234","quantity":1}' },
      {
        status: 201,
        headers: [
          ['Location', `/orders/${id}`],
          ['Date', at],
        ],
        body: { id, sku: 'ABC-1234', created: at },
      },
    ),
    exchange(
      { method: 'GET', target: `/orders/${id}`, headers: [authorized] },
      { status: 200, headers: [['ETag', tag]], body: { id } },
    ),
    exchange(
      {
        method: 'PATCH',
        target: `/orders/${id}`,
        headers: [authorized, json, ['If-Match', tag]],
        body: '{"note":"it\'s \\"new\\""}',
      },
      { status: 500, headers: [['Content-Type', 'text/html']], body: { error: 'oops', at } },
    ),
  ];
}

/** A report with breaks of several kinds, with hostile text wherever text comes from outside. */
export function madeUpReport(made: Made = MADE): Report {
  const results: Result[] = PART_ITEMS.slice(2).map((name, i): Result => {
    const [part, item] = partAndItem(name);
    const id = statementId.rate(i);
    const needs = [{ name: 'it is tried', traces: [{ statement: id, what: 'tried' }], setup: [] }];
    const text = i === 1 ? HOSTILE : `- Line ${i}`;
    const statement = { id, key: idText(id), line: i + 3, part, item, text, needs, untestable: null };
    if (i === 0 || i === 1) return { statement, outcome: 'broken', because: null, unmet: [] };
    if (i % 5 !== 2) return { statement, outcome: 'kept', because: null, unmet: [] };
    const because = i === 2 ? HOSTILE : 'The setup lacks a clock that can be moved (`clock`).';
    return { statement, outcome: 'untestable', because, unmet: ['it is tried'] };
  });
  return {
    document: 'orders.md',
    title: `Orders ${HOSTILE}`,
    seed: 7,
    requests: 1234,
    results,
    breaks: breaksOf(made),
    coverage: coverageOf(results, linesOf([{ id: statementId.part('purpose', 'purpose'), line: 1 }])),
    endpoints: [
      { endpoint: 'POST /orders', statuses: [201, 422] },
      { endpoint: 'PATCH /orders/{id}', statuses: [500] },
      { endpoint: 'GET /summary', statuses: [] },
    ],
    requireKept: 50,
    stopped: null,
    run: {
      url: `http://127.0.0.1:${made.port}`,
      version: '0.1.0',
      startedAt: Date.parse(made.at),
      milliseconds: 4321,
      outOfTime: false,
    },
  };
}

function breaksOf(made: Made): Break[] {
  return [
    {
      statement: statementId.rate(0),
      line: 3,
      otherLines: [4, 7],
      endpoint: 'PATCH /orders/{id}',
      why: `Order ${made.id} is a draft, and If-Match has its entity tag.`,
      expected: '200',
      actual: `500 ${made.at} at 127.0.0.1:${made.port}`,
      standard: 'RFC 9110, section 13.1.1',
      sequence: ordersSequence(made),
      seed: 7,
    },
    {
      statement: statementId.rate(1),
      line: 4,
      endpoint: null,
      why: HOSTILE,
      expected: `422 ${HOSTILE}`,
      actual: HOSTILE,
      standard: null,
      sequence: [
        { operator: `passes time ${HOSTILE}`, gives: null },
        exchange(
          {
            method: 'POST',
            target: '/a{b}/../[c]?d=\'\u00ff"',
            headers: [
              ['X-Note', 'caf\u00e9 \'"$x'],
              ['X-Empty', ''],
            ],
            body: HOSTILE,
          },
          { status: 201, body: { told: HOSTILE } },
        ),
        exchange(
          { method: 'HEAD', target: '/orders' },
          { failed: 'timed out', detail: 'No answer came within 5 seconds.' },
        ),
      ],
      seed: 8,
    },
  ];
}
