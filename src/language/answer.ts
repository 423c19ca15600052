import { TEXT_TYPES, type TextType } from '../plan/media-types.ts';
import { isSuccess } from '../plan/status.ts';
import type { DescriptionContent, DescriptionFormat } from '../plan/step.ts';
import { catalogue } from '../syntax/diagnostic.ts';
import { type Located, type Name, refuseNested, refuseRepeats, takeName, takeNames } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Span } from '../syntax/span.ts';
import type { Token } from '../syntax/tokens.ts';
import { nearest } from '../text/suggest.ts';
import { type Assignment, assignments, VALUE } from './assignments.ts';
import { code, type Grammar } from './grammar.ts';
import { joined } from './written.ts';

/** Findings about values that are understood but not allowed. */
const VALUES = catalogue('endpoints', {
  answerStatus: {
    severity: 'error',
    what: (p) =>
      `${p.status} is not the status of a success or a redirect.${p.because} Answer takes 200 to 299, 301, 302, 303, 307 and 308.`,
    why: 'A refusal is an error with a code, under Errors.',
    write: (p) => (/^3/.test(p.status ?? '') ? '303' : '200'),
  },
  textType: {
    severity: 'error',
    what: (p) => `An answer cannot have the type ${p.found}. Text takes ${p.all}.`,
    why: 'Browsers run what other types hold, such as scripts in HTML, and JSON needs no words here.',
    write: () => 'text/plain',
  },
});
export const ANSWER_VALUES = VALUES.entries;

/** Why an Answer has none of the other statuses from 300 to 399. */
const NOT_ANSWERED: Readonly<Record<number, string>> = {
  300: ' 300 offers a choice of addresses, which an Answer cannot describe.',
  304: ' The service answers 304 where “Conditional requests” says so.',
  305: ' HTTP no longer has 305.',
  306: ' HTTP no longer has 306.',
};

/** ``author: `article.author` as Profile``: a member of an answer, and the view in which its rows are shown. */
interface Member extends Assignment {
  readonly as: Name | null;
}

/** `the stream`, `the stream of order.opened, order.placed` */
export interface Streamed extends Span {
  readonly events: readonly Name[];
}

/** ``customer.name titled `Customer` ``: a column of CSV, by the names in the shown form of a row. */
export interface Column {
  readonly name: Name;
  readonly title: Token | null;
}

/** `CSV (RFC 4180), columns id, total, header present, formulas escaped`; null for what is not stated. */
export interface Csv extends Span {
  readonly kind: 'CSV';
  readonly columns: readonly Column[];
  readonly header: 'present' | 'absent' | null;
  readonly formulas: 'escaped' | 'kept' | null;
}

/** ``file, attachment named `row.name`, ranges served``; null for what is not stated. */
export interface FileForm extends Span {
  readonly kind: 'file';
  readonly disposition: 'attachment' | 'inline' | null;
  /** The expression of the name; `none` for `without a name`. */
  readonly name: Token | 'none' | null;
  readonly ranges: 'served' | 'ignored' | null;
}

/** `text/plain`, `NDJSON`, `CSV (RFC 4180), …`, `file, …` */
export type Form =
  | (Span & { readonly kind: 'text'; readonly mediaType: TextType })
  | (Span & { readonly kind: 'NDJSON' })
  | FileForm
  | Csv;

interface Answer {
  readonly status: Located<number>;
  readonly body: Token | null;
  /** The stream of events, and the names of its events; without names, all events that are notified by stream. */
  readonly stream: Streamed | null;
  /** The description of the service that the answer has: only the bullet `Description` says so. */
  readonly description: { readonly format: DescriptionFormat; readonly content: DescriptionContent | null } | null;
  /** The view in which the rows of the body are shown; null for their own form. */
  readonly view: Name | null;
  /** The form of a body that is not JSON; null for JSON. */
  readonly form: Form | null;
  /** The members of the body; beside `body`, further members after those of the row. */
  readonly members: readonly Member[];
  readonly headers: readonly Assignment[];
}

const BODY = code('expression', 'what to answer', 'row');

/** ``Location `e`, ETag `e` `` */
const HEADERS = assignments((phrase) => {
  const token = phrase.word('word', 'the name of a header, such as Location, ETag or Content-Disposition');
  return token && { text: token.text, from: token.from, to: token.to };
}, 'Name');

const STREAM = 'the stream';
const BODY_FORMS =
  'a row or an expression in inline code, the name of a member with “:” and an expression, “the stream”, or “header”';

const FURTHER_FORMS = 'the name of a member, or “header”';

type Content = Pick<Answer, 'body' | 'view' | 'form' | 'stream' | 'members'>;
const NOTHING: Content = { body: null, view: null, form: null, stream: null, members: [] };

