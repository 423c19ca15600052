import { type Compiled, compile } from '../compiler/compile.ts';
import { edited, editsOf, newErrors, sayingOf } from '../compiler/edits/edits.ts';
import { type AnswerPlace, answerPlace, type OwnAnswer, ownAnswer } from '../compiler/edits/own-answers.ts';
import { inAskingOrder } from '../compiler/edits/question-order.ts';
import type { Edit } from '../compiler/edits/sites.ts';
import { renderFinding, renderMore, renderSummary } from '../compiler/render.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import { counted } from '../text/units.ts';
import { oneLine, visible } from '../text/visible.ts';
import type { DocumentFile, Undo } from './document-file.ts';
import type { Io } from './io.ts';
import { changesText, keysText, ownText } from './question-text.ts';
import type { TypedLines } from './typed-lines.ts';

/** A finding that is being asked, with the answers that were tried, and the place of an answer of one's own. */
interface Question {
  readonly finding: Finding;
  readonly choices: readonly Edit[];
  readonly place: AnswerPlace | null;
}

/** The effect of a typed line: the same question again, the next one, or the end. */
type Next = 'again' | 'on' | 'end';

/** How many characters are compiled, about, to try the answers to a question: more would take many seconds. */
const MOST_COMPILED = 1_000_000;
/** An answer is written although the document has an error afterwards: an older statement does not fit it. */
const REVEALS =
  'Written. The answer reveals an error of another statement, which is asked next; b takes the answer back.';
/** The most open findings that are listed at the end. */
const MOST_LISTED = 10;

/** Asks the findings of a document until none is left, or all are skipped, or the person stops. */
export class Conversation {
  private readonly file: DocumentFile;
  private readonly lines: TypedLines;
  private readonly io: Io;
  private readonly skipped = new Set<string>();
  /** The answers and skips, in order, as what takes each back. */
  private readonly history: Undo[] = [];

  constructor(file: DocumentFile, lines: TypedLines, io: Io) {
    this.file = file;
    this.lines = lines;
    this.io = io;
  }

  /** Throws `ReadError` and `WriteError`. */
  async lead(): Promise<void> {
    if (this.file.compiled.findings.length > 0) this.io.out(`${keysText()}\n\n`);
    for (let next: Next = 'on'; next !== 'end'; ) {
      const finding = this.open()[0];
      if (!finding) break;
      const question = this.questionOf(finding);
      this.show(question);
      do next = await this.heard(question);
      while (next === 'again');
    }
    this.end();
  }

  /** The findings that are neither answered nor skipped. */
  private open(): Finding[] {
    return inAskingOrder(this.file.compiled).filter((finding) => !this.skipped.has(this.nameOf(finding)));
  }

  /** A name of a finding that stays the same while other questions are answered; with its line where others say the same. */
  private nameOf(finding: Finding): string {
    const { lines, findings } = this.file.compiled;
    const saying = sayingOf(finding);
    const isOne = findings.every((one) => one === finding || sayingOf(one) !== saying);
    return isOne || !finding.span ? saying : `${saying}\n${lines.line(lines.position(finding.span.from).line)}`;
  }

  private questionOf(finding: Finding): Question {
    const { compiled } = this.file;
    const most = Math.ceil(MOST_COMPILED / Math.max(1, compiled.lines.text.length));
    return { finding, choices: editsOf(compiled, finding, most), place: answerPlace(compiled, finding) };
  }

  private show({ finding, choices, place }: Question): void {
    const { compiled } = this.file;
    const done = this.history.length;
    const about = compiled.more === 'none' ? '' : 'about ';
    this.io.out(`${done + 1} of ${about}${done + this.open().length}\n`);
    this.io.out(`${renderFinding(compiled, { ...finding, suggestion: null }, this.io.color)}\n\n`);
    for (const [i, edit] of choices.entries())
      this.io.out(`${changesText(`${i + 1}`, compiled, edit, this.io.color)}\n`);
    this.io.out(`${ownText(finding, place, choices.length)}\n`);
  }

