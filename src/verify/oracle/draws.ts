import { createHash } from 'node:crypto';
import type { Json } from '../../export/json.ts';
import { jsonOf, valueOfJson } from '../../expression/values/json.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import { CLOSE, isMark, isMarked, isMarkedWith, MARK, marksIn, OPEN, textOfJson, withTold } from './marks.ts';
import { type DrawKind, isShortRandom, patternOf, SAMPLES, samplesOf, TIMED } from './samples.ts';

/** A value that is computed from unknown values. */
interface Definition {
  /** The result for each sample of the unknown values. */
  readonly values: readonly Value[];
  /** The arguments, and the function; the function is null where the value is not computed again. */
  readonly of: readonly Value[];
  readonly compute: ((of: readonly Value[]) => Value) | null;
}

/** A computed value as JSON. */
interface Shown {
  readonly mark: string;
  readonly texts: readonly string[];
}

/** The number of values whose samples are cached. */
const MOST_SAMPLED = 4000;

/**
 * Values that the implementation chooses, such as random identities. Each has a meaning, such as “the identity of the
 * row that this request creates”, by which it is found. A mark is the placeholder of a value until an answer shows the
 * value.
 */
export class Draws {
  private readonly told: Layered<string, Value>;
  private readonly marks: Layered<string, string>;
  /** The meaning of each mark. */
  private readonly meanings: Layered<string, string>;
  /** The meaning of each value that an answer has shown. */
  private readonly keys: Layered<string, string>;
  /** The state of a row for which each entity tag was shown, by the row and the tag. */
  private readonly tagged: Layered<string, string>;
  /** The computed value behind each mark. */
  private readonly definitions: Layered<string, Definition>;
  private readonly shownAs: Layered<string, Shown>;
  /** When each mark was first drawn, in milliseconds since the epoch. */
  private readonly times: Layered<string, number>;
  /** The samples of drawn values: shared by all copies. */
  private readonly samples: Map<string, readonly Value[]>;
  /**
   * Cached results of functions for the sample values of their arguments, by the function and its arguments: shared by
   * all copies.
   */
  private readonly results: Map<string, readonly Value[]>;
  private readonly hashes: WeakMap<readonly Value[], string>;
  /** The outcomes of unknown conditions: each is assumed to be its outcome for most samples. */
  readonly decided = new Map<string, boolean>();

  constructor(from: Draws | null = null) {
    this.told = new Layered(from?.told);
    this.marks = new Layered(from?.marks);
    this.meanings = new Layered(from?.meanings);
    this.keys = new Layered(from?.keys);
    this.tagged = new Layered(from?.tagged);
    this.definitions = new Layered(from?.definitions);
    this.shownAs = new Layered(from?.shownAs);
    this.times = new Layered(from?.times);
    this.results = from?.results ?? new Map();
    this.hashes = from?.hashes ?? new WeakMap();
    this.samples = from?.samples ?? new Map();
  }

  copy(): Draws {
    return new Draws(this);
  }

  /** The drawn value of a kind and meaning, or its mark. `now`: the time of the draw. */
  of(kind: DrawKind, meaning: string, now = 0): string {
    const key = `${kind} ${meaning}`;
    const known = this.told.get(key) ?? this.marks.get(key);
    if (known !== undefined) return String(known);
    const number = this.marks.size + 1;
    const mark =
      kind === 'uuid'
        ? `ffffffff-ffff-8fff-9fff-${number.toString(16).padStart(12, '0')}`
        : `${OPEN}${kind}:${number}${CLOSE}`;
    this.marks.set(key, mark);
    this.meanings.set(mark, key);
    this.times.set(mark, now);
    return mark;
  }

