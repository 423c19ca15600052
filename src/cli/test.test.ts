import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { IN_WHOLE } from '../../test/share.ts';
import { compile } from '../compiler/compile.ts';
import { BIN, runHere, temporary } from './harness.test.ts';
import { startOwnService } from './testing/own-service.ts';

const ORDERS = join(import.meta.dirname, '..', '..', 'examples', 'orders.md');
const TODOS = join(import.meta.dirname, '..', '..', 'examples', 'todos.md');
/** The report of a run that sent nothing, as text and as JSON. */
const NOTHING_SENT = /before a request was sent|"requests": ?0\b/;
/** Where the setup module of a test finds the setup. */
const SHARED = 'ninefold test: setup';

/**
 * Tests orders.md with a budget of one second. A busy machine may have sent nothing when the budget ends: then the test
 * is run again with a longer one. `runs`: the number of runs.
 */
async function runUntilSent(...words: string[]): Promise<Awaited<ReturnType<typeof runHere>> & { runs: number }> {
  for (let [runs, seconds] = [1, 1]; ; runs++, seconds *= 4) {
    const ran = await runHere('test', ORDERS, '--budget', `${seconds}s`, ...words);
    if (seconds > 200 || !NOTHING_SENT.test(ran.out)) return { ...ran, runs };
  }
}

