import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { curlLines } from '../../src/verify/report/curl.ts';
import type { ReportedStep } from '../../src/verify/report/report.ts';
import { StableTexts } from '../../src/verify/report/stable.ts';
import type { Exchange } from '../../src/verify/target/exchange.ts';
import { SEED, times } from '../share.ts';
import { exchange, HOSTILE, MADE, ordersSequence } from './made-up.ts';

/** Without these programs nothing can be pasted. */
const MISSING = ['sh', 'curl', 'jq'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
const OPTIONS = MISSING.length > 0 ? { skip: `${MISSING.join(', ')} is not installed` } : {};

/** A request as it came over the wire. */
interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer;
}

/** A server that keeps what it receives, to the byte, and answers what it is told to. */
class Recorder {
  readonly received: Received[] = [];
  answers: Buffer[] = [];
  private readonly server: Server = createServer((socket) => this.serve(socket));
  private readonly sockets = new Set<Socket>();

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    assert.ok(address && typeof address === 'object');
    return `http://127.0.0.1:${address.port}`;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket.on('close', () => this.sockets.delete(socket)).on('error', () => socket.destroy()));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
      const headers = lines.map((one): [string, string] => {
        const colon = one.indexOf(':');
        return [one.slice(0, colon), one.slice(colon + 1).trim()];
      });
      const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const [method = '', ...rest] = line.split(' ');
      const target = rest.slice(0, -1).join(' ');
      this.received.push({ method, target, headers, body: bytes.subarray(end + 4, end + 4 + length) });
      socket.end(this.answers.shift() ?? 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const recorder = new Recorder();
let url = '';
before(async () => {
  url = await recorder.listen();
});
after(() => recorder.close());

/** Runs lines in a shell with variables set, and gives what it wrote and what the server received. */
async function pasted(lines: readonly string[], variables: Readonly<Record<string, string>>) {
  recorder.received.length = 0;
  const child = spawn('sh', ['-c', lines.join('\n')], {
    env: { PATH: process.env.PATH, LC_ALL: 'C', url, ...variables },
    timeout: 20_000,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { out, err, code, received: [...recorder.received] };
}

/** Checks that what the lines send is what the sequence sent. */
function sameRequests(received: readonly Received[], sequence: readonly ReportedStep[]): void {
  const sent = sequence.flatMap((act) => ('request' in act ? [act.request] : []));
  assert.equal(received.length, sent.length);
  for (const [i, { method, target, headers, body }] of sent.entries()) {
    const got = received[i];
    assert.ok(got);
    assert.deepEqual([got.method, got.target], [method, target]);
    assert.deepEqual(got.body, body ?? Buffer.alloc(0));
    for (const [name, value] of headers)
      assert.ok(
        got.headers.some(([one, text]) => one.toLowerCase() === name.toLowerCase() && text === value),
        `${name}: ${JSON.stringify(value)} in ${JSON.stringify(got.headers)}`,
      );
    const type = got.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
    assert.equal(type, headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]);
  }
}

const linesOf = (sequence: readonly ReportedStep[], base = ''): string[] =>
  curlLines(sequence, new StableTexts(sequence), base);

test('the lines of a sequence take what answers tell, and send the same requests of another run', OPTIONS, async () => {
  const other = { ...MADE, id: '018f3c1e-0000-7cc1-9c1d-0a1b2c3d4e60', tag: '"other-tag"', key: 'nf_another' };
  const json = JSON.stringify({ id: other.id });
  const answer = (head: string): Buffer =>
    Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\n${head}Content-Length: ${json.length}\r\n\r\n${json}`);
  recorder.answers = [answer(''), answer(`ETag: ${other.tag}\r\n`)];
  const { received, err, code } = await pasted(linesOf(ordersSequence(MADE)), { key: other.key });
  assert.deepEqual([err, code], ['', 0]);
  sameRequests(received, ordersSequence(other));
});

test('several values of one answer are taken from its body and its headers', OPTIONS, async () => {
  const [id, cursor, tag] = ['identity-1', "cursor'$(x)", '"tag-of-1"'];
  const items = { page: { items: [{ 'the-id': id }], next: cursor } };
  const sequence = [
    exchange({ method: 'GET', target: '/orders' }, { status: 200, headers: [['ETag', tag]], body: items }),
    exchange(
      { method: 'POST', target: `/orders/${id}`, headers: [['If-Match', tag]], body: JSON.stringify({ cursor }) },
      { status: 200 },
    ),
  ];
  const json = JSON.stringify(items, null, 2);
  recorder.answers = [
    Buffer.from(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nETag: ${tag}\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    ),
  ];
  const { received, err, code } = await pasted(linesOf(sequence), {});
  assert.deepEqual([err, code], ['', 0]);
  sameRequests(received, sequence);
});

test('a body at its bound is written as a repetition', OPTIONS, async () => {
  const body = Buffer.from(`{"note":"${'a'.repeat(65_520)}"}`);
  const sequence = [exchange({ method: 'PUT', target: '/notes', body }, { status: 413 })];
  const lines = linesOf(sequence);
  assert.ok(lines.join('\n').length < 300, lines.join('\n').slice(0, 400));
  const { received, err } = await pasted(lines, {});
  assert.equal(err, '');
  sameRequests(received, sequence);
});

test('a character of several bytes at its bound is written as a repetition', OPTIONS, async () => {
  const body = Buffer.from(`{"note":"${'\u{1f41d}'.repeat(500)}"}`);
  const sequence = [exchange({ method: 'PUT', target: '/notes', body }, { status: 201 })];
  const lines = linesOf(sequence);
  assert.ok(lines.join('\n').length < 300, lines.join('\n').slice(0, 400));
  const { received, err } = await pasted(lines, {});
  assert.equal(err, '');
  sameRequests(received, sequence);
});

test('requests at the same time and many times are lines of a shell too', OPTIONS, async () => {
  const post = { method: 'POST', target: '/orders', body: '{"sku":"A"}' };
  const one = exchange(post, { status: 201 });
  const other = exchange({ ...post, body: '{"sku":"B"}' }, { status: 409 });
  const together = (all: readonly Exchange[]): ReportedStep[] => all.map((each) => ({ ...each, together: 1 }));
  for (const group of [
    [one, one, one],
    [one, other],
  ]) {
    const lines = linesOf(together(group));
    assert.match(lines[0] ?? '', /^# \d requests at the same time/);
    const { received, err } = await pasted(lines, {});
    assert.equal(err, '');
    const bodies = (all: ReadonlyArray<{ body: Buffer }>): string[] => all.map(({ body }) => body.toString()).sort();
    assert.deepEqual(bodies(received), bodies(group.map(({ request }) => ({ body: request.body ?? Buffer.alloc(0) }))));
  }
  const lines = linesOf([{ ...one, times: 7 }]);
  const { received } = await pasted(lines, {});
  assert.equal(received.length, 7);
});

test('a service below a path gets its requests there', OPTIONS, async () => {
  const sequence = ['/orders', '/orders/../[x]'].map((target) => exchange({ method: 'GET', target }, { status: 200 }));
  const lines = linesOf(sequence, '/api/v1');
  const { received, err } = await pasted(lines, { url: `${url}/api/v1` });
  assert.equal(err, '');
  assert.deepEqual(
    received.map((one) => one.target),
    ['/api/v1/orders', '/api/v1/orders/../[x]'],
  );
});

test('whatever bytes a request has, its line sends them', OPTIONS, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const byte = (from: number, to: number): fc.Arbitrary<string> =>
    fc.array(fc.integer({ min: from, max: to }), { maxLength: 40 }).map((all) => String.fromCharCode(...all));
  const hostile = fc.constantFrom(
    "'",
    '"',
    '$HOME',
    '`id`',
    '$(id)',
    '\\',
    '!',
    '%s',
    '-n',
    '@/etc/passwd',
    '{a,b}',
    '[1-3]',
    '#',
    ';',
    '',
  );
  const text = (from: number, to: number) =>
    fc.array(fc.oneof(hostile, fc.constant(MADE.key), byte(from, to)), { maxLength: 4 }).map((all) => all.join(''));
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PROPFIND'),
    target: text(0x21, 0xff).map((one) => `/${one.replaceAll('\x7f', '')}`),
    header: text(0x20, 0xff).map((one) => one.replaceAll('\x7f', '').trim()),
    body: fc.option(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((all) => Buffer.from(all)),
        text(0x20, 0xff).map((one) => Buffer.from(one)),
        fc.constant(Buffer.from(`@${HOSTILE}\n`)),
        fc.constant(Buffer.from('{"a":\n"\u{1f41d} it\'s"}\n')),
      ),
    ),
  });
  const property = fc.asyncProperty(request, fc.boolean(), async ({ method, target, header, body }, isLate) => {
    const headers = [['X-Hostile', header] as const];
    const late = isLate && body?.length ? 5 : undefined;
    const act = { operator: 'the operator issues a key', gives: { name: 'key', value: MADE.key } };
    const sequence = [act, exchange({ method, target, headers, body, late }, { status: 200 })];
    const { received, err } = await pasted(linesOf(sequence), { key: MADE.key });
    assert.equal(err, '');
    sameRequests(received, sequence);
  });
  await fc.assert(property, { seed: SEED, numRuns: times(40, 200) });
});

test('the number of a row is not looked for in other values', () => {
  const sequence: ReportedStep[] = [
    { operator: 'the operator adds a row of Keeper', gives: { name: 'keeper1', value: '1' } },
    exchange({ method: 'POST', target: '/keepers/1/hives', body: '{"height":11}' }, { status: 201 }),
  ];
  assert.deepEqual(curlLines(sequence, new StableTexts(sequence)), [
    '# the operator adds a row of Keeper; the result is 1',
    `curl -sS -i -X POST "$url/keepers/1/hives" -H 'Content-Type:' --data-raw '{"height":11}'`,
    '# answers 201',
  ]);
});
