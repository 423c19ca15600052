import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { ContractJudge } from '../../src/verify/contract/answers.ts';
import type { Answer } from '../../src/verify/target/exchange.ts';
import { example } from '../fixtures.ts';
import { planOf } from '../subject.ts';
import { faultText } from './fault-text.ts';

const library = new ContractJudge(
  contractOf(planOf(readFileSync('src/compiler/endpoints/cases/documents/library.md', 'utf8'))),
  'all declared',
);
const orders = new ContractJudge(contractOf(planOf(example('orders'))), 'all declared');
const elsewhere = new ContractJudge(contractOf(planOf(example('orders'))), 'others allowed');

type Headers = Record<string, string>;

const answer = (status: number, headers: Headers, body: unknown): Answer => ({
  status,
  headers: Object.entries(headers),
  body: Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)),
});

const HEADERS: Headers = { 'Content-Type': 'application/json', Vary: 'Accept, X-Key' };
const BOOK = { plain: null, either: null, all: [], own: { id: 1, left: false } };
const ROW = { id: 1, author: null, other: null, writers: [] };
const REFUSED = { title: 'There is no such book', status: 404, code: 'not_found' };
const PROBLEM: Headers = { ...HEADERS, 'Content-Type': 'application/problem+json' };

/** Lies of each kind about one answer of the library, and what the judge says of them. */
const LIES: ReadonlyArray<readonly [target: string, lie: Answer, says: string]> = [
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, own: null }),
    'body /own: the contract declares Member, never null, and the answer has null',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, own: { id: '1', left: false } }),
    'body /own/id: the contract declares integer 1 to 9, and the answer has "1"',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, own: { id: 10, left: false } }),
    'body /own/id: the contract declares integer 1 to 9, and the answer has 10',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, own: { id: 1 } }),
    'body /own/left: the contract declares boolean, always present, and the answer has nothing',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, more: 1 }),
    'body /more: the contract declares no such member, and the answer has 1',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, all: [null] }),
    'body /all/0: the contract declares Author, never null, and the answer has null',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, all: {} }),
    'body /all: the contract declares list of Author, and the answer has {}',
  ],
  [
    '/books/1',
    answer(200, HEADERS, { ...BOOK, plain: { id: 'too long to be' } }),
    'body /plain/id: the contract declares text 1 to 9 characters, and the answer has "too long to be"',
  ],
  [
    '/books/1',
    answer(200, HEADERS, 'null'),
    'body: the contract declares {plain: Author, may be null; either: Author as Card, may be null; all: list of Author; own: Member}, never null, and the answer has null',
  ],
  ['/books/1', answer(200, HEADERS, '{'), 'body: the contract declares JSON, and the answer has "{"'],
  [
    '/books/1',
    answer(201, HEADERS, BOOK),
    'status: the contract declares one of 200, 400, 401, 404, 406, 413, 431, 500, 503, and the answer has 201 with "{\\"plain\\":null,\\"either\\":null,\\"all\\":[],\\"own\\":{\\"id\\":1,\\"left\\":false}}"',
  ],
  [
    '/books/1',
    answer(200, { 'Content-Type': 'application/json' }, BOOK),
    'header Vary: the contract declares Accept, X-Key, and the answer has nothing',
  ],
  [
    '/books/1',
    answer(200, { ...HEADERS, Vary: '*' }, BOOK),
    'header Vary: the contract declares Accept, X-Key, and the answer has *',
  ],
  [
    '/books/1',
    answer(200, { ...HEADERS, ETag: '"1"' }, BOOK),
    'header ETag: the contract declares no such header, and the answer has "1"',
  ],
  [
    '/books/1',
    answer(200, { ...HEADERS, 'Content-Type': 'text/html' }, BOOK),
    'header Content-Type: the contract declares application/json, and the answer has text/html',
  ],
  [
    '/books/1',
    answer(404, PROBLEM, { ...REFUSED, code: 'gone' }),
    'body /code: the contract declares one of not_found, and the answer has "gone"',
  ],
  [
    '/books/1',
    answer(404, PROBLEM, { ...REFUSED, title: 'No' }),
    'body /title: the contract declares "There is no such book", and the answer has "No"',
  ],
  [
    '/books',
    answer(200, HEADERS, { items: [{ ...ROW, writers: null }], next: null }),
    'body /items/0/writers: the contract declares list of Author, never null, and the answer has null',
  ],
];

test('what the contract declares is taken', () => {
  const right: ReadonlyArray<readonly [string, Answer]> = [
    ['/books/1', answer(200, HEADERS, BOOK)],
    ['/books/1', answer(404, PROBLEM, REFUSED)],
    ['/books', answer(200, HEADERS, { items: [ROW], next: null })],
  ];
  for (const [target, one] of right)
    assert.deepEqual(library.faults({ method: 'GET', target, headers: [] }, one).map(faultText), []);
});

for (const [target, lie, says] of LIES)
  test(`a lie is told: ${says}`, () => {
    assert.deepEqual(library.faults({ method: 'GET', target, headers: [] }, lie).map(faultText), [says]);
  });

test('payloads of events are held to their form', () => {
  const faults = (event: string, data: unknown) => orders.payloadFaults(event, '2026-11-01', data).map(faultText);
  assert.match(faults('order.shut', {})[0] ?? '', /^event: the contract declares one of order\.opened, /);
  assert.match(faults('order.opened', null)[0] ?? '', /never null, and the answer has null$/);
  assert.match(faults('order.opened', { id: 1 })[0] ?? '', /^body \/id: the contract declares uuid, /);
});

test('a server may add headers of its own, and none that the document rules', () => {
  const asked = { method: 'GET', target: '/nowhere', headers: [] };
  const lost = { title: 'There is no endpoint at this address', status: 404, code: 'no_such_endpoint' };
  const with_ = (headers: Headers): Answer =>
    answer(404, { 'Content-Type': 'application/problem+json;charset=UTF-8', Server: 'nginx', ...headers }, lost);
  assert.deepEqual(elsewhere.faults(asked, with_({})).map(faultText), []);
  assert.deepEqual(elsewhere.faults(asked, with_({ 'Retry-After': '1' })).map(faultText), [
    'header Retry-After: the contract declares no such header, and the answer has 1',
  ]);
});
