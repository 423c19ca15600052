import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DocumentFolder } from '../src/cli/document-folder.ts';
import { NOTHING_SHOWN } from '../src/cli/harness.test.ts';
import { serveAgent } from '../src/cli/mcp/serve.ts';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { showContract } from '../src/contract/show.ts';
import { PART_HEADINGS, type PartName } from '../src/plan/parts.ts';
import { example } from './fixtures.ts';
import { IN_WHOLE, share } from './share.ts';
import { documentText } from './subject.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = fileURLToPath(new URL('../bin/ninefold.js', import.meta.url));
const PREVIOUS = '2025-11-25';
const CURRENT = '2026-07-28';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-mcp-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

interface Called {
  readonly text: string;
  readonly isError: boolean;
}

/** Messages of JSON-RPC over two streams, one in each line. */
class StreamTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  private readonly output: PassThrough;
  private readonly input: PassThrough;

  constructor(output: PassThrough, input: PassThrough) {
    this.output = output;
    this.input = input;
  }

  async start(): Promise<void> {
    createInterface({ input: this.input }).on('line', (line) => this.onmessage?.(JSON.parse(line)));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.output.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.output.end();
    this.onclose?.();
  }
}

/** The largest answer of each tool, in bytes. */
const largest = new Map<string, number>();

/** A client of a server that runs in a folder. */
class Agent {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** A client of a server in a process of its own, as agents start it. */
  static async of(t: TestContext, folder: string, version = CURRENT): Promise<Agent> {
    const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], cwd: folder });
    return Agent.over(t, transport, version);
  }

  /** A client of a server in this process, whose start takes no second. */
  static async here(t: TestContext, folder: string): Promise<Agent> {
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    const log = (line: string): void => console.error(line);
    serveAgent({ documents: new DocumentFolder(folder), version: '1', log }, toServer, toClient);
    return Agent.over(t, new StreamTransport(toServer, toClient), CURRENT);
  }

  private static async over(t: TestContext, transport: Transport, version: string): Promise<Agent> {
    const mode = version === PREVIOUS ? 'legacy' : { pin: version };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    t.after(() => client.close());
    return new Agent(client);
  }

  async call(name: string, args: Record<string, unknown>): Promise<Called> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: args });
    const [first] = content;
    assert.ok(first?.type === 'text');
    largest.set(name, Math.max(largest.get(name) ?? 0, Buffer.byteLength(first.text)));
    return { text: first.text, isError };
  }

  /** The text of an answer that is no error. */
  async ask(name: string, args: Record<string, unknown>): Promise<string> {
    const { text, isError } = await this.call(name, args);
    assert.ok(!isError, text);
    return text;
  }
}

interface Question {
  readonly question: string;
  readonly at: string;
  readonly asks: string;
  readonly write: string | null;
  readonly answers: ReadonlyArray<{ readonly choice: number; readonly adds?: readonly string[] }>;
}

interface Open {
  readonly version: string;
  readonly questions: readonly Question[];
}

/** Answers questions from a document that somebody has in mind, statement by statement. */
class Goal {
  private readonly parts: ReadonlyMap<string, string>;
  private readonly none: readonly string[];
  /** The texts that were taken. */
  readonly given = new Set<unknown>();
  readonly title: string;

