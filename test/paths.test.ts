import './whole-alone.ts';
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ran, runHere, runProcess } from '../src/cli/harness.test.ts';
import { makeDirectory } from '../src/store/paths.ts';
import { ORDERS, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { IN_WHOLE, share } from './share.ts';

const space = new Workspace(ORDERS);
let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await space[Symbol.asyncDispose]();
});

/** A message in our words: no error of Node or SQLite, no stack, nothing that is called a defect. */
function mustSay(ran: Ran, code: number, message: RegExp): void {
  assert.equal(ran.code, code, ran.err + ran.out);
  assert.match(ran.err, message);
  assert.match(ran.err, /^error: [^\n]+\n$/);
  assert.doesNotMatch(ran.err, /E[A-Z]{4,}|SQLITE|defect|\bat .*:\d+:\d+|syscall|unable to open/);
}

const ID = '0195c2a0-0000-7000-8000-000000000001';
const READING: readonly (readonly string[])[] = [
  ['rows', 'list', 'Customer'],
  ['rows', 'change', 'Customer', ID, 'name=Ada'],
  ['rows', 'remove', 'Customer', ID],
  ['keys', 'list'],
  ['keys', 'issue', 'Customer', ID, '--scopes', 'none'],
  ['keys', 'revoke', 'x'],
  ['receivers', 'list'],
  ['receivers', 'remove', 'x'],
  ['events', 'list'],
  ['events', 'replay', 'x'],
  ['backup', '--to', join(space.dir, 'none.sqlite')],
];

test('a command that reads makes no store, and says that there is none', async () => {
  const data = join(space.dir, 'mistyped');
  const empty = join(space.dir, 'empty');
  mkdirSync(empty);
  const url = await server.database();
  for (const [command, ...more] of READING)
    for (const place of [
      ['--data', data],
      ['--data', empty],
      ['--store', url],
    ]) {
      const ran = await runHere(command!, space.file, ...more, ...place);
      mustSay(ran, 3, /^error: There is no store (in|at) “?.*“?”?\. Is --(data|store) /);
      assert.equal(existsSync(data), false, `${command} ${more} made one`);
      assert.deepEqual(readdirSync(empty), []);
    }
  const tables = await server.query<{ n: string }>(
    url,
    "SELECT count(*) AS n FROM pg_class WHERE relname LIKE 'ninefold%'",
  );
  assert.equal(Number(tables[0]!.n), 0);
});

test('a migration of what is not there makes no store, and has nothing to do', async () => {
  const data = join(space.dir, 'nothing');
  for (const words of [[], ['--dry-run']])
    for (const place of [
      ['--data', data],
      ['--store', await server.database()],
    ]) {
      const ran = await runHere('migrate', space.file, ...words, ...place);
      assert.deepEqual([ran.code, ran.err, /^There is no store in /.test(ran.out)], [0, '', true]);
    }
  assert.equal(existsSync(data), false);
});

test('rows that are added make a store', async () => {
  const data = join(space.dir, 'made');
  const words = ['rows', space.file, 'add', 'Customer', `id=${ID}`, 'name=Ada', 'email=a@example.com'];
  for (const place of [
    ['--data', data],
    ['--store', await server.database()],
  ]) {
    assert.equal((await runHere(...words, ...place)).err, '');
    assert.match((await runHere('rows', space.file, 'list', 'Customer', ...place)).out, /name=Ada/);
  }
});

/** What can stand where a data directory is named, and what is said of it. */
const PLACES: Readonly<Record<string, readonly [make: (at: string) => void, message: RegExp]>> = {
  file: [
    (at) => writeFileSync(at, ''),
    /is a file, and rows are kept in a directory\. Choose another directory with --data/,
  ],
  'below-a-file': [
    (at) => writeFileSync(at.replace('/below-a-file', '-file'), ''),
    /Choose another directory with --data/,
  ],
  'dangling-link': [
    (at) => symlinkSync('/nowhere/at/all', at),
    /is a link to “\/nowhere\/at\/all”, which does not exist/,
  ],
  circle: [(at) => symlinkSync(at, at), /its links lead in a circle/],
  'with-a-directory': [
    (at) => mkdirSync(join(at, 'ninefold.sqlite'), { recursive: true }),
    /ninefold\.sqlite” is a directory, and the store is a file with this name/,
  ],
  'with-a-dangling-link': [
    (at) => {
      mkdirSync(at);
      symlinkSync('/nowhere/at/all', join(at, 'ninefold.sqlite'));
    },
    /ninefold\.sqlite” is a link to “\/nowhere\/at\/all”, which does not exist/,
  ],
};

for (const [name, [make, message]] of Object.entries(PLACES))
  test(`every command says what is wrong with its data directory: ${name}`, async () => {
    const at = join(space.dir, name);
    make(at);
    const data = name === 'below-a-file' ? join(`${space.dir}-file`, 'data') : at;
    const commands = [
      ...READING,
      ['serve', '--port', '0'],
      ['rows', 'add', 'Customer', `id=${ID}`, 'name=A', 'email=a@example.com'],
    ];
    for (const [command, ...more] of commands) {
      if (command === 'keys' || command === 'events') continue;
      const ran = await runHere(command!, space.file, ...more, '--data', data);
      mustSay(ran, 3, name === 'below-a-file' ? /^error: / : message);
    }
    rmSync(`${space.dir}-file`, { force: true });
  });

