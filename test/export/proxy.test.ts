import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { EndpointContract } from '../../src/contract/endpoint.ts';
import { exchangesOf } from '../../src/exchanges/record.ts';
import type { Exchange } from '../../src/export/exchange.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { example } from '../fixtures.ts';
import { IN_WHOLE } from '../share.ts';
import { Prism } from './prism.ts';
import { type Traffic, trafficIn } from './traffic.ts';

/** How many exchanges are judged of one file’s, evenly among all. */
const MOST = 4_000;
const ROOT = join(import.meta.dirname, '..', '..');

/** What the tests of a file send, or those of its tests whose names hold a text, and what they are answered. */
async function trafficOf(file: string, named: string): Promise<Traffic[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-traffic-'));
  try {
    const traffic = join(folder, 'traffic');
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const setup = `--test-global-setup=${join(ROOT, 'test', 'everywhere.ts')}`;
    const words = ['--test', setup, `--test-name-pattern=${named}`, join(ROOT, file)];
    await promisify(execFile)(process.execPath, words, { env: { ...env, NINEFOLD_TRAFFIC: traffic } });
    return trafficIn(traffic);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The exports of a document’s versions by their names, the current one first, and the header that says which is spoken. */
function exportsOf(name: string) {
  const { plan } = compile(`${name}.md`, example(name));
  assert.ok(plan);
  const contract = contractOf(plan);
  const header = contract.versioning?.by.kind === 'header' ? contract.versioning.by.header : null;
  const answered = contract.versions.filter((one) => one.status !== 'retired');
  return { header, documents: new Map(answered.map((one) => [one.name ?? '', openApiOf(contract, one, '3.1')])) };
}

const TESTS = [
  ['apiary', 'test/scenarios/apiary.test.ts', '.'],
  ['helpdesk', 'test/scenarios/helpdesk.test.ts', 'SQLite'],
  ['blogging', 'test/scenarios/blogging.test.ts', '.'],
  ['payments', 'test/scenarios/payments.test.ts', '.'],
  ['todos', 'test/scenarios/todos.test.ts', '.'],
  ['orders', 'test/invention.test.ts', 'orders.md answers is stated'],
] as const;

for (const [name, file, named] of TESTS)
  test(`Prism’s proxy over the export of ${name}.md finds no answer of ${file} wrong`, IN_WHOLE, async (t) => {
    const all = await trafficOf(file, named);
    const traffic = all.filter((_, at) => at % Math.ceil(all.length / MOST) === 0);
    const { header, documents } = exportsOf(name);
    const [current = ''] = documents.keys();
    const spoken = ({ headers }: Traffic): string => {
      const named = headers.find(([one]) => one.toLowerCase() === header?.toLowerCase())?.[1] ?? current;
      return documents.has(named) ? named : current;
    };
    const counts = { judged: 0, 'no operation': 0, 'not judged': 0 };
    const wrong: string[] = [];
    for (const [version, document] of documents) {
      await using prism = await Prism.start(document);
      for (const one of traffic) {
        if (spoken(one) !== version) continue;
        const verdict = await prism.judge(one);
        counts[verdict.kind]++;
        if (verdict.kind !== 'judged') continue;
        for (const violation of verdict.violations)
          wrong.push(`${one.method} ${one.target} ${one.answer.status} ${violation}`);
      }
    }
    t.diagnostic(`${JSON.stringify(counts)}, violations ${wrong.length}`);
    assert.deepEqual([...new Set(wrong)].slice(0, 20), []);
    assert.ok(counts.judged > traffic.length / 2);
  });

/** What a service might do otherwise than its document says, each as one change of the document that is served. */
const PLANTED: ReadonlyArray<readonly [what: string, from: string, to: string, seen: boolean]> = [
  ['a success with another status', 'Answer 201 with `order` and header', 'Answer 200 with `order` and header', true],
  ['no Location', ' and header Location `"/orders/" + order.id`', '', true],
  [
    'no ETag',
    '- Access: orders:read\n\n1. Answer 200 with `order` and header ETag `etag(order)`',
    '- Access: orders:read\n\n1. Answer 200 with `order`',
    true,
  ],
  ['a body where none is', 'Answer 204.', 'Answer 200 with gone: `true`.', true],
  ['a member left out', 'customer as id, sku, quantity, note,', 'customer as id, sku, note,', true],
  [
    'null where a member is left out',
    '- Missing values in answers: left out',
    '- Missing values in answers: null',
    true,
  ],
  ['an error with another status', '| order_not_found     | 404 ', '| order_not_found     | 410 ', true],
  ['an error with another code', 'order_not_placeable', 'order_cannot_be_placed', true],
  [
    'no RateLimit headers',
    'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), Retry-After',
    'none',
    true,
  ],
  ['a transition from one more state', '| draft, placed | cancelled', '| draft, placed, shipped | cancelled', false],
];

test('of ten differences that are planted in the service, Prism’s proxy sees nine', IN_WHOLE, async (t) => {
  const text = example('orders');
  const { plan } = compile('orders.md', text);
  assert.ok(plan);
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  await using prism = await Prism.start(openApiOf(contract, version, '3.1'));
  const seenOf = async (served: string): Promise<string[]> => {
    const { plan: other, findings } = compile('orders.md', served);
    assert.deepEqual([findings.map((one) => one.message), other === null], [[], false]);
    assert.ok(other);
    const seen: string[] = [];
    for (const one of await exchangesOf(other, contract, version)) {
      const endpoint: EndpointContract | undefined = version.endpoints.find(({ name }) => name === one.endpoint);
      assert.ok(endpoint);
      const verdict = await prism.judge(trafficFrom(one, endpoint));
      if (verdict.kind === 'judged') seen.push(...verdict.violations);
    }
    return seen;
  };
  assert.deepEqual(await seenOf(text), [], 'as it is, nothing is seen');
  const found: string[] = [];
  for (const [what, from, to] of PLANTED) {
    const seen = await seenOf(changed(text, from, to));
    t.diagnostic(`${what}: ${seen[0] ?? 'not seen'}`);
    if (seen.length) found.push(what);
  }
  assert.deepEqual(
    found,
    PLANTED.filter(([, , , seen]) => seen).map(([what]) => what),
  );
});

function changed(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replaceAll(from, () => to);
}

function trafficFrom({ request, answer }: Exchange, { method, path }: EndpointContract): Traffic {
  const of = (place: string): Array<[string, string]> =>
    [...request.parameters].flatMap(([key, value]) =>
      key.startsWith(`${place} `) ? [[key.slice(place.length + 1), value]] : [],
    );
  const said = new Map(of('path'));
  const target = path.replace(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(said.get(name) ?? ''));
  const query = new URLSearchParams(of('query')).toString();
  const sent = request.body === undefined ? [] : [['Content-Type', 'application/json'] as const];
  return {
    method,
    target: query ? `${target}?${query}` : target,
    headers: [...of('header'), ...sent],
    body: request.body === undefined ? null : JSON.stringify(request.body),
    answer: {
      status: answer.status,
      headers: [...answer.headers],
      body: answer.body === undefined ? '' : JSON.stringify(answer.body),
    },
  };
}
