import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { edited, RAISED, type Service, until, Workspace } from './harness.ts';
import { headerOf, Line, type Reply } from './line.ts';

const STATED = edited(RAISED, [
  '| scope_missing ',
  '| not_http | 400 | malformed HTTP | This is not HTTP |\n| long_head | 431 | headers too large | The head is too long |\n| elsewhere | 421 | host not served | Not served here |\n| scope_missing ',
]);

let workspace: Workspace;
let service: Service;
let key = '';

before(async () => {
  workspace = new Workspace(STATED);
  key = await workspace.key(await workspace.customer());
  service = await workspace.serve({ args: ['--url', 'https://orders.example'] });
});

after(() => workspace[Symbol.asyncDispose]());

async function answerTo(bytes: string): Promise<Reply> {
  const line = new Line(service.url);
  try {
    return await line.exchange(bytes, 'GET');
  } finally {
    line.close();
  }
}

const head = (...lines: string[]): string => ask('/summary', ...lines);
const ask = (target: string, ...lines: string[]): string => [`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n');

for (const [name, bytes, status, code] of [
  ['no HTTP at all', 'nonsense\r\n\r\n', 400, 'not_http'],
  ['no host', head(), 400, 'not_http'],
  ['two hosts', head('Host: orders.example', 'Host: orders.example'), 400, 'not_http'],
  ['a head of 20,000 characters', head('Host: orders.example', `X: ${'x'.repeat(20_000)}`), 431, 'long_head'],
  ['another host', head('Host: other.example'), 421, 'elsewhere'],
  ['another host in the target', ask('http://other.example/summary', 'Host: orders.example'), 421, 'elsewhere'],
  ['another port', head('Host: orders.example:80'), 421, 'elsewhere'],
] as const)
  test(`${name}: what the document says, and the end where there was no request`, async () => {
    const reply = await answerTo(bytes);
    assert.equal(reply.status, status);
    assert.equal((JSON.parse(reply.body) as { code: string }).code, code);
    assert.equal(headerOf(reply, 'content-type'), 'application/problem+json');
    assert.equal(reply.last, status !== 421);
  });

test('the host that is served, with its port or without', async () => {
  for (const host of ['orders.example', 'Orders.Example:443', 'orders.example:']) {
    const reply = await answerTo(head(`Host: ${host}`, `Authorization: Bearer ${key}`));
    assert.equal(reply.status, 200);
  }
  const reply = await answerTo(
    ask('https://Orders.Example/summary', 'Host: other.example', `Authorization: Bearer ${key}`),
  );
  assert.equal(reply.status, 200, 'the target says whom it is for');
});

test('the answer comes although a large body stands behind what is no request', async () => {
  const body = 'x'.repeat(8_000_000);
  const line = new Line(service.url);
  try {
    line.socket.pause();
    line.write(`POST /orders HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: ${body.length}\r\n\r\n`);
    line.write(body);
    await sleep(200);
    line.socket.resume();
    assert.equal((await line.reply('POST')).status, 400);
  } finally {
    line.close();
  }
});

test('what is no request of HTTP is logged, without anything that was sent', async () => {
  await using own = new Workspace(STATED);
  const logged = await own.serve({ args: ['--url', 'https://orders.example', '--log', 'info'] });
  const answers: number[] = [];
  for (const bytes of ['nonsense-of-theirs\r\n\r\n', head(), head('Host: a', `X: ${'x'.repeat(20_000)}`)]) {
    const line = new Line(logged.url);
    answers.push((await line.exchange(bytes, 'GET')).status);
    line.close();
  }
  const told = (): unknown[] =>
    logged.err
      .split('\n')
      .filter((one) => one.includes('request.malformed'))
      .map((one) => {
        const { status, code, fault } = JSON.parse(one) as Record<string, unknown>;
        return [status, code, fault];
      });
  await until(() => told().length === 3, 'three lines');
  assert.deepEqual(told(), [
    [400, 'not_http', 'HPE_INVALID_METHOD'],
    [400, 'not_http', undefined],
    [431, 'long_head', 'HPE_HEADER_OVERFLOW'],
  ]);
  assert.deepEqual(answers, [400, 400, 431]);
  assert.doesNotMatch(logged.err, /nonsense|xxxx/);
});
