import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { BIN, RAISED, until, Workspace } from '../harness.ts';
import { freePort } from '../ports.ts';
import { IN_WHOLE, WHOLE } from '../share.ts';

const run = promisify(execFile);
const DEPLOY = join(import.meta.dirname, '../../deploy');

/** The exposure that docs/operating.md tells of: systemd-analyze gives 0 to what can do nothing, and 10 to root. */
const EXPOSURE = 1.3;

/** Node has no sockets of the kind that systemd listens at. */
const LISTENER = `use Socket; $| = 1; socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, pack_sockaddr_un($ARGV[0])) or die;
  print "bound\\n"; while (defined recv($s, my $told, 4096, 0)) { print "$told\\n" }`;

const having = (...programs: string[]): { skip?: string } => {
  if (!WHOLE) return IN_WHOLE;
  const missing = programs.find((program) => spawnSync(program, ['--version']).error);
  return missing ? { skip: `there is no ${missing} here` } : {};
};

test(
  'systemd finds nothing wrong with the unit and the socket, and little that the unit may do',
  having('systemd-analyze'),
  async () => {
    const unit = join(DEPLOY, 'ninefold.service');
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unit, join(DEPLOY, 'ninefold.socket')]);
    assert.deepEqual([stdout, stderr], ['', '']);
    const security = await run('systemd-analyze', ['security', '--offline=true', unit]);
    const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(security.stdout) ?? [];
    assert.ok(Number(exposure) <= EXPOSURE, security.stdout);
  },
);

test(
  'systemd is told when the service answers, that it lives, and when it stops',
  having('perl', 'systemd-notify'),
  async () => {
    await using space = new Workspace(RAISED);
    const socket = join(space.dir, 'notify');
    const listener = spawn('perl', ['-e', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let told = '';
      listener.stdout.on('data', (chunk) => (told += chunk));
      await until(() => told.includes('bound'), 'somebody listens', 60);
      const service = await space.serve({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000000' } });
      await until(() => told.includes('READY=1') && told.split('WATCHDOG=1').length > 3, 'ready and alive', 60);
      assert.equal((await fetch(`${service.url}/orders`)).status, 401);
      assert.equal(told.includes('STOPPING=1'), false);
      assert.equal(await service.stop(), 0);
      await until(() => told.includes('STOPPING=1'), 'told of the stop', 60);
      // A process that hangs is not taken to live.
      const stuck = await space.serve({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000000', WATCHDOG_PID: '1' } });
      const before = told.split('WATCHDOG=1').length;
      await until(() => told.split('READY=1').length === 3, 'ready again', 60);
      await stuck.stop();
      assert.equal(told.split('WATCHDOG=1').length, before, 'the watchdog of another process');
    } finally {
      listener.kill('SIGKILL');
    }
  },
);

for (const kind of ['port', 'path'] as const)
  test(`systemd hands over a socket, at a ${kind}`, having('systemd-socket-activate'), async () => {
    await using space = new Workspace(RAISED);
    const port = await freePort();
    const path = join(space.dir, 'socket');
    const listen = kind === 'port' ? `127.0.0.1:${port}` : path;
    const serve = [process.execPath, BIN, 'serve', space.file, ...space.place, '--listen', 'systemd'];
    const child = spawn('systemd-socket-activate', ['-l', listen, ...serve], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      await until(() => said.includes('Listening on'), 'systemd listens', 60);
      // The first request waits in the socket until the service has started.
      const at = kind === 'port' ? [`http://127.0.0.1:${port}/orders`] : ['--unix-socket', path, 'http://a/orders'];
      const { stdout } = await run('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...at]);
      assert.equal(stdout, '401', said);
      child.kill('SIGTERM');
      assert.equal(await ended, 0, said);
    } finally {
      child.kill('SIGKILL');
    }
  });
