import type { Model } from '../../src/compiler/statements/model.ts';
import { memberOf, resourceOf, type Scope, sees } from './evaluate.ts';
import { showDecimal, showDuration } from './measures.ts';
import type { Rows } from './rows.ts';
import { Bag, Day, Decimal, Instant, Ref, Span, type Val } from './value.ts';
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
  readonly apiVersion: Speech;
  /** Who looks, at what is there at the end. */
  readonly scope: Scope;
}

/** A row in its own form, or in another view, in JSON. */
export function showRow(s: Showing, ref: Ref, view: string | null = null): string {
  const resource = resourceOf(s, ref.resource);
  const members = view === null ? resource.shown!.value : resource.views.find((one) => one.name.text === view)!.members;
  const shown = members.flatMap(({ field, as }): Array<[string, string | null]> => {
    const name = s.apiVersion.name(ref.resource, field.text);
    if (name === null) return [];
    return [[name, showMember(s, memberOf(s.scope, ref, field.text), as?.text ?? null)]];
  });
  return object(s, shown);
}

/** A member of a shown row: a reference as a field of what it points at, as a view of it, or as its own form. */
function showMember(s: Showing, value: Val, as: string | null): string | null {
  if (Array.isArray(value)) {
    const items = value.flatMap((one) => (hidden(s, one as Val) ? [] : [showMember(s, one as Val, as)]));
    return list(s, items);
  }
  if (!(value instanceof Ref) || as === null) return showValue(s, value);
  if (hidden(s, value)) return null;
  if (as === value.resource) return showRow(s, value);
  const { views } = resourceOf(s, value.resource);
  if (views.some((one) => one.name.text === as)) return showRow(s, value, as);
  return showMember(s, memberOf(s.scope, value, as), null);
}

const hidden = (s: Showing, value: Val): boolean => value instanceof Ref && s.scope.sighted && !sees(s.scope, value);

/** An object of members in their order; what is missing is left out or null. */
export function object({ model }: Showing, members: ReadonlyArray<readonly [string, string | null]>): string {
  const nulls = model.resources.rules.missing?.value === 'null';
  const shown = members.filter(([, text]) => text !== null || nulls);
  return `{${shown.map(([name, text]) => `${JSON.stringify(name)}:${text ?? 'null'}`).join(',')}}`;
}

/** A list of items in their order; what is missing is left out or null. */
function list({ model }: Showing, items: ReadonlyArray<string | null>): string {
  const nulls = model.resources.rules.missing?.value === 'null';
  return `[${items.flatMap((text) => (text === null && !nulls ? [] : [text ?? 'null'])).join(',')}]`;
}

/** One value in JSON; null where it is missing. */
export function showValue(s: Showing, value: Val): string | null {
  if (value === null) return null;
  if (value instanceof Ref) return hidden(s, value) && value.pointed ? null : showRow(s, value);
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
  if (value instanceof Bag)
    return object(
      s,
      [...value.sent].map(([name, one]) => [name, showValue(s, one)]),
    );
  if (Array.isArray(value)) {
    // Rows that aren’t there are left out of a list of rows, whatever becomes of other values that are missing.
    const rows = value.some((one) => one instanceof Ref);
    const items = value.map((one) => showValue(s, one as Val));
    return list(s, rows ? items.filter((text) => text !== null) : items);
  }
  return JSON.stringify(value);
}
