import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness.ts';
import { freePort } from '../ports.ts';

/** PgBouncer refuses to run as root: there it runs as the system’s nobody. */
const NOBODY = 65_534;

/** Why a test with a pooler can’t be run; false where it can. */
export const withoutPooler = (): string | false =>
  spawnSync('pgbouncer', ['--version']).error ? 'there is no pgbouncer here' : false;

/** PgBouncer in front of a database, in one of its modes, otherwise as it is configured where nobody configures it. */
export class Pooler {
  /** The address of the database by way of it. */
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly dir: string;

  private constructor(child: ChildProcess, dir: string, url: string) {
    this.child = child;
    this.dir = dir;
    this.url = url;
  }

  /** Starts one in front of the database at `url`; `settings` are further lines of its configuration. */
  static async start(url: string, mode: string, settings: Readonly<Record<string, string>> = {}): Promise<Pooler> {
    const at = new URL(url);
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-pooler-'));
    const port = await freePort();
    const users = join(dir, 'users');
    writeFileSync(users, `"${at.username}" "${at.password}"\n`);
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      unix_socket_dir: '',
      auth_type: 'scram-sha-256',
      auth_file: users,
      logfile: join(dir, 'log'),
      pool_mode: mode,
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const file = join(dir, 'ini');
    const target = `* = host=${at.hostname} port=${at.port}`;
    writeFileSync(file, `[databases]\n${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
    const root = process.getuid?.() === 0;
    for (const path of root ? [dir, users, file] : []) chownSync(path, NOBODY, NOBODY);
    chmodSync(dir, 0o700);
    const owner = root ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawn('pgbouncer', [file], { stdio: 'ignore', cwd: dir, ...owner });
    const log = (): string => {
      try {
        return readFileSync(all.logfile, 'utf8');
      } catch {
        return '';
      }
    };
    await until(() => log().includes('process up') || child.exitCode !== null, 'PgBouncer listens', 60);
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${log()}`);
    at.port = String(port);
    return new Pooler(child, dir, at.href);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
