import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { Oracle } from '../../src/verify/oracle/oracle.ts';
import { Rivals } from '../../src/verify/run/rivals.ts';
import { Work } from '../../src/verify/session/subject.ts';
import type { Request } from '../../src/verify/target/exchange.ts';
import { example } from '../fixtures.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

/** How often a request is sent so that all rivals have been computed by it. */
const TIMES = 6;

/** A service of the catalogue, as its document says it, and the rivals of that. */
class Catalogue {
  /** What has been tried of the bounds of conditions. */
  readonly told: string[] = [];
  private oracle: Oracle;
  private readonly rivals: Rivals;
  private count = 0;

  constructor(change: (text: string) => string = (text) => text) {
    const { plan } = compile('catalogue.md', change(example('catalogue')));
    assert.ok(plan);
    this.oracle = Oracle.of(plan, 'http://127.0.0.1:1');
    this.rivals = new Rivals({ plan, work: new Work(plan) }, ({ what }) => this.told.push(what));
  }

  /** Whether a request would tell a rival: some of them are computed each time. */
  tells(line: string): boolean {
    const asked = this.asked(line);
    const prediction = asked.known.copy().handle(asked.request, NOW, asked.name);
    return Array.from({ length: TIMES }, () => this.rivals.tells(asked, prediction)).includes(true);
  }

  /** Sends a request; gives how many rivals have other rows then. */
  send(line: string): number {
    const asked = this.asked(line);
    this.oracle = asked.known.copy();
    const { expected } = this.oracle.handle(asked.request, NOW, asked.name);
    assert.ok(expected.status < 300, line);
    this.count += 1;
    return this.rivals.answered(asked).length;
  }

  private asked(line: string): { known: Oracle; request: Request; now: number; name: string } {
    const [method = '', target = '', json] = line.split(' ');
    const headers = json === undefined ? [] : [['Content-Type', 'application/json'] as const];
    const request = { method, target, headers, body: json === undefined ? null : Buffer.from(json) };
    return { known: this.oracle, request, now: NOW, name: `request${this.count}` };
  }
}

const product = (name: string): string => `POST /products {"name":"${name}","sizes":[10],"price":"1.00"}`;

test('an order is told by two rows, and once it is told nothing more is looked for', () => {
  const catalogue = new Catalogue();
  catalogue.send(product('a'));
  for (let i = 0; i < TIMES; i++) catalogue.send('GET /products');
  assert.equal(catalogue.tells('GET /products'), false);
  catalogue.send(product('b'));
  assert.equal(catalogue.tells('GET /products'), true);
  for (let i = 0; i < TIMES; i++) catalogue.send('GET /products');
  assert.equal(catalogue.tells('GET /products'), false);
});

test('what an answer does not show is told by the rows that are there after it', () => {
  const shown = 'Change `product` from `request`.\n3. Answer 200 with `product`.';
  const catalogue = new Catalogue((text) => text.replace(shown, 'Change `product` from `request`.\n3. Answer 204.'));
  catalogue.send(product('a'));
  assert.equal(catalogue.send('GET /products'), 0);
  assert.ok(catalogue.send('PATCH /products/ffffffff-ffff-8fff-9fff-000000000001 {"price":"2.00"}') > 0);
});

test('a bound is told by the request whose answer depends on equal sides', () => {
  const catalogue = new Catalogue();
  catalogue.send(product('a'));
  for (let i = 0; i < TIMES; i++) catalogue.send('GET /products?most=2.00');
  assert.deepEqual(catalogue.told, []);
  for (let i = 0; i < TIMES; i++) catalogue.send('GET /products?most=1.00');
  assert.deepEqual(catalogue.told, ['equal this.price <= query.most']);
});

test('a bound is not told where another part of the condition decides', () => {
  const catalogue = new Catalogue((text) =>
    text.replace('`price <= query.most`', '`price <= query.most && sizes.size() == 2`'),
  );
  catalogue.send(product('a'));
  for (let i = 0; i < TIMES; i++) catalogue.send('GET /products?most=1.00');
  assert.deepEqual(catalogue.told, []);
});
