import type { ValueRule, WirePlan } from '../../src/plan/step.ts';
import type { Random } from '../../src/verify/requests/random.ts';
import { fitting } from '../differential/sample.ts';

/** What values are made for: the instant that it is, and how values stand on the wire. */
export interface Making {
  readonly random: Random;
  readonly now: number;
  readonly wire: WirePlan;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TEXT = 'plain words';

/** A value that the rule allows, as JSON has it. */
export function fit(making: Making, rule: ValueRule): unknown {
  const { random } = making;
  if (rule.oneOf) return random.pick(rule.oneOf);
  switch (rule.kind) {
    case 'uuid':
      return random.uuid();
    case 'integer':
      return fitInteger(random, rule);
    case 'decimal':
      return decimal(making, fitInteger(random, rule), rule.scale ?? 0);
    case 'boolean':
      return random.chance(0.5);
    case 'timestamp':
      return timestamp(making, rule.whole ?? 1000);
    case 'date':
      return new Date(making.now + random.int(-400, 400) * DAY).toISOString().slice(0, 10);
    case 'duration':
      return duration(random, rule);
    case 'list':
    case 'set':
    case 'map':
      return fitMany(making, rule);
    case 'text':
      return fitText(random, rule);
  }
}

function fitInteger(random: Random, { min, max }: ValueRule): number {
  const [least, most] = [min ?? -100, max ?? 100];
  const near = [least, most, least + 1, Math.max(least, 0), Math.max(least, 1), Math.floor(least + (most - least) / 2)];
  return Math.min(most, random.chance(0.5) ? random.pick(near) : random.int(least, Math.min(most, least + 20)));
}

function decimal({ wire }: Making, units: number, scale: number): unknown {
  const digits = String(Math.abs(units)).padStart(scale + 1, '0');
  const text = `${units < 0 ? '-' : ''}${scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits}`;
  return wire.decimals?.as === 'numbers' ? Number(text) : text;
}

/** Mostly soon, on whole hours, so that several of them fit together. */
function timestamp({ random, now, wire }: Making, whole: number): string {
  const away =
    random.pick([1, 2, 3, 4, 5, 8, 24, 26, 48, 72, -1, -24, 24 * 40]) * HOUR + random.pick([0, 0, 0, 30 * MINUTE]);
  const at = Math.floor((now + away) / HOUR) * HOUR + (whole < HOUR ? random.pick([0, 0, 15 * MINUTE]) : 0);
  const text = new Date(at).toISOString();
  return wire.timestamps === 'seconds' ? `${text.slice(0, 19)}Z` : text;
}

function duration(random: Random, { min, max }: ValueRule): string {
  const [least, most] = [min ?? 0, max ?? 30 * DAY];
  const milliseconds = random.pick([least, most, Math.min(most, Math.max(least, HOUR)), Math.min(most, least + DAY)]);
  return isoText(milliseconds);
}

/** Milliseconds as ISO 8601 has them, in whole seconds. */
export const isoText = (milliseconds: number): string => `PT${Math.floor(milliseconds / 1000)}S`;

function fitMany(making: Making, rule: ValueRule): unknown {
  const { random } = making;
  const count = Math.max(rule.min ?? 0, Math.min(rule.max ?? 3, random.int(0, 3)));
  const items = Array.from({ length: count }, () => fit(making, rule.items!));
  if (rule.kind === 'set') return items.filter((one, i) => items.findIndex((other) => alike(one, other)) === i);
  if (rule.kind === 'list') return items;
  return Object.fromEntries(
    items.map((item) => [String(rule.keys ? fit(making, rule.keys) : random.text('abc', 3)), item]),
  );
}

const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function fitText(random: Random, rule: ValueRule): string {
  if (rule.pattern !== null) return fitting(random, rule.pattern);
  switch (rule.format) {
    case 'email':
      return `${random.text('abcdef', 6)}@example.com`;
    case 'uri':
      return `https://example.com/${random.text('abc', 4)}`;
    case 'hostname':
      return `${random.text('abc', 4)}.example`;
    case 'ipv4':
      return `192.0.2.${random.int(1, 254)}`;
    case 'ipv6':
      return `2001:db8::${random.int(1, 9)}`;
    case 'time zone':
      return random.pick(['UTC', 'Europe/Berlin', 'Asia/Tokyo']);
    default:
      return fitLength(random, rule.min ?? 0, rule.max ?? 80);
  }
}

/** Few different texts, so that some are the same; some as long as they may be. */
function fitLength(random: Random, min: number, max: number): string {
  if (max <= 400 && random.chance(0.1)) return 'm'.repeat(max);
  const text = random.pick([TEXT, 'One', 'one', 'two', 'three things', random.text('abcdefgh', 8)]);
  return text.slice(0, Math.max(max, 0)).trim().padEnd(min, 'x');
}

/** Values that the rule does not allow, or allows only just. */
export function odd(making: Making, rule: ValueRule): unknown[] {
  const out: unknown[] = [null, '', ' ', 'x', '?!', 0, 1.5, -1, true, 'true', [], {}, '\u0000', '\ud800'];
  const { min, max } = rule;
  if (rule.kind === 'integer') out.push(...[min, max].flatMap((one) => (one === null ? [] : [one - 1, one, one + 1])));
  if (rule.kind === 'decimal')
    out.push(
      ...[min, max].flatMap((one) =>
        one === null ? [] : [one - 1, one, one + 1].map((n) => decimal(making, n, rule.scale ?? 0)),
      ),
      '1.23456789',
    );
  if (rule.kind === 'text' && !rule.pattern)
    out.push(
      ...[min, max].flatMap((one) =>
        one === null || one > 100_000 ? [] : ['y'.repeat(Math.max(0, one - 1)), 'y'.repeat(one), 'y'.repeat(one + 1)],
      ),
    );
  if (rule.kind === 'text' && min !== null) out.push(` ${'y'.repeat(Math.min(min, 50))} `);
  if (rule.kind === 'duration') out.push('PT1.5S', 'P1M', isoText((max ?? 0) + 1000), isoText(max ?? 0));
  if (rule.kind === 'timestamp')
    out.push('2026-11-20', '2026-11-20T10:00:30Z', '2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00+01:00');
  if (rule.kind === 'date') out.push('2026-02-30', '2026-11-20T00:00:00Z');
  if (rule.items) {
    const one = fit(making, rule.items);
    out.push(
      [one, one],
      Array.from({ length: (max ?? 50) + 1 }, () => one),
      [null],
      { a: one },
    );
    out.push(...odd(making, rule.items).map((item) => [item]));
  }
  return out;
}
