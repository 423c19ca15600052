import type { Json } from '../../export/json.ts';
import type { Value } from '../../expression/values/value.ts';
import { type PageValue, type Relation, relationOf } from '../../plan/limits.ts';
import { statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { EndpointPlan, InsideStep, PagePlan } from '../../plan/step.ts';
import { sees } from './evaluate.ts';
import { hasTraces, traceOf } from './order-traces.ts';
import { byCondition, type Refusal } from './refusal.ts';
import { OracleRow } from './rows.ts';
import {
  chosenKeys,
  compareRows,
  type KeyedRow,
  keyed,
  type Page,
  type RequestedPage,
  type Run,
  scopeOf,
} from './run.ts';
import { note } from './scope.ts';
import { objectOf, shownRow } from './show.ts';

type ListStep = Extract<InsideStep, { do: 'list' }>;

/** Reads the size and the place of the requested page. Values that are not allowed are refused. */
export function readPage(
  plan: PagePlan,
  sent: ReadonlyArray<readonly [string, string]>,
  bound: string,
): RequestedPage | Refusal {
  const all = (name: string): string[] => sent.filter(([one]) => one === name).map(([, value]) => value);
  const [limits, places] = [all(plan.limit), all(plan.place)];
  const [size] = limits;
  const asked = size === undefined ? plan.standard : /^[1-9]\d*$/.test(size) ? Number(size) : 0;
  const limit = plan.beyond === 'left out' ? Math.min(asked, plan.most) : asked;
  const place = places[0] ?? null;
  const offset = offsetOf(plan, place, limit);
  const refused = limits.length > 1 || places.length > 1 || limit < 1 || limit > plan.most || offset === null;
  if (refused) return byCondition('page refused');
  return { plan, limit, place, offset, number: plan.by === 'number' ? Number(place ?? 1) : 1, bound };
}

/** The number of rows before the page; null where the parameter is not valid. */
function offsetOf({ by }: PagePlan, place: string | null, limit: number): number | null {
  if (place === null || by === 'cursor' || by === 'identity') return 0;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(place) || Number(place) > Number.MAX_SAFE_INTEGER) return null;
  if (by === 'offset') return Number(place);
  return place === '0' ? null : (Number(place) - 1) * limit;
}

/** Cuts a page out of a list in its order. */
export function listPage(run: Run, step: ListStep, rows: readonly KeyedRow[]): Page {
  const { work, asked } = run;
  if (!asked) throw new Error('A list in pages has no page');
  const from = firstOf(run, step, asked, rows);
  const taken = rows.slice(from, from + asked.limit);
  const more = rows.length > from + asked.limit;
  note(work, statementId.endpoint(run.endpoint?.name ?? '', 'pages'), more ? 'next' : from > 0 ? 'last' : 'only');
  if (asked.offset > 0 && taken.length > 0)
    note(work, statementId.endpoint(run.endpoint?.name ?? '', 'pages'), 'begins after the first row');
  notePlace(run, step, rows[from - 1], taken[0]);
  const last = taken.at(-1);
  const next = more && last ? nextPlace(run, step, asked, last) : null;
  // A later step may change the rows; the page shows them as they were.
  const writes = run.endpoint?.writes ?? false;
  return {
    rows: taken.map(({ row }) => (writes ? row.copy() : row)),
    among: writes ? work.rows.copy() : work.rows,
    next,
    total: rows.length,
  };
}

/** Notes which sort key decides between the row before a page and its first row. */
function notePlace(run: Run, step: ListStep, before: KeyedRow | undefined, first: KeyedRow | undefined): void {
  if (!before || !first) return;
  const keys = chosenKeys(run, step.order);
  if (!hasTraces(keys)) return;
  const what = traceOf(keys, before.values, first.values);
  if (what !== null) note(run.work, statementId.step(step), `page ${what}`);
}

/** Refuses a cursor or identity that is not a valid place in the lists of an endpoint. */
export function openPlaces(run: Run, { inside }: EndpointPlan): void {
  const { asked, refusal } = run;
  if (!asked || asked.place === null || refusal) return;
  for (const step of inside) {
    if (step.do !== 'list' || step.all) continue;
    if (asked.plan.by === 'cursor') cursorPlace(run, step, asked, asked.place);
    if (asked.plan.by === 'identity') identityPlace(run, step, asked.place);
  }
}

function firstOf(run: Run, step: ListStep, asked: RequestedPage, rows: readonly KeyedRow[]): number {
  const { plan, place, offset } = asked;
  if (plan.by === 'offset' || plan.by === 'number') return offset;
  if (place === null) return 0;
  const after = plan.by === 'cursor' ? cursorPlace(run, step, asked, place) : identityPlace(run, step, place);
  const keys = chosenKeys(run, step.order);
  return rows.filter((one) => compareRows(run, keys, one, after) <= 0).length;
}

