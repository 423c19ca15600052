import { isScalar, type SampleSource, sampleOf } from '../../contract/kinds.ts';
import { sampleFile } from '../../contract/samples/bytes.ts';
import { FORMS } from '../../contract/samples/forms.ts';
import { matching } from '../../contract/samples/matching.ts';
import type { ContractType, TextType } from '../../contract/types.ts';
import { showDecimal } from '../../expression/values/decimal.ts';
import { showIsoDuration } from '../../expression/values/duration.ts';
import type { Content } from './draft.ts';
import type { Random } from './random.ts';
import { isFree, otherCase } from './text-values.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The largest number in texts that have to differ. */
const MANY = 100_000;
/** The probability that a list repeats its first item. */
const TWICE = 0.1;
/** The probability that a text is in capitals, begins with a capital, or begins with an accented letter. */
const CAPITALS = 0.1;
/** The probability that a number is large, and the number of its additional digits. */
const LARGE = 0.2;
const MORE_DIGITS = 4;
/** The probability that a date is far from today, and the largest distance. */
const FAR = 0.2;
const FAR_DAYS = 400;
/** The probability that a value is a bound. */
const EDGES = 0.2;

/** Makes small values that a type allows. Instants and numbers of one request rise, as most rules ask of them. */
export class Samples {
  private readonly random: Random;
  private instant: number;
  private least = 0;

  private readonly source: SampleSource<Content> = {
    text: (type, name) => this.text(type, name),
    integer: ({ min, max }) => this.integer(min, max),
    decimal: ({ min, max, as, digits }) => {
      const units = (text: string | null): number | null =>
        text === null ? null : Math.round(Number(text) * 10 ** digits);
      return decimalAs(as, this.integer(units(min), units(max)) * (max === null ? 10 ** digits : 1), digits);
    },
    boolean: () => this.random.chance(0.5),
    duration: ({ min, max }) =>
      showIsoDuration(this.edge(min, max) ?? clamp(this.random.int(1, 4) * HOUR_MS, min, max)),
    instant: (unit) => this.rising(unit),
    day: () => this.instant + this.day() * DAY_MS,
  };

  /** `now` is in milliseconds since the epoch. */
  constructor(random: Random, now: number) {
    this.random = random;
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    this.instant = today + random.int(1, 6) * DAY_MS + random.int(8, 15) * HOUR_MS;
  }

  of(type: ContractType, name: string): Content {
    if (isScalar(type)) return sampleOf<Content>(type, this.source, name);
    switch (type.kind) {
      case 'list':
        return this.alike(
          this.items(type.min, type.max, () => this.of(type.of, name)),
          type,
        );
      case 'set':
        return this.alike(
          distinct(this.count(type.min, type.max), () => this.of(type.of, name)),
          type,
        );
      case 'map': {
        const keys = type.keys;
        const key = (): string => (keys ? String(this.of(keys, 'key')) : `key${this.random.int(1, 99)}`);
        const entries = this.items(type.min, type.max, () => [key(), this.of(type.of, name)] as const);
        return Object.fromEntries(entries);
      }
      case 'bytes':
        return { ...sampleFile(type, this.random.int(0, 9)) };
      case 'object':
        return Object.fromEntries(type.members.map((one) => [one.name, this.of(one.type, one.name)]));
      default:
        return null;
    }
  }

  /** Now and then two items that are the same, where they may be, or differ in their letters’ case alone. */
  private alike(items: Content[], { kind, of }: Extract<ContractType, { kind: 'list' | 'set' }>): Content[] {
    const [first, second, ...others] = items;
    if (first === undefined || second === undefined) return items;
    if (kind === 'list' && this.random.chance(TWICE)) return [first, first, ...others];
    const isText = of.kind === 'text' && isFree(of) && typeof first === 'string';
    return isText && this.random.chance(CAPITALS) ? [first, otherCase(first), ...others] : items;
  }

  private items<T>(min: number | null, max: number | null, one: () => T): T[] {
    return Array.from({ length: this.count(min, max) }, one);
  }

  private count(min: number | null, max: number | null): number {
    return Math.min(max ?? MANY, Math.max(min ?? 0, this.random.int(1, 2)));
  }

