import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  type CodeAction,
  createProtocolConnection,
  type Diagnostic,
  type DocumentSymbol,
  type Hover,
  type Location,
  type ProtocolConnection,
  type Range,
  type SemanticTokens,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { compile } from '../src/compiler/compile.ts';
import { Random } from '../src/verify/requests/random.ts';
import { example } from './fixtures.ts';
import { BIN } from './harness.ts';
import { SEED, times } from './share.ts';

/** One editor with one document, on a server of its own. */
class Editor implements AsyncDisposable {
  readonly uri = 'file:///orders.md';
  private readonly child: ChildProcess;
  private readonly connection: ProtocolConnection;
  private readonly told: Array<{ readonly version: number; readonly diagnostics: Diagnostic[] }> = [];
  private text: TextDocument;
  private wake: () => void = () => {};

  private constructor(text: string) {
    this.text = TextDocument.create(this.uri, 'markdown', 1, text);
    this.child = spawn(process.execPath, [BIN, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.child.stdout!),
      new StreamMessageWriter(this.child.stdin!),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (message) => {
      this.told.push(message);
      this.wake();
    });
    this.connection.listen();
  }

  static async open(text: string): Promise<Editor> {
    const editor = new Editor(text);
    await editor.connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    await editor.connection.sendNotification('initialized', {});
    const textDocument = { uri: editor.uri, languageId: 'markdown', version: 1, text };
    await editor.connection.sendNotification('textDocument/didOpen', { textDocument });
    return editor;
  }

