import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnsweredRequest } from '../http/server.ts';
import { LogMembers } from './log-members.ts';

const request = (
  over: Partial<AnsweredRequest>,
  handled: Partial<AnsweredRequest['handled']> = {},
): AnsweredRequest => ({
  id: '0af7651916cd43dd8448eb211c80319c',
  method: 'GET',
  seconds: 0.0024,
  bytes: 17,
  handled: { answer: { status: 200, headers: [], body: null }, endpoint: 'GET /orders/{id}', ...handled },
  ...over,
});

const answer = (status: number, code: string): AnsweredRequest['handled']['answer'] => ({
  status,
  code,
  headers: [],
  body: null,
});

/** Returns the members of a line as its reader parses them. */
const told = (members: LogMembers, one: AnsweredRequest): unknown => JSON.parse(`{${members.of(one)}}`);

test('each line tells of its own request, whichever came before it', () => {
  const members = new LogMembers();
  const each: AnsweredRequest[] = [
    request({}),
    request({ method: 'HEAD' }),
    request({}, { answer: answer(404, 'order_not_found') }),
    request({}, { answer: answer(404, 'no_such_thing') }),
    request({}, { answer: answer(409, 'order_not_found') }),
    request({ method: 'PUT' }, { endpoint: 'PUT /orders/{id}' }),
    request({ method: 'BREW' }, { endpoint: null, answer: answer(404, 'nowhere') }),
    request({ method: 'POST' }, { endpoint: null, answer: answer(404, 'nowhere') }),
    request({}, { endpoint: 'GET /a"\\\u001b[2J\u202e', key: 'AalVXHbLR89B' }),
    request({}, { caller: 'Customer/“x”' }),
  ];
  const id = '0af7651916cd43dd8448eb211c80319c';
  const orders = { id, method: 'GET', path: '/orders/{id}', status: 200, ms: 2, bytes: 17 };
  const expected = [
    orders,
    { ...orders, method: 'HEAD', bytes: 0 },
    { ...orders, status: 404, code: 'order_not_found' },
    { ...orders, status: 404, code: 'no_such_thing' },
    { ...orders, status: 409, code: 'order_not_found' },
    { ...orders, method: 'PUT' },
    { ...orders, method: 'BREW', path: null, status: 404, code: 'nowhere' },
    { ...orders, method: 'POST', path: null, status: 404, code: 'nowhere' },
    { ...orders, path: '/a"\\\u001b[2J\u202e', key: 'AalVXHbLR89B' },
    { ...orders, caller: 'Customer/“x”' },
  ];
  for (let round = 0; round < 2; round++)
    assert.deepEqual(
      each.map((one) => told(members, one)),
      expected,
    );
});

test('what would act on a terminal is written so that it does not', () => {
  const members = new LogMembers();
  const line = members.of(request({}, { endpoint: 'GET /a\u001b[2J', caller: 'x\u202e' }));
  assert.match(line, /^[ -~]*$/);
});
