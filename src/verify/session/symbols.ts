import type { Request } from '../target/exchange.ts';

const OPEN = '\u{E002}';
const CLOSE = '\u{E003}';
/** Values of fewer characters than this stand in texts by chance. */
const LEAST = 6;

/**
 * What only the implementation knows (identities, credentials, entity tags, cursors), by what it is of: so that a request
 * of one life of a service can be made again in another, where the values are others.
 */
export class Symbols {
  private readonly keys = new Map<string, string>();
  private readonly values = new Map<string, string>();

  /** Says what a value is of. Keys may hold values that were told before. */
  add(key: string, value: string): void {
    if (value.length < LEAST || this.keys.has(value)) return;
    const stable = this.symbolic(key);
    this.keys.set(value, stable);
    this.values.set(stable, value);
  }

  /** A text with its keys in the place of values. */
  symbolic(text: string): string {
    const found = [...this.keys].filter(([value]) => text.includes(value)).sort(([a], [b]) => b.length - a.length);
    return found.reduce((out, [value, key]) => out.replaceAll(value, `${OPEN}${key}${CLOSE}`), text);
  }

  /** A text with the values of this life; null where one is not there. */
  concrete(text: string): string | null {
    let out = '';
    let from = 0;
    while (from < text.length) {
      const open = text.indexOf(OPEN, from);
      if (open < 0) return out + text.slice(from);
      const close = closing(text, open);
      const value = this.values.get(text.slice(open + 1, close));
      if (value === undefined) return null;
      out += text.slice(from, open) + value;
      from = close + 1;
    }
    return out;
  }

  /** The keys of the values that stand in a text. */
  keysIn(text: string): string[] {
    return [...this.keys].filter(([value]) => text.includes(value)).map(([, key]) => key);
  }

  requestOf(template: Template): Request | null {
    const target = this.concrete(template.target);
    const body = typeof template.body === 'string' ? this.concrete(template.body) : template.body;
    const headers: Array<readonly [string, string]> = [];
    for (const [name, value] of template.headers) {
      const text = this.concrete(value);
      if (text === null) return null;
      headers.push([name, text]);
    }
    if (target === null || (body === null && template.body !== null)) return null;
    return { method: template.method, target, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
  }

  templateOf({ method, target, headers, body }: Request): Template {
    const text = body?.toString() ?? null;
    const exact = text !== null && body !== null && Buffer.from(text).equals(body);
    return {
      method,
      target: this.symbolic(target),
      headers: headers.map(([name, value]) => [name, this.symbolic(value)] as const),
      body: text !== null && exact ? this.symbolic(text) : body,
    };
  }
}

/** A request in which keys stand for values; a body that is no text stands as it is. */
export interface Template {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string | Buffer | null;
}

/** Where a key ends: keys may hold others. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === OPEN) depth++;
    if (character === CLOSE && --depth === 0) return at;
  }
  return text.length;
}
