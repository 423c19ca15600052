import type { Finding } from '../../syntax/diagnostic.ts';
import { acts } from '../../text/visible.ts';
import { type Compiled, compile } from '../compile.ts';
import { isOfItem } from '../document/messages.ts';
import { Candidates, type OwnText } from './candidates.ts';
import { broughtErrors, edited, isGone } from './edits.ts';
import type { Edit } from './sites.ts';

/** The place where a text of one's own answers a finding: the text stands between `before` and `after`. */
export interface AnswerPlace extends Edit {
  readonly form: OwnText['form'];
  readonly before: string;
  readonly after: string;
}

/**
 * A document with a text of one's own as the answer to a finding, and the edit; or why the text is refused. `error`: the
 * text brings errors, which are of the refused document `after`; errors that the document had before, and that the answer
 * only reveals, do not count. `unanswered`: the finding remains. `breaks`: statements elsewhere are no longer understood.
 * `placeless`: the text has no place. `invisible`: the text has a character that does not show.
 */
export type OwnAnswer =
  | { readonly refused: null; readonly edit: Edit; readonly after: Compiled }
  | { readonly refused: 'error'; readonly errors: readonly Finding[]; readonly after: Compiled }
  | { readonly refused: 'unanswered' | 'breaks' | 'placeless' | 'invisible' };

/** The most places that are tried: the document is compiled with each. */
const MOST = 24;

/** A character that no document of the language has: an edit is made with it, so that the place of the text is found. */
const PLACEHOLDER = '\uFDD0';

/** Where a text of one's own answers a finding; null where only whole statements have a place, or none. */
export function answerPlace(compiled: Compiled, finding: Finding): AnswerPlace | null {
  const own = formed(finding, PLACEHOLDER);
  const [edit] = own && finding.span ? new Candidates(compiled).puttingOwn(finding, finding.span, own) : [];
  const at = edit?.text.indexOf(PLACEHOLDER) ?? -1;
  if (!own || !edit || at < 0) return null;
  const before = edit.text.slice(0, at);
  return { ...edit, form: own.form, before, after: edit.text.slice(at + 1) };
}

/**
 * Puts a text where the answer to a finding belongs: the value of a bullet, a cell, a row, a step, a heading; or one or
 * more whole statements, as a document has them. Refuses a text that does not answer, or that is not understood.
 */
export function ownAnswer(compiled: Compiled, finding: Finding, typed: string): OwnAnswer {
  const text = typed.replace(/\r\n?/g, '\n').replaceAll('\t', ' ').trim();
  if (acts(text.replaceAll('\n', ''))) return { refused: 'invisible' };
  const own = text === '' ? null : formed(finding, text);
  const edits = own && finding.span ? new Candidates(compiled).puttingOwn(finding, finding.span, own) : [];
  let refused: OwnAnswer = { refused: 'placeless' };
  for (const [i, edit] of edits.slice(0, MOST).entries()) {
    const answer = judged(compiled, finding, edit);
    if (answer.refused === null) return answer;
    if (i === 0) refused = answer;
  }
  return refused;
}

function judged(compiled: Compiled, finding: Finding, edit: Edit): OwnAnswer {
  const after = compile(compiled.name, edited(compiled.lines.text, edit));
  const errors = broughtErrors(compiled, after, edit);
  if (errors.length > 0) return { refused: 'error', errors, after };
  if (!isGone(finding, compiled, after)) return { refused: 'unanswered' };
  return breaks(compiled, after, edit) ? { refused: 'breaks' } : { refused: null, edit, after };
}

/** Whether a word outside an edit was understood before, and no longer is. */
function breaks(before: Compiled, after: Compiled, { from, to, text }: Edit): boolean {
  const shift = text.length - (to - from);
  const left = new Set(after.marks.map((mark) => `${mark.from} ${mark.to}`));
  return before.marks.some((mark) => {
    if (mark.to <= from) return !left.has(`${mark.from} ${mark.to}`);
    return mark.from >= to && !left.has(`${mark.from + shift} ${mark.to + shift}`);
  });
}

/** A whole statement, by its first characters. */
const WHOLE: ReadonlyArray<readonly [RegExp, OwnText['form']]> = [
  [/^#{1,6} /, 'heading'],
  [/^- [^:\n]+:/, 'bullet'],
  [/^\|/, 'row'],
  [/^\d{1,9}\. /, 'step'],
];

/** A text in the form of the answer to a finding; null where the text can have none. */
function formed(finding: Finding, text: string): OwnText | null {
  const whole = WHOLE.find(([pattern]) => pattern.test(text))?.[1];
  if (whole) return { form: whole, text: whole === 'step' ? stopped(text.replace(/^\d+/, '1')) : text };
  if (text.includes('\n')) return null;
  const { puts, asks, suggestion } = finding;
  if (typeof puts === 'object') return { form: 'cell', text };
  if (suggestion?.startsWith('#')) return headingOf(suggestion, text);
  switch (asks?.kind) {
    case 'bullet':
      return { form: 'bullet', text: `- ${asks.name}: ${text}` };
    case 'row':
      return rowOf(finding, text);
    case 'step':
      return { form: 'step', text: stopped(`1. ${text}`) };
  }
  if (puts === 'below') return { form: 'step', text: stopped(`1. ${text}`) };
  if (puts === 'end') return { form: 'end', text: afterComma(suggestion ?? '', text) };
  return puts === 'here' && !isOfItem(finding) ? { form: 'here', text } : null;
}

/** A step ends with a full stop, and one with steps below it with a colon. */
const stopped = (text: string): string => (/[.:]$/.test(text) ? text : `${text}.`);

/** A heading like the suggested one: of its level, and in inline code if the suggestion is. */
function headingOf(suggestion: string, text: string): OwnText | null {
  const [, level = '', code = ''] = /^(#+ )(`?)[^,]*$/.exec(suggestion) ?? [];
  if (level === '') return null;
  const quotes = text.startsWith('`') ? '' : code;
  return { form: 'heading', text: `${level}${quotes}${text}${quotes}` };
}

/** A row of cells; for a limit, the value alone will do. */
function rowOf({ part, suggestion }: Finding, text: string): OwnText | null {
  if (/(?<!\\)\|/.test(text)) return { form: 'row', text: `| ${text} |` };
  const [limit, , applies] = (suggestion ?? '').slice(2, -2).split(' | ');
  return part === 'limits' && applies ? { form: 'row', text: `| ${limit} | ${text} | ${applies} |` } : null;
}

/** A text that goes on with a statement, as the suggestion does; of `, else code`, the code alone will do. */
function afterComma(suggestion: string, text: string): string {
  if (text.startsWith(',')) return text;
  const [start = ', '] = /^, else (?=\w+$)/.exec(suggestion) ?? [];
  return text.startsWith('else ') ? `, ${text}` : start + text;
}

/** The forms that an answer may have. */
interface LegalForms {
  /** Samples of the value or cell for which the finding asks: at least one has every part that such a text can have. */
  readonly samples: readonly string[];
  /** The columns of each table of the part. */
  readonly tables: ReadonlyArray<readonly string[]>;
}

export function legalForms(compiled: Compiled, finding: Finding): LegalForms {
  const candidates = new Candidates(compiled);
  const samples = finding.span ? candidates.formsOf(finding, finding.span) : [];
  return { samples, tables: candidates.tablesOfPart(finding) };
}