/** ``200 with `row` and header Name `e` ``: a body where its status has one, of what can be shown, and headers. */
export const ANSWER: Grammar<Answer> = {
  read: (phrase) => {
    const at = phrase.peek();
    const number = phrase.integer('a status code');
    if (number === null || !at) return undefined;
    const status: Located<number> = { value: number, from: at.from, to: at.to };
    if (number < 200 || !isSuccess(number)) {
      const because = NOT_ANSWERED[number] ?? '';
      phrase.findings.push(VALUES.report.answerStatus(at, { status: `${number}`, because }));
    }
    let content: Content = NOTHING;
    let headers: readonly Assignment[] = [];
    if (phrase.take('with')) {
      const [the, named] = [phrase.peek(), phrase.peek(1)];
      if (the && named && phrase.take(STREAM)) content = { ...NOTHING, stream: readStreamed(phrase, the, named) };
      else if (phrase.peek()?.kind === 'code') content = readRow(phrase);
      else if (!phrase.take('header')) content = { ...NOTHING, members: readMembers(phrase) };
      else headers = HEADERS.read(phrase) ?? [];
      if (phrase.take('and header')) headers = [...headers, ...(HEADERS.read(phrase) ?? [])];
    }
    const members = content.members.map(({ field }) => field);
    refuseRepeats(members, phrase.findings);
    refuseNested(members, phrase.findings);
    return phrase.failed ? undefined : { status, ...content, description: null, headers };
  },
  print: ({ status, headers, ...content }) => {
    const parts = [printContent(content), headers.length > 0 ? `header ${HEADERS.print(headers)}` : ''];
    const after = parts.filter((part) => part !== '').join(' and ');
    return joined([String(status.value), after && `with ${after}`]);
  },
  writes: (given) => typeof given === 'object' && given !== null && 'status' in given,
  samples: ['200 with `row` and header Name `value`', '200 with `row` and name `value`'],
};

/** `as Profile`, `as text/plain`, `as NDJSON`, `as Profile, as NDJSON` */
function readForm(phrase: Phrase): Pick<Answer, 'view' | 'form'> {
  if (!phrase.take('as')) return { view: null, form: null };
  if (phrase.peek()?.text.includes('/')) return { view: null, form: readText(phrase) };
  const at = phrase.peek();
  if (at?.text === 'file' && phrase.take('file')) return { view: null, form: readFile(phrase, at.from) };
  const form = readRows(phrase);
  if (form) return { view: null, form };
  const view = takeName(
    phrase,
    'use',
    'a view, a type of text such as text/plain, “file”, “NDJSON” or “CSV (RFC 4180)”',
  );
  const isMore = phrase.take(', as');
  const rows = isMore ? readRows(phrase) : null;
  if (isMore && !rows) phrase.fail('“NDJSON” or “CSV (RFC 4180)”');
  return { view, form: rows };
}

/** `NDJSON`, ``CSV (RFC 4180), columns id, customer.name titled `Customer`, header present, formulas escaped`` */
function readRows(phrase: Phrase): Form | null {
  const from = phrase.peek()?.from ?? phrase.text.to;
  if (phrase.take('NDJSON')) return { kind: 'NDJSON', from, to: phrase.reached };
  if (phrase.peek()?.text !== 'CSV' || !phrase.expect('CSV (RFC 4180)')) return null;
  const { reached: to } = phrase;
  const columns: Column[] = [];
  let header: Csv['header'] = null;
  let formulas: Csv['formulas'] = null;
  if (!phrase.expect(', columns')) return null;
  do {
    const word = columns.length > 0 && phrase.peek(1)?.kind === 'word' ? phrase.peek()?.text : undefined;
    if (header === null && word === 'header' && phrase.expect('header')) header = phrase.choose(['present', 'absent']);
    else if (formulas === null && word === 'formulas' && phrase.expect('formulas'))
      formulas = phrase.choose(['escaped', 'kept']);
    else if (header ?? formulas)
      phrase.fail('“header present”, “header absent”, “formulas escaped” or “formulas kept”');
    else {
      const more = columns.length > 0 ? ', “header” or “formulas”' : '';
      const name = takeName(phrase, 'use', `a column: the name of a member of the shown row${more}`);
      if (!name) return null;
      // At the end of the statement, the word begins the part about the header: the phrase records which words may follow.
      if (columns.length > 0 && name.text === 'header' && header === null && phrase.take('present')) header = 'present';
      if (columns.length > 0 && name.text === 'header' && header === null && phrase.take('absent')) header = 'absent';
      columns.push({ name, title: phrase.take('titled') ? phrase.code('value', 'a title in inline code') : null });
    }
  } while (!phrase.failed && phrase.mark(','));
  return { kind: 'CSV', columns, header, formulas, from, to };
}