  /** Replaces a stretch of the text, as typing does. */
  async edit(from: number, to: number, text: string): Promise<void> {
    const range = { start: this.text.positionAt(from), end: this.text.positionAt(to) };
    const version = this.text.version + 1;
    const contentChanges = [{ range, text }];
    this.text = TextDocument.update(this.text, contentChanges, version);
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: this.uri, version },
      contentChanges,
    });
  }

  /** The findings of the text as it is now. */
  async diagnostics(): Promise<Diagnostic[]> {
    for (;;) {
      const last = this.told.at(-1);
      if (last && last.version === this.text.version) return last.diagnostics;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  get source(): string {
    return this.text.getText();
  }

  ask<T>(method: string, at: string, more: object = {}, into = 0): Promise<T> {
    const position = this.text.positionAt(this.source.indexOf(at) + into);
    assert.ok(this.source.includes(at), at);
    return this.connection.sendRequest(`textDocument/${method}`, {
      textDocument: { uri: this.uri },
      position,
      ...more,
    }) as Promise<T>;
  }

  /** The text after edits of the protocol. */
  after(edits: readonly TextEdit[]): string {
    return TextDocument.applyEdits(this.text, [...edits]);
  }

  shown({ start, end }: Range): string {
    return this.source.slice(this.text.offsetAt(start), this.text.offsetAt(end));
  }

  line(range: Range): number {
    return range.start.line + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.sendRequest('shutdown');
    const ended = once(this.child, 'exit');
    await this.connection.sendNotification('exit');
    const [code] = await ended;
    assert.equal(code, 0);
    this.connection.dispose();
  }
}

const ORDERS = example('orders');
/** The lines on which a text has a word. */
const linesOf = (text: string, pattern: RegExp): number[] =>
  text.split('\n').flatMap((line, i) => (pattern.test(line) ? i + 1 : []));

test('an editor gets findings as one types, and each correction and answer as a quick fix', async () => {
  await using editor = await Editor.open(ORDERS);
  assert.deepEqual(await editor.diagnostics(), []);
  const at = ORDERS.indexOf('Initial: draft');
  await editor.edit(at, at + 7, 'Inital');
  const [wrong] = await editor.diagnostics();
  assert.equal(wrong?.code, 'language/unknown');
  assert.equal(editor.shown(wrong!.range), 'Inital');
  const fixes = await editor.ask<CodeAction[]>('codeAction', 'Inital', {
    range: wrong!.range,
    context: { diagnostics: [] },
  });
  assert.deepEqual(
    fixes.map(({ title, isPreferred }) => [title, isPreferred]),
    [['Write “Initial”', true]],
  );
  assert.equal(editor.after(fixes[0]!.edit!.changes![editor.uri]!), ORDERS);
  await editor.edit(at - 2, at + 'Inital: draft'.length + 1, '');
  const [question, ...others] = await editor.diagnostics();
  assert.deepEqual([question?.code, question?.severity, others], ['states/initial', 2, []]);
  const answers = await editor.ask<CodeAction[]>('codeAction', '### Order.status', {
    range: question!.range,
    context: { diagnostics: [] },
  });
  assert.deepEqual(
    answers.map(({ title, isPreferred }) => [title, isPreferred]),
    [['Answer: - Initial: draft', undefined]],
  );
});

test('an editor finds and renames names, in expressions, too', async () => {
  await using editor = await Editor.open(ORDERS);
  const use = 'order_not_open      |';
  const [declared] = [await editor.ask<Location>('definition', use)];
  assert.equal(editor.line(declared.range), linesOf(ORDERS, /^\| order_not_open /)[0]);
  const uses = await editor.ask<Location[]>('references', '| quantity ', { context: { includeDeclaration: true } }, 2);
  assert.deepEqual(
    uses.map(({ range }) => editor.line(range)),
    linesOf(ORDERS, /\bquantity\b/),
  );
  const renamed = await editor.ask<WorkspaceEdit>('rename', '| quantity ', { newName: 'amount' }, 2);
  const text = editor.after(renamed.changes![editor.uri]!);
  assert.equal(text, ORDERS.replaceAll(/\bquantity\b/g, 'amount'));
  assert.deepEqual(compile('orders.md', text).findings, []);
  await assert.rejects(editor.ask('rename', '| quantity ', { newName: 'note' }, 2), /“note” cannot be the name here/);
  await assert.rejects(editor.ask('rename', '| quantity ', { newName: 'two words' }, 2), /cannot be the name here/);
  assert.equal(await editor.ask('prepareRename', 'Takes orders'), null);
});

test('an editor shows what a statement is, what an endpoint does, the outline, and the roles of words', async () => {
  await using editor = await Editor.open(ORDERS);
  const said = async (at: string, into = 1): Promise<string> => {
    const hover = await editor.ask<Hover | null>('hover', at, {}, into);
    return (hover?.contents as { value: string } | undefined)?.value ?? '';
  };
  assert.match(await said('- Initial: draft', 3), /^Such a bullet is written: Initial: /);
  assert.match(await said('`POST /orders`', 2), /POST \/orders[\s\S]*Create/i);
  assert.match(await said('order_not_open      |'), /^`order_not_open`, declared on line \d+:/);
  assert.match(await said('| uuid ', 3), /Such a cell is written/);
  assert.equal(await said('Takes orders for'), '');
  const outline = await editor.ask<DocumentSymbol[]>('documentSymbol', '#');
  assert.equal(outline.length, 9);
  assert.deepEqual(
    outline[1]!.children!.map(({ name, children }) => [name, children!.length]),
    [
      ['Customer', 3],
      ['Order', 7],
    ],
  );
  const folds = await editor.ask<Array<{ startLine: number; endLine: number }>>('foldingRange', '#');
  assert.ok(folds.length > 30 && folds.every(({ startLine, endLine }) => startLine < endLine));
  const { data } = await editor.ask<SemanticTokens>('semanticTokens/full', '#');
  const lines = ORDERS.split('\n');
  let [line, character] = [0, 0];
  for (let i = 0; i < data.length; i += 5) {
    line += data[i]!;
    character = (data[i] ? 0 : character) + data[i + 1]!;
    assert.ok(character + data[i + 2]! <= lines[line]!.length, `a token beyond line ${line + 1}`);
  }
  assert.ok(data.length / 5 > 500);
  assert.deepEqual(await editor.ask<TextEdit[]>('formatting', '#', { options: {} }), []);
  const row = '| key_missing         | 401    |';
  await editor.edit(ORDERS.indexOf(row), ORDERS.indexOf(row) + row.length, '|key_missing|401|');
  assert.equal(editor.after(await editor.ask<TextEdit[]>('formatting', '#', { options: {} })), ORDERS);
  await editor.edit(0, editor.source.length, ORDERS.replace('- Text: trimmed\n', ''));
  const lenses = await editor.ask<Array<{ range: Range; command: { title: string } }>>('codeLens', '#');
  assert.deepEqual(
    lenses.slice(0, 1).map(({ range, command }) => [editor.shown(range), command.title]),
    [['Resources and their fields', '1 question']],
  );
  await editor.edit(0, editor.source.length, ORDERS.replace('- Visible: ', '- Holds: `quantity < 5`\n- Visible: '));
  assert.match(await said('- Holds: ', 3), /`quantity <= 100`/, 'code is not escaped');
});

test('after any edits the findings are those of check, and the server goes on', async () => {
  const random = new Random(SEED);
  await using editor = await Editor.open(ORDERS);
  const pieces = [
    '|',
    '`',
    '\n',
    '- ',
    '# ',
    'x',
    '\u{1F600}',
    'Order',
    '1. ',
    ': none.',
    '\r\n',
    '\u0000',
    '```\n',
    ' ',
  ];
  for (let i = 1; i <= times(100, 800); i++) {
    const { length } = editor.source;
    const from = random.int(0, length);
    const to = random.int(0, 3) === 0 ? Math.min(length, from + random.int(1, 30)) : from;
    await editor.edit(from, to, random.pick(pieces));
    if (i % 10 === 0) await editor.edit(0, editor.source.length, ORDERS);
    if (i % 7 > 0) continue;
    const codes = (await editor.diagnostics()).map(({ code }) => String(code));
    const { findings, notices } = compile('orders.md', editor.source);
    assert.deepEqual(
      codes,
      [...findings, ...notices].map(({ code }) => code),
    );
  }
});
