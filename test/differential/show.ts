import type { Model } from '../../src/model/model.ts';
import { resourceOf, type Scope, sees } from './evaluate.ts';
import { showDecimal, showDuration } from './measures.ts';
import type { Rows } from './rows.ts';
import { Day, Decimal, Instant, Ref, Span, type Val } from './value.ts';
import type { Speech } from './versions.ts';

/** An answer as it goes out. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: string | null;
}

/** What values are shown by: the rows they stand for, and the names of a version. */
export interface Showing {
  readonly model: Model;
  readonly rows: Rows;
  readonly speech: Speech;
  /** Who looks, at what is there at the end. */
  readonly scope: Scope;
}

/** A row as `Shown` says, in JSON. */
export function showRow(s: Showing, ref: Ref): string {
  const resource = resourceOf(s, ref.resource);
  const row = s.rows.get(ref);
  const members = resource.shown!.value.flatMap((one): Array<[string, string | null]> => {
    const name = s.speech.name(ref.resource, one.field.text);
    if (name === null) return [];
    const value = row.values.get(one.field.text) ?? null;
    if (!(value instanceof Ref)) return [[name, showValue(s, value)]];
    return [[name, sees(s.scope, value) ? showValue(s, s.rows.identity(value)) : null]];
  });
  return object(s, members);
}

/** An object of members in their order; what is missing is left out or null. */
export function object({ model }: Showing, members: ReadonlyArray<readonly [string, string | null]>): string {
  const nulls = model.resources.rules.missing?.value === 'null';
  const shown = members.filter(([, text]) => text !== null || nulls);
  return `{${shown.map(([name, text]) => `${JSON.stringify(name)}:${text ?? 'null'}`).join(',')}}`;
}

/** One value in JSON; null where it is missing. */
export function showValue(s: Showing, value: Val): string | null {
  if (value === null) return null;
  if (value instanceof Ref) return showRow(s, value);
  if (value instanceof Instant) {
    const text = new Date(value.at).toISOString();
    return s.model.resources.rules.timestamps?.value === 'seconds' ? `"${text.slice(0, 19)}Z"` : `"${text}"`;
  }
  if (value instanceof Day) return JSON.stringify(value.text);
  if (value instanceof Span) return JSON.stringify(showDuration(value));
  if (value instanceof Decimal) {
    const text = showDecimal(value);
    return s.model.resources.rules.decimals?.value.as === 'numbers' ? text : JSON.stringify(text);
  }
  if (Array.isArray(value)) return `[${value.map((one) => showValue(s, one as Val) ?? 'null').join(',')}]`;
  return JSON.stringify(value);
}
