import { isSameId, lineOf } from '../src/plan/lines.ts';
import './whole-alone.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { blamedIn } from '../src/verify/blame/blame.ts';
import type { Step } from '../src/verify/blame/explain.ts';
import { judged } from '../src/verify/judge/judge.ts';
import type { Expected } from '../src/verify/oracle/errors.ts';
import { Oracle } from '../src/verify/oracle/oracle.ts';
import { adopt } from '../src/verify/session/operator-rows.ts';
import { statementsOf } from '../src/verify/statements/statements.ts';
import type { Answer, Request } from '../src/verify/target/exchange.ts';
import { example } from './fixtures.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 3_600_000;

/**
 * A request, as a test writes it: `POST /products {"name":"x"}`. A word before it is who asks, and one with a colon is a
 * header. `*` stands for the identity that was answered last. So many hours pass where a line says so: `25 hours`.
 */
function requestOf(line: string, i: number, id: string): Request {
  const [, who = '', sent = '', method = '', target = '', json = null] =
    /^(?:([a-z]+) )?(?:(\S+:\S+) )?([A-Z]+) (\S+)(?: (.*))?$/.exec(line) ?? [];
  const headers: Array<readonly [string, string]> = [];
  if (who) headers.push(['Authorization', `Bearer ${who}`]);
  if (sent) headers.push([sent.slice(0, sent.indexOf(':')), sent.slice(sent.indexOf(':') + 1)]);
  else if (who && method === 'POST') headers.push(['Idempotency-Key', `${i}`]);
  if (json !== null) headers.push(['Content-Type', 'application/json']);
  return { method, target: target.replace('*', id), headers, body: json === null ? null : Buffer.from(json) };
}

/** Whoever asks: ann and bob, who may do everything, and eve, who may only look. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  ann: ['orders:read', 'orders:write', 'orders:fulfil'],
  bob: ['orders:read', 'orders:write'],
  eve: ['orders:read'],
};

function furnish(oracle: Oracle): Oracle {
  const [scheme] = oracle.state.plan.schemes;
  for (const [i, [name, scopes]] of Object.entries(CALLERS).entries()) {
    const id = `0190a000-0000-7000-8000-00000000000${i}`;
    if (scheme?.resource !== 'Customer') continue;
    adopt(oracle, 'Customer', { id, name, email: `${name}@example.com` }, NOW);
    const known = {
      scheme: scheme.name,
      resource: 'Customer',
      identity: id,
      scopes,
      claims: {},
      revoked: false,
      expiresAt: null,
      issued: false,
    };
    oracle.state.credentials.set(name, known);
  }
  return oracle;
}

const answerOf = ({ status, headers, body }: Expected): Answer => ({
  status,
  headers,
  body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
});

/** The line that is named where a service that keeps one document is held to another; null where nothing is broken. */
function lineNamed(text: string, served: string, lines: readonly string[]): number | null {
  const [{ plan }, { plan: other }] = [compile('document.md', text), compile('document.md', served)];
  assert.ok(plan && other);
  const before = furnish(Oracle.of(plan, 'http://127.0.0.1:1'));
  const service = furnish(Oracle.of(other, 'http://127.0.0.1:1'));
  let [id, now] = ['', NOW];
  const steps: Step[] = [];
  let oracle = before;
  for (const [i, line] of lines.entries()) {
    const hours = /^(\d+) hours$/.exec(line);
    if (hours) {
      now += Number(hours[1]) * HOUR_MS;
      continue;
    }
    const when = { earliest: now, latest: now };
    const [request, name] = [requestOf(line, i, id), `request${i}`];
    const outcome = answerOf(service.handle(request, now, name).expected);
    id = /"id":"([^"]+)"/.exec(outcome.body.toString())?.[1] ?? id;
    const exchange = { request, outcome, sentAt: now, endedAt: now };
    steps.push({ exchange, when, name });
    const verdict = judged(oracle, exchange, outcome, when, name);
    assert.notEqual(verdict.kind, 'not judged');
    if (verdict.kind === 'kept') oracle = verdict.oracle;
    if (verdict.kind !== 'broken') continue;
    const [blame] = blamedIn(plan, { ...verdict, request, answer: outcome }, { before, steps });
    assert.ok(blame);
    const stated = statementsOf(plan, contractOf(plan), text).find((one) => isSameId(one.id, blame))?.line;
    return stated ?? lineOf(plan.lines, blame) ?? (blame.kind === 'step' ? blame.line : null);
  }
  return null;
}

const product = (name: string, more = ''): string =>
  `POST /products {"name":"${name}","sizes":[10],"price":"1.00"${more}}`;

const batch = 'POST /products/*/batches {"pieces":5}';

