import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Interrupted } from './interrupted.ts';
import { SYNC_LIBRARY } from './paths.ts';
import { isDatabase, type Server } from './servers.ts';

/** Whether processes can be kept to one processor each here. */
export function canPin(): boolean {
  return cpus().length > 1 && spawnSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' }).status === 0;
}

/** The command that runs Node on a processor of its own, where that can be. */
export function nodeOn(core: number, pinned: boolean, args: readonly string[]): [string, string[]] {
  if (!pinned) return [process.execPath, [...args]];
  return ['taskset', ['-c', String(core), process.execPath, ...args]];
}

export interface Where {
  readonly data: string;
  readonly document: string;
  /** The file through which syncs are counted and delayed; null where they can't be. */
  readonly syncs: string | null;
  readonly pinned: boolean;
  /** Where profiles of the servers are written; null where none are taken. */
  readonly profiles: string | null;
  readonly interrupted: Interrupted;
}

function numberIn(pattern: RegExp, text: string): number | null {
  const match = pattern.exec(text);
  return match && Number(match[1]);
}

/** What is needed of a server to start it. */
export type Startable = Pick<Server, 'name' | 'title' | 'rows' | 'arguments'>;

/** A server that runs. */
export class Running {
  readonly port: number;
  readonly pid: number;
  /** The operator's port, where the server has said one. */
  readonly adminPort: number | null;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, port: number, adminPort: number | null) {
    this.child = child;
    this.pid = child.pid!;
    this.port = port;
    this.adminPort = adminPort;
  }

  /** Starts a server and waits until it says where it listens. */
  static async start(server: Startable, where: Where): Promise<Running> {
    const { data, document, syncs, pinned, profiles, interrupted } = where;
    const profiling = profiles === null ? [] : ['--cpu-prof', '--cpu-prof-dir', join(profiles, server.name)];
    const [command, args] = nodeOn(0, pinned, [...profiling, ...server.arguments(data, document)]);
    const preload = syncs === null ? {} : { LD_PRELOAD: SYNC_LIBRARY, NINEFOLD_BENCH_SYNCS: syncs };
    const child = spawn(command, args, {
      // Nobody reads the log of each request here: that would take time from the server's processor.
      stdio: ['ignore', 'pipe', 'ignore'],
      // Ctrl-C goes to a whole group of processes.
      detached: true,
      signal: interrupted.now,
      killSignal: 'SIGKILL',
      env: { ...process.env, NODE_ENV: 'production', ...preload },
    });
    // What runs transactions again on PostgreSQL counts them at an operator's port.
    const hasAdmin = server.rows !== null && isDatabase(data);
    let said = '';
    let port: number | null = null;
    let adminPort: number | null = null;
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        said += chunk;
        port ??= numberIn(/http:\/\/127\.0\.0\.1:(\d+)\b/, said);
        adminPort ??= numberIn(/The operator’s port is (\d+)\b/, said);
        // Looked at before it is cut: what follows the address is long where there are many endpoints.
        said = said.slice(-10_000);
        if (port !== null && (adminPort !== null || !hasAdmin)) resolve();
      };
      child.stdout.on('data', hear);
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`${server.title} ended with ${code} at its start: ${[command, ...args].join(' ')}\n${said}`)),
      );
    });
    return new Running(child, port!, adminPort);
  }

  /** Ends it in good order, or at all. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }
}
