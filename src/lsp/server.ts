import {
  CodeActionKind,
  type Connection,
  createConnection,
  ErrorCodes,
  type InitializeResult,
  LSPErrorCodes,
  ResponseError,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Feature, ResultOf, Where } from './analyses.ts';
import { TOKEN_MODIFIERS, TOKEN_TYPES } from './features/tokens.ts';
import { CompilerThread, type Purpose, purposeOf, ThreadError } from './thread.ts';

/** The capabilities of the server (Language Server Protocol 3.17). */
const CAPABILITIES: InitializeResult['capabilities'] = {
  textDocumentSync: TextDocumentSyncKind.Incremental,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
  completionProvider: { triggerCharacters: [' ', '`', '.', '|', '{'] },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  documentFormattingProvider: true,
  codeLensProvider: { resolveProvider: false },
  semanticTokensProvider: {
    legend: { tokenTypes: [...TOKEN_TYPES], tokenModifiers: [...TOKEN_MODIFIERS] },
    full: true,
  },
};

/**
 * Serves one editor over standard input and output until it says `exit`. Documents are compiled in a thread of their own,
 * so that the editor never waits for them while one types.
 */
export function serveEditor(version: string): void {
  const connection = createConnection(process.stdin, process.stdout);
  const documents = new TextDocuments(TextDocument);
  const threads = { checking: new CompilerThread({ failed }), trying: new CompilerThread({ failed }) };
  const checks = new Checks(connection, documents, threads);
  connection.onInitialize(() => ({ capabilities: CAPABILITIES, serverInfo: { name: 'ninefold', version } }));
  documents.onDidChangeContent(({ document }) => checks.changed(document));
  documents.onDidClose(({ document: { uri } }) => checks.closed(uri));
  const ask = <F extends Feature>(feature: F, uri: string, where: Where = {}): Promise<ResultOf<F> | null> =>
    checks.ask(feature, uri, where);
  connection.onCodeAction(({ textDocument: { uri }, range }) => ask('actions', uri, { range }));
  connection.onCompletion(({ textDocument: { uri }, position }) => ask('completion', uri, { offset: position }));
  connection.onHover(({ textDocument: { uri }, position }) => ask('hover', uri, { offset: position }));
  connection.onDefinition(({ textDocument: { uri }, position }) => ask('definition', uri, { offset: position }));
  connection.onReferences(({ textDocument: { uri }, position, context }) =>
    ask('references', uri, { offset: position, declaration: context.includeDeclaration }),
  );
  connection.onPrepareRename(({ textDocument: { uri }, position }) => ask('renameable', uri, { offset: position }));
  connection.onRenameRequest(({ textDocument: { uri }, position, newName }) =>
    ask('rename', uri, { offset: position, name: newName }),
  );
  connection.onDocumentSymbol(({ textDocument: { uri } }) => ask('outline', uri));
  connection.onFoldingRanges(({ textDocument: { uri } }) => ask('folds', uri));
  connection.onDocumentFormatting(({ textDocument: { uri } }) => ask('formatting', uri));
  connection.onCodeLens(({ textDocument: { uri } }) => ask('lenses', uri));
  connection.languages.semanticTokens.on(
    async ({ textDocument: { uri } }) => (await ask('tokens', uri)) ?? { data: [] },
  );
  connection.onShutdown(() => {
    for (const thread of Object.values(threads)) thread.end();
  });
  documents.listen(connection);
  connection.listen();
}

/** An error outside of the answers of a thread ends the server, which editors begin anew. */
function failed(error: Error): never {
  throw error;
}

/** The threads with the documents. */
type Threads = Readonly<Record<Purpose, CompilerThread>>;

/** Checks each document after it changed. While one is checked, further changes wait, and only the last of them counts. */
class Checks {
  private readonly connection: Connection;
  private readonly documents: TextDocuments<TextDocument>;
  private readonly threads: Threads;
  /** The version of each document that a thread has. */
  private readonly sent = { checking: new Map<string, number>(), trying: new Map<string, number>() };
  private readonly checking = new Set<string>();

  constructor(connection: Connection, documents: TextDocuments<TextDocument>, threads: Threads) {
    this.connection = connection;
    this.documents = documents;
    this.threads = threads;
  }

  changed({ uri }: TextDocument): void {
    if (!this.checking.has(uri)) void this.check(uri);
  }

  closed(uri: string): void {
    for (const one of ['checking', 'trying'] as const) {
      this.sent[one].delete(uri);
      this.threads[one].tell({ do: 'close', uri });
    }
    void this.connection.sendDiagnostics({ uri, diagnostics: [] });
  }

  /** Asks something of the document as it is now. */
  async ask<F extends Feature>(feature: F, uri: string, where: Where): Promise<ResultOf<F> | null> {
    const thread = purposeOf(feature);
    this.send(uri, thread);
    try {
      return (await this.threads[thread].ask(feature, uri, where)) as ResultOf<F> | null;
    } catch (error) {
      if (!(error instanceof ThreadError)) throw error;
      throw new ResponseError(error.isRefused ? LSPErrorCodes.RequestFailed : ErrorCodes.InternalError, error.message);
    }
  }

  /** Sends findings until those of the last version are sent. */
  private async check(uri: string): Promise<void> {
    this.checking.add(uri);
    try {
      for (let checked = -1; ; ) {
        const version = this.documents.get(uri)?.version;
        if (version === undefined || version === checked) break;
        const diagnostics = await this.ask('diagnostics', uri, {});
        checked = version;
        if (diagnostics && this.documents.get(uri))
          await this.connection.sendDiagnostics({ uri, version, diagnostics });
      }
    } catch (error) {
      this.connection.console.error(`The document could not be checked: ${(error as Error).message}`);
    } finally {
      this.checking.delete(uri);
    }
  }

  /** Brings a thread to the text that the editor has. */
  private send(uri: string, thread: Purpose): void {
    const document = this.documents.get(uri);
    if (!document || this.sent[thread].get(uri) === document.version) return;
    this.sent[thread].set(uri, document.version);
    this.threads[thread].tell({ do: 'change', uri, text: document.getText() });
  }
}
