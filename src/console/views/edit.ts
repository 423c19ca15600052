import type { CodeAction, CompletionItem, Diagnostic, Hover, Range } from 'vscode-languageserver/node';
import type { Where } from '../../lsp/analyses.ts';
import { ThreadError } from '../../lsp/thread.ts';
import type { RequestBody } from '../body.ts';
import { type ConsoleService, planOf } from '../console-service.ts';
import type { DocumentEditing, EditGiven, EditOptions } from '../editing.ts';
import { ConsoleError } from '../problem.ts';
import type {
  Completion,
  CompletionsAnswer,
  EditAnswer,
  EditPreviewAnswer,
  FindingsAnswer,
  FixesAnswer,
  HoverAnswer,
  SavedAnswer,
  TextEdit,
  TextFinding,
} from '../protocol.ts';
import type { Route } from '../route.ts';

/** The longest body with a text, in bytes. */
const MOST_BYTES = 8_000_000;

/** Edits of the document, which `serve --edit` allows. */
export function editViews(served: ConsoleService): Route[] {
  const editing = (): DocumentEditing => {
    if (served.editing) return served.editing;
    throw new ConsoleError('not found', 'The document can be edited here when the service runs with --edit.');
  };
  const preview = (began: string | null): EditPreviewAnswer => {
    const { preview: last } = editing();
    return { preview: began === null || last?.began === began ? last : null };
  };
  return [
    { method: 'GET', path: '/edit', answer: (): EditAnswer => editing().read() },
    ...analysisRoutes(editing),
    { method: 'GET', path: '/edit/preview', answer: ({ query }) => preview(query.get('began')) },
    {
      method: 'POST',
      path: '/edit/preview',
      ...READING,
      answer: ({ body }) => {
        editing().beginPreview(body.text('text'), optionsOf(body), planOf(served));
        return preview(null);
      },
    },
    {
      method: 'POST',
      path: '/edit/save',
      most: MOST_BYTES,
      about: lossesIn,
      answer: ({ body, ifMatch }): Promise<SavedAnswer> =>
        editing().save(body.text('text'), mustMatch(ifMatch), givenIn(body)),
    },
    {
      method: 'POST',
      path: '/edit/serve',
      about: lossesIn,
      answer: ({ body, ifMatch }): Promise<SavedAnswer> => editing().serveAgain(mustMatch(ifMatch), givenIn(body)),
    },
  ];
}

/** A character behind the last one of every line. */
const LINE_END = 2 ** 31 - 1;

/** A request with a text that changes nothing. */
const READING = { most: MOST_BYTES, reads: true } as const;

/** The questions about a text, which the features of the language server answer. */
function analysisRoutes(editing: () => DocumentEditing): Route[] {
  return [
    {
      method: 'POST',
      path: '/edit/findings',
      ...READING,
      answer: ({ body, signal }) =>
        asked(async (): Promise<FindingsAnswer> => {
          const found = await editing().analyses.ask('diagnostics', body.text('text'), {}, signal);
          return { findings: (found ?? []).map(findingOf) };
        }),
    },
    {
      method: 'POST',
      path: '/edit/fixes',
      ...READING,
      answer: ({ body, signal }) =>
        asked(async (): Promise<FixesAnswer> => {
          const { analyses } = editing();
          const line = body.count('line');
          const range: Range = { start: { line, character: 0 }, end: { line, character: LINE_END } };
          const actions = await analyses.ask('actions', body.text('text'), { range }, signal);
          return { fixes: (actions ?? []).map((one) => fixOf(one, analyses.address)) };
        }),
    },
    {
      method: 'POST',
      path: '/edit/completions',
      ...READING,
      answer: ({ body, signal }) =>
        asked(async (): Promise<CompletionsAnswer> => {
          const items = await editing().analyses.ask('completion', body.text('text'), placeIn(body), signal);
          return { completions: (items ?? []).flatMap(completionOf) };
        }),
    },
    {
      method: 'POST',
      path: '/edit/hover',
      ...READING,
      answer: ({ body, signal }) =>
        asked(async (): Promise<HoverAnswer> => {
          return { text: hoverText(await editing().analyses.ask('hover', body.text('text'), placeIn(body), signal)) };
        }),
    },
  ];
}

