import { type PartItem, partAndItem } from '../../plan/parts.ts';
import type { Span } from '../../syntax/span.ts';
import type { AbsenceSentence } from '../statements/model.ts';
import type { Edit } from './sites.ts';

/** Takes an item out of the sentences of a part that leave it open, such as `States and transitions: not shown.` */
export class OpenSentences {
  private readonly source: string;
  /** Each sentence of the part, with the items that it leaves open. */
  private readonly sentences: ReadonlyArray<Span & { readonly items: readonly string[] }>;
  private readonly item: string;

  /** `asked`: the item that a question asks for. */
  constructor(source: string, absences: readonly AbsenceSentence[], asked: PartItem) {
    const [part, item] = partAndItem(asked);
    this.source = source;
    this.item = item;
    const open = absences.filter((one) => one.part === part && one.state === 'not shown');
    const starts = [...new Set(open.map(({ span }) => span.from))];
    this.sentences = starts.map((from) => {
      const all = open.filter(({ span }) => span.from === from);
      return { from, to: all[0]!.span.to, items: all.map((one) => one.item) };
    });
  }

  /** Whether a sentence leaves the item open. */
  get isOpen(): boolean {
    return this.sentences.some(({ items }) => items.includes(this.item));
  }

  /**
   * The edits that may state the item in place of the sentences: one leaves the other items open; the other does not, for
   * an answer that says something of each.
   */
  stating(answer: Edit): Edit[] {
    return [this.sentences.map((one) => this.without(one)), this.sentences.map((one) => this.gone(one))].map((edits) =>
      joined(this.source, [...edits.filter(({ from, to, text }) => text !== this.source.slice(from, to)), answer]),
    );
  }

  /** The edits that may say that there is no such thing: of the item alone, or of the whole part. */
  none(): Edit[] {
    const own = this.sentences.find(({ items }) => items.includes(this.item));
    if (!own) return [];
    const text = `${capital(this.item)}: none.`;
    const rest = this.without(own);
    const some = { ...own, text: rest.text === GONE ? text : `${text} ${rest.text}` };
    const others = this.sentences.filter((one) => one !== own).map((one) => this.gone(one));
    return [some, joined(this.source, [{ from: own.from, to: own.to, text }, ...others])].map(({ from, to, text }) => ({
      from,
      to,
      text,
    }));
  }

  /** A sentence without the item. */
  private without(sentence: Span & { readonly items: readonly string[] }): Edit {
    const left = sentence.items.filter((one) => one !== this.item);
    if (left.length === sentence.items.length)
      return { from: sentence.from, to: sentence.to, text: this.source.slice(sentence.from, sentence.to) };
    if (left.length === 0) return this.gone(sentence);
    const [last = ''] = left.slice(-1);
    const names = left.length === 1 ? last : `${left.slice(0, -1).join(', ')} and ${last}`;
    return { from: sentence.from, to: sentence.to, text: `${capital(names)}: not shown.` };
  }

  /** A sentence taken away, with the space after it. */
  private gone({ from, to }: Span): Edit {
    const space = /^[ \t]*/.exec(this.source.slice(to))?.[0].length ?? 0;
    return { from, to: to + space, text: GONE };
  }
}

/** A character that no document of the language has: it marks where a sentence is taken away. */
const GONE = '\uFDD1';
/** A paragraph of which nothing is left, with the blank lines around it; at the end of the document, with its last line. */
const EMPTY = /(\n[ \t]*\n)(?:[ \t]*\uFDD1)+[ \t]*\n[ \t]*\n/g;
const EMPTY_AT_END = /(\n)[ \t]*\n(?:[ \t]*\uFDD1)+[ \t]*\n$/;

/** An edit that leaves one blank line, and not three, where it takes a whole paragraph away. */
function tidied(source: string, { from, to, text }: Edit): Edit {
  if (!text.includes(GONE)) return { from, to, text };
  const before = /\n[ \t]*\n$/.exec(source.slice(Math.max(0, from - 8), from))?.[0] ?? '';
  const after = /^[ \t]*\n(?:[ \t]*\n)?/.exec(source.slice(to, to + 8))?.[0] ?? '';
  const isLast = to + after.length === source.length;
  const whole = (before + text + after).replace(EMPTY, '$1').replace(isLast ? EMPTY_AT_END : EMPTY, '$1');
  const left = whole.replaceAll(GONE, '');
  const [start, end] = [left.startsWith(before) ? before.length : 0, left.endsWith(after) ? after.length : 0];
  if (start + end > left.length) return { from: from - before.length, to: to + after.length, text: left };
  return {
    from: from - before.length + start,
    to: to + after.length - end,
    text: left.slice(start, left.length - end),
  };
}

/** Several edits as one, which covers all of them. */
function joined(source: string, edits: readonly Edit[]): Edit {
  const [first, ...others] = [...edits].sort((a, b) => a.from - b.from || a.to - b.to);
  const one = others.reduce(
    (all, next) => ({ from: all.from, to: next.to, text: all.text + source.slice(all.to, next.from) + next.text }),
    first!,
  );
  return tidied(source, one);
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
