import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIN } from './harness.ts';

/** `NINEFOLD_GOLDENS=1` writes the outputs of the page anew. */
const PAGE = join(import.meta.dirname, '..', 'docs', 'tutorial.md');

/** A text without what differs from run to run: identifiers, times, durations, the port, and steps that took long. */
const settled = (text: string, port: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '01a224f4-1598-72d8-abd4-23c50257f923')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-11-29T08:00:00Z')
    .replaceAll(/\d+ ms/g, '20 ms')
    .replaceAll(/^ {2}… .*\n/gm, '')
    .replaceAll(`:${port}`, ':3000')
    .trimEnd();

/** The words of a command line, without the quotes of a shell. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/** A port that nothing uses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A reader of the tutorial, in an empty folder. */
class Reader implements AsyncDisposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'ninefold-tutorial-'));
  private service: ChildProcess | null = null;
  private port = '3000';

  /** Runs a command of the page; returns what it prints. */
  async run(line: string): Promise<string> {
    const [program, ...words] = wordsOf(line.replace(/ > \S+$/, ''));
    if (program === 'curl') return settled(await this.request(words), this.port);
    assert.deepEqual([program, words[0]], ['npx', 'ninefold'], line);
    const args = words.slice(1);
    if (args[0] === 'serve') return settled(await this.serve(args), this.port);
    const { stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, npm_command: 'exec' },
    });
    return / > \S+$/.test(line) ? settled(stderr, this.port) : settled(stderr + stdout, this.port);
  }

  /** Changes the document as a block of the page says; the lines that stay have to stand in it once. */
  change(block: string): void {
    const file = join(this.folder, 'notes.md');
    const lines = block.trimEnd().split('\n');
    const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const after = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const text = readFileSync(file, 'utf8');
    const parts = `\n${text}`.split(`\n${before.join('\n')}\n`);
    assert.equal(parts.length, 2, before.join('\n'));
    writeFileSync(file, parts.join(`\n${after.join('\n')}\n`).slice(1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  private async stop(): Promise<void> {
    if (this.service?.exitCode !== null) return;
    this.service.kill('SIGINT');
    await once(this.service, 'exit');
  }

  private async serve(args: readonly string[]): Promise<string> {
    await this.stop();
    this.port = String(await freePort());
    const words = args.map((word) => word.replace(':3000', `:${this.port}`));
    this.service = spawn(process.execPath, [BIN, ...words, '--port', this.port], { cwd: this.folder });
    let said = '';
    for await (const chunk of this.service.stdout!) {
      said += chunk;
      if (said.includes('Rows are in')) break;
    }
    return said;
  }

  private async request(words: readonly string[]): Promise<string> {
    const address = words.find((word) => word.startsWith('http'))!.replace(':3000', `:${this.port}`);
    const value = (flag: string): string => words[words.indexOf(flag) + 1]!;
    const [name = '', type = ''] = value('-H').split(': ');
    const body = value('-d');
    const answer = await fetch(address.replace('localhost', '127.0.0.1'), {
      method: 'POST',
      headers: { [name]: type },
      body,
    });
    return answer.text();
  }
}

test('every command of the tutorial prints what the page says', async () => {
  const page = readFileSync(PAGE, 'utf8');
  await using reader = new Reader();
  let written = '';
  let at = 0;
  for (const block of page.matchAll(/^```(console|diff)\n([\s\S]*?)^```$/gm)) {
    const [whole, kind, body = ''] = block;
    written += page.slice(at, block.index);
    at = block.index + whole.length;
    if (kind === 'diff') {
      reader.change(body);
      written += whole;
      continue;
    }
    const [command = ''] = body.split('\n');
    const said = await reader.run(command.slice(2));
    written += `\`\`\`console\n${command}\n${said === '' ? '' : `${said}\n`}\`\`\``;
  }
  written += page.slice(at);
  if (process.env.NINEFOLD_GOLDENS) writeFileSync(PAGE, written);
  else assert.equal(written, page);
});
