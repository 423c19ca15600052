import { jsonOf, withMaps } from '../../expression/values/json.ts';
import type { Value } from '../../expression/values/value.ts';
import { type Argument, StoreError } from '../store.ts';

/** The numbers of PostgreSQL’s types (pg_type) that results have. */
const BOOLEAN = 16;
const BYTES = 17;
const WHOLE: ReadonlySet<number> = new Set([20, 21, 23, 1700]);
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802]);

type Parse = (text: string) => unknown;

/** Parsers for the text form of each type: integers become numbers, bytes a Buffer, and JSON its value. */
export const TYPE_PARSERS = {
  getTypeParser(type: number): Parse {
    if (WHOLE.has(type)) return whole;
    if (type === BOOLEAN) return (text) => text === 't';
    if (type === BYTES) return (text) => Buffer.from(text.slice(2), 'hex');
    return JSON_TYPES.has(type) ? (text) => withMaps(JSON.parse(text)) : (text) => text;
  },
};

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new StoreError('failed', 'A number went beyond 2^53 − 1');
  return number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Converts arguments for the driver. If a UUID is expected and the text is none, the argument is null, which equals
 * nothing.
 */
export function bound(args: readonly Argument[], uuids: readonly boolean[]): Array<string | Buffer | null> {
  return args.map((value, i) => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'string') return uuids[i] && !UUID.test(value) ? null : value;
    if (Buffer.isBuffer(value)) return value;
    return typeof value === 'object' ? jsonOf(value as Value) : String(value);
  });
}
