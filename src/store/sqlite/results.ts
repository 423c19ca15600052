import { sortedMap, valueOfJson } from '../../expression/values/json.ts';
import { uuidText } from '../../expression/values/uuid.ts';
import type { Value } from '../../expression/values/value.ts';
import type { ResultShape } from '../sql/columns.ts';

type Decode = (value: unknown) => Value;

/** Decoders for columns with a different form in SQLite: booleans are 0 and 1, UUIDs 16 bytes, lists JSON. */
export function columnDecoders(columns: readonly ResultShape[]): ReadonlyArray<{ at: number; value: Decode }> | null {
  const decoders = columns.map((shape): Decode | null => {
    if (typeof shape === 'object') {
      const nested = nestedDecoder(shape);
      return (value: unknown) => nested(JSON.parse(value as string));
    }
    if (shape === 'boolean') return (value: unknown) => value === 1;
    if (shape === 'list' || shape === 'set' || shape === 'map') return (value: unknown) => valueOfJson(value as string);
    if (shape === 'selected uuid') return digits;
    return shape === 'uuid' ? (value: unknown) => uuidText((value as Buffer).toString('hex')) : null;
  });
  const some = decoders.flatMap((value, at) => (value ? [{ at, value }] : []));
  return some.length ? some : null;
}

/** A UUID is selected as hexadecimal digits, which are empty for null. */
const digits: Decode = (value) => (value === '' ? null : uuidText((value as string).toLowerCase()));

/** Decodes a value inside JSON, in which a UUID is written as its digits, since JSON has no bytes. */
function nestedDecoder(shape: ResultShape): Decode {
  if (typeof shape === 'object' && 'list' in shape) {
    const item = nestedDecoder(shape.list);
    return (value) => (value === null ? null : (value as unknown[]).map(item));
  }
  if (typeof shape === 'object' && 'map' in shape) {
    const one = nestedDecoder(shape.map);
    return (value) => (value === null ? null : mapOf(value as Record<string, unknown>, one));
  }
  if (typeof shape === 'object') {
    const items = shape.tuple.map(nestedDecoder);
    return (value) => (value === null ? null : items.map((item, i) => item((value as unknown[])[i])));
  }
  if (shape === 'boolean') return (value) => (value === null ? null : value === 1 || value === true);
  // In a list of a row, a UUID is text; elsewhere in JSON, it is hexadecimal digits.
  if (shape === 'uuid')
    return (value) =>
      value === null || (value as string).includes('-') ? (value as Value) : uuidText(value as string);
  return (value) => value as Value;
}

const mapOf = (object: Record<string, unknown>, decode: Decode): Value =>
  sortedMap(Object.entries(object).map(([key, value]) => [key, decode(value)]));
