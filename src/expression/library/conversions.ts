import type { LibraryFn } from '../tree/library-names.ts';
import * as t from '../tree/types.ts';
import { showDecimal } from '../values/decimal.ts';
import { always, DAY, INSTANT, judged, kind, LENGTH, type Overload, readFrom, TEXT, WHOLE } from './overload.ts';
import { showInstant } from './times.ts';

const DECIMAL = kind('decimal');
const text = always(t.STRING);
const whole = always(t.INTEGER);

const WHOLE_TEXT = judged('the digits of an integer', (said) => integerFrom(said) !== null);

const TRUTH_TEXT = judged('"true" or "false"', (said) => truthFrom(said) !== null);

const scaleOf = ([decimal]: readonly { type: t.Type }[]): readonly number[] =>
  decimal!.type.kind === 'decimal' ? [decimal!.type.scale] : [];

/** Conversions between types (cel-spec, “Type conversion”). */
export const CONVERSIONS: Partial<Record<LibraryFn, readonly Overload[]>> = {
  string: [
    { id: 'string', takes: [TEXT], gives: text, does: (value: string) => value },
    { id: 'string_of_integer', takes: [WHOLE], gives: text, does: (value: number) => `${value}` },
    { id: 'string_of_boolean', takes: [kind('boolean')], gives: text, does: (value: boolean) => `${Boolean(value)}` },
    { id: 'string_of_timestamp', takes: [INSTANT], gives: text, does: showInstant },
    { id: 'string_of_date', takes: [DAY], gives: text, does: (value: string) => value },
    { id: 'string_of_duration', takes: [LENGTH], gives: text, does: secondsOf },
    { id: 'string_of_decimal', takes: [DECIMAL], gives: text, does: showDecimal, also: scaleOf },
  ],
  bool: [
    { id: 'bool', takes: [kind('boolean')], gives: always(t.BOOLEAN), does: (value: boolean) => Boolean(value) },
    { id: 'bool_of_text', takes: [TRUTH_TEXT], gives: readFrom(t.BOOLEAN), does: truthFrom },
  ],
  int: [
    { id: 'int', takes: [WHOLE], gives: whole, does: (value: number) => value },
    { id: 'int_of_text', takes: [WHOLE_TEXT], gives: readFrom(t.INTEGER), does: integerFrom },
    { id: 'int_of_timestamp', takes: [INSTANT], gives: whole, does: (value: number) => Math.floor(value / 1000) },
    {
      id: 'int_of_decimal',
      takes: [DECIMAL],
      gives: whole,
      does: (units: number, scale: number) => Math.trunc(units / 10 ** scale) + 0,
      also: scaleOf,
    },
  ],
};

/** Parses an integer, with `-` before a negative one; null for other text, or a number beyond 2^53 − 1. */
function integerFrom(said: string): number | null {
  if (!/^-?\d{1,40}$/.test(said)) return null;
  const value = Number(said) + 0;
  return Number.isSafeInteger(value) ? value : null;
}

/** Parses `true` and `false` as CEL does. */
function truthFrom(said: string): boolean | null {
  if (['true', 'True', 'TRUE', 't', '1'].includes(said)) return true;
  return ['false', 'False', 'FALSE', 'f', '0'].includes(said) ? false : null;
}

/** A duration in seconds as CEL writes it: `5400s`, `0.25s`. */
function secondsOf(length: number): string {
  const [whole, rest] = [Math.floor(Math.abs(length) / 1000), Math.abs(length) % 1000];
  const fraction = rest ? `.${String(rest).padStart(3, '0').replace(/0+$/, '')}` : '';
  return `${length < 0 ? '-' : ''}${whole}${fraction}s`;
}