  private integer(min: number | null, max: number | null): number {
    const edge = this.edge(min, max);
    if (edge !== null) return edge;
    const least = Math.max(min ?? 1, Math.min(this.least, max ?? this.least));
    const digits = this.random.chance(LARGE) ? this.random.int(1, MORE_DIGITS) : 0;
    const made = clamp(least + this.random.int(0, 9) * 10 ** digits, min, max);
    this.least = made + 1;
    return made;
  }

  /** Now and then a bound: rows that are alike show little. */
  private edge(min: number | null, max: number | null): number | null {
    return this.random.chance(EDGES) ? (this.random.among([min, max].filter((one) => one !== null)) ?? null) : null;
  }

  /**
   * The distance of a date from the day of the request, in days. Small distances make dates coincide; large ones fill
   * lists with one row a day.
   */
  private day(): number {
    return this.random.chance(FAR) ? this.random.int(-FAR_DAYS, FAR_DAYS) : this.random.int(-8, 3);
  }

  /** The next instant of the request, a whole number of some length of time. */
  private rising(whole: number): number {
    const at = Math.floor(this.instant / whole) * whole;
    this.instant = at + this.random.int(1, 4) * 30 * MINUTE_MS;
    return at;
  }

  /** Texts that all begin alike are in the same order by every rule. */
  private cased(words: string): string {
    const how = this.random.next();
    if (how < CAPITALS) return words.toUpperCase();
    if (how < 2 * CAPITALS) return words.charAt(0).toUpperCase() + words.slice(1);
    return how < 3 * CAPITALS ? `é${words}` : words;
  }

  private text({ min, max, pattern, format, oneOf }: TextType, name: string): string {
    if (oneOf) return this.random.among(oneOf) ?? '';
    const n = this.random.int(1, MANY);
    if (format === 'uuid') return this.random.uuid();
    if (format !== null) return ofFormat(format, n, min, max);
    const matched = pattern === null ? null : matching(pattern, n);
    if (matched !== null) return matched;
    const words = this.cased(`${name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.-]/g, ' ')} ${n}`);
    const fit = words.length <= (max ?? MANY) ? words : String(n).slice(-(max ?? 1));
    return fit.padEnd(min ?? 0, 'x');
  }
}

/** Short texts of formats that have bounds of their own, and how they are made longer. */
const SHORT: Partial<Record<keyof typeof FORMS, (n: number, least: number) => string>> = {
  email: (n, least) => `${String(n).padStart(least - '@b'.length, 'a')}@b`,
  uri: (n, least) => `a:${String(n).padStart(least - 'a:'.length, '0')}`,
  hostname: (n, least) => `${String(n).padStart(least - '.b'.length, 'a')}.b`,
  ipv6: (n) => `::${(n % 10).toString()}`,
  password: (_, least) => 'p'.repeat(least),
};

/** A text of a format whose length lies within the bounds, where one is known. */
function ofFormat(format: keyof typeof FORMS, n: number, min: number | null, max: number | null): string {
  const least = min ?? 0;
  const fits = (text: string): boolean => text.length >= least && text.length <= (max ?? text.length);
  const usual = FORMS[format](n);
  if (fits(usual)) return usual;
  const made = SHORT[format];
  if (!made) return usual;
  const numbers = [n, n % 1000, n % 10];
  return numbers.map((one) => made(one, Math.max(least, 1))).find(fits) ?? usual;
}

const clamp = (value: number, min: number | null, max: number | null): number =>
  Math.min(max ?? Number.MAX_SAFE_INTEGER, Math.max(min ?? Number.MIN_SAFE_INTEGER, value));

/** A decimal in the JSON form of the document, from units of its last digit. */
export const decimalAs = (as: 'strings' | 'numbers', units: number, digits: number): string | number =>
  as === 'strings' ? showDecimal(units, digits) : Number(showDecimal(units, digits));

/** A value as a path, a query or a header writes it; the items of a list are separated by commas. */
export function written(content: Content): string {
  if (Array.isArray(content)) return content.map(written).join(',');
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** So many items, each different from the others where enough values exist. */
export function distinct(count: number, one: () => Content): Content[] {
  const out = new Map<string, Content>();
  for (let tries = 0; out.size < count && tries < count * 4 + 8; tries++) {
    const item = one();
    out.set(JSON.stringify(item), item);
  }
  return [...out.values()];
}