test('a directory where the system makes none is told of', { ...IN_WHOLE, skip: !existsSync('/proc/self') }, () => {
  const add = ['rows', space.file, 'add', 'Customer', `id=${ID}`, 'name=A', 'email=a@example.com'];
  const all = [
    ['/proc/none', ['serve', space.file, '--port', '0']],
    ['/proc/self/none/of/these', ['serve', space.file, '--port', '0']],
    ['/proc/none', add],
  ] as const;
  for (const [at, words] of share(all, 1).cases) {
    // A process of its own: one that never ends can be ended.
    const ran = runProcess([...words, '--data', at], { timeout: 60_000 });
    mustSay(ran, 3, /^error: “\/proc\/[a-z/]+” can’t be created: .+\. Choose another directory with --data\.\n$/);
  }
});

test('what has been made of a directory that can’t be made is taken away again', () => {
  const at = join(space.dir, 'half');
  assert.throws(() => makeDirectory(join(at, 'made', 'x'.repeat(300))), { code: 'ENAMETOOLONG' });
  assert.equal(existsSync(at), false);
  assert.equal(makeDirectory(join(at, 'made', 'too')), at);
  assert.equal(makeDirectory(join(at, 'made', 'too')), null);
  assert.equal(statSync(join(at, 'made')).mode & 0o777, 0o700);
});

test('a lock that is a directory, or is damaged, is not taken for another service', async () => {
  for (const make of [(lock: string) => mkdirSync(lock), (lock: string) => writeFileSync(lock, 'x'.repeat(5000))]) {
    const data = join(space.dir, `lock-${Math.random()}`);
    mkdirSync(data);
    make(join(data, 'serving.lock'));
    mustSay(await runHere('serve', space.file, '--port', '0', '--data', data), 3, /serving\.lock”/);
  }
});

async function listening(): Promise<Server> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  return other;
}

test('a port that is taken, and an address that is none, are told by the option that gives them', async () => {
  const other = await listening();
  const { port } = other.address() as { port: number };
  const serve = (...more: string[]): Promise<Ran> =>
    runHere('serve', space.file, '--data', join(space.dir, 'ports'), ...more);
  mustSay(
    await serve('--port', `${port}`),
    3,
    new RegExp(
      `^error: 127\\.0\\.0\\.1:${port} is not available: another program listens there\\. Choose another with --host and --port\\.`,
    ),
  );
  mustSay(
    await serve('--port', '0', '--admin', `127.0.0.1:${port}`),
    3,
    /another program listens there\. Choose another with --admin/,
  );
  mustSay(await serve('--port', '0', '--host', '192.0.2.1'), 3, /this machine does not have this address/);
  mustSay(await serve('--port', '0', '--host', '2001:db8::1'), 3, /^error: \[2001:db8::1\]:0 is not available/);
  mustSay(await serve('--port', '0', '--host', 'no.such.host.invalid'), 3, /is not available: /);
  mustSay(await serve('--port', '70000'), 2, /is not a port/);
  mustSay(await serve('--port', '0', '--admin', 'nothing'), 2, /HOST:PORT/);
  other.close();
});

test('a document, and a form, that can’t be read or written are told of in words', async () => {
  const link = join(space.dir, 'link.md');
  symlinkSync('/nowhere/at/all', link);
  const circle = join(space.dir, 'circle.md');
  symlinkSync(circle, circle);
  mustSay(await runHere('check', link), 2, /is a link to a file that does not exist/);
  mustSay(await runHere('check', circle), 2, /its links lead in a circle/);
  mustSay(await runHere('check', join(space.file, 'x')), 2, /a part of its path is a file/);
  mustSay(await runHere('check', join(space.dir, 'x'.repeat(300))), 2, /its name is too long/);
  mustSay(await runHere('check', space.dir), 2, /is a directory/);
  mustSay(await runHere('init', join(space.file, 'x')), 2, /a part of its path is a file/);
  mustSay(await runHere('init', join(space.dir, 'a', 'b')), 2, /there is no directory/);
});

test('an address of a store that is none is told of in words', async () => {
  for (const url of [
    'nothing',
    'http://x',
    'postgres://127.0.0.1:1/x',
    'postgres://127.0.0.1/%zz',
    'postgres://no.such.host.invalid/x',
  ]) {
    const ran = await runHere('rows', space.file, 'list', 'Customer', '--store', url);
    assert.equal(ran.code, 3, ran.err);
    assert.match(ran.err, /^error: [^\n]+\n$/);
    assert.doesNotMatch(ran.err, /defect|URIError/);
  }
});

/** Rights hold for others than root alone. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const AS_NOBODY = asNobody.length === 0 ? { skip: 'only root can do it as somebody else' } : IN_WHOLE;
test('a directory in which nothing can be written is told of in words', AS_NOBODY, async () => {
  const data = join(space.dir, 'others');
  mkdirSync(data, { mode: 0o755 });
  chmodSync(space.dir, 0o755);
  const { spawnSync } = await import('node:child_process');
  const bin = join(import.meta.dirname, '..', 'bin', 'ninefold.js');
  const [program, ...words] = asNobody;
  for (const [where, more] of [
    [data, ['serve', space.file, '--port', '0']],
    [join(data, 'new'), ['rows', space.file, 'add', 'Customer', `id=${ID}`, 'name=A', 'email=a@example.com']],
  ] as const) {
    const { status, stderr } = spawnSync(program!, [...words, process.execPath, bin, ...more, '--data', where], {
      encoding: 'utf8',
    });
    mustSay({ code: status, err: stderr, out: '' }, 3, /permission is denied\. Choose another directory with --data/);
  }
  assert.equal((await runHere('check', '--no-try', space.file)).code, 0);
});