/** What is said in one line of the catalogue, what is served in its place, and what shows it. */
const CHANGES: ReadonlyArray<readonly [from: string, to: string, requests: readonly string[]]> = [
  ['### `GET /products`', '### `GET /productsx`', ['GET /products']],
  ['### `POST /products`', '### `PUT /products`', [product('a')]],
  ['- Decimals: strings', '- Decimals: numbers', [product('a')]],
  ['- Text: trimmed', '- Text: as sent', [product(' a ')]],
  ['| sequence per product |', '| sequence             |', [product('a'), batch, product('b'), batch]],
  ['- Text: trimmed', '- Text: as sent', [product(`${'x'.repeat(80)} `)]],
  ['- Text: trimmed', '- Text: as sent', [product('a', ',"page":"https://shop.example/ "')]],
  ['- Unknown fields: refused', '- Unknown fields: ignored', [product('a', ',"colour":"red"')]],
  ['- Shown: id, name, labels, sizes', '- Shown: id, name, sizes', [product('a')]],
  ['| 0.00 to 99999.99 ', '| 1.50 to 99999.99 ', [product('a')]],
  // Beside the fault that there is, another is told.
  ['1 to 3 items, each 1 to 5000 ', '1 to 3 items, each 1 to 9    ', [product('')]],
  ['| request, else `[]` ', '| request            ', [product('a')]],
  ['else `duration("48h")`', 'else `duration("24h")`', [product('a')]],
  ['yes, ignoring case, else name_taken', 'yes, else name_taken', [product('a'), product('A')]],
  ['earliest `name` first', 'latest `name` first', [product('a'), product('b'), 'GET /products']],
  ['`name in query.names`', '`!(name in query.names)`', [product('a'), product('b'), 'GET /products?names=a']],
  ['2. Answer 201 with `product`.', '2. Answer 200 with `product`.', [product('a')]],
  ['| name_taken | 409 ', '| name_taken | 422 ', [product('a'), product('a')]],
  ['Another product has this name', 'There is one', [product('a'), product('a')]],
  ['| no_product | 404 ', '| no_product | 410 ', ['GET /products/5/batches/5']],
  ['20 by default, 100 at most', '20 by default, 99 at most', ['GET /products?limit=100']],
  ['next `page.next`', 'following `page.next`', [product('a'), product('b'), 'GET /products?limit=1']],
  ['- HEAD: not served', '- HEAD: as GET', ['HEAD /products']],
  ['- Payload: RFC 9457', '- Payload: none', ['GET /products?limit=1000']],
  ['parameters `limit` and', 'parameters `size_of_page` and', ['GET /products?limit=1']],
];

const open = (who: string, sku = 'ABC-1234', more = ''): string =>
  `${who} POST /orders {"sku":"${sku}","quantity":5${more}}`;
const old = 'Orders-Version:2025-06-01';

