import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { until } from '../harness.ts';

const run = promisify(execFile);
const IMAGE = join(import.meta.dirname, '../../deploy/image');
const NAME = 'ninefold-test';

/** Why no image can be built and run here; false where one can. */
export function withoutContainers(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'containers are made by root on Linux';
  for (const program of ['buildah', 'runc'])
    if (spawnSync(program, ['--version']).error) return `there is no ${program} here`;
  return spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true']).status === 0
    ? false
    : 'this system lets nobody make namespaces';
}

/** What an image says of how it is run, in the words of its format. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** What a process in a container printed, and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** An image that `deploy/image` has built, in a storage of its own. */
export class Image {
  readonly config: ImageConfig;
  readonly root: string;
  readonly dir: string;
  private readonly env: NodeJS.ProcessEnv;

  private constructor(dir: string, env: NodeJS.ProcessEnv, config: ImageConfig, root: string) {
    this.dir = dir;
    this.env = env;
    this.config = config;
    this.root = root;
  }

  /** Builds the image of a document. */
  static async build(document: string): Promise<Image> {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-image-'));
    // What is mounted of the image is read by nobody, who has to come through.
    chmodSync(dir, 0o711);
    const storage = join(dir, 'storage.conf');
    const places = `graphroot = "${join(dir, 'images')}"\nrunroot = "${join(dir, 'state')}"`;
    writeFileSync(storage, `[storage]\ndriver = "vfs"\n${places}\n`);
    const env = {
      ...process.env,
      CONTAINERS_STORAGE_CONF: storage,
      BUILDAH_ISOLATION: 'chroot',
      BUILD_WITH: 'buildah',
    };
    await run(IMAGE, [document, NAME], { env });
    const { stdout } = await run('buildah', ['inspect', '--type', 'image', NAME], { env, maxBuffer: 1 << 24 });
    const { config } = (JSON.parse(stdout) as { Docker: { config: ImageConfig } }).Docker;
    const made = await run('buildah', ['from', '--pull-never', NAME], { env });
    const mounted = await run('buildah', ['mount', made.stdout.trim()], { env });
    return new Image(dir, env, config, mounted.stdout.trim());
  }

  /** How large it is as it is sent: packed. */
  async packed(): Promise<number> {
    const { stdout } = await run('sh', ['-c', 'tar -C "$1" -c . | gzip -6 | wc -c', 'sh', this.root]);
    return Number(stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('buildah', ['rm', '--all'], { env: this.env });
    rmSync(this.dir, { recursive: true, force: true });
  }
}

const NO_CAPABILITIES = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };

/**
 * A container of an image, run by runc as Docker runs it under `--read-only --cap-drop ALL --security-opt
 * no-new-privileges --network none` with a named volume: what is run, as whom and where is what the image says.
 */
export class Container {
  private readonly image: Image;
  private readonly id: string;
  private readonly bundle: string;
  private child: ChildProcess | null = null;
  private ended: Promise<number | null> = Promise.resolve(null);
  /** What the process of the image printed. */
  out = '';
  err = '';

  constructor(image: Image, name: string) {
    this.image = image;
    this.id = `ninefold-${process.pid}-${name}`;
    this.bundle = join(image.dir, name);
    mkdirSync(this.bundle);
    const { User, Env, Entrypoint, Cmd, Volumes } = image.config;
    const [uid, gid] = User.split(':').map(Number);
    const own = [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
    ];
    const config = {
      ociVersion: '1.0.2',
      process: {
        args: [...Entrypoint, ...Cmd],
        env: Env,
        cwd: '/',
        user: { uid, gid },
        capabilities: NO_CAPABILITIES,
        noNewPrivileges: true,
      },
      root: { path: image.root, readonly: true },
      mounts: [...own, ...Object.keys(Volumes).map((at) => this.volume(at))],
      linux: { namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })) },
    };
    writeFileSync(join(this.bundle, 'config.json'), JSON.stringify(config));
  }

  /** A volume is at first what the image has there, and belongs to whom it belongs there. */
  private volume(destination: string): object {
    const source = join(this.bundle, destination.replaceAll('/', '-'));
    const { uid, gid, mode } = statSync(join(this.image.root, destination));
    mkdirSync(source);
    chownSync(source, uid, gid);
    chmodSync(source, mode & 0o7777);
    return { destination, type: 'bind', source, options: ['rbind', 'rw', 'nosuid', 'nodev', 'noexec'] };
  }

  private words(...words: readonly string[]): string[] {
    return ['--root', join(this.bundle, 'state'), ...words];
  }

  /** Runs the image, until it says that it serves. */
  async start(): Promise<void> {
    this.out = '';
    this.err = '';
    const child = spawn('runc', this.words('run', '--bundle', this.bundle, this.id), {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdout.on('data', (chunk) => (this.out += chunk));
    child.stderr.on('data', (chunk) => (this.err += chunk));
    const begun = (): boolean => this.out.includes('Rows are in') || child.exitCode !== null;
    await until(begun, 'the image serves', 120);
    if (child.exitCode !== null) throw new Error(`The image ended with ${child.exitCode}:\n${this.out}\n${this.err}`);
  }

  /** Starts a process in the container, under the same rules as the image’s own. */
  spawn(...args: readonly string[]): ChildProcess {
    return spawn('runc', this.words('exec', this.id, ...args), { stdio: 'pipe' });
  }

  /** Runs a process in the container to its end. */
  async exec(...args: readonly string[]): Promise<Ran> {
    const child = this.spawn(...args);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.stdin!.end();
    const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    return { code: await ended, out, err };
  }

  /** What a program for Node prints in the container. */
  async node(program: string): Promise<string> {
    const { code, out, err } = await this.exec('/bin/node', '--input-type=module', '-e', program);
    if (code !== 0) throw new Error(err);
    return out.trim();
  }

  /** What a command of Ninefold prints in the container. */
  async ninefold(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.exec(...this.image.config.Entrypoint, ...args, '--data', '/data');
    if (code !== 0) throw new Error(err);
    return out.trim();
  }

  /** The exit code of the image’s own health check. */
  async health(): Promise<number | null> {
    const [, ...check] = this.image.config.Healthcheck.Test;
    return (await this.exec(...check)).code;
  }

  /** Sends a signal to the process of the image. */
  async signal(name: 'TERM' | 'KILL'): Promise<void> {
    await run('runc', this.words('kill', this.id, name));
  }

  /** How the process of the image ended, once it has: runc gives a signal as a shell does, as 128 and its number. */
  async exit(): Promise<number | null> {
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child?.exitCode === null) {
      await this.signal('KILL').catch(() => {});
      await this.ended;
    }
  }
}
