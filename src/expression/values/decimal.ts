/**
 * The treatment of digits beyond a decimal’s scale: an error, or IEEE 754’s roundTiesToEven, roundTiesToAway,
 * roundTowardZero.
 */
export type Rounding = 'refused' | 'half even' | 'half up' | 'down';

const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Parses a decimal, such as `-12.50`, to an integer in units of its last digit, with `scale` decimal places. Null where
 * the text is no decimal, or has further digits other than 0 that are refused; `Infinity` where it is beyond 2^53 − 1.
 */
export function decimalOf(text: string, scale: number, rounding: Rounding): number | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = ''] = match;
  const kept = fraction.slice(0, scale).padEnd(scale, '0');
  const rest = fraction.slice(scale);
  // A double is not exact beyond 2^53 − 1, so numbers with more digits count as infinite, which no bound allows.
  const digits = (whole + kept).replace(/^0+(?=\d)/, '');
  let units = digits.length > 16 ? Number.POSITIVE_INFINITY : Number(digits);
  if (/[1-9]/.test(rest)) {
    if (rounding === 'refused') return null;
    if (roundsUp(rest, units, rounding)) units += 1;
  }
  if (units > Number.MAX_SAFE_INTEGER) units = Number.POSITIVE_INFINITY;
  return sign ? 0 - units : units;
}

/** Whether the removed digits round a number away from zero. */
function roundsUp(rest: string, units: number, rounding: Rounding): boolean {
  if (rounding === 'down' || rest < '5') return false;
  return rounding === 'half up' || /[1-9]/.test(rest.slice(1)) || rest[0]! > '5' || units % 2 === 1;
}

/** Formats an integer in units of the last digit as a decimal, always with `scale` decimal places. */
export function showDecimal(units: number, scale: number): string {
  const digits = String(Math.abs(units)).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0 ? '-' : ''}${whole}${scale ? `.${digits.slice(-scale)}` : ''}`;
}

/** The shortest text of a JSON number, without an exponent. */
export function plainNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, first = '', more = '', exponent] = match;
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${first}${more}`;
  return `${sign}${first}${more.padEnd(shift, '0')}`;
}

/** A JSON number that no double holds, such as `1.00499999999999999999`: only its text has the exact value. */
export class Numeral {
  /** The number without an exponent. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The exact number of a JSON text: a double, or a Numeral where no double holds it. */
export function exactNumber(source: string): number | Numeral {
  const value = Number(source);
  const text = writtenOut(source);
  return bare(text) === bare(plainNumber(value)) ? value : new Numeral(text);
}

/**
 * A JSON number without its exponent. If the exponent moves the point far beyond all digits, the text is cut: such a
 * number is beyond all bounds.
 */
function writtenOut(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source)!;
  const digits = whole + fraction;
  const far = digits.length + 400;
  const point = whole.length + Math.max(-far, Math.min(far, Number(exponent)));
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const before = digits
    .slice(0, point)
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '');
  return `${sign}${before}${point < digits.length ? `.${digits.slice(point)}` : ''}`;
}

/** Removes zeros at the end of the decimal places, and the sign of 0. */
function bare(text: string): string {
  let end = text.length;
  if (text.includes('.')) {
    while (text[end - 1] === '0') end--;
    if (text[end - 1] === '.') end--;
  }
  const short = text.slice(0, end);
  return short === '-0' ? '0' : short;
}
