import { type Compiled, compile } from '../../compiler/compile.ts';
import { broughtErrors, edited, editsOf } from '../../compiler/edits/edits.ts';
import { type OwnAnswer, ownAnswer } from '../../compiler/edits/own-answers.ts';
import type { Edit } from '../../compiler/edits/sites.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Documents } from './host.ts';
import { clipped } from './pages.ts';
import { changeOf, findingOf, openReport, versionOf } from './questions.ts';
import { Refusal } from './refusal.ts';

/** The arguments of `apply`: a choice or a text for a question, an edit, a replacement, or a new document. */
export interface ApplyArguments {
  readonly file: string;
  readonly version?: string;
  readonly question?: string;
  readonly choice?: number;
  readonly text?: string;
  readonly edit?: Edit;
  readonly replace?: { readonly old: string; readonly text: string };
  readonly begin?: boolean;
}

/** Changes a document, unless that brings an error. Returns what changed, and the next question. */
export function applyTo(documents: Documents, args: ApplyArguments): Readonly<Record<string, unknown>> {
  mustBeOneAnswer(args);
  const { file } = args;
  if (args.begin) {
    documents.begin(file);
    return { changed: { line: 1, adds: ['the empty form'] }, ...openReport(documents.open(file).compiled, 0, 1) };
  }
  const document = documents.open(file);
  const before = document.compiled;
  mustBeCurrent(before, args);
  const finding = args.question === undefined ? null : findingOf(before, args.question);
  const edit = finding ? answerOf(before, finding, args) : editOf(before, args);
  const after = compile(file, edited(before.lines.text, edit));
  const errors = finding ? [] : broughtErrors(before, after, edit);
  if (errors.length > 0) throw bringing(errors, after);
  document.write(edit, after);
  return { changed: changeOf(before.lines.text, edit), ...openReport(after, 0, 1) };
}

function mustBeOneAnswer({ question, choice, text, edit, replace, begin }: ApplyArguments): void {
  const answers = (choice === undefined ? 0 : 1) + (text === undefined ? 0 : 1);
  const others = [edit, replace, begin || undefined].filter((one) => one !== undefined).length;
  const isAnswer = question !== undefined && answers === 1 && others === 0;
  if (isAnswer || (question === undefined && answers === 0 && others === 1)) return;
  throw new Refusal(
    'Give one of: question with choice, question with text, edit, replace, or begin: true. next_questions lists questions and choices.',
  );
}

/** A choice and the places of an edit hold for the version that they were read from. */
function mustBeCurrent({ lines }: Compiled, { version, choice, edit }: ApplyArguments): void {
  const now = versionOf(lines.text);
  if (version === now) return;
  if (version !== undefined)
    throw new Refusal(
      `The document has changed since version ${clipped(version, 40)}: it is now ${now}. Read next_questions again.`,
    );
  if (choice !== undefined || edit !== undefined)
    throw new Refusal('choice and edit need version: the one that next_questions or apply gave with them.');
}

function answerOf(compiled: Compiled, finding: Finding, { choice, text = '' }: ApplyArguments): Edit {
  if (choice === undefined) return ownEdit(compiled, finding, text);
  const edits = editsOf(compiled, finding);
  const edit = edits[choice - 1];
  if (edit) return edit;
  throw new Refusal(
    edits.length === 0
      ? 'This question has no choices. Answer it with a text of your own.'
      : `This question has the choices 1 to ${edits.length}.`,
  );
}

/** The edit that puts a text where it answers a question. */
function ownEdit(compiled: Compiled, finding: Finding, text: string): Edit {
  const answer = ownAnswer(compiled, finding, text);
  if (answer.refused === null) return answer.edit;
  if (answer.refused === 'error') throw bringing(answer.errors, answer.after);
  const { message, suggestion } = finding;
  const example = suggestion === null ? '' : ` Write, for example: ${suggestion}`;
  throw new Refusal(`${WHY_REFUSED[answer.refused]} Nothing has changed. The question: ${clipped(message)}${example}`);
}

const WHY_REFUSED: Readonly<Record<Exclude<OwnAnswer['refused'], 'error' | null>, string>> = {
  unanswered: 'The text does not answer the question.',
  breaks: 'With the text, statements elsewhere are no longer understood.',
  placeless:
    'The text has no place as an answer to the question. Write whole statements: bullets, rows, steps, or a heading with its section; or use replace.',
  invisible: 'The text has a character that does not show.',
};

function editOf({ lines }: Compiled, { edit, replace }: ApplyArguments): Edit {
  const { text } = lines;
  if (edit) {
    if (edit.from <= edit.to && edit.to <= text.length) return edit;
    throw new Refusal(`An edit is from one offset to a later one, and the document has ${text.length} characters.`);
  }
  const { old = '', text: by = '' } = replace ?? {};
  const from = text.indexOf(old);
  if (old === '' || from < 0)
    throw new Refusal('The document does not have the text “old”. It is compared character by character.');
  if (text.includes(old, from + 1))
    throw new Refusal('The document has the text “old” more than once. Give more of the lines around it.');
  return { from, to: from + old.length, text: by };
}

/** The most errors that a refusal lists. */
const MOST_ERRORS = 5;

/** The refusal of a change that brings errors. */
function bringing(errors: readonly Finding[], after: Compiled): Refusal {
  const listed = errors.slice(0, MOST_ERRORS).map(({ code, span, message, suggestion }) => {
    const line = after.lines.position(span?.from ?? 0).line;
    const shown = clipped(after.lines.line(line), 160);
    const write = suggestion === null ? '' : `\n  write: ${clipped(suggestion)}`;
    return `${code}: ${clipped(message)}\n  in: ${shown}${write}`;
  });
  const more = errors.length > listed.length ? `\nAnd ${errors.length - listed.length} more.` : '';
  return new Refusal(`Nothing has changed, because the answer would bring an error.\n${listed.join('\n')}${more}`);
}
