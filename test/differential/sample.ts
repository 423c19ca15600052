import type { Random } from '../../src/verify/requests/random.ts';
import { itemsOf, type Kind } from './validate.ts';

/** Texts that many rows come to share, and that tell code points from code units, and text from patterns. */
const TEXTS = ['a', 'b', 'ab', 'A', 'é', 'é', '😀', '￮', '100%', 'a_b', 'x y', '"', "o'k", '\\', '1', '<b>', 'ß', 'z'];
const LETTERS = [...'abcABC 019_%-é😀"\\￮'];

/** A value of a kind that is mostly allowed, in the form that JSON has it, with a bias to what is near its bounds. */
export function sample(random: Random, kind: Kind, now: number, form: 'strings' | 'numbers' = 'strings'): unknown {
  switch (kind.type.kind) {
    case 'integer':
      return sampleInteger(random, kind);
    case 'boolean':
      return random.chance(0.5);
    case 'timestamp':
      return sampleInstant(random, kind, now);
    case 'date':
      return random.pick(['2026-11-20', '2026-11-21', '2024-02-29', '1999-12-31', '2026-02-29']);
    case 'duration':
      return random.pick([
        'PT0S',
        'PT1H',
        'P1D',
        'P2W',
        'PT36H',
        'PT90M',
        'P1DT12H',
        'PT0.5S',
        '-PT1H',
        'PT1M',
        'P1M',
        'P',
      ]);
    case 'decimal':
      return sampleDecimal(random, kind, form);
    case 'list':
    case 'set': {
      const most = kind.allowed.kind === 'items' ? kind.allowed.max : 2;
      const least = kind.allowed.kind === 'items' ? kind.allowed.min : 0;
      const count = random.chance(0.05) ? most + 1 : random.int(least, most);
      const items = Array.from({ length: count }, () => sample(random, itemsOf(kind), now, form));
      return random.chance(0.9) && kind.type.kind === 'set' ? [...new Set(items)] : items;
    }
    default:
      return sampleText(random, kind);
  }
}

function sampleInteger(random: Random, { allowed }: Kind): number {
  if (allowed.kind !== 'range') return random.int(-3, 3);
  const near = [allowed.min, allowed.max, allowed.min + 1, allowed.max - 1, 0, 1, 2];
  const value = random.chance(0.6)
    ? random.pick(near)
    : random.int(allowed.min, Math.min(allowed.max, allowed.min + 1e6));
  return Math.min(Math.max(value, allowed.min), allowed.max);
}

function sampleDecimal(random: Random, { allowed }: Kind, form: 'strings' | 'numbers'): unknown {
  const { min, max, scale } = allowed as Extract<Kind['allowed'], { kind: 'decimals' }>;
  const units = random.pick([min, max, 0, 1, 5, 15, 25, random.int(min, max)]);
  const value = units / 10 ** scale;
  const text = random.chance(0.3) ? `${value.toFixed(scale)}5` : value.toFixed(scale);
  return form === 'numbers' ? Number(text) : text;
}

function sampleInstant(random: Random, { allowed }: Kind, now: number): string {
  const day = 86_400_000;
  const away = random.pick([0, 1000, -1000, 60_000, 3_600_000, day, -day, 30 * day, 1, 500]);
  const whole = allowed.kind === 'whole minutes' && random.chance(0.9);
  const text = new Date(whole ? Math.floor((now + away) / 60_000) * 60_000 : now + away).toISOString();
  return random.chance(0.7) ? `${text.slice(0, 19)}Z` : text;
}

function sampleText(random: Random, { allowed, format }: Kind): string {
  if (format === 'time zone')
    return random.pick(['Europe/Berlin', 'UTC', 'America/New_York', 'Asia/Kolkata', 'Mars/One']);
  if (format === 'uuid') return random.chance(0.2) ? random.uuid().toUpperCase() : random.uuid();
  if (allowed.kind === 'one of') return random.pick(allowed.values).text;
  if (allowed.kind === 'pattern') return fitting(random, allowed.source);
  if (format === 'email')
    return `${random.text('ab1', random.int(1, 3))}@${random.pick(['a.example', 'b-c.example', 'x'])}`;
  if (allowed.kind !== 'length') return random.pick(TEXTS);
  const { min, max } = allowed;
  const lengths = [min, Math.min(max, min + 1), max > 400 ? min + 3 : max];
  const text = random.chance(0.7) ? random.pick(TEXTS) : '';
  const length = [...text].length;
  if (text && length >= min && length <= max) return random.chance(0.1) ? ` ${text} ` : text;
  return (
    Array.from({ length: Math.max(1, random.pick(lengths)) }, () => random.pick(LETTERS))
      .join('')
      .trim() || 'a'.repeat(min || 1)
  );
}

/** A text that a simple pattern matches: characters, classes, groups of choices, and how often each comes. */
export function fitting(random: Random, pattern: string): string {
  let out = '';
  const piece = /\[((?:\\.|[^\]])+)\]|\(\?:([^)]*)\)|\\(.)|([^\\^$])/y;
  const times = /\{(\d+)(?:,(\d*))?\}|([*+?])/y;
  for (let at = 0; at < pattern.length; ) {
    piece.lastIndex = at;
    const found = piece.exec(pattern);
    if (!found) {
      at += 1;
      continue;
    }
    at = piece.lastIndex;
    times.lastIndex = at;
    const often = times.exec(pattern);
    if (often) at = times.lastIndex;
    const least = often ? Number(often[1] ?? (often[3] === '+' ? 1 : 0)) : 1;
    const most = often ? Number(often[2] ?? (often[3] ? (often[3] === '?' ? 1 : least + 2) : least)) : 1;
    const count = random.int(least, Math.min(most || least + 2, least + 4));
    for (let i = 0; i < count; i++) out += one(random, found);
  }
  return out;
}

function one(random: Random, [, set, choices, escaped, plain]: RegExpExecArray): string {
  if (set !== undefined) return random.pick(members(set));
  if (choices !== undefined) return random.pick(choices.split('|'));
  if (escaped === 'd') return String(random.int(0, 9));
  if (escaped === 'w') return random.pick(['a', 'Z', '0', '_']);
  return escaped ?? (plain === '.' ? random.pick(['x', ' ', 'é']) : plain!);
}

/** Some characters of a class such as `A-Z0-9_`. */
function members(set: string): string[] {
  return [...set.matchAll(/\\?(.)-\\?(.)|\\?(.)/gu)].flatMap(([, from, to, single]) =>
    single ? [single] : [from!, to!],
  );
}

/** A value that is mostly not allowed, or is of another type. */
export function spoilt(random: Random, kind: Kind): unknown {
  const { allowed } = kind;
  const choices: unknown[] = [
    null,
    true,
    'true',
    1.5,
    2 ** 53,
    '',
    ' ',
    'x',
    0,
    -0,
    [],
    {},
    '\0',
    '\ud800',
    '2020-02-30T00:00:00Z',
  ];
  if (allowed.kind === 'range') choices.push(allowed.min - 1, allowed.max + 1, String(allowed.min));
  if (allowed.kind === 'length' && allowed.max < 2000)
    choices.push(
      'y'.repeat(allowed.max + 1),
      '😀'.repeat(allowed.max),
      '😀'.repeat(allowed.max + 1),
      ' '.repeat(allowed.min + 1),
    );
  if (allowed.kind === 'one of') choices.push(allowed.values[0]!.text.toUpperCase(), `${allowed.values[0]!.text} `);
  return random.pick(choices);
}