/** Answers a question, unless the text takes too much time or memory. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ThreadError)
      throw new ConsoleError('unavailable', `The text was not compiled. ${error.message}`);
    throw error;
  }
}

const placeIn = (body: RequestBody): Where => ({
  offset: { line: body.count('line'), character: body.count('character') },
});

// Numbers of the Language Server Protocol, whose library the service need not load.
const SEVERITIES: Readonly<Record<number, TextFinding['severity']>> = { 1: 'error', 2: 'question', 3: 'notice' };
const KINDS: Readonly<Record<number, Completion['kind']>> = {
  3: 'function',
  6: 'name',
  9: 'part',
  10: 'property',
  14: 'keyword',
};

function findingOf({ range, severity, code, message }: Diagnostic): TextFinding {
  const text = messageOf(message);
  return { span: range, severity: SEVERITIES[severity ?? 3] ?? 'notice', code: String(code ?? ''), ...text };
}

/** The message of a diagnostic, and the reason, which is on the lines below. */
function messageOf(message: Diagnostic['message']): Pick<TextFinding, 'message' | 'why'> {
  const text = typeof message === 'string' ? message : message.value;
  const end = text.indexOf('\n');
  return end < 0 ? { message: text, why: '' } : { message: text.slice(0, end), why: text.slice(end + 1).trim() };
}

const fixOf = ({ title, diagnostics = [], edit }: CodeAction, address: string): FixesAnswer['fixes'][number] => ({
  title,
  mends: diagnostics.map(({ code, message }) => ({ code: String(code ?? ''), message: messageOf(message).message })),
  edits: (edit?.changes?.[address] ?? []).map(({ range, newText }): TextEdit => ({ span: range, text: newText })),
});

function completionOf({ label, kind, textEdit }: CompletionItem): Completion[] {
  if (!textEdit || !('range' in textEdit)) return [];
  const edit: TextEdit = { span: textEdit.range, text: textEdit.newText };
  return [{ label, kind: KINDS[kind ?? 14] ?? 'keyword', edit }];
}

function hoverText(hover: Hover | null): string | null {
  const contents = hover?.contents;
  return contents && typeof contents === 'object' && 'value' in contents ? contents.value : null;
}

/** The entity tag that the file must have. */
function mustMatch(ifMatch: string | null): string {
  if (ifMatch !== null) return ifMatch;
  throw new ConsoleError('wrong use', 'The header If-Match has to name the entity tag of the file that was edited.', {
    status: 428,
  });
}

const givenIn = (body: RequestBody): EditGiven => ({
  confirmed: body.optionalTexts('confirmed') ?? [],
  answers: optionsOf(body),
});

/** The changes of rows that an operator has confirmed or accepted. */
function lossesIn(body: RequestBody): string {
  const { confirmed, answers } = givenIn(body);
  return [...confirmed, ...(answers.accept ?? [])].join('; ');
}

const OPTIONS = ['accept', 'rename', 'fill', 'replace'] as const;

/** The options in `answers`, each as on the command line: `--fill Order.channel=web`. */
function optionsOf(body: RequestBody): EditOptions {
  const options: Record<(typeof OPTIONS)[number], string[]> = { accept: [], rename: [], fill: [], replace: [] };
  for (const line of body.optionalTexts('answers') ?? []) {
    const [, name, value] = /^\s*--(\w+)[ =](.+)$/.exec(line) ?? [];
    const option = OPTIONS.find((one) => one === name);
    if (!option || value === undefined)
      throw new ConsoleError(
        'wrong use',
        `“${line}” is not an option of a migration. The options are ${OPTIONS.map((one) => `--${one}`).join(', ')}, such as --fill Order.channel=web.`,
      );
    options[option].push(unquoted(value.trim()));
  }
  return options;
}

/** A value without the quotes that a shell would remove. */
const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
