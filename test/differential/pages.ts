import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import { type Pages, relationOf } from '../../src/plan/limits.ts';
import { evaluate, type Scope, sees } from './evaluate.ts';
import { condition } from './refusal.ts';
import { identityName } from './rows.ts';
import { object, type Showing, showRow, showValue } from './show.ts';
import { checkWritten, kindOf } from './validate.ts';
import { order, type Ref, same, type Val } from './value.ts';

/** Where a row stands in a list. */
export interface Place {
  /** The values of the sort keys. */
  readonly by: readonly Val[];
  readonly identity: Val;
}

/** A page as a request asks for it. */
export interface Asked {
  readonly form: Pages;
  readonly size: number;
  /** How many rows are left out; null where the page begins after a place. */
  readonly skipped: number | null;
  /** After which place the page begins: what a cursor stands for, or the identity of a row. */
  readonly after: Place | { readonly identity: string } | null;
  /** Makes the cursor of what comes after a place. */
  readonly seal: (place: Place) => string;
}

/** What a page turned out to hold. */
export interface Page {
  readonly asked: Asked;
  readonly rows: readonly Ref[];
  readonly total: number;
  readonly more: boolean;
  readonly last: Place | null;
}

/** The form of an endpoint’s pages. */
export function formOf(model: Model, one: Effective): Pages | null {
  return one.settings.pages?.value ?? model.limits.pages?.value ?? null;
}

/** Reads the size and the place of a page; what can’t be given is refused. */
export function readPage(
  model: Model,
  form: Pages,
  query: ReadonlyArray<readonly [string, string]>,
  cursor: (text: string) => Place | null,
  seal: (place: Place) => string,
): Asked {
  const refused = condition('page refused');
  const { standard, most, beyond } = model.limits.pageSize!.value;
  const all = (name: string): string[] => query.filter(([each]) => each === name).map(([, value]) => value);
  const sizes = all(form.limit);
  const places = all(form.place);
  if (sizes.length > 1 || places.length > 1) throw refused;
  const [asked] = sizes;
  if (asked !== undefined && !/^[1-9]\d{0,8}$/.test(asked)) throw refused;
  let size = asked === undefined ? standard : Number(asked);
  if (size > most && beyond === 'refused') throw refused;
  size = Math.min(size, most);
  const [place] = places;
  const common = { form, size, seal, skipped: null, after: null };
  switch (form.by) {
    case 'offset':
      if (place !== undefined && !isNumbered(place)) throw refused;
      return { ...common, skipped: Number(place ?? 0) };
    case 'number':
      if (place !== undefined && (place === '0' || !isNumbered(place))) throw refused;
      return { ...common, skipped: (Number(place ?? 1) - 1) * size };
    case 'identity':
      return { ...common, after: place === undefined ? null : { identity: place } };
    default: {
      const after = place === undefined ? null : cursor(place);
      if (place !== undefined && after === null) throw refused;
      return { ...common, after };
    }
  }
}

/** Whether a text is a whole number, as far as those are exact. */
const isNumbered = (text: string): boolean => /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));

/** The row that a page by identity begins after: one that the caller may see. */
export function rowBefore(scope: Scope, resource: string, text: string): Ref {
  const { model } = scope;
  const stated = model.resources.list.find((one) => one.name.text === resource)!;
  const checked = checkWritten(model, kindOf(model, resource, identityName(stated)), text);
  const found = 'value' in checked ? scope.rows.byIdentity(resource, checked.value) : null;
  if (!found || !sees(scope, found)) throw condition('page refused');
  return found;
}

/** Cuts a page out of all rows of a list, which stand in its order. */
export function cut(
  asked: Asked,
  all: readonly Ref[],
  placeOf: (ref: Ref) => Place,
  compare: (a: Place, b: Place) => number,
  before: Place | null,
): Page {
  const rest = before === null ? all : all.filter((ref) => compare(placeOf(ref), before) > 0);
  const from = asked.skipped ?? 0;
  const rows = rest.slice(from, from + asked.size);
  const last = rows.at(-1);
  return { asked, rows, total: all.length, more: rest.length > from + asked.size, last: last ? placeOf(last) : null };
}

/** The payload of a page. */
export function showPage(showing: Showing, page: Page, linkTo: (relation: string) => string | null): string {
  const { form, size, skipped, seal } = page.asked;
  const items = `[${page.rows.map((ref) => showRow(showing, ref)).join(',')}]`;
  if (form.payload === null) return items;
  const number = (skipped ?? 0) / size + 1;
  const beside = (next: boolean): Val => {
    if (skipped !== null) return placeAt(form, size, next ? skipped + size : before(page));
    return form.by === 'cursor' ? seal(page.last!) : page.last!.identity;
  };
  const values: Readonly<Record<string, () => string | null>> = {
    items: () => items,
    next: () => (page.more ? showValue(showing, beside(true)) : null),
    previous: () => (skipped ? showValue(showing, beside(false)) : null),
    more: () => String(page.more),
    total: () => String(page.total),
    size: () => String(size),
    offset: () => String(skipped),
    number: () => String(number),
    pages: () => String(Math.ceil(page.total / size)),
  };
  return object(
    showing,
    form.payload.map(({ name, value }) => {
      const relation = relationOf(value);
      const link = relation && linkTo(relation);
      return [name, relation ? link && JSON.stringify(link) : values[value]!()];
    }),
  );
}