  constructor(text: string) {
    const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
    this.title = title;
    this.parts = new Map(
      text
        .split(/^## /m)
        .slice(1)
        .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
    );
    this.none = compile('goal', text).items.flatMap(({ part, item, state }) =>
      state === 'none' ? `${part}/${item.replaceAll(' ', '-')}` : [],
    );
  }

  /** The arguments of `apply` that may answer a question, those of the goal alone. */
  *answers({ question, at, write, answers }: Question): Generator<Record<string, unknown>> {
    const [code = ''] = question.split(':');
    const text = this.partOf(code);
    const lines = sectionAt(text, at).split('\n').map(squeezed);
    for (const { choice, adds = [] } of answers) {
      const isNone = this.none.includes(code) && adds.some((line) => /^[A-Z][a-z -]+: none\./.test(line));
      if (isNone || (adds.length > 0 && adds.every((line) => lines.includes(squeezed(line)) || /^\|.*---/.test(line))))
        yield { question, choice };
    }
    const [own = '', ...sections] = `\n${text}`.split(/^(?=### )/m);
    const whole = sections.join('').trim();
    const statements = own.split('\n').filter((line) => /^(?:- |\| (?!-))/.test(line) && !HEADER.test(line));
    const tables = own.match(/(?:^\|.*\n?)+/gm) ?? [];
    // A statement of the kind that is asked for comes first.
    const isAsked = (line: string): boolean => write !== null && kindOf(line) === kindOf(write);
    const texts = [
      ...(write?.startsWith('#') ? [whole] : []),
      ...(write?.startsWith('|') ? tables.map((table) => table.trim()) : []),
      ...statements.filter(isAsked),
      ...statements.filter((line) => !isAsked(line)),
      ...tables.map((table) => table.trim()),
      // Some statements hold only together with a table.
      ...statements.filter(isAsked).flatMap((line) => tables.map((table) => `${line}\n\n${table.trim()}`)),
      whole,
    ];
    for (const one of new Set(texts))
      if (one !== '' && (isAsked(one) || !this.given.has(one))) yield { question, text: one };
  }

  /** The part of the goal that a question is about; where its code does not say, all of it. */
  private partOf(code: string): string {
    const [name = ''] = code.split('/');
    const heading = name in PART_HEADINGS ? PART_HEADINGS[name as PartName] : '';
    return this.parts.get(heading) ?? [...this.parts.values()].join('\n').replace(/^### .*$/gm, '');
  }
}

/** The section of the line that a question is about, with what stands above all sections; without such a line, the whole part. */
function sectionAt(part: string, at: string): string {
  const [, heading] = /^\d+: (### .*)$/.exec(at) ?? [];
  const [own = '', ...sections] = `\n${part}`.split(/^(?=### )/m);
  const section = sections.find((one) => one.split('\n')[0] === heading);
  return section === undefined ? part : own + section;
}

/** The first line of a table of the goal. */
const HEADER = /^\| (?:Limit|Code|Parameter) /;

/** The key of a bullet, or the first cell of a row. */
const kindOf = (line: string): string => /^(?:- [^:]+:|\| [^|]+?(?= *\|))/.exec(line)?.[0] ?? line;

const squeezed = (line: string): string => line.replace(/\s+/g, ' ').trim();

/** The document that an agent writes. */
const FILE = 'service.md';

/** Tries the answers of the goal to a question, and returns what is open after the first that is taken. */
async function answered(
  agent: Agent,
  goal: Goal,
  version: string,
  question: Question,
  seen: { answers: number; refused: number },
): Promise<Open | null> {
  for (const args of goal.answers(question)) {
    const { text, isError } = await agent.call('apply', { file: FILE, version, ...args });
    if (isError) seen.refused++;
    else seen.answers++;
    if (isError) continue;
    goal.given.add(args.text);
    return JSON.parse(text);
  }
  return null;
}

/** Writes a document from the empty form, with no other texts than answers to questions. Returns the agent that did. */
async function written(t: TestContext, text: string, folder: string): Promise<Agent> {
  const agent = await Agent.here(t, folder);
  const goal = new Goal(text);
  await agent.ask('apply', { file: FILE, begin: true });
  const replace = { old: '# The name of the service', text: `# ${goal.title}` };
  let open: Open = JSON.parse(await agent.ask('apply', { file: FILE, replace }));
  const seen = { answers: 0, refused: 0 };
  for (let skip = 0; open.questions.length > 0; ) {
    const [question] = open.questions as [Question];
    const applied = await answered(agent, goal, open.version, question, seen);
    // Another answer may settle what the goal does not answer by itself.
    skip = applied ? 0 : skip + 1;
    open = applied ?? JSON.parse(await agent.ask('next_questions', { file: FILE, count: 1, skip }));
    if (!applied) assert.ok(open.questions.length > 0, `${question.question}: ${question.asks}`);
  }
  console.log(`answers ${seen.answers}, refused ${seen.refused}`);
  assert.match(await agent.ask('check', { file: FILE }), /^No findings\./);
  assert.deepEqual(contractOfText(readFileSync(join(folder, FILE), 'utf8')), contractOfText(text));
  return agent;
}

test('the service of the tutorial is written from the empty form by answers alone', async (t) => {
  await written(t, documentText('docs/documents/notes.md'), temporaryFolder(t));
});

test('a service with callers and errors of its own is written by answers alone', IN_WHOLE, async (t) => {
  await written(t, documentText('docs/documents/blog.md'), temporaryFolder(t));
});

test('a document is written by answers alone, explained and tested', IN_WHOLE, async (t) => {
  const agent = await written(t, example('todos'), temporaryFolder(t));
  assert.match(
    await agent.ask('check', { file: FILE }),
    /^No findings\. 31 items[\s\S]*A request was found for all 6 endpoints/,
  );
  const endpoint = await agent.ask('contract', { file: FILE, endpoint: 'PATCH /{number}' });
  assert.match(endpoint, /404 {2}not_found/);
  assert.match(await agent.ask('explain', { about: 'PATCH /{number}', file: FILE }), /one serializable transaction/);
  const tested = await agent.ask('test', { file: FILE, seconds: 5, only: 'PATCH /{number}' });
  assert.match(tested, /^\d+ statements: \d+ kept, 0 broken/);
});

/** The lines of the contract of a document, without those of the document that state it, and in no order. */
function contractOfText(text: string): string[] {
  const { plan } = compile('todos.md', text);
  const contract = contractOf(plan!);
  return showContract(contract, contract.versions[0]!)
    .replace(/ {2}\(lines? [\d, and others]+\)/g, '')
    .split('\n')
    .sort();
}

test('both versions of the protocol list tools with their effects and pages of the reference, and read them', async (t) => {
  const folder = temporaryFolder(t);
  const listed: unknown[] = [];
  for (const version of [PREVIOUS, CURRENT]) {
    const agent = await Agent.of(t, folder, version);
    assert.equal(agent.client.getNegotiatedProtocolVersion(), version);
    const { tools } = await agent.client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['check', true],
        ['next_questions', true],
        ['apply', false],
        ['explain', true],
        ['contract', true],
        ['test', false],
      ],
    );
    listed.push(tools);
    console.log(`tools ${Buffer.byteLength(JSON.stringify(tools))} bytes by ${version}`);
    const { resources } = await agent.client.listResources();
    const names = readdirSync(join(ROOT, 'docs/language')).map((file) => file.replace(/\.md$/, ''));
    assert.deepEqual(resources.map(({ uri }) => uri).sort(), names.map((name) => `ninefold://language/${name}`).sort());
    for (const { uri, name } of share(resources, 3).cases) {
      const { contents } = await agent.client.readResource({ uri });
      assert.deepEqual(
        contents.map((one) => 'text' in one && one.text),
        [readFileSync(join(ROOT, `docs/language/${name}.md`), 'utf8')],
      );
    }
    await assert.rejects(agent.client.readResource({ uri: 'ninefold://language/../diagnostics/limits' }));
    await assert.rejects(agent.client.readResource({ uri: `file://${join(ROOT, 'package.json')}` }));
    await agent.ask('check', { text: NOTHING_SHOWN });
  }
  assert.deepEqual(listed[0], listed[1]);
});

test('the answers of a new document fit into a context, and pages have the rest', async (t) => {
  const folder = temporaryFolder(t);
  const agent = await Agent.here(t, folder);
  await agent.ask('apply', { file: 'new.md', begin: true });
  for (const args of [{ file: 'new.md' }, { text: NOTHING_SHOWN }]) {
    const text = await agent.ask('check', args);
    assert.ok(Buffer.byteLength(text) < 8000);
    assert.match(text, /31 questions/);
    assert.equal(text.match(/^question /gm)?.length, 31);
  }
  assert.match(
    await agent.ask('check', { file: 'new.md', code: 'limits/defaults' }),
    /Pagination bounds and defaults[\s\S]*\^\^\^[\s\S]*Why:/,
  );
  const { questions } = JSON.parse(await agent.ask('next_questions', { file: 'new.md', count: 10 })) as Open;
  assert.ok(questions.length >= 5);
  // Hundreds of findings, in pages that repeat and omit none.
  writeFileSync(join(folder, 'long.md'), `${NOTHING_SHOWN}\n${'Nonsense: anyone\n\n### Wrong here\n\n'.repeat(300)}`);
  const names = compile('long.md', readFileSync(join(folder, 'long.md'), 'utf8')).findings.length;
  const seen: string[] = [];
  for (let page = 1; ; page++) {
    const text = await agent.ask('check', { file: 'long.md', page });
    seen.push(...(text.match(/^(?:question|error) \S+/gm) ?? []));
    if (!text.includes(`page: ${page + 1}`)) break;
  }
  assert.equal(seen.length, names);
  assert.equal(new Set(seen).size, names);
  for (const page of [
    'steps',
    'endpoints',
    'Idempotency',
    'Visible',
    '- Visible:',
    'Find',
    'limits/defaults',
    'as CSV',
  ])
    await agent.ask('explain', { about: page });
  await agent.ask('contract', { file: copied(folder, 'orders'), endpoint: 'POST /orders' });
  await agent.ask('explain', { file: 'orders.md', about: 'POST /orders' });
  await agent.ask('test', { file: 'orders.md', seconds: 2 });
  for (const [name, bytes] of largest) {
    console.log(`${name}: at most ${bytes} bytes`);
    assert.ok(bytes < 8000, name);
  }
});

function copied(folder: string, name: string): string {
  writeFileSync(join(folder, `${name}.md`), example(name));
  return `${name}.md`;
}

test('an answer that brings an error is refused, and changes nothing', async (t) => {
  const folder = temporaryFolder(t);
  const agent = await Agent.here(t, folder);
  const file = join(folder, 'service.md');
  const open = example('todos').replace(/^- HEAD.*\n/m, '');
  writeFileSync(file, open);
  const { version, questions } = JSON.parse(await agent.ask('next_questions', { file: 'service.md' })) as Open;
  const [{ question } = { question: '' }] = questions;
  const refused: ReadonlyArray<readonly [Record<string, unknown>, RegExp]> = [
    [{ question, text: '- HEAD: whatever' }, /would bring an error[\s\S]*language\/unknown/],
    [{ question, text: '- Unread bodies: ignored' }, /stated twice/],
    [{ question, text: 'Some prose.' }, /does not answer|bring an error|no place/],
    [{ question, text: '' }, /no place/],
    [{ question, text: '- HEAD: as GET\u202E' }, /does not show/],
    [{ question, choice: 99, version }, /has the choices 1 to/],
    [{ question, choice: 1 }, /need version/],
    [{ question, choice: 1, version: 'other' }, /has changed since version other/],
    [{ question: 'limits/none:1', text: '- HEAD: as GET' }, /No question has the name/],
    [{ question }, /Give one of/],
    [{}, /Give one of/],
    [{ question, text: '- HEAD: as GET', choice: 1, version }, /Give one of/],
    [{ begin: false }, /Give one of/],
    [{ begin: true }, /exists already/],
    [{ replace: { old: '- States: none', text: '- States: many' } }, /would bring an error/],
    [{ replace: { old: '- States: nothing', text: '' } }, /does not have the text/],
    [{ replace: { old: 'none', text: '' } }, /more than once/],
    [{ replace: { old: '', text: 'x' } }, /does not have the text/],
    [{ edit: { from: 0, to: 1e9, text: '' }, version }, /the document has \d+ characters/],
    [{ edit: { from: 5, to: 1, text: '' }, version }, /from one offset to a later one/],
    [{ edit: { from: 0, to: 0, text: '' } }, /need version/],
    [{ edit: { from: 0, to: 0, text: '## Limits\n' }, version }, /would bring an error/],
  ];
  for (const [args, why] of refused) {
    const { text, isError } = await agent.call('apply', { file: 'service.md', ...args });
    assert.ok(isError, JSON.stringify(args));
    assert.match(text, why, JSON.stringify(args));
    assert.equal(readFileSync(file, 'utf8'), open);
  }
  const applied = JSON.parse(await agent.ask('apply', { file: 'service.md', question, text: '- HEAD: as GET' }));
  assert.deepEqual(applied.changed.adds, ['- HEAD: as GET']);
  assert.deepEqual(applied.questions, []);
  assert.deepEqual(readdirSync(folder), ['service.md']);
  // A file keeps its line ends and its byte order mark.
  const windows = (text: string): string => `\uFEFF${text.replaceAll('\n', '\r\n')}`;
  writeFileSync(file, windows(open));
  await agent.ask('apply', { file: 'service.md', question, text: '- HEAD: as GET' });
  const after = readFileSync(file, 'utf8');
  assert.equal(after, windows(after.replace('\uFEFF', '').replaceAll('\r', '')));
  assert.equal(compile('service.md', after.slice(1)).findings.length, 0);
});

test('no path and no link leads out of the folder, and only documents are read and written', async (t) => {
  const outer = temporaryFolder(t);
  const folder = join(outer, 'root');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  const todos = example('todos');
  writeFileSync(join(outer, 'secret.md'), todos);
  writeFileSync(join(folder, '.env'), 'PASSWORD: anyone');
  writeFileSync(join(folder, 'sub/in.md'), todos);
  symlinkSync(join(outer, 'secret.md'), join(folder, 'link.md'));
  symlinkSync(outer, join(folder, 'up'));
  symlinkSync(join(folder, '.env'), join(folder, 'env.md'));
  symlinkSync(join(outer, 'made.md'), join(folder, 'dangling.md'));
  symlinkSync(join(folder, 'sub'), join(folder, 'down'));
  execFileSync('mkfifo', [join(folder, 'pipe.md')]);
  const agent = await Agent.here(t, folder);
  const bad = [
    '../secret.md',
    'link.md',
    'up/secret.md',
    'sub/../../secret.md',
    join(outer, 'secret.md'),
    '.env',
    'env.md',
    'pipe.md',
    'sub',
    'dangling.md',
    '',
    '\0.md',
    '~/secret.md',
    '-',
    '/dev/stdin',
    'none.md',
    'none/x.md',
    '%2e%2e/secret.md',
    'x'.repeat(5000),
  ];
  const replace = { old: '- Domain: personal organisation', text: '- Domain: another' };
  for (const file of bad)
    for (const [name, args] of [
      ['check', { file }],
      ['next_questions', { file }],
      ['apply', { file, replace }],
      ['explain', { file, about: 'GET /' }],
      ['contract', { file, endpoint: 'GET /' }],
      ['test', { file }],
    ] as const) {
      const { text, isError } = await agent.call(name, args);
      assert.ok(isError, `${name} ${file}`);
      assert.ok(!text.includes(outer) || file.includes(outer), text);
      assert.ok(!/PASSWORD|is a defect/.test(text), text);
    }
  for (const file of [
    '../made.md',
    'up/made.md',
    'dangling.md',
    join(outer, 'made.md'),
    'none/made.md',
    'made.txt',
    'link.md',
    '\0.md',
    '',
  ])
    assert.ok((await agent.call('apply', { file, begin: true })).isError, file);
  assert.deepEqual(readdirSync(outer).sort(), ['root', 'secret.md']);
  assert.equal(readFileSync(join(outer, 'secret.md'), 'utf8'), todos);
  for (const setup of ['../setup.json', '.env', 'sub/in.md', 'setup.ts'])
    assert.ok((await agent.call('test', { file: 'sub/in.md', url: 'http://127.0.0.1:9/', setup })).isError);
  for (const url of [
    'http://example.com/',
    'http://169.254.1.1/',
    'file:///etc/passwd',
    'http://127.0.0.1.example.com/',
    'nothing',
  ])
    assert.match((await agent.call('test', { file: 'sub/in.md', url })).text, /only services of this machine/);
  await agent.ask('apply', { file: 'down/in.md', replace });
  assert.match(readFileSync(join(folder, 'sub/in.md'), 'utf8'), /Domain: another/);
  assert.ok(lstatSync(join(folder, 'down')).isSymbolicLink());
  await agent.ask('check', { file: join(folder, 'sub/in.md') });
});

test('malformed calls are answered, and the server goes on', async (t) => {
  const folder = temporaryFolder(t);
  const agent = await Agent.here(t, folder);
  const wrong: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['check', {}, /Give either file or text/],
    ['check', { file: 'a.md', text: '' }, /Give either file or text/],
    ['check', { file: 5 }, /“file” is a string/],
    ['check', { text: 'x', page: 0 }, /“page” is a whole number from 1/],
    ['check', { text: 'x', page: 1.5 }, /“page” is a whole number from 1/],
    ['check', { text: 'x', page: 7 }, /There is no page 7/],
    ['check', { text: 'x', code: 'no/such' }, /has no finding “no\/such”/],
    ['check', { text: 'x', other: 1 }, /There is no argument “other”. The arguments are file, text, code, page/],
    ['check', { text: 'x', __proto__x: 1 }, /There is no argument/],
    ['next_questions', {}, /“file” is missing/],
    ['next_questions', { file: 'a.md', count: 11 }, /from 1 to 10/],
    ['apply', { file: 'a.md', replace: { old: 'x' } }, /“text” is missing/],
    ['apply', { file: 'a.md', replace: 'x' }, /“replace” is an object/],
    ['explain', { about: 'limits/no-such' }, /There is no code/],
    ['explain', { about: 'xyzzy' }, /The reference says nothing of/],
    ['explain', { about: '' }, /The reference says nothing of/],
    ['explain', { about: 'GET /' }, /needs file/],
    ['contract', { file: 'a.md' }, /“endpoint” is missing/],
  ];
  for (const [name, args, why] of wrong) {
    const { text, isError } = await agent.call(name, args as Record<string, unknown>);
    assert.ok(isError, `${name} ${JSON.stringify(args)}`);
    assert.match(text, why, `${name} ${JSON.stringify(args)}`);
  }
  for (const name of ['no_such_tool', 'toString', '__proto__', ''])
    await assert.rejects(agent.client.callTool({ name, arguments: {} }), name);
  await agent.ask('check', { text: '# A' });
});

interface Answer {
  readonly id: unknown;
  readonly error?: { readonly code: number };
  readonly result?: { readonly protocolVersion?: string; readonly content?: ReadonlyArray<{ readonly text: string }> };
}

test('lines that are no messages are answered with the errors of JSON-RPC, and nothing else is on standard output', async (t) => {
  const server = spawn(process.execPath, [BIN, 'mcp', '--root', temporaryFolder(t)]);
  t.after(() => server.kill());
  let errors = '';
  server.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const answer = async (line: string | Buffer): Promise<Answer> => {
    server.stdin.write(line);
    server.stdin.write('\n');
    return JSON.parse((await lines.next()).value ?? '');
  };
  const bad: ReadonlyArray<readonly [string | Buffer, number, unknown]> = [
    ['no json', -32700, null],
    ['{"jsonrpc": "2.0", "id": 1,', -32700, null],
    [Buffer.from([0xff, 0xfe, 0x00]), -32700, null],
    ['[]', -32600, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
    ['null', -32600, null],
    ['7', -32600, null],
    ['{}', -32600, null],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":"a","method":5}', -32600, 'a'],
    ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}', -32600, 6],
    ['{"jsonrpc":"2.0","id":7}', -32600, 7],
    [`{"jsonrpc":"2.0","id":8,"method":"${'x'.repeat(33 << 20)}"}`, -32600, null],
    ['['.repeat(100_000), -32700, null],
  ];
  for (const [line, code, id] of bad) {
    const { error, id: given } = await answer(line);
    assert.deepEqual([error?.code, given], [code, id], line.toString().slice(0, 100));
  }
  const initialize = { protocolVersion: PREVIOUS, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await answer(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }));
  assert.equal(opened.result?.protocolVersion, PREVIOUS);
  const call = (id: number, method: string, params?: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  assert.equal((await answer(call(2, 'no/such'))).error?.code, -32601);
  assert.equal((await answer(call(3, 'tools/call', {}))).error?.code, -32602);
  assert.equal((await answer(call(4, 'tools/call', { name: 'check', arguments: 'text' }))).error?.code, -32602);
  assert.equal((await answer(call(5, 'tools/call', { name: 'none', arguments: {} }))).error?.code, -32602);
  const checked = await answer(call(6, 'tools/call', { name: 'check', arguments: { text: NOTHING_SHOWN } }));
  assert.match(checked.result?.content?.[0]?.text ?? '', /31 questions/);
  server.stdin.end();
  const [code] = await once(server, 'exit');
  assert.equal(code, 0);
  assert.equal((await lines.next()).done, true);
  assert.equal(errors, '');
});

test('a folder that does not exist is wrong use', (t) => {
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'mcp', '--root', join(temporaryFolder(t), 'none')], {
    encoding: 'utf8',
  });
  assert.equal(status, 2);
  assert.match(stderr, /--root/);
});
