import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';

const BENCH = join(import.meta.dirname, '../..');
const ROOT = join(BENCH, '..');
/** Copies are made inside the bench, where they find the packages of the frameworks. */
const COPIES = join(BENCH, 'data', 'test', 'peers');
const START_LASTS_MS = 60_000;

export const PEERS = ['express', 'fastify', 'hono', 'nest'] as const;
export type Peer = (typeof PEERS)[number];

/** One of the bench’s orders services, perhaps with a fault, in a process of its own. */
export class RunningPeer {
  readonly url: string;
  private readonly child: ChildProcess;
  private readonly directory: string;

  private constructor(child: ChildProcess, url: string, directory: string) {
    this.child = child;
    this.url = url;
    this.directory = directory;
  }

  /** Copies the source, puts the fault into it, and starts the service with an empty database. */
  static async start(peer: Peer, fault: Fault | null, more: readonly string[] = []): Promise<RunningPeer> {
    const directory = copied(fault);
    const main = peer === 'nest' ? compiled(directory) : join(directory, 'peers', `${peer}.ts`);
    const data = join(directory, 'data');
    mkdirSync(data);
    const child = spawn(process.execPath, [main, '--data', data, '--testing', ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1' },
    });
    try {
      return new RunningPeer(child, await addressOf(child), directory);
    } catch (error) {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function copied(fault: Fault | null): string {
  mkdirSync(COPIES, { recursive: true });
  const directory = mkdtempSync(join(COPIES, 'peer-'));
  cpSync(join(BENCH, 'peers'), join(directory, 'peers'), { recursive: true });
  for (const { file, from, to } of fault?.patches ?? []) {
    const path = join(directory, 'peers', file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, patched(text, from, to, `${fault?.id} in ${file}`));
  }
  return directory;
}

/** A source with a stretch of it replaced, which has to stand in it exactly once. */
export function patched(text: string, from: string, to: string, where: string): string {
  const count = text.split(from).length - 1;
  if (count !== 1) throw new Error(`${where}: “${from}” stands there ${count} times, not once`);
  return text.replace(from, () => to);
}

/** NestJS needs decorators, which Node does not read: the copy is compiled, without a check of its types. */
function compiled(directory: string): string {
  const base = join(BENCH, 'tsconfig.json');
  const options = { noEmit: false, rootDir: 'peers', outDir: 'dist', noCheck: true };
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ extends: base, compilerOptions: options, include: ['peers'], exclude: [] }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The copy does not compile: ${stdout}`);
  return join(directory, 'dist', 'nest.js');
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Error(`It did not start within ${START_LASTS_MS} ms: ${said}`)),
    START_LASTS_MS,
  );
  const hear = (chunk: Buffer): void => {
    said += chunk;
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
    if (found) resolve(found[0]);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`It ended with ${code} at its start: ${said}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout?.off('data', hear).resume();
  }
}