  /** Takes the next typed line as an answer to the question, or as a command. */
  private async heard(question: Question): Promise<Next> {
    const typed = await this.lines.next();
    if (typed === null) return 'end';
    if (this.file.refresh()) {
      this.io.out(`\n“${oneLine(this.file.compiled.name)}” has changed, and was read again. Nothing was written.\n\n`);
      return 'on';
    }
    if ('tooLong' in typed) return this.again('This text is too long for an answer. Write it in an editor.');
    const text = typed.text.trim();
    switch (text) {
      case '':
        return this.again(`Enter alone answers nothing. ${keysText()}`);
      case 'q':
        return 'end';
      case 's':
        return this.skip(question.finding);
      case 'b':
        return this.back();
      case '?':
        return await this.explain(question.finding);
    }
    if (/^\d+$/.test(text)) return this.choose(question, Number(text));
    return this.takeOwn(question.finding, text.replace(/^=/, ''));
  }

  private again(text: string): Next {
    this.io.out(`${text}\n`);
    return 'again';
  }

  private skip(finding: Finding): Next {
    const name = this.nameOf(finding);
    this.skipped.add(name);
    this.history.push(() => this.skipped.delete(name));
    this.io.out('\n');
    return 'on';
  }

  private back(): Next {
    const undo = this.history.at(-1);
    if (!undo) return this.again('This is the first question: no answer comes before it.');
    if (!undo())
      return this.again('The file has changed since the last answer, which stays. Take it out in an editor.');
    this.history.pop();
    this.io.out('\n');
    return 'on';
  }

  private async explain(finding: Finding): Promise<Next> {
    const { explanation } = await import('./explanation.ts');
    return this.again(`\n${explanation(this.file.compiled, finding)}\n`);
  }

  private choose({ choices, place }: Question, number: number): Next {
    const edit = choices[number - 1];
    if (edit) {
      const { name, lines } = this.file.compiled;
      return this.write(edit, compile(name, edited(lines.text, edit)));
    }
    const own = place ? ` If “${number}” is the text of your answer, type “=${number}”.` : '';
    const known =
      choices.length === 0 ? 'This question has no numbered answers.' : `The answers are 1 to ${choices.length}.`;
    return this.again(known + own);
  }

  private takeOwn(finding: Finding, text: string): Next {
    const { compiled } = this.file;
    const answer = ownAnswer(compiled, finding, text);
    if (answer.refused !== null) return this.again(this.refusalText(answer));
    this.io.out(`${changesText('', compiled, answer.edit, this.io.color)}\n`);
    return this.write(answer.edit, answer.after);
  }

  private refusalText(answer: Exclude<OwnAnswer, { refused: null }>): string {
    switch (answer.refused) {
      case 'error':
        return `\nWith this text:\n${renderFinding(answer.after, answer.errors[0]!, this.io.color)}\n\nNothing was written.`;
      case 'unanswered':
        return 'This text does not answer the question. Nothing was written; ? shows the forms of an answer.';
      case 'breaks':
        return 'With this text, other statements of the document would no longer be understood. Nothing was written.';
      case 'placeless':
        return 'Ninefold knows no place for this text. Write a whole statement, or write it in an editor and press Enter.';
      case 'invisible':
        return 'This text has a character that does not show. Nothing was written.';
    }
  }

  private write(edit: Edit, after: Compiled): Next {
    const reveals = newErrors(this.file.compiled, after).length > 0;
    this.history.push(this.file.write(edit, after));
    this.io.out(reveals ? `${REVEALS}\n\n` : 'Written.\n\n');
    return 'on';
  }

  /** Prints what is left, and the summary of `check`. */
  private end(): void {
    const { compiled } = this.file;
    const left = inAskingOrder(compiled);
    if (left.length > 0) this.io.out('\nLeft open:\n');
    for (const { span, message } of left.slice(0, MOST_LISTED)) {
      const { line } = compiled.lines.position(span?.from ?? 0);
      this.io.out(`  ${visible(compiled.name)}:${line}: ${oneLine(message).slice(0, 200)}\n`);
    }
    if (left.length > MOST_LISTED) this.io.out(`  and ${counted(left.length - MOST_LISTED, 'finding')} more\n`);
    const more = renderMore(compiled);
    if (more !== null) this.io.out(`${more}\n`);
    this.io.out(`${renderSummary(compiled, this.io.color)}\n`);
  }
}