/** ``, attachment named `row.name`, ranges served`` */
function readFile(phrase: Phrase, from: number): FileForm {
  let disposition: FileForm['disposition'] = null;
  let name: FileForm['name'] = null;
  let ranges: FileForm['ranges'] = null;
  while (!phrase.failed && phrase.mark(',')) {
    if (ranges === null && phrase.take('ranges')) ranges = phrase.choose(['served', 'ignored']);
    else if (disposition === null) {
      disposition = phrase.choose(['attachment', 'inline']);
      if (phrase.take('named')) name = BODY.read(phrase) ?? null;
      else if (phrase.take('without a name')) name = 'none';
    } else phrase.fail('“attachment”, “inline”, “ranges served” or “ranges ignored”');
  }
  return { kind: 'file', disposition, name, ranges, from, to: phrase.reached };
}

function printFile({ disposition, name, ranges }: FileForm): string {
  const named = name === null ? '' : name === 'none' ? ' without a name' : ` named ${BODY.print(name)}`;
  return ['file', ...(disposition ? [disposition + named] : []), ...(ranges ? [`ranges ${ranges}`] : [])].join(', ');
}

/** The words of a form. */
function printForm(form: Form): string {
  if (form.kind === 'file') return printFile(form);
  if (form.kind === 'text') return form.mediaType;
  if (form.kind === 'NDJSON') return 'NDJSON';
  const columns = form.columns.map(({ name, title }) => name.text + (title ? ` titled ${BODY.print(title)}` : ''));
  const last = [form.header && `header ${form.header}`, form.formulas && `formulas ${form.formulas}`];
  return ['CSV (RFC 4180)', `columns ${columns.join(', ')}`, ...last.filter((part) => part !== null)].join(', ');
}

/** `text/plain` */
function readText(phrase: Phrase): Form | null {
  const token = phrase.word('value', 'a type of text, such as text/plain');
  const mediaType = TEXT_TYPES.find((one) => one === token?.text);
  if (token && !mediaType)
    phrase.findings.push(VALUES.report.textType(token, { found: token.text, all: TEXT_TYPES.join(', ') }));
  return token && { kind: 'text', mediaType: mediaType ?? 'text/plain', from: token.from, to: token.to };
}

/** `the stream`, `the stream of order.opened, order.placed` */
const readStreamed = (phrase: Phrase, the: Span, named: Span): Streamed => ({
  from: the.from,
  to: named.to,
  events: phrase.take('of') ? takeNames(phrase, 'an event') : [],
});

/** `as Profile` */
const readView = (phrase: Phrase): Name | null => (phrase.take('as') ? takeName(phrase, 'use', 'a view') : null);

/** `` `user` as Profile and token `e`, seats `e` as Seat`` */
function readRow(phrase: Phrase): Content {
  const [body, form] = [BODY.read(phrase) ?? null, readForm(phrase)];
  const members: Member[] = [];
  if (phrase.peek(1)?.text !== 'header' && phrase.take('and')) {
    // A name without a value is no member: `header` may have been meant.
    if (phrase.peek(1)?.kind !== 'code' && nearest(phrase.peek()?.text ?? '', ['header'])) phrase.fail(FURTHER_FORMS);
    do {
      const field = takeName(phrase, 'declaration', FURTHER_FORMS);
      const value = field && VALUE.read(phrase);
      if (!field || !value) break;
      members.push({ field, value, as: readView(phrase) });
    } while (phrase.mark(','));
  }
  return { ...NOTHING, body, ...form, members };
}

/** ``open: `e`, units: `e` `` */
function readMembers(phrase: Phrase): Member[] {
  const out: Member[] = [];
  // A word without a colon is no member: `header` may have been meant.
  if (phrase.peek(1)?.text !== ':' && nearest(phrase.peek()?.text ?? '', ['header', 'the'])) phrase.fail(BODY_FORMS);
  do {
    const field = takeName(phrase, 'declaration', 'the name of a member');
    if (field && out.length === 0 && !phrase.take(':')) phrase.fail(BODY_FORMS);
    const colon = out.length === 0 || phrase.expect(':');
    const value = field && colon ? VALUE.read(phrase) : null;
    if (!field || !value) break;
    out.push({ field, value, as: readView(phrase) });
  } while (phrase.mark(','));
  return out;
}

const printView = (view: Name | null): string => (view ? ` as ${view.text}` : '');

function printContent({ body, view, form, stream, members }: Content): string {
  if (stream)
    return [STREAM, stream.events.map(({ text }) => text).join(', ')].filter((part) => part !== '').join(' of ');
  if (body) {
    const further = members.map(({ field, value, as }) => `${field.text} ${VALUE.print(value)}${printView(as)}`);
    const shape = printView(view) + (form ? `${view ? ',' : ''} as ${printForm(form)}` : '');
    return BODY.print(body) + shape + (further.length ? ` and ${further.join(', ')}` : '');
  }
  return members.map(({ field, value, as }) => `${field.text}: ${VALUE.print(value)}${printView(as)}`).join(', ');
}