/** A server that does with every connection what a test says. */
async function serverThat(
  t: TestContext,
  act: (socket: Socket, bytes: Buffer) => void,
): Promise<{ url: string; connections: number[] }> {
  const sockets = new Set<Socket>();
  const connections: number[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.push(socket.remotePort ?? 0);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => act(socket, bytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

test('the document’s own service keeps what the document says, and the report goes where it is asked to', async (t) => {
  const folder = temporary(t);
  const [junit, wfc] = [join(folder, 'report.xml'), join(folder, 'wfc.json')];
  const { code, out, err } = await runUntilSent('--require-kept', '0%', '--json', '--junit', junit, '--wfc', wfc);
  assert.equal(err, '');
  assert.deepEqual((JSON.parse(out) as { breaks: unknown[] }).breaks, []);
  assert.equal(code, 0);
  assert.match(readFileSync(junit, 'utf8'), /^<\?xml/);
  assert.ok(JSON.parse(readFileSync(wfc, 'utf8')));
});

test('another’s service is tested by what its setup gives, and closed in the end', async (t) => {
  const { plan } = compile('orders.md', readFileSync(ORDERS, 'utf8'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  const asked = new Map<string, number>();
  const count = (name: string): void => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
  };
  const { row, caller, reset, clock } = own.setup;
  const shared = {
    row: (...args: Parameters<NonNullable<typeof row>>) => {
      count('row');
      return row?.(...args);
    },
    caller,
    clock,
    reset,
    close: () => count('close'),
  };
  Reflect.set(globalThis, Symbol.for(SHARED), shared);
  t.after(() => Reflect.deleteProperty(globalThis, Symbol.for(SHARED)));
  const file = join(temporary(t), 'setup.mjs');
  writeFileSync(file, `export const setup = () => globalThis[Symbol.for('${SHARED}')];`);
  const { code, out, err, runs } = await runUntilSent('--url', own.url, '--setup', file, '--require-kept', '0');
  assert.equal(err, '');
  assert.equal(code, 0, out);
  assert.ok((asked.get('row') ?? 0) > 0);
  assert.equal(asked.get('close'), runs);
  assert.match(out, /The setup lacks a way to register receivers \(`receiver`\)/);
});

test('a run that tried next to nothing is not green: it ends with 4, and so says each report', async (t) => {
  const { plan } = compile('orders.md', readFileSync(ORDERS, 'utf8'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  const junit = join(temporary(t), 'report.xml');
  const { code, out } = await runUntilSent('--url', own.url, '--junit', junit);
  assert.equal(code, 4, out);
  const said =
    /^Too little was tried: \d+ of \d+ statements are kept \(\d+%\), and 50% are required \(--require-kept\)\.$/m;
  assert.match(out, said);
  const xml = readFileSync(junit, 'utf8');
  assert.match(xml, /<testsuites [^>]*failures="1"/);
  assert.match(
    xml,
    /name="at least 50% of the statements are kept" [^>]*>\n +<failure message="Too little was tried: /,
  );
});

test('a run that tried as much as is required is green', IN_WHOLE, async (t) => {
  const { plan } = compile('orders.md', readFileSync(ORDERS, 'utf8'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  const few = await runUntilSent('--url', own.url, '--require-kept', '1%', '--json');
  const { required, verdict } = JSON.parse(few.out) as {
    required: { keptPercent: number; met: boolean };
    verdict: { kept: number; untestable: number };
  };
  assert.ok(verdict.kept > 0 && verdict.kept < verdict.untestable);
  assert.deepEqual([few.code, required], [0, { keptPercent: 1, met: true }]);
});

/** A setup module that hands on the own service's, but for the members that a test gives as code. */
async function misled(t: TestContext, members: string): Promise<{ code: number; out: string; err: string }> {
  const { plan } = compile('orders.md', readFileSync(ORDERS, 'utf8'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  Reflect.set(globalThis, Symbol.for(SHARED), own.setup);
  t.after(() => Reflect.deleteProperty(globalThis, Symbol.for(SHARED)));
  const file = join(temporary(t), 'setup.mjs');
  writeFileSync(
    file,
    `export const setup = () => { const own = globalThis[Symbol.for('${SHARED}')]; return { ...own, ${members} }; };`,
  );
  const { code, out, err } = await runHere('test', ORDERS, '--url', own.url, '--setup', file, '--budget', '60s');
  return { code: code ?? 0, out, err };
}

for (const [what, members, says] of [
  [
    'a reset that does nothing',
    'reset: async () => {}',
    /The answer to GET \/\S+ contains [\da-f-]{36}, which existed before `reset`\. Check that `reset` of the setup removes all/,
  ],
  ['a clock that stands', 'clock: { now: async () => 1793577600000, pass: async () => {} }', /is \d+ ms too early/],
] as const)
  test(`${what} is told as a sentence, and no break is blamed on the service`, IN_WHOLE, async (t) => {
    const { code, out, err } = await misled(t, members);
    assert.match(out + err, says);
    assert.doesNotMatch(out, /^Break 1/m);
    assert.equal(code, 3);
  });

test('a secret of a receiver that is another one is doubted where the signature differs', IN_WHOLE, async (t) => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { code, out } = await misled(t, `receiver: async (...a) => { await own.receiver(...a); return '${other}'; }`);
  assert.equal(code, 1);
  assert.match(out, /Check that the setup gives the secret with which the service signs/);
});

test('a service that breaks the document ends the command with 1', IN_WHOLE, async (t) => {
  const text = readFileSync(ORDERS, 'utf8');
  const { plan } = compile('orders.md', text.replace('Answer 201 with `order`', 'Answer 200 with `order`'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  Reflect.set(globalThis, Symbol.for(SHARED), own.setup);
  const file = join(temporary(t), 'setup.mjs');
  writeFileSync(file, `export const setup = () => globalThis[Symbol.for('${SHARED}')];`);
  const { code, out } = await runHere(
    'test',
    ORDERS,
    '--url',
    own.url,
    '--setup',
    file,
    '--budget',
    '5s',
    '--only',
    'POST /orders',
  );
  assert.equal(code, 1, out);
  assert.match(out, /orders\.md:94/);
});

test('a service that is gone, hangs or is none ends the command with 3 and a sentence', async (t) => {
  const drops = await serverThat(t, (socket) => socket.destroy());
  const hangs = await serverThat(t, () => {});
  const garbles = await serverThat(t, (socket) => socket.write('hello\r\n'));
  const says = new Map([
    [drops.url, /closed the connection without an answer/],
    [hangs.url, /No answer came within 200 ms/],
    [garbles.url, /is not HTTP\/1\.1\. It begins with “hello/],
  ]);
  for (const [url, sentence] of says) {
    const { code, out, err } = await runHere('test', ORDERS, '--url', url, '--timeout', '200ms');
    assert.match(out + err, sentence, url);
    assert.equal(code, 3, url);
  }
  // A few requests are enough to know.
  for (const { connections } of [drops, hangs, garbles]) assert.ok(connections.length < 30, `${connections.length}`);
});

/** The own service of the to-dos at `own`, behind what a test does with each connection once its request has come. */
async function behind(
  t: TestContext,
  act: (socket: Socket, pass: () => void, nth: number, method: string) => void,
): Promise<{ url: string; connections: number[]; own: string }> {
  const { plan } = compile('todos.md', readFileSync(TODOS, 'utf8'));
  assert.ok(plan);
  const own = await startOwnService(plan);
  t.after(() => own.stop());
  let nth = 0;
  const relay = await serverThat(t, (socket, bytes) => {
    const pass = (): void => {
      const to = connect(Number(new URL(own.url).port), '127.0.0.1');
      to.on('error', () => {});
      to.write(bytes);
      to.pipe(socket);
    };
    act(socket, pass, nth++, bytes.toString().split(' ', 1)[0] ?? '');
  });
  return { ...relay, own: own.url };
}

test('an outage ends the run, and what was found until then is reported', IN_WHOLE, async (t) => {
  // Reads alone are answered wrong: after a wrong answer to a change the test would not know the rows, and end by itself.
  const { url, connections, own } = await behind(t, (socket, pass, nth, method) => {
    if (nth >= 20) socket.destroy();
    else if (method === 'GET' && nth > 0) socket.end('HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n');
    else pass();
  });
  const { code, out, err } = await runHere('test', TODOS, '--url', url, '--service-url', own);
  assert.equal(err, '');
  assert.match(out, /^Break 1 of \d+: /);
  assert.match(
    out,
    /\nThe run stopped early\. The service has not answered 5 requests in a row, the last one [A-Z]+ \//,
  );
  assert.equal(code, 1);
  assert.ok(connections.length < 30, `${connections.length}`);
});

test('redirects are not followed: what a break shows is their answer', async (t) => {
  const elsewhere = await serverThat(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'));
  const statuses = [301, 302, 303, 307, 308];
  const { url, connections } = await behind(t, (socket, _, nth) => {
    // To another service, and to itself.
    const to = nth % 2 === 0 ? `${elsewhere.url}/` : '/';
    socket.end(`HTTP/1.1 ${statuses[nth % 5]} Elsewhere\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`);
  });
  const { code, out } = await runHere('test', TODOS, '--url', url, '--json');
  const { requests, breaks } = JSON.parse(out) as { requests: number; breaks: Array<{ actual: string }> };
  assert.ok(breaks.some(({ actual }) => /^status: 30[12378]\n/.test(actual)));
  assert.equal(code, 1);
  assert.deepEqual(elsewhere.connections, []);
  // One that is made to see that the service is there.
  assert.equal(connections.length, requests + 1);
});

test('a run ends after as many breaks as were asked for, and says so', async (t) => {
  const { url } = await behind(t, (socket) => socket.end('HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n'));
  const { code, out } = await runHere('test', TODOS, '--url', url, '--json', '--max-breaks', '2');
  const { breaks, stopped } = JSON.parse(out) as { breaks: unknown[]; stopped: string | null };
  assert.equal(breaks.length, 2);
  assert.equal(stopped, 'The run ended after 2 breaks. --max-breaks sets how many.');
  assert.equal(code, 1);
});

test('what can’t be used is told before anything is sent', async (t) => {
  const { url, connections } = await serverThat(t, (socket) => socket.destroy());
  const folder = temporary(t);
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const cases: Array<[args: string[], code: number, says: RegExp]> = [
    [['--url', 'http://192.0.2.7/'], 2, /192\.0\.2\.7 is not an address of this machine\./],
    [['--url', 'nonsense'], 2, /“nonsense” is not an http or https URL/],
    [['--seed', 'x'], 2, /“x” is not a seed\./],
    [['--budget', '5'], 2, /“5” is not a budget\./],
    [['--require-kept', '101%'], 2, /“101%” is not a share of statements\./],
    [['--max-breaks', '0'], 2, /“0” is not a number of breaks\./],
    [['--timeout', '0s'], 2, /“0s” is not a time-out\./],
    [['--only', 'stats'], 2, /did you mean “states”\?/],
    [
      ['--only', '2'],
      2,
      /Line 2 states nothing that a caller can meet\. The nearest lines that do are \d+, \d+, \d+\./,
    ],
    [['--store', 'redis'], 2, /“redis” is not a store/],
    [['--junit', join(folder, 'no', 'report.xml')], 2, /there is no directory/],
    [['--wfc', folder], 2, /is a directory\. Name a file in it\./],
    [['--setup', file('setup.json', '{}')], 2, /--setup is for a service at --url\./],
    [['--url', url, '--setup', file('bad.json', '{"rows": 1}')], 3, /bad\.json: rows is a number, not a list\./],
    [
      ['--url', url, '--setup', file('bad.mjs', 'throw new Error("no database")')],
      3,
      /bad\.mjs can’t be loaded: no database\./,
    ],
    [['--url', url, '--store', 'memory'], 2, /cannot be used with/],
  ];
  for (const [args, code, says] of cases) {
    const ran = await runHere('test', ORDERS, ...args);
    assert.match(ran.err, says);
    assert.deepEqual([ran.code, ran.out], [code, ''], args.join(' '));
  }
  const { code, err } = await runHere('test', ORDERS, '--url', 'http://127.0.0.1:1');
  assert.match(
    err,
    /^error: http:\/\/127\.0\.0\.1:1 can’t be reached: nothing listens on this port\. Start the service/,
  );
  assert.equal(code, 3);
  // One connection for each of those that come so far, on which nothing was sent.
  assert.equal(connections.length, 2);
});

test('a dry run lists what would be tried, and what the setup lacks, and sends nothing', async (t) => {
  let sent = 0;
  const { url } = await serverThat(t, () => {
    sent++;
  });
  const own = await runHere('test', ORDERS, '--dry-run');
  assert.match(own.out, /^\d+ statements would be tested .* at least \d+ requests/);
  assert.match(own.out, /\n {2}states, transitions +\d+ statements +\d+ things\n/);
  assert.match(own.out, /\nNothing was sent\.\n$/);
  assert.doesNotMatch(own.out, /lacks/);
  const other = await runHere('test', ORDERS, '--url', url, '--dry-run', '--only', 'POST /orders');
  assert.match(other.out, /^\d+ statements of “POST \/orders” would be tested at http:\/\/127\.0\.0\.1:\d+/);
  assert.match(other.out, /\n {2}`caller`: \d+ things? of \d+ statements?\n/);
  assert.deepEqual([own.code, other.code, sent], [null, null, 0]);
});

test('a dry run as data names each statement, what would be tried of it, and what the setup lacks', async (t) => {
  const { url } = await serverThat(t, () => {});
  const { out, code } = await runHere('test', ORDERS, '--url', url, '--dry-run', '--json');
  assert.equal(code ?? 0, 0);
  const { format, lacking, statements } = JSON.parse(out) as {
    format: string;
    lacking: string[];
    statements: { statement: string; tries: string[]; without: { name: string; lacks: string[] }[] }[];
  };
  assert.equal(format, 'Ninefold test plan 1');
  assert.deepEqual(lacking, ['row', 'caller', 'receiver', 'list', 'clock', 'reset']);
  assert.ok(statements.some(({ tries }) => tries.length > 0));
  assert.ok(statements.some(({ without }) => without.some(({ lacks }) => lacks.includes('clock'))));
});

test('--only takes parts, endpoints, lines and statements', async () => {
  const count = async (only: string): Promise<number> =>
    Number(/^\d+/.exec((await runHere('test', ORDERS, '--dry-run', '--only', only)).out)?.[0]);
  const states = await count('states');
  assert.equal(await count('States and transitions'), states);
  assert.equal(await count('transition Order: place'), await count('orders.md:61'));
  const post = await count('post /orders');
  assert.ok(post > 0 && post < (await count('endpoints')));
});

test('the examples of the help are examples of this command', async () => {
  const { out } = await runHere('test', '--help');
  const examples = out.split('\n').filter((line) => line.startsWith('  $ ninefold test '));
  assert.ok(examples.length >= 4);
  assert.ok(readdirSync(join(import.meta.dirname, '..', '..', 'examples')).includes('orders.md'));
  for (const option of ['--url', '--setup', '--seed', '--only', '--budget', '--dry-run', '--junit', '--require-kept'])
    assert.ok(out.includes(option), option);
});

test('a setup module that leaves something open keeps the command no longer', IN_WHOLE, async (t) => {
  const { url } = await serverThat(t, (socket) => socket.destroy());
  const file = join(temporary(t), 'setup.mjs');
  writeFileSync(file, 'setInterval(() => {}, 1000);\nexport const reset = () => {};');
  // Spawned beside this process, which is the service.
  const child = spawn(process.execPath, [BIN, 'test', ORDERS, '--url', url, '--setup', file, '--dry-run'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const out = (await child.stdout.toArray()).join('');
  assert.match(out, /Nothing was sent\.\n$/);
  if (child.exitCode === null) await once(child, 'exit');
  assert.equal(child.exitCode, 0);
});

test(
  'what a setup module throws outside of its members is a failure of the setup, and no break',
  IN_WHOLE,
  async (t) => {
    const { url } = await serverThat(t, (socket) => socket.destroy());
    const file = join(temporary(t), 'setup.mjs');
    writeFileSync(file, 'setTimeout(() => Promise.reject(new Error("lost")));\nexport const reset = () => {};');
    const child = spawn(process.execPath, [BIN, 'test', ORDERS, '--url', url, '--setup', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const err = (await child.stderr.toArray()).join('');
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(
      err,
      'error: setup.mjs failed outside of its members: lost. Wait for promises, and catch what timers throw.\n',
    );
    assert.equal(child.exitCode, 3);
  },
);