/** The same of the orders. */
const OF_ORDERS: typeof CHANGES = [
  ['- Timestamps: RFC 3339, UTC, milliseconds', '- Timestamps: RFC 3339, UTC, seconds', [open('ann')]],
  [
    '- Visible: `customer == caller || "orders:fulfil" in scopes`',
    '- Visible: everyone',
    [open('ann'), 'bob GET /orders/*'],
  ],
  ['- Unique: customer and sku while', '- Unique: customer while', [open('ann'), open('ann', 'ABC-1235')]],
  ['| draft, placed | cancelled |', '| placed        | cancelled |', [open('ann'), 'ann POST /orders/*/cancel']],
  [
    '| draft, placed | cancelled | always                              | order_not_open',
    '| draft, placed | delivered | always                              | order_not_open',
    [open('ann'), 'ann POST /orders/*/cancel'],
  ],
  ['`quantity <= 100 ', '`quantity <= 4   ', [open('ann'), 'ann POST /orders/*/place']],
  ['### `POST /orders/{id}/ship`', '### `POST /orders/{id}/shipx`', [open('ann'), 'ann POST /orders/*/ship']],
  ['`status == query.status`', '`status != query.status`', [open('ann'), 'ann GET /orders?status=draft']],
  ['Order where `customer == caller`', 'Order where `customer != caller`', [open('ann'), 'ann GET /orders']],
  [
    '2. Remove `order`.\n3. Answer',
    '3. Answer',
    [open('ann'), 'ann POST /orders/*/cancel', 'ann DELETE /orders/*', 'ann GET /orders/*'],
  ],
  [
    '1. Require `order.status == "cancelled"`',
    '1. Require `order.status != "cancelled"`',
    [open('ann'), 'ann DELETE /orders/*'],
  ],
  ['and header Location `"/orders/" + order.id`', 'and header Location `"/order/" + order.id`', [open('ann')]],
  [
    'kept 24 hours, answers below 500',
    'kept 24 hours, answers below 300',
    [
      `ann Idempotency-Key:a ${open('').trim()}`,
      `ann Idempotency-Key:b ${open('').trim()}`,
      'ann POST /orders/*/cancel',
      `ann Idempotency-Key:b ${open('').trim()}`,
    ],
  ],
  [
    '- Access: orders:fulfil\n\n1. Move `order` by ship',
    '- Access: orders:read\n\n1. Move `order` by ship',
    [open('bob'), 'bob POST /orders/*/ship'],
  ],
  [
    'units: `Order.filter(o, o.customer == caller)',
    'units: `Order.filter(o, o.customer != caller)',
    [open('ann'), 'ann GET /summary'],
  ],
  [
    'kept 24 hours, answers below 500',
    'kept 48 hours, answers below 500',
    [
      `ann Idempotency-Key:a ${open('').trim()}`,
      'ann POST /orders/*/cancel',
      '25 hours',
      `ann Idempotency-Key:a ${open('').trim()}`,
    ],
  ],
  ['parameters `limit` and', 'parameters `most` and', ['ann GET /orders?limit=1']],
  ['| 600 requests per minute ', '| 601 requests per minute ', [open('ann')]],
  [
    '- Rate headers: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), Retry-After',
    '- Rate headers: none',
    [open('ann')],
  ],
  [
    'Order.sku is `product`',
    'Order.sku is `article`',
    [`ann ${old} GET /orders`, open('ann'), `ann ${old} GET /orders/*`],
  ],
  ['| sku       | query | Order.sku ', '| sku       | query | Order.note', [`ann ${old} GET /orders?product=ABC-1234`]],
  [' | 2026-11-01 | 2027-11-01 |', ' | 2026-11-01 | 2027-11-02 |', [`ann ${old} GET /orders`]],
  ['- Current version: 2026-11-01', '- Current version: 2026-11-02', ['ann Orders-Version:2026-11-01 GET /orders']],
  [
    'with headers Deprecation (RFC 9745) and Sunset (RFC 8594)',
    'with header Sunset (RFC 8594)',
    [`ann ${old} GET /orders`],
  ],
  ['- Header: `Authorization: Bearer {key}`', '- Header: `Authorization: Key {key}`', ['ann GET /orders']],
  [
    '| scope_missing       | 403 ',
    '| scope_missing       | 404 ',
    ['eve POST /orders/0190a000-0000-7000-8000-000000000009/place'],
  ],
];

/** The same of the register of apiaries, which tells of errors in its own form. */
const OF_APIARY: typeof CHANGES = [
  ['string         | `error.code` ', 'string         | `error.title` ', ['GET /apiaries']],
  ['string         | `error.title` ', 'string         | `error.code` ', ['GET /apiaries']],
  ['| words           |', '| text            |', ['GET /apiaries']],
  ['| fields          |', '| faults          |', ['GET /apiaries']],
  ['| at            |', '| where         |', ['GET /places?more=1']],
  ['| why           |', '| because       |', ['GET /places?more=1']],
  ['parameters `limit` and', 'parameters `most` and', ['GET /places?limit=1']],
];

/** The same of the articles, whose errors have members by the columns of their codes. */
const OF_BLOGGING: typeof CHANGES = [
  [
    "or the password isn't its own | email ",
    "or the password isn't its own |       ",
    ['POST /users/login {"email":"a@example.com","password":"secret words"}'],
  ],
];

/** The same of the todos, which take what they do not know. */
const OF_TODOS: typeof CHANGES = [
  ['- Unknown fields: ignored', '- Unknown fields: refused', ['POST / {"title":"a","more":1}']],
  ['- Unknown parameters: ignored', '- Unknown parameters: refused', ['GET /?more=1']],
];

/** The same of the issues, which answer 404 for much. */
const OF_ISSUES: typeof CHANGES = [
  // What was to be refused by its value is refused by what comes after.
  ['at most 200 characters', 'at most 300 characters', [`GET /repos/ann/tools/issues?q=${'x'.repeat(201)}`]],
];

for (const [name, changes] of Object.entries({
  catalogue: CHANGES,
  orders: OF_ORDERS,
  apiary: OF_APIARY,
  blogging: OF_BLOGGING,
  issues: OF_ISSUES,
  todos: OF_TODOS,
}))
  for (const [from, to, requests] of changes)
    test(`the line of the ${name} is named that says “${from}” where “${to}” is kept`, () => {
      const text = example(name);
      assert.ok(text.includes(from), from);
      const at = text.indexOf(from);
      const changed = [...from].findIndex((character, i) => character !== to[i]);
      const line = text.slice(0, at + Math.max(changed, 0)).split('\n').length;
      assert.equal(
        lineNamed(
          text,
          text.replace(from, () => to),
          requests,
        ),
        line,
      );
    });
