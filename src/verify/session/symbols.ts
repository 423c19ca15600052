import { parameterSegment } from '../../plan/paths.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { DERIVATIONS, placeOfWord } from '../report/derived-value.ts';
import type { Request } from '../target/exchange.ts';
import type { Subject } from './subject.ts';

const OPEN = '\u{E002}';
const CLOSE = '\u{E003}';
/** Separates the keys of a value that has several. */
const OR = '\u{E004}';
/** The least length of a value that is replaced: shorter ones may occur in texts by chance. */
const LEAST = 6;
/**
 * Separates a key from the index of a derivation (such as capitals), for a value that a request sends in changed form.
 */
const CHANGED = '\u{E005}';
/** The largest number of keys of one value: rows of one revision may all have one entity tag. */
const MOST_KEYS = 40;

/** A number of a row in a segment of a path, with the lengths of the text before and after it. */
interface NumberPlace {
  readonly resource: string;
  readonly before: number;
  readonly after: number;
}

const NO_NUMBER: NumberPlace = { resource: '', before: 0, after: 0 };
const NO_PARAMETER = { before: '', name: '', after: '' };

/**
 * Symbolic keys of values that only the implementation knows (identities, credentials, entity tags, cursors), so that a
 * request of one session can be sent again in another, where the values differ.
 */
export class Symbols {
  /** The keys of each value: several, where the service uses one value for several things. */
  private readonly keys = new Map<string, string[]>();
  private readonly values = new Map<string, string>();
  /** The keys of each number, by the resource whose rows are numbered. */
  private readonly numbers = new Map<string, string[]>();
  /** The forms in which a request may repeat values, once all are known. */
  private derived: Map<string, readonly string[]> | null = null;

  /** Adds a value with its key. Keys may contain values that were added before. */
  add(key: string, value: string): void {
    if (value.length < LEAST) return;
    const stable = this.substituted(key, ([first = '']) => first);
    const known = this.keys.get(value);
    this.derived = null;
    if (!known) this.keys.set(value, [stable]);
    else if (known.length < MOST_KEYS && !known.includes(stable)) known.push(stable);
    this.values.set(stable, value);
  }

  /** Adds the number of a row. Numbers are replaced only in paths, where it is known what they identify. */
  addNumber(resource: string, key: string, value: string): void {
    const at = `${resource} ${value}`;
    this.numbers.set(at, [...(this.numbers.get(at) ?? []), key]);
    this.values.set(key, value);
  }

  /** Replaces the values in a text by their keys. */
  symbolic(text: string): string {
    return this.changed(this.substituted(text, (keys) => keys.join(OR)));
  }

  /** Replaces values that a request sends in capitals, truncated or otherwise changed by keys. */
  private changed(text: string): string {
    let out = text;
    for (const [value, keys] of this.changedValues())
      for (let at = placeOfWord(out, value); at >= 0; at = placeOfWord(out, value, at))
        out = `${out.slice(0, at)}${OPEN}${keys.join(OR)}${CLOSE}${out.slice(at + value.length)}`;
    return out;
  }

  private changedValues(): ReadonlyMap<string, readonly string[]> {
    if (this.derived) return this.derived;
    this.derived = new Map();
    for (const [value, keys] of this.keys)
      for (const [i, { of }] of DERIVATIONS.entries()) {
        const changed = of(value);
        if (changed.length < LEAST || this.keys.has(changed)) continue;
        const own = keys.map((key) => `${key}${CHANGED}${i}`);
        this.derived.set(changed, [...(this.derived.get(changed) ?? []), ...own]);
      }
    return this.derived;
  }

  /** The value of a key in this session, changed by the derivation in the key. */
  private valueOf(key: string): string | undefined {
    const at = key.lastIndexOf(CHANGED);
    if (at < 0) return this.values.get(key);
    const value = this.values.get(key.slice(0, at));
    return value === undefined ? undefined : DERIVATIONS[Number(key.slice(at + 1))]?.of(value);
  }

  private symbolicTarget(target: string, numbered: ReadonlyMap<number, NumberPlace>): string {
    if (numbered.size === 0) return this.symbolic(target);
    const end = target.includes('?') ? target.indexOf('?') : target.length;
    const segments = target.slice(0, end).split('/');
    const path = segments.map((segment, i) => {
      const { resource, before, after } = numbered.get(i) ?? NO_NUMBER;
      const number = segment.slice(before, segment.length - after);
      const keys = this.numbers.get(`${resource} ${number}`);
      if (!keys) return this.symbolic(segment);
      const key = `${OPEN}${keys.join(OR)}${CLOSE}`;
      return segment.slice(0, before) + key + segment.slice(segment.length - after);
    });
    return path.join('/') + this.symbolic(target.slice(end));
  }

