import { showDecimal } from '../../expression/decimal.ts';
import { showIsoDuration } from '../../expression/duration.ts';
import type { Row, Value } from '../../expression/value.ts';
import type { ColumnKind, ResourcePlan, WirePlan } from '../../plan/step.ts';
import type { Speech } from '../versioning/enforce.ts';

/** Writes one value of a kind as JSON. */
export type WriteValue = (value: Exclude<Value, null>) => string;

/** How an answer writes values, as the part says. */
type Forms = Pick<WirePlan, 'timestamps' | 'durations' | 'decimals'>;

/** What the form of a value depends on: its kind, and that of its items. */
export interface ValueForm {
  readonly kind: ColumnKind;
  readonly scale: number | null;
  readonly items: ValueForm | null;
}

/** How values of a kind stand in an answer. */
export function valueWriter({ kind, scale, items }: ValueForm, wire: Forms): WriteValue {
  if (items) {
    const write = valueWriter(items, wire);
    return (value) => `[${(value as readonly Exclude<Value, null>[]).map(write).join(',')}]`;
  }
  if (kind === 'integer' || kind === 'boolean') return String;
  if (kind === 'decimal') {
    const quote = wire.decimals?.as === 'numbers' ? '' : '"';
    return (value) => `${quote}${showDecimal(value as number, scale ?? 0)}${quote}`;
  }
  if (kind === 'duration') {
    const cut = wire.durations === 'whole seconds' ? 1000 : 1;
    return (value) => `"${showIsoDuration(Math.trunc((value as number) / cut) * cut)}"`;
  }
  if (kind === 'uuid') return (value) => `"${value as string}"`;
  if (kind === 'timestamp') {
    const cut = wire.timestamps === 'seconds';
    return (value) => {
      const text = new Date(value as number).toISOString();
      return cut ? `"${text.slice(0, 19)}Z"` : `"${text}"`;
    };
  }
  return JSON.stringify;
}

/** Compiles the shown form of a resource in one version to a writer of JSON text. */
export function rowWriter(resource: ResourcePlan, speech: Speech, wire: WirePlan): (row: Row) => string {
  const members = resource.shown.flatMap((field) => {
    const name = speech.wire(resource.name, field);
    if (name === null) return [];
    const index = resource.columns.findIndex((column) => column.name === field);
    const column = resource.columns[index]!;
    return [{ index, prefix: `${JSON.stringify(name)}:`, write: valueWriter(column.rule, wire) }];
  });
  const keepNull = wire.missing === 'null';
  return (row) => {
    let out = '';
    for (const { index, prefix, write } of members) {
      const value = row[index]!;
      if (value === null && !keepNull) continue;
      out += `${out && ','}${prefix}${value === null ? 'null' : write(value)}`;
    }
    return `{${out}}`;
  };
}