  /** The results of a function for all samples of its arguments. `name`: the name of the function. */
  resultsOf(name: string, of: readonly Value[], compute: (of: readonly Value[]) => Value): readonly Value[] {
    const place = (mark: string): string => `${this.keyOf(mark)} ${this.times.get(mark)}`;
    const key = `${name} ${jsonOf(of).replace(MARK, place)}`;
    const known = this.results.get(key);
    if (known) return known;
    const made = Array.from({ length: SAMPLES }, (_, i) => compute(of.map((one) => this.at(one, i))));
    if (this.results.size > MOST_SAMPLED) this.results.clear();
    this.results.set(key, made);
    return made;
  }

  /**
   * The result of a function whose arguments are unknown, judged by its results for sample values: a constant if all
   * samples give the same; an argument's mark if the function returns that argument; otherwise a mark for the result.
   * Two functions with equal results have the same mark.
   */
  computed(values: readonly Value[], of: readonly Value[], compute: Definition['compute']): Value {
    const [first = null] = values;
    if (values.every((one) => sameValue(one, first))) return first;
    const same = of.find((one) => isMark(one) && sameValue(this.samplesOf(one), values));
    if (same !== undefined) return same;
    const key = `computed ${this.hashOf(values, of)}`;
    const known = this.told.get(key) ?? this.marks.get(key);
    if (known !== undefined) return known;
    const mark = this.marked('computed', key);
    this.definitions.set(mark, { values, of, compute });
    return mark;
  }

  /** A hash of a computed value, which does not depend on the run of the service or on the time. */
  private hashOf(values: readonly Value[], of: readonly Value[]): string {
    const known = this.hashes.get(values);
    if (known !== undefined) return known;
    const drawn = this.drawnFor(of);
    const isTimed = [...drawn].some((mark) => this.keyOf(mark)?.startsWith('uuid '));
    const texts = (isTimed ? values.slice(0, TIMED) : values).map(jsonOf);
    const place = (mark: string): string => this.keyOf(mark) ?? '';
    const about = new Set(texts).size > 1 ? [...drawn].map(place).sort() : [jsonOf(of).replace(MARK, place)];
    const hash = hashOf([...texts, ...about]);
    this.hashes.set(values, hash);
    return hash;
  }

  /** The marks of the drawn values from which a value is computed. */
  private drawnFor(value: Value): ReadonlySet<string> {
    const below = marksIn(value).flatMap((mark) => {
      const definition = this.definitions.get(mark);
      return definition ? [...this.drawnFor(definition.of)] : [mark];
    });
    return new Set(below);
  }

  /** Whether two values are computed from disjoint sets of unknown values. */
  areApart(a: Value, b: Value): boolean {
    const theirs = this.drawnFor(b);
    return [...this.drawnFor(a)].every((one) => !theirs.has(one));
  }

  /**
   * A computed value as JSON: equal JSON for all samples, or a mark; undefined where the value is left out. `form`: the
   * name of the form in which the value is shown.
   */
  shown(mark: string, form: string, show: (value: Value) => Json | undefined): Json | undefined {
    const values = this.resultsOf(form, [mark], ([one = null]) => textOfJson(show(one)));
    const texts = values as readonly string[];
    const [first = ''] = texts;
    if (texts.every((one) => one === first)) return jsonOfText(first);
    const key = `json ${this.keyOf(mark) ?? ''} ${this.hashOf(values, [mark])}`;
    const told = this.told.get(key);
    if (told !== undefined) return jsonOfText(String(told));
    const known = this.marks.get(key);
    if (known !== undefined) return known;
    const own = this.marked('json', key);
    this.shownAs.set(own, { mark, texts });
    return own;
  }

  private marked(kind: 'computed' | 'json', key: string): string {
    const mark = `${OPEN}${kind}:${this.marks.size + 1}${CLOSE}`;
    this.marks.set(key, mark);
    this.meanings.set(mark, key);
    return mark;
  }

  /** A regular expression that the text, or the JSON, of a computed value matches. */
  patternOf(mark: string): string {
    const texts = this.shownAs.get(mark)?.texts ?? this.definitions.get(mark)?.values.map(String) ?? [];
    return texts.length > 0 ? patternOf(texts) : '[^]*';
  }

