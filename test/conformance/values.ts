import * as t from '../../src/expression/tree/types.ts';
import { sortedMap } from '../../src/expression/values/json.ts';
import type { Value } from '../../src/expression/values/value.ts';

/** A value of the conformance cases, as protobuf writes it in JSON. */
export interface Given {
  readonly int64Value?: string;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly nullValue?: null;
  readonly listValue?: { readonly values?: readonly Given[] };
  readonly mapValue?: { readonly entries?: ReadonlyArray<{ readonly key: Given; readonly value: Given }> };
  readonly objectValue?: { readonly '@type': string; readonly value: string };
}

/** A type of the conformance cases. */
export interface GivenType {
  readonly primitive?: string;
  readonly null?: unknown;
  readonly wellKnown?: string;
  readonly messageType?: string;
  readonly listType?: { readonly elemType?: GivenType };
  readonly mapType?: { readonly keyType?: GivenType; readonly valueType?: GivenType };
}

/** The value as ours. */
export function oursOf(given: Given): Value {
  if (given.int64Value !== undefined) return Number(given.int64Value);
  if (given.stringValue !== undefined) return given.stringValue;
  if (given.boolValue !== undefined) return given.boolValue;
  if (given.listValue) return (given.listValue.values ?? []).map(oursOf);
  if (given.mapValue)
    return sortedMap((given.mapValue.entries ?? []).map(({ key, value }) => [String(oursOf(key)), oursOf(value)]));
  if (!given.objectValue) return null;
  const text = given.objectValue.value;
  return given.objectValue['@type'].endsWith('.Timestamp')
    ? Date.parse(text)
    : Math.round(Number.parseFloat(text) * 1000);
}

const PRIMITIVES: Readonly<Record<string, t.Type>> = { INT64: t.INTEGER, STRING: t.STRING, BOOL: t.BOOLEAN };

/** The type as ours, where we have it. */
export function typeOf(given: GivenType): t.Type | null {
  if (given.primitive) return PRIMITIVES[given.primitive] ?? null;
  if ('null' in given) return t.NULL;
  const known = given.messageType ?? given.wellKnown ?? '';
  if (/Timestamp$/i.test(known)) return t.TIMESTAMP;
  if (/Duration$/i.test(known)) return t.DURATION;
  if (given.listType) {
    const of = typeOf(given.listType.elemType ?? {});
    return of && { kind: 'list', of, nullable: false };
  }
  const of = given.mapType && typeOf(given.mapType.valueType ?? {});
  return of ? { kind: 'map', of, nullable: false } : null;
}
