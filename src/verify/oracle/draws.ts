import { Layered } from './layered.ts';

/** What only the implementation knows until it tells. */
type DrawKind = 'uuid' | 'secret' | 'credential' | 'tag' | 'cursor';

const OPEN = '\u{E000}';
const CLOSE = '\u{E001}';

/** What each kind may be once it is told. */
const FORMS: Readonly<Record<DrawKind, string>> = {
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  secret: 'whsec_[A-Za-z0-9+/]{32,88}={0,2}',
  credential: '[A-Za-z0-9._~+/-]{8,}=*',
  tag: '"[\\x21\\x23-\\x7e\\x80-\\xff]*"',
  cursor: '[^\\s"<>&]+',
};

/** A UUID that stands for one that is not known yet. */
const UUID_MARK = /ffffffff-ffff-8fff-9fff-[0-9a-f]{12}/;
const MARK = new RegExp(`${OPEN}(uuid|secret|credential|tag|cursor):\\d+${CLOSE}|${UUID_MARK.source}`, 'g');
/** The same in large letters, as a request may say it. */
const MARK_IN_ANY_CASE = new RegExp(MARK.source, 'i');

/** Values that the implementation draws, each known by what it is of. Until one is told, a mark stands for it. */
export class Draws {
  private readonly told: Layered<string, string>;
  private readonly marks: Layered<string, string>;
  /** What each mark is of. */
  private readonly meanings: Layered<string, string>;
  /** What each value is of that was told. */
  private readonly keys: Layered<string, string>;
  /** Of which row’s state each entity tag was told, by the row and the tag. */
  private readonly tagged: Layered<string, string>;

  constructor(from: Draws | null = null) {
    this.told = new Layered(from?.told);
    this.marks = new Layered(from?.marks);
    this.meanings = new Layered(from?.meanings);
    this.keys = new Layered(from?.keys);
    this.tagged = new Layered(from?.tagged);
  }

  copy(): Draws {
    return new Draws(this);
  }

  /** The value of a kind that something has, or the mark that stands for it. */
  of(kind: DrawKind, meaning: string): string {
    const key = `${kind} ${meaning}`;
    const known = this.told.get(key) ?? this.marks.get(key);
    if (known !== undefined) return known;
    const number = this.marks.size + 1;
    const mark =
      kind === 'uuid'
        ? `ffffffff-ffff-8fff-9fff-${number.toString(16).padStart(12, '0')}`
        : `${OPEN}${kind}:${number}${CLOSE}`;
    this.marks.set(key, mark);
    this.meanings.set(mark, key);
    return mark;
  }

  /** What a mark stands for: the same for a request that is computed again. */
  keyOf(mark: string): string | null {
    return this.meanings.get(mark) ?? null;
  }

  /** Takes in what the implementation has told. */
  learn(key: string, value: string): void {
    this.told.set(key, value);
    this.keys.set(`${key.slice(0, key.indexOf(' '))} ${value}`, key);
    const row = rowOfTag(key);
    if (row !== null && this.tagged.get(`${row} ${value}`) === undefined) this.tagged.set(`${row} ${value}`, key);
  }

  /** Whether a row was told to have an entity tag before, in another state or another version. */
  hadTag(key: string, value: string): boolean {
    const row = rowOfTag(key);
    return row !== null && (this.tagged.get(`${row} ${value}`) ?? key) !== key;
  }

  /** All that was told, by what it is of, in the order in which it was. */
  get all(): Iterable<readonly [key: string, value: string]> {
    return this.told;
  }

  /** What a value that was told is of; null where nothing is known by it. */
  meaningOf(kind: DrawKind, value: string): string | null {
    return this.keys.get(`${kind} ${value}`)?.slice(kind.length + 1) ?? null;
  }
}

/** What the tag of a row in one of its states, and in one version, is of. */
export const tagMeaning = (resource: string, identity: unknown, revision: number, version: string): string =>
  JSON.stringify([resource, identity, revision, version]);

/** The row that a tag is of, by what it is of; null for what is no tag of a row. */
function rowOfTag(key: string): string | null {
  if (!key.startsWith('tag ')) return null;
  const [resource, identity, revision] = JSON.parse(key.slice('tag '.length)) as unknown[];
  return typeof revision === 'number' ? JSON.stringify([resource, identity]) : null;
}

/** Whether a text has a mark in it. */
export const hasMark = (text: string): boolean => MARK_IN_ANY_CASE.test(text);

/** The same for text that was percent-encoded. */
export const hasEncodedMark = (text: string): boolean => text.includes(encodeURIComponent(OPEN));

const QUOTED = new RegExp(` ?“(?:${MARK.source})”`, 'g');

/** A text for people: what is not known stands as what it is, `(a uuid)`, and not in quotes at all. */
export const withoutMarks = (text: string): string =>
  text.replace(QUOTED, '').replace(MARK, (_, kind: string | undefined) => `(a ${kind ?? 'uuid'})`);

/** The marks of an expected text and what stands there in the text that came; null where the text is another. */
export function matchMarks(expected: string, actual: string): Array<readonly [mark: string, value: string]> | null {
  const marks: string[] = [];
  let pattern = '';
  let from = 0;
  for (const found of expected.matchAll(MARK)) {
    pattern += escaped(expected.slice(from, found.index));
    from = found.index + found[0].length;
    const known = marks.indexOf(found[0]);
    const kind = (found[1] ?? 'uuid') as DrawKind;
    if (known >= 0) pattern += `\\${known + 1}`;
    else {
      marks.push(found[0]);
      pattern += `(${FORMS[kind]})`;
    }
  }
  pattern += escaped(expected.slice(from));
  const match = new RegExp(`^${pattern}$`, 'su').exec(actual);
  return match && marks.map((mark, i) => [mark, match[i + 1] ?? ''] as const);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A text whose marks are numbered in the order in which they first stand in it. */
export function inOrder(text: string): string {
  const marks = new Map<string, string>();
  return text.replace(MARK, (mark) => {
    const known = marks.get(mark) ?? `(${marks.size + 1})`;
    marks.set(mark, known);
    return known;
  });
}