function nextPlace(run: Run, { resource }: ListStep, asked: RequestedPage, { row, values }: KeyedRow): Value {
  const { work } = run;
  switch (asked.plan.by) {
    case 'identity':
      return work.rows.identity(row);
    case 'offset':
      return asked.offset + asked.limit;
    case 'number':
      return asked.number + 1;
    case 'cursor': {
      const { order, identity } = work.rows.plan(resource);
      const ties = [...order, identity].map((field) => [field, row.get(field)]);
      return work.draws.of('cursor', JSON.stringify([asked.bound, values, ties, work.name]));
    }
  }
}

function cursorPlace(run: Run, { resource }: ListStep, asked: RequestedPage, cursor: string): KeyedRow {
  const meaning = run.work.draws.meaningOf('cursor', cursor);
  const known = meaning === null ? null : (JSON.parse(meaning) as [string, Value[], Array<[string, Value]>]);
  if (!known || known[0] !== asked.bound) throw byCondition('page refused');
  return { values: known[1], row: new OracleRow(resource, new Map(known[2])) };
}

function identityPlace(run: Run, step: ListStep, place: string): KeyedRow {
  const { work } = run;
  const plan = work.rows.plan(step.resource);
  const read = work.checks.text(named(plan.columns, plan.identity).rule)(place);
  const row = 'value' in read ? work.rows.byIdentity(step.resource, read.value) : null;
  if (!row || !sees(row, scopeOf(run))) throw byCondition('page refused');
  return keyed(run, chosenKeys(run, step.order), row);
}

/** The body of a page. */
export function pageBody(
  run: Run,
  page: Page,
  view: { readonly resource: string; readonly name: string },
  linkTo: (place: string | null) => string,
): Json {
  const { asked, work } = run;
  if (!asked) throw new Error('A list in pages has no page');
  const scope = { ...scopeOf(run), work: { ...work, rows: page.among } };
  const items = page.rows.map((row) => shownRow(row, view, scope));
  const { payload } = asked.plan;
  if (!payload) return items;
  const missing = work.plan.wire.missing === 'null' ? null : undefined;
  const places = linkedPlaces(asked, page);
  return objectOf(
    payload.map(({ name, value }) => {
      const relation = relationOf(value);
      if (relation === null) return [name, (value === 'items' ? items : told(value as Told, asked, page)) ?? missing];
      const place = places.get(relation);
      return [name, place === undefined ? missing : linkTo(place)];
    }),
  );
}

type Told = Exclude<PageValue, 'items' | `links.${Relation}`>;

function told(value: Told, asked: RequestedPage, { next, total }: Page): Json | null {
  switch (value) {
    case 'next':
      return next as Json;
    case 'previous':
      return placeBefore(asked, total);
    case 'more':
      return next !== null;
    case 'total':
      return total;
    case 'size':
      return asked.limit;
    case 'offset':
      return asked.offset;
    case 'number':
      return asked.number;
    case 'pages':
      return Math.ceil(total / asked.limit);
  }
}

/** The place of the previous page; for a page past the end, that of the last page. */
function placeBefore({ limit, offset, number, plan }: RequestedPage, total: number): number | null {
  if (offset === 0) return null;
  const pages = Math.max(1, Math.ceil(total / limit));
  if (plan.by === 'number') return Math.min(number - 1, pages);
  return offset >= total ? (pages - 1) * limit : Math.max(0, offset - limit);
}

/**
 * The page parameters of the other pages in the header Link, by relation (RFC 8288). Null means a link without the
 * parameter, to the first page.
 */
export function linkedPlaces(
  { plan, limit, place, offset, number }: RequestedPage,
  page: Page,
): ReadonlyMap<string, string | null> {
  const out = new Map<string, string | null>();
  const next = page.next === null ? undefined : String(page.next);
  if (plan.by === 'cursor' || plan.by === 'identity') {
    if (place !== null) out.set('first', null);
    if (next !== undefined) out.set('next', next);
    return out;
  }
  const pages = Math.max(1, Math.ceil(page.total / limit));
  const [here, start, end] = plan.by === 'number' ? [number, 1, pages] : [offset, 0, (pages - 1) * limit];
  if (here > start) out.set('first', String(start));
  const before = here > start ? placeBefore({ plan, limit, place, offset, number, bound: '' }, page.total) : null;
  if (before !== null) out.set('prev', String(before));
  if (next !== undefined) out.set('next', next);
  if (end > here || (here > start && offset >= page.total)) out.set('last', String(end));
  return out;
}
