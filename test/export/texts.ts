import { fc } from '../seeded.ts';

/** How often a value is written in one of the ways that readers of JSON trip over. */
const SELDOM = 60;

/** Members that nothing states, and that every object of JavaScript has something by the name of, and others. */
const UNKNOWN = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a/b', 'a~b', '\u0000', 'é', 'e\u0301'];

/** The ways in which a number may stand in JSON: the same number, or one that is nearly so. */
const SPELT: ReadonlyArray<(text: string) => string> = [
  (text) => (/[.eE]/.test(text) ? text : `${text}.0`),
  (text) => (/[eE]/.test(text) ? text : `${text}e0`),
  (text) => (/[.eE]/.test(text) ? text : `${text}0e-1`),
  (text) => (/[.eE]/.test(text) ? text : `${text}.00000000000000000001`),
  (text) => (/[.eE]/.test(text) ? text : `${text}00000000000000000001`),
  (text) => (text.startsWith('-') ? text.slice(1) : `-${text}`),
  () => '-0',
  () => '1e400',
  () => '-1e400',
  () => '1e-400',
  () => '9007199254740993',
  () => '0.1234567890123456789',
  () => '12345678901234567',
];

/** The text of a body: as anybody would write it, and here and there as nobody should. */
export function textOf(body: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.tuple(body, fc.nat()).map(([value, seed]) => new Writer(seed).text(value));
}

class Writer {
  private state: number;

  constructor(seed: number) {
    this.state = seed % 0x7fffffff || 1;
  }

  /** Of so many, one: Lehmer’s generator is enough to differ. */
  private below(count: number): number {
    this.state = (this.state * 48_271) % 0x7fffffff;
    return this.state % count;
  }

  private seldom(): boolean {
    return this.below(SELDOM) === 0;
  }

  text(value: unknown): string {
    if (typeof value === 'number' && this.seldom())
      return SPELT[this.below(SPELT.length)]?.(JSON.stringify(value)) ?? '';
    if (typeof value === 'string' && this.seldom()) return escaped(value);
    if (Array.isArray(value)) {
      if (this.below(SELDOM * 20) === 0) return `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
      return `[${value.map((one) => this.text(one)).join(',')}]`;
    }
    return typeof value === 'object' && value !== null ? this.object(value) : (JSON.stringify(value) ?? 'null');
  }

  private object(value: object): string {
    const members = Object.entries(value).map(([name, one]) => {
      const written = this.seldom() ? escaped(name) : JSON.stringify(name);
      return `${written}:${this.text(one)}`;
    });
    const [first] = members;
    if (first !== undefined && this.seldom()) members.push(first);
    if (this.seldom()) members.push(`${JSON.stringify(UNKNOWN[this.below(UNKNOWN.length)])}:${this.below(3)}`);
    return `{${members.join(this.seldom() ? ' ,\n' : ',')}}`;
  }
}

/** Text with each of its units as an escape. */
const escaped = (text: string): string =>
  `"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