/** How many rows stand before the page before; before one past the end stands the last. */
function before({ asked: { size, skipped }, total }: Page): number {
  return skipped! >= total ? lastStart(total, size) : Math.max(0, skipped! - size);
}

const lastStart = (total: number, size: number): number => (Math.max(1, Math.ceil(total / size)) - 1) * size;

/** What the parameter of the place holds for a page that so many rows stand before. */
const placeAt = ({ by }: Pages, size: number, skipped: number): number =>
  by === 'number' ? skipped / size + 1 : skipped;

/** The links to other pages, which keep the rest of the query, by relation; null where there is no such page. */
export function linkOf(
  page: Page,
  query: ReadonlyArray<readonly [string, string]>,
  sent: boolean,
  base: string,
  relation: string,
): string | null {
  const { form, size, skipped, seal } = page.asked;
  const at = (rows: number): string => String(placeAt(form, size, rows));
  const end = lastStart(page.total, size);
  const placed = query.some(([name]) => name === form.place);
  const after = (): string => (form.by === 'cursor' ? seal(page.last!) : String(page.last!.identity));
  const places: Readonly<Record<string, () => string | null | undefined>> = {
    first: () => (skipped === null ? (placed ? null : undefined) : skipped > 0 ? at(0) : undefined),
    prev: () => (skipped ? at(before(page)) : undefined),
    next: () => (page.more ? (skipped === null ? after() : at(skipped + size)) : undefined),
    last: () => (skipped !== null && (end > skipped || (skipped > 0 && skipped >= page.total)) ? at(end) : undefined),
  };
  const place = places[relation]!();
  return place === undefined ? null : `${base}${target(form, query, place, sent)}`;
}

/** The header Link of a page; null where there are no links. */
export function linksOf(page: Page, linkTo: (relation: string) => string | null): string | null {
  const links = page.asked.form.link.flatMap((relation) => {
    const link = linkTo(relation);
    return link === null ? [] : [`<${link}>; rel="${relation}"`];
  });
  return links.length ? links.join(', ') : null;
}

function target(
  form: Pages,
  query: ReadonlyArray<readonly [string, string]>,
  place: string | null,
  sent: boolean,
): string {
  const pairs: Array<readonly [string, string]> = [];
  for (const pair of query) {
    if (pair[0] !== form.place) pairs.push(pair);
    else if (place !== null) pairs.push([form.place, place]);
  }
  if (place !== null && !query.some(([name]) => name === form.place)) pairs.push([form.place, place]);
  if (pairs.length === 0) return sent ? '?' : '';
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}

/** What a list is ordered by: an expression, its direction, and the place of rows where it is null. */
interface Key {
  readonly by: string;
  readonly direction: 'latest' | 'earliest';
  readonly nulls: 'first' | 'last' | null;
}

/** Orders places by the keys that are asked for, and ties by the identity, the same way round as the last key. */
export function ordering(keys: readonly Key[]): (a: Place, b: Place) => number {
  const turned = (key: Key, found: number): number => (key.direction === 'latest' ? -found : found);
  return (a, b) => {
    for (const [i, key] of keys.entries()) {
      const [one, other] = [a.by[i]!, b.by[i]!];
      if (same(one, other)) continue;
      if (key.nulls && (one === null || other === null)) return (one === null) === (key.nulls === 'first') ? -1 : 1;
      const found = order(one, other);
      if (found !== 0) return turned(key, found);
    }
    return turned(keys.at(-1)!, order(a.identity, b.identity));
  };
}

/** The place of a row in an order. */
export const placeIn = (keys: readonly Key[], scope: Scope, identity: Val): Place => ({
  by: keys.map(({ by }) => evaluate(by, scope)),
  identity,
});

/** Whether two places are of the same row in the same order. */
export const isSamePlace = (a: Place, b: Place): boolean =>
  same(a.identity, b.identity) && a.by.length === b.by.length && a.by.every((value, i) => same(value, b.by[i]!));

/** What a list is ordered by, and which way round, for one request. */
export function orderOf(one: Effective, by: NonNullable<Ordered>, scope: Scope): readonly Key[] {
  const further = by.then.map((key) => ({ ...key, by: key.by.text }));
  if (by.direction === 'best') throw new Error('No random document searches for words');
  if (by.direction !== 'sorted') return [{ by: by.by.text, direction: by.direction, nulls: by.nulls }, ...further];
  const asked = evaluate(by.way.text, { ...scope, row: null }) === 'desc' ? 'latest' : 'earliest';
  const names = one.settings.sort?.value;
  const name = names && evaluate(by.by.text, { ...scope, row: null });
  const named = names?.find((each) => each.name.text === name);
  const keys = named ? [named, ...named.then] : [{ by: by.by, nulls: by.nulls, direction: null }];
  return [
    ...keys.map((key) => ({ by: key.by.text, direction: key.direction ?? asked, nulls: key.nulls }) as const),
    ...further,
  ];
}

type Ordered = Extract<Effective['steps'][number], { verb: 'List' }>['order'];