  /** The value for each sample of the unknown values in it. */
  samplesOf(value: Value): readonly Value[] {
    if (typeof value !== 'string') return Array.from({ length: SAMPLES }, (_, i) => this.at(value, i));
    return isMark(value) ? this.samplesOfMark(value) : this.samplesOfText(value);
  }

  private samplesOfMark(mark: string): readonly Value[] {
    const definition = this.definitions.get(mark);
    if (definition) return definition.values;
    const key = `${this.keyOf(mark) ?? mark} ${this.times.get(mark) ?? 0}`;
    const known = this.samples.get(key);
    if (known) return known;
    const [, kind = 'uuid'] = new RegExp(`^${OPEN}(\\w+):`).exec(mark) ?? [];
    const made = samplesOf(kind as DrawKind, this.keyOf(mark) ?? mark, this.times.get(mark) ?? 0);
    if (this.samples.size > MOST_SAMPLED) this.samples.clear();
    this.samples.set(key, made);
    return made;
  }

  private samplesOfText(text: string): readonly Value[] {
    const marks = [...text.matchAll(MARK)].map(([mark]) => [mark, this.samplesOf(mark)] as const);
    return Array.from({ length: SAMPLES }, (_, i) =>
      marks.reduce((out, [mark, values]) => out.replaceAll(mark, String(values[i])), text),
    );
  }

  /** The value for one sample. */
  at(value: Value, i: number): Value {
    if (typeof value === 'string') return isMarked(value) ? (this.samplesOf(value)[i] ?? null) : value;
    if (Array.isArray(value)) return value.map((one) => this.at(one, i));
    return value instanceof Map ? new Map([...value].map(([key, one]) => [key, this.at(one, i)])) : value;
  }

  /**
   * The assumed outcome of a condition that depends on unknown values: that for most samples, until an answer shows
   * another.
   */
  decide(mark: string): boolean {
    const key = this.keyOf(mark) ?? mark;
    const values = this.samplesOf(mark);
    const decided = values.filter((one) => one === true).length * 2 > values.length;
    this.decided.set(key, decided);
    return decided;
  }

  /** The outcome of an unknown condition with a key: `usual`, until an answer shows another. */
  taken(key: string, usual: boolean): boolean {
    const told = this.told.get(key);
    if (typeof told === 'boolean') return told;
    this.decided.set(key, usual);
    return usual;
  }

  /** The other marks whose values follow from the value of one mark, with these values. */
  *following(mark: string, value: Value): Generator<readonly [mark: string, value: Value]> {
    const shown = this.shownAs.get(mark);
    if (shown) {
      const under = this.valueShownAs(shown, String(value));
      if (under !== undefined) yield [shown.mark, under];
      return;
    }
    for (const [computed, { of, compute }] of new Map(this.definitions)) {
      if (!compute || !of.some((one) => isMarkedWith(one, mark)) || this.isTold(computed)) continue;
      const known = of.map((one) => this.withAllTold(withTold(one, mark, value)));
      if (!known.some(isMarked)) yield [computed, compute(known)];
    }
  }

  private isTold(mark: string): boolean {
    return this.told.get(this.keyOf(mark) ?? '') !== undefined;
  }

  /** Replaces all marks in a value whose values are known by now. */
  private withAllTold(value: Value): Value {
    return marksIn(value).reduce<Value>((out, mark) => {
      const told = this.told.get(this.keyOf(mark) ?? '');
      return told === undefined ? out : withTold(out, mark, told);
    }, value);
  }

  private valueShownAs({ mark, texts }: Shown, text: string): Value | undefined {
    const values = this.samplesOf(mark);
    const found = new Map(values.flatMap((one, i) => (texts[i] === text ? [[jsonOf(one), one] as const] : [])));
    if (found.size === 1) return [...found.values()][0];
    return values.every((one, i) => texts[i] === jsonOf(one)) ? valueOfJson(text) : undefined;
  }

