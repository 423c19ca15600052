import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN, until } from './harness.ts';
import { freePort } from './ports.ts';
import { IN_WHOLE } from './share.ts';

const ROOT = join(import.meta.dirname, '..');

/** A block to paste, and what the page says comes; null where it says nothing. */
interface Block {
  readonly commands: string;
  readonly comes: string | null;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const found = [...text.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)];
  return found.flatMap(([, kind, commands = ''], i) => {
    const next = found[i + 1];
    return kind === 'sh' ? [{ commands, comes: next?.[1] === 'text' ? (next[2] ?? '') : null }] : [];
  });
}

/** The parts of a page that differ each time: identities, instants, cursors, ids of keys, and what a rate has left. */
const VARIES: ReadonlyArray<readonly [written: RegExp, pattern: string]> = [
  [/"next":"[^"]+"/, '"next":"[^"]+"'],
  [/01a1fa87-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/, '[\\da-f-]{36}'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'],
  [/01a1fa87/, '[\\da-f]{8}'],
  [/bwseyZO8mi6Z/, '\\w{12}'],
  [/;r=\d+;t=\d+/, ';r=\\d+;t=\\d+'],
  [/127\.0\.0\.1:4000/, '127\\.0\\.0\\.1:\\d+'],
  [/…/, '[\\s\\S]*?'],
];

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The text of a page, as the pattern of the output that has to come. */
function patternOf(comes: string): RegExp {
  const all = new RegExp(VARIES.map(([written]) => `(${written.source})`).join('|'), 'g');
  let pattern = '';
  let from = 0;
  for (const match of comes.matchAll(all)) {
    pattern += escaped(comes.slice(from, match.index));
    pattern += VARIES[match.slice(1).findIndex((one) => one !== undefined)]![1];
    from = match.index + match[0].length;
  }
  return new RegExp(`^${pattern}${escaped(comes.slice(from))}$`);
}

/** A shell into which blocks are pasted, one after the other. */
class Shell {
  private readonly child: ChildProcess;
  private said = '';
  private blocks = 0;

  constructor(cwd: string, path: string) {
    this.child = spawn('bash', [], {
      cwd,
      env: { ...process.env, CURL_HOME: cwd, PATH: `${path}:${process.env.PATH}` },
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.said += chunk.toString();
      });
  }

  /** Pastes a block, and waits until it has ended and what came is as it has to be. Throws what came instead. */
  async paste(commands: string, comes = /^/): Promise<string> {
    const end = `-- end of block ${++this.blocks} --\n`;
    const from = this.said.length;
    this.child.stdin!.write(`exec 2>&1\n${commands}\necho; echo -n '${end}'\n`);
    const came = (): string => this.said.slice(from).replace(end, '').replaceAll('\r\n', '\n').trimEnd();
    const right = (): boolean => this.said.includes(end, from) && comes.test(came());
    try {
      // A program beside the shell, such as a receiver, takes its time.
      await until(right, 'what the page says');
    } catch {
      assert.match(came(), comes, `${commands}\n${came()}`);
    }
    return came();
  }

  /** Ends the shell and what it has started. */
  close(): void {
    try {
      process.kill(-this.child.pid!, 'SIGKILL');
    } catch {
      // The shell has ended by itself.
    }
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream?.destroy();
    this.child.unref();
  }
}

test(
  'the lines of the README, those that `npm start` prints and those of the walk, one after the other',
  IN_WHOLE,
  async (t) => {
    const place = mkdtempSync(join(tmpdir(), 'ninefold-walk-'));
    t.after(() => rmSync(place, { recursive: true, force: true }));
    symlinkSync(join(ROOT, 'examples'), join(place, 'examples'));
    // `npx` of a clone starts what the clone has.
    mkdirSync(join(place, 'bin'));
    const npx = `#!/bin/sh\nname=$1; shift\n[ "$name" = node ] && exec "${process.execPath}" "$@"\nexec "${process.execPath}" "${BIN}" "$@"\n`;
    writeFileSync(join(place, 'bin/npx'), npx);
    chmodSync(join(place, 'bin/npx'), 0o755);
    // On a pipe, curl tells how far it is.
    writeFileSync(join(place, '.curlrc'), 'silent\n');

    const start = spawn(process.execPath, [join(ROOT, 'examples/start.ts'), '--port', '0'], { cwd: place });
    t.after(() => start.kill('SIGKILL'));
    let printed = '';
    for (const stream of [start.stdout, start.stderr])
      stream.on('data', (chunk: Buffer) => {
        printed += chunk;
      });
    await until(() => printed.includes('Ctrl-C stops'), 'the lines of npm start');
    const url = /(http:\/\/127\.0\.0\.1:\d+)\/orders/.exec(printed)![1]!;

    const shell = new Shell(place, join(place, 'bin'));
    t.after(() => shell.close());
    const pasted = printed.slice(printed.indexOf('Try it'), printed.indexOf('The whole life'));
    const commands = pasted.slice(pasted.indexOf('\n')).trim();
    const came = await shell.paste(commands);
    assert.deepEqual(
      [...came.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['201', '200', '200'],
    );

    // The README's request, which is refused, with the key of the walk.
    const walk = blocksOf('examples/walk.md').slice(1);
    const port = await freePort();
    const here = (text: string): string =>
      text
        .replaceAll('http://127.0.0.1:3000', url)
        .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
        .replace('examples/receiver.ts', `examples/receiver.ts ${port}`);
    const readme = /\$ (curl http:\/\/127\.0\.0\.1:3000\/orders [\s\S]*?)\n(\{.*\})\n```/.exec(
      readFileSync(join(ROOT, 'README.md'), 'utf8'),
    );
    assert.ok(readme);
    for (const [i, { commands, comes }] of walk.entries()) {
      await shell.paste(here(commands), comes === null ? undefined : patternOf(comes.trimEnd()));
      if (i === 0) assert.equal(await shell.paste(here(readme[1]!)), readme[2]);
    }
    start.kill('SIGINT');
    await until(() => start.exitCode === 0, `the end of npm start:\n${printed}`);
  },
);
