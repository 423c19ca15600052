import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import { putTogether, takeApart, valuesOf } from './codec.ts';

/** The first character of a packed text. A plain text with this character gets it twice. */
const PACKED = '\u0001';
const SEPARATOR = ':';
const RADIX = 36;

/** The most skeletons that are stored: documents with free-form values would have any number. */
const MOST_SKELETONS = 1000;
/** The longest text that is packed, in UTF-16 code units: a long one would take the time of many. */
const LONGEST_TEXT = 4000;
/** How often this process sees a skeleton before it stores it, and the most skeletons that it counts at once. */
export const SEEN_OFTEN = 3;
const MOST_SEEN = 200;
/** How many skeletons of a kind of texts are tried before a text is taken apart: members are present, null or absent. */
const MOST_RECENT = 3;

/** The skeletons that the latest texts of a kind had, newest first. */
type Recent = { readonly skeleton: string; readonly number: number }[];

/**
 * Packs texts of one form, such as the payloads of an event: the form, a skeleton, is stored once, and a packed text has
 * its number and the values. A skeleton is stored in a transaction of its own, after texts with it were stored plainly,
 * so that no committed text depends on a transaction that may be undone.
 */
export class Skeletons {
  private readonly store: Store;
  private readonly list: Statement;
  private readonly find: Statement;
  private readonly insert: Statement;
  private readonly numbers = new Map<string, number>();
  private readonly texts = new Map<number, string>();
  /** Skeletons that are not stored, each with how often it was seen. */
  private readonly seen = new Map<string, number>();
  /** By the name of an event or an endpoint: of texts with all of their values taken out, and of those with few. */
  private readonly recentAll = new Map<string, Recent>();
  private readonly recentFew = new Map<string, Recent>();

  constructor(store: Store) {
    this.store = store;
    this.list = store.prepare({ kind: 'system', name: 'list skeletons' });
    this.find = store.prepare({ kind: 'system', name: 'find skeleton' });
    this.insert = store.prepare({ kind: 'system', name: 'insert skeleton' });
  }

  /** Reads all stored skeletons. */
  *load(): Program<void> {
    for (const [number, text] of yield* call(this.list, [])) this.know(number as number, text as string);
  }

  private know(number: number, text: string): void {
    this.texts.set(number, text);
    this.numbers.set(text, number);
  }

  /**
   * Packs a JSON text; with `all`, its strings and numbers are values, and otherwise its UUIDs and timestamps alone. Texts
   * of one kind, of an event or an endpoint, mostly have the skeletons of those before them, which are tried first.
   */
  pack(text: string, all: boolean, kind: string): string {
    if (text.length > LONGEST_TEXT) return plainly(text);
    const recent = this.recentOf(all ? this.recentAll : this.recentFew, kind);
    for (const { skeleton, number } of recent) {
      const values = valuesOf(skeleton, text);
      if (values !== null) return packed(text, number, values);
    }
    const parts = takeApart(text, all);
    if (parts === null || parts.values === '') return plainly(text);
    const { skeleton, values } = parts;
    const number = this.numbers.get(skeleton);
    if (number === undefined) {
      this.note(skeleton);
      return plainly(text);
    }
    recent.unshift({ skeleton, number });
    if (recent.length > MOST_RECENT) recent.pop();
    return packed(text, number, values);
  }

  private recentOf(kinds: Map<string, Recent>, kind: string): Recent {
    const known = kinds.get(kind);
    if (known !== undefined) return known;
    const recent: Recent = [];
    kinds.set(kind, recent);
    return recent;
  }

  private note(skeleton: string): void {
    if (this.numbers.size >= MOST_SKELETONS) return;
    const times = (this.seen.get(skeleton) ?? 0) + 1;
    this.seen.delete(skeleton);
    this.seen.set(skeleton, times);
    if (this.seen.size > MOST_SEEN) this.seen.delete(this.seen.keys().next().value!);
    if (times === SEEN_OFTEN) setImmediate(() => void this.learn(skeleton));
  }

  /** Stores a skeleton. Until that has succeeded, its texts are stored plainly. */
  private async learn(skeleton: string): Promise<void> {
    const { list, insert } = this;
    try {
      const all = await this.store.write(function* () {
        const before = yield* call(list, []);
        const number = numberOf(skeleton);
        const isKnown = before.some(([one, text]) => text === skeleton || one === number);
        if (before.length >= MOST_SKELETONS || isKnown) return before;
        yield* call(insert, [number, skeleton]);
        return [...before, [number, skeleton]];
      });
      for (const [number, text] of all) this.know(number as number, text as string);
    } catch {
      // A later text tries again.
      this.seen.delete(skeleton);
    }
  }

  /**
   * Stores again what this process knows and the store does not: after a failover to a standby that had not received it.
   * Texts with it may have been stored since.
   */
  *keepStored(): Program<void> {
    const stored = new Set((yield* call(this.list, [])).map(([number]) => number as number));
    for (const [number, text] of this.texts) if (!stored.has(number)) yield* call(this.insert, [number, text]);
  }

  /** Returns the text that was packed; a text that is stored plainly is returned as it is. */
  *unpack(text: string): Program<string> {
    const packed = packedParts(text);
    if (typeof packed === 'string') return packed;
    const { number, values } = packed;
    let skeleton = this.texts.get(number);
    if (skeleton === undefined) {
      // Another process has stored it.
      const [[found] = []] = yield* call(this.find, [number]);
      if (typeof found !== 'string') throw new Error(`There is no skeleton ${number}`);
      this.know(number, found);
      skeleton = found;
    }
    return putTogether({ skeleton, values });
  }
}

/** The number of the skeleton and the values of a packed text; the text itself where it is stored plainly. */
export function packedParts(text: string): string | { readonly number: number; readonly values: string } {
  if (text[0] !== PACKED) return text;
  if (text[1] === PACKED) return text.slice(1);
  const end = text.indexOf(SEPARATOR);
  return { number: Number.parseInt(text.slice(1, end), RADIX), values: text.slice(end + 1) };
}

/** The number of a skeleton follows from its text alone, so that no number ever means another skeleton. */
const numberOf = (skeleton: string): number => Number.parseInt(hash('sha256', skeleton).slice(0, 12), 16);

/** A text as its number and values, where that is shorter. */
function packed(text: string, number: number, values: string): string {
  const short = `${PACKED}${number.toString(RADIX)}${SEPARATOR}${values}`;
  return short.length < text.length ? short : plainly(text);
}

/** A text as it is stored where it is not packed. */
const plainly = (text: string): string => (text[0] === PACKED ? PACKED + text : text);