  /** The keys in a text, in order; one value may have several. */
  static keysIn(text: string): string[] {
    const out: string[] = [];
    for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, open)) {
      const close = closing(text, open);
      out.push(...text.slice(open + 1, close).split(OR));
      open = close;
    }
    return out;
  }

  private substituted(text: string, named: (keys: readonly string[]) => string): string {
    const found = [...this.keys].filter(([value]) => text.includes(value)).sort(([a], [b]) => b.length - a.length);
    return found.reduce((out, [value, keys]) => out.replaceAll(value, `${OPEN}${named(keys)}${CLOSE}`), text);
  }

  /**
   * Replaces the keys in a text by the values of this session. A missing value is replaced by `otherwise`; if that is
   * null, the result is null.
   */
  concrete(text: string, otherwise: string | null = null): string | null {
    let out = '';
    let from = 0;
    while (from < text.length) {
      const open = text.indexOf(OPEN, from);
      if (open < 0) return out + text.slice(from);
      const close = closing(text, open);
      const keys = text.slice(open + 1, close).split(OR);
      const value = keys.map((key) => this.valueOf(key)).find((one) => one !== undefined) ?? otherwise;
      if (value === null) return null;
      out += text.slice(from, open) + value;
      from = close + 1;
    }
    return out;
  }

  /**
   * Builds the request of a template; null if the template names a value that this session does not have. `tagAt`
   * returns the newest entity tag of a target: the tag in a precondition may come from a change that was left out of
   * this session.
   */
  requestOf(template: Template, tagAt: (target: string) => string | null): Request | null {
    const target = this.concrete(template.target);
    const body = typeof template.body === 'string' ? this.concrete(template.body) : template.body;
    const headers: Array<readonly [string, string]> = [];
    for (const [name, value] of template.headers) {
      const isCondition = name.toLowerCase() === 'if-match' && target !== null;
      const text = this.concrete(value, isCondition ? tagAt(target) : null);
      if (text === null) return null;
      headers.push([name, text]);
    }
    if (target === null || (body === null && template.body !== null)) return null;
    return { method: template.method, target, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
  }

  /** The template of a request. `numbered`: the resource whose row each path segment identifies by a number. */
  templateOf({ method, target, headers, body }: Request, numbered: ReadonlyMap<number, NumberPlace>): Template {
    const text = body?.toString() ?? null;
    const exact = text !== null && body !== null && Buffer.from(text).equals(body);
    return {
      method,
      target: this.symbolicTarget(target, numbered),
      headers: headers.map(([name, value]) => [name, this.symbolic(value)] as const),
      body: text !== null && exact ? this.symbolic(text) : body,
    };
  }
}

/** A request in which keys replace values; a body that is not text is kept unchanged. */
export interface Template {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string | Buffer | null;
}

/** The index of the end of a key: keys may contain others. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === OPEN) depth++;
    if (character === CLOSE && --depth === 0) return at;
  }
  return text.length;
}

/**
 * The numbers that a service gives its rows (`sequence`), by the request that made each row: in another session, where
 * fewer rows were made before it, it has another number.
 */
export class Numbers {
  private readonly subject: Pick<Subject, 'plan' | 'contract'>;
  private readonly given: Array<{ readonly key: string; readonly resource: string; readonly value: string }> = [];

  constructor(subject: Pick<Subject, 'plan' | 'contract'>) {
    this.subject = subject;
  }

  /** Records the rows that a request has created. `name`: the name of the request. */
  learn(before: Oracle, after: Oracle, name: string): void {
    for (const { name: resource, columns } of this.subject.plan.resources) {
      const numbered = columns.filter(({ sequence }) => sequence !== null);
      if (numbered.length === 0) continue;
      const known = new Set(before.state.rows.all(resource).map((row) => before.state.rows.identity(row)));
      const made = after.state.rows.all(resource).filter((row) => !known.has(after.state.rows.identity(row)));
      for (const [i, row] of made.entries())
        for (const column of numbered)
          this.given.push({
            key: `${column.name} of ${resource} ${i} of ${name}`,
            resource,
            value: String(row.get(column.name)),
          });
    }
  }

  /** Adds the numbers of the created rows to the symbols, so that requests that contain them can be repeated. */
  tell(symbols: Symbols): void {
    for (const { key, resource, value } of this.given) symbols.addNumber(resource, key, value);
  }

  /** The resource whose row each segment of a path numbers, by the place of the segment. */
  inPath({ state }: Oracle, { method, target }: Request): ReadonlyMap<number, NumberPlace> {
    const out = new Map<number, NumberPlace>();
    const [path = ''] = target.split('?');
    const routed = state.routes.fitting(path).find((one) => one.method === method);
    const endpoint = this.subject.contract.versions
      .flatMap(({ endpoints }) => endpoints)
      .find(({ name }) => name === routed?.endpoint?.name);
    if (!routed || !endpoint) return out;
    const segments = path.split('/');
    for (const [i, template] of (routed.endpoint?.path ?? '').split('/').entries()) {
      const { before, name, after } = parameterSegment(template) ?? NO_PARAMETER;
      const parameter = endpoint.parameters.find((one) => one.in === 'path' && one.name === name);
      const isPlain = segments[i]?.startsWith(before) && segments[i].endsWith(after);
      if (parameter?.finds && isPlain)
        out.set(i, { resource: parameter.finds.resource, before: before.length, after: after.length });
    }
    return out;
  }
}