  /** The meaning of a mark: equal for a request that is computed again. */
  keyOf(mark: string): string | null {
    return this.meanings.get(mark) ?? null;
  }

  /** Records a value that an answer has shown. */
  learn(key: string, value: Value): void {
    this.told.set(key, value);
    if (typeof value !== 'string') return;
    this.keys.set(`${key.slice(0, key.indexOf(' '))} ${value}`, key);
    const row = rowOfTag(key);
    if (row !== null && this.tagged.get(`${row} ${value}`) === undefined) this.tagged.set(`${row} ${value}`, key);
  }

  /** Whether a row had an entity tag before, in another state or another version. */
  hadTag(key: string, value: string): boolean {
    const row = rowOfTag(key);
    return row !== null && (this.tagged.get(`${row} ${value}`) ?? key) !== key;
  }

  /** Whether long random text was drawn before, for something else. */
  wasDrawn(mark: string, value: string): boolean {
    const key = this.keyOf(mark) ?? '';
    const kind = key.slice(0, key.indexOf(' ')) as DrawKind;
    return isShortRandom(kind) === false && (this.keys.get(`${kind} ${value}`) ?? key) !== key;
  }

  /** All values that answers have shown, by their meanings, in the order in which they were shown. */
  *all(): Generator<readonly [key: string, value: string]> {
    for (const [key, value] of this.told) if (typeof value === 'string') yield [key, value];
  }

  /** The meaning of a value that was shown; null where the value is not known. */
  meaningOf(kind: DrawKind, value: string): string | null {
    return this.keys.get(`${kind} ${value}`)?.slice(kind.length + 1) ?? null;
  }
}

/** The meaning of the entity tag of a row in one of its states, and in one version. */
export const tagMeaning = (
  resource: string,
  identity: unknown,
  revision: number,
  version: string,
  shown: string | null = null,
): string => JSON.stringify([resource, identity, revision, version, ...(shown === null ? [] : [shown])]);

/** The row of an entity tag, by the meaning of the tag; null for other meanings. */
function rowOfTag(key: string): string | null {
  if (!key.startsWith('tag ')) return null;
  const [resource, identity, revision] = JSON.parse(key.slice('tag '.length)) as unknown[];
  return typeof revision === 'number' ? JSON.stringify([resource, identity]) : null;
}

const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 24);

const jsonOfText = (text: string): Json | undefined => (text === '' ? undefined : (JSON.parse(text) as Json));

/** The largest number of layers: a deeper map is copied as a whole. */
const MOST_LAYERS = 12;

/** A map whose copies cost nothing until something is added to them. */
class Layered<K, V> {
  private readonly below: Layered<K, V> | null;
  private readonly own: Map<K, V>;
  private readonly depth: number;
  private count: number;

  constructor(below: Layered<K, V> | null = null) {
    const deep = below !== null && below.depth >= MOST_LAYERS;
    this.below = deep ? null : below;
    this.own = deep ? new Map<K, V>([...below].map(([key, value]) => [key, value])) : new Map();
    this.depth = this.below ? this.below.depth + 1 : 0;
    this.count = below?.count ?? 0;
  }

  get size(): number {
    return this.count;
  }

  get(key: K): V | undefined {
    const found = this.own.get(key);
    return found !== undefined || !this.below ? found : this.below.get(key);
  }

  set(key: K, value: V): void {
    if (this.get(key) === undefined) this.count += 1;
    this.own.set(key, value);
  }

  /**
   * Entries in the order of their addition. A key that was set again in another layer comes twice, its latest value
   * last.
   */
  *[Symbol.iterator](): Generator<readonly [K, V]> {
    if (this.below) yield* this.below;
    yield* this.own;
  }
}
