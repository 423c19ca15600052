import { both, type Expr, show } from '../../../expression/tree/expression.ts';
import { queryTextOf, searchOf } from '../../../expression/tree/search.ts';
import { BOOLEAN, type Type } from '../../../expression/tree/types.ts';
import type { Frame, Row, Value } from '../../../expression/values/value.ts';
import { named } from '../../../plan/named.ts';
import type { WholeListPlan } from '../../../plan/step.ts';
import { type Following, followingParts, takenKeys, type Way } from '../../../store/following.ts';
import { type Argument, call, PAUSE, type Program, type Statement, type StatementSpec } from '../../../store/store.ts';
import { fieldOfRow, tieBreakers } from '../../../store/tables.ts';
import { getOrMake } from '../../../text/lists.ts';
import { textParameter } from '../../../validation/validate.ts';
import type { Refusal } from '../../context/refusal.ts';
import type { Of, Step, StepContext, StepRun } from './context.ts';
import type { CursorOrder } from './cursors.ts';
import { type Ordered, ordering, withoutPoints } from './order.ts';
import { type Projection, projectionOf } from './projection.ts';

type Listing = Of<'list'> | Of<'list streamed'>;

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

/** A part of the rows after a row, with the places of the sort keys whose values its statement takes. */
type Part = Following & { readonly taken: readonly number[] };

/** A statement, and the function that computes its parameters for a request. */
interface Prepared {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
  /** How many sort keys of listed rows follow the values that the list needs. */
  readonly added?: number;
}

/** The statements of the first page, and of each part of the rows of later ones, by the filters that are sent. */
interface Reading {
  readonly first: (mask: number, isRanked?: boolean) => Prepared;
  readonly later: (mask: number, part: Following, isRanked: boolean) => Prepared;
}

/** The rows of which one statement computes the points: other programs may run between two statements. */
const RANKED_AT_ONCE = 1000;
/** The rows that one statement finds, once there are more than those: the index goes through a prefix from its start. */
const FOUND_AT_ONCE = 50_000;

/** List: reads the rows that the caller may see, one page or all, with the values that the answer shows of each. */
export function compileList(step: Of<'list'>, c: StepContext): Step {
  const shown = c.views.get(step.as)?.also ?? [];
  const select = step.all ? compileWhole(step, step.all, c, shown) : compilePage(step, c, shown);
  const slot = c.names.vars.indexOf(step.as);
  const width = c.expressions.width(step.resource);
  const known = c.resource(step.resource);
  return function* list(run) {
    const rows = yield* select(run);
    const { work } = run;
    run.extras[slot] = shown.length ? rows.map((row) => row.slice(width)) : null;
    const own = width === rows[0]?.length ? rows : rows.map((row) => row.slice(0, width));
    work.frame.vars[slot] = c.writes ? own.map((row) => known.known(work, row)) : own;
  };
}

/** List, streamed: selects the rows that the answer sends once all steps are done. */
export function compileStreamed(step: Of<'list streamed'>, c: StepContext): Step {
  const { resource } = step;
  const also = c.views.get(step.as)?.also ?? [];
  const { each, pick } = ordering(step.order, c);
  const sent = sentFilters(step, c);
  const orders = each.map((order) =>
    perFilters(step, c, (where, searches) => {
      const inForce = searches ? order : withoutPoints(order);
      return { kind: 'select', resource, where, order: inForce, also, after: false, limit: false };
    }),
  );
  for (const one of orders) for (const mask of [0, everyFilter(step)]) one(mask);
  // biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
  return function* streamed(run) {
    const { frame } = run.work;
    const { statement, args } = orders[pick(frame)]!(sent(frame));
    run.rows = [statement, args(frame)];
  };
}

/** Reads at most so many rows: beyond that, the rest is left out, or the list is refused. */
function compileWhole(step: Of<'list'>, { most, refused }: WholeListPlan, c: StepContext, also: readonly Expr[]) {
  const { resource } = step;
  const { each, pick } = ordering(step.order, c);
  const sent = sentFilters(step, c);
  const projection = projectionOf(step, [], c);
  const selecting = (needed: Needed) =>
    each.map((order) =>
      perFilters(step, c, (where, searches) => {
        const inForce = searches ? order : withoutPoints(order);
        return { kind: 'select', resource, ...needed, where, order: inForce, also, after: false, limit: true };
      }),
    );
  const full = selecting({});
  const projected = projection && selecting({ columns: projection.columns });
  for (const one of projected ?? full) one(0);
  (projected ?? full)[0]!(everyFilter(step));
  const matches = matchesOf(step, c);
  const ranking = (needed: Needed) =>
    each.map((order) => rankedFilters(step, c, { ...needed, order, also, after: false }));
  const rankedRows = matches && {
    full: ranking({}),
    projected: projection && ranking({ columns: projection.columns }),
  };
  return function* whole(run: StepRun): Program<Row[]> {
    const { frame } = run.work;
    const at = pick(frame);
    const mask = sent(frame);
    const isRanked = matches !== null && (mask & SEARCHES) !== 0 && withoutPoints(each[at]!) !== each[at];
    const all = isRanked ? rankedRows! : { full, projected };
    const count = refused ? most + 1 : most;
    const read = (prepared: Prepared): Program<Row[]> =>
      isRanked
        ? ranked(matches, prepared, frame, [], count)
        : call(prepared.statement, [...prepared.args(frame), count]);
    const active = projection?.fits(run) ? projection : null;
    let rows = yield* read((active ? all.projected! : all.full)[at]!(mask));
    if (rows.length > most) throw c.errors.condition('page refused');
    if (active && !active.suffices(rows)) rows = yield* read(all.full[at]!(mask));
    return rows;
  };
}

/** Reads one page, in the order and with the filters of the request. */
function compilePage(step: Of<'list'>, c: StepContext, shown: readonly Expr[]) {
  const { each, pick } = ordering(step.order, c);
  const directions = each.length / step.room.length;
  const orders = each.map((order, i) => compileOrder(step, order, c, shown, step.room[Math.floor(i / directions)]!));
  orders[0]!.full.first(everyFilter(step));
  const page = c.page!;
  const skips = page.by === 'offset' || page.by === 'number';
  const sent = sentFilters(step, c);
  const matches = matchesOf(step, c);
  const { resource } = step;
  const count = page.counted ? perFilters(step, c, (where) => ({ kind: 'count', resource, where })) : null;
  c.first.push(function* open(run) {
    if (!run.x.refused) yield* orders[pick(run.work.frame)]!.open(run);
  });
  return function* select(run: StepRun): Program<Row[]> {
    const { frame } = run.work;
    const { limit, offset } = run.x.page!;
    const mask = sent(frame);
    const { full, projected, projection, next, following, hasPoints } = orders[pick(frame)]!;
    const { after, partsAfter } = following(mask, run.after!);
    const ranking = hasPoints && (mask & SEARCHES) !== 0 ? matches : null;
    const read = ({ first, later }: Reading): Program<Row[]> => {
      if (after.length === 0) {
        const prepared = first(mask, ranking !== null);
        if (ranking) return rankedPage(ranking, prepared, frame, { most: limit + 1, skipped: skips ? offset : 0 });
        return call(prepared.statement, [...prepared.args(frame), limit + 1, ...(skips ? [offset] : [])]);
      }
      const parts = partsAfter(after);
      const reading = (part: Part, most: number): Program<Row[]> => {
        const prepared = later(mask, part, ranking !== null);
        const place = part.taken.length === after.length ? after : part.taken.map((at) => after[at]!);
        return ranking
          ? ranked(ranking, prepared, frame, place, most)
          : call(prepared.statement, [...prepared.args(frame), ...place, most]);
      };
      return parts.length === 1 ? reading(parts[0]!, limit + 1) : inParts(parts, limit + 1, reading);
    };
    let active = projection?.fits(run) ? projection : null;
    let rows = yield* read(active ? projected! : full);
    if (active && !active.suffices(rows)) {
      active = null;
      rows = yield* read(full);
    }
    const more = rows.length > limit;
    if (more) rows.length = limit;
    if (more) active?.identify(rows[limit - 1]!);
    const all = count?.(mask);
    const total = all ? ((yield* call(all.statement, all.args(frame)))[0]![0] as number) : null;
    // Later steps change rows in place, but the page shows rows as they were here.
    const listed = c.writes ? rows.map((row) => row.slice()) : rows;
    run.page = { rows: listed, next: more ? next(run, rows[limit - 1]!) : null, total };
    return rows;
  };
}

/** Compiles the statements and cursors of a list's pages in one order. */
function compileOrder(step: Of<'list'>, order: Ordered, c: StepContext, shown: readonly Expr[], room: number) {
  const { resource } = step;
  const skips = c.page!.by === 'offset' || c.page!.by === 'number';
  const position = positionOf(step, order, c, shown);
  const also = [...shown, ...position.also];
  const unmatched = withoutPoints(order);
  const selecting = (needed: Needed, after: Following | false) =>
    perFilters(step, c, (where, searches) => ({
      ...{ kind: 'select', resource, ...needed, where, order: searches ? order : unmatched, also, after, limit: true },
      ...(skips ? { skip: true as const } : {}),
    }));
  const ranking = (needed: Needed, after: Following | false) =>
    rankedFilters(step, c, { ...needed, order, also, after });
  const projection = projectionOf(step, position.fields, c);
  const reading = (needed: Needed): Reading => {
    const parts = [selecting, ranking].map((statements) => {
      const known = new Map<Following | false, (mask: number) => Prepared>();
      return (mask: number, part: Following | false) => getOrMake(known, part, () => statements(needed, part))(mask);
    });
    const of = (isRanked: boolean) => parts[isRanked ? 1 : 0]!;
    return {
      first: (mask, isRanked = false) => of(isRanked)(mask, false),
      later: (mask, part, isRanked) => of(isRanked)(mask, part),
    };
  };
  const full = reading({});
  const projected = projection && reading({ columns: projection.columns });
  (projected ?? full).first(0);
  const cursors: CursorOrder = { text: order.text, room };
  return {
    full,
    projected,
    projection,
    following: followingOf(step, position.ways, unmatched !== order),
    hasPoints: unmatched !== order,
    next: nextPlace(step, cursors, c, position.columns),
    open: openPlace(step, cursors, c, { also, columns: position.columns }),
  };
}

/**
 * The most filters with one statement for each set of sent filters, prepared when first needed. With more filters there
 * would be too many sets, and one statement tests each filter's presence.
 */
const MANY = 5;

/** The rows of a list, and those of a list whose matching rows are known. */
type Searched = Pick<Listing, 'resource' | 'where' | 'filters'> & { readonly matching?: Expr | undefined };

function perFilters(
  step: Searched,
  c: StepContext,
  specOf: (where: Expr | null, searches: boolean) => StatementSpec,
): (mask: number) => Prepared {
  const made = new Map<number, Prepared>();
  const many = step.filters.length > MANY;
  return (mask) => {
    const known = made.get(mask);
    if (known) return known;
    const searches = (mask & SEARCHES) !== 0;
    const where = step.matching && searches ? both(step.where, step.matching) : step.where;
    const condition = step.filters.reduce<Expr | null>((all, filter, i) => {
      const { in: place, where } = filter;
      if (!many) return mask & (1 << i) ? both(all, where) : all;
      const unless: Expr = { op: 'call', fn: 'or', args: [notSent(filter), where], type: BOOLEAN };
      return both(all, place === 'path' ? where : unless);
    }, where);
    const statement = c.store.prepare(
      specOf(c.expressions.where(step.resource, condition), searches || !step.matching),
    );
    const one = { statement, args: c.expressions.parameters(statement, c.names) };
    made.set(mask, one);
    return one;
  };
}

/**
 * The statement for the ids of the rows that match a search. Null where the list has none, and of a store whose calls
 * travel: its server computes all points without blocking the event loop.
 */
function matchesOf({ matching, resource }: Listing, c: StepContext): Prepared | null {
  if (!matching || c.store.travels) return null;
  const statement = c.store.prepare({ kind: 'matches', resource, matching });
  return { statement, args: c.expressions.parameters(statement, c.names) };
}

/** The statements that order listed rows, of which a search has found the ids, by the filters that are sent. */
function rankedFilters(
  step: Listing,
  c: StepContext,
  traits: Needed & { readonly order: Ordered; readonly also: readonly Expr[]; readonly after: Following | false },
): (mask: number) => Prepared {
  const { order, also } = traits;
  // SQLite binds by position: a sort key with parameters has to come before the ids, as a value of the row.
  const added = order.keys.flatMap(({ by }) =>
    fieldOfRow(by) === null && !also.some((one) => show(one) === show(by)) ? [by] : [],
  );
  const selected = { ...traits, also: [...also, ...added] };
  const spec = { kind: 'select', resource: step.resource, ...selected, limit: true, listed: true } as const;
  const prepared = perFilters({ ...step, matching: undefined }, c, (where) => ({ ...spec, where }));
  return (mask) => ({ ...prepared(mask), added: added.length });
}

/**
 * Reads the first rows of an order by points. The points of some rows at a time are computed, with those of the first
 * rows before them: an order of all matching rows in one statement would block the event loop. `place` has the sort keys
 * of the row after which the rows begin.
 */
function* ranked(
  matches: Prepared,
  { statement, args, added = 0 }: Prepared,
  frame: Frame,
  place: readonly Argument[],
  most: number,
): Program<Row[]> {
  let first: Row[] = [];
  for (let last = Number.MIN_SAFE_INTEGER, count = RANKED_AT_ONCE; ; count = FOUND_AT_ONCE) {
    const found = yield* call(matches.statement, [...matches.args(frame), last, count]);
    for (let at = 0; at === 0 || at < found.length; at += RANKED_AT_ONCE) {
      const ids = [...first, ...found.slice(at, at + RANKED_AT_ONCE)].map((row) => row.at(-1)!);
      first = yield* call(statement, [...args(frame), ...place, JSON.stringify(ids), most]);
      const isLast = found.length < count && at + RANKED_AT_ONCE >= found.length;
      if (!isLast) yield PAUSE;
    }
    if (found.length < count) break;
    last = found.at(-1)![0] as number;
  }
  for (const row of first) row.length -= added + 1;
  return first;
}

/** Reads a page that begins after a number of rows. */
function* rankedPage(
  matches: Prepared,
  prepared: Prepared,
  frame: Frame,
  { most, skipped }: { readonly most: number; readonly skipped: number },
): Program<Row[]> {
  return (yield* ranked(matches, prepared, frame, [], most + skipped)).slice(skipped);
}

/**
 * The mask of all filters: their statement is prepared at the start, so that a filter that the store can't compute
 * fails there.
 */
function everyFilter({ filters, matching }: Listing): number {
  return (filters.length > MANY ? 0 : (1 << filters.length) - 1) | (matching ? SEARCHES : 0);
}

/** Which filters were sent, as bits. */
function sentFilters(step: Listing, c: StepContext): (frame: Frame) => number {
  const searches = searchesIn(step, c);
  if (step.filters.length > MANY) return searches;
  const sent = step.filters.map((filter) => sentIn(filter, c));
  return (frame) => sent.reduce((all, isSent, i) => (isSent && !isSent(frame) ? all : all | (1 << i)), searches(frame));
}

/** The bit of the search, beside those of filters: set unless a query without words matches all rows. */
const SEARCHES = 1 << MANY;

function searchesIn({ matching }: Listing, c: StepContext): (frame: Frame) => number {
  if (matching?.op !== 'call') return () => 0;
  const search = searchOf(matching.args);
  if (!search.emptyMatches) return () => SEARCHES;
  const terms = c.expressions.plain(queryTextOf(search, 'terms'), c.names);
  return (frame) => (terms(frame) === '' ? 0 : SEARCHES);
}

/** Returns the page parameter for the page after the given last row. */
function nextPlace(
  step: Of<'list'>,
  order: CursorOrder,
  c: StepContext,
  columns: readonly number[],
): (run: StepRun, last: Row) => Value {
  const identity = c.expressions.identity(step.resource);
  switch (c.page!.by) {
    case 'cursor':
      return ({ x }, last) =>
        c.cursors.seal(
          x,
          order,
          columns.map((column) => last[column]!),
        );
    case 'identity':
      return (_run, last) => last[identity]!;
    case 'offset':
      return ({ x }) => x.page!.offset + x.page!.limit;
    case 'number':
      return ({ x }) => x.page!.number + 1;
  }
}

/** The columns that a list reads, where it doesn't read all. */
type Needed = Partial<Pick<Projection, 'columns'>>;

interface Position {
  /** The columns that rows are ordered by. */
  readonly fields: readonly string[];
  readonly also: readonly Expr[];
  readonly columns: readonly number[];
  readonly ways: readonly Way[];
}

/** Finds the row after which the page begins; refuses a cursor of another list before any step runs. */
function openPlace(
  step: Of<'list'>,
  order: CursorOrder,
  c: StepContext,
  position: Pick<Position, 'also' | 'columns'>,
): Step {
  const refused = (): Refusal => c.errors.condition('page refused');
  if (c.page!.by === 'identity') return openIdentity(step, c, position, refused);
  const opened = c.page!.by === 'cursor';
  // biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
  return function* openCursor(run) {
    const { place } = run.x.page!;
    run.after = place === null || !opened ? [] : c.cursors.open(run.x, order, place);
    if (run.after === null) throw refused();
  };
}

/** Reads the row after which the page begins, if the caller may see it. */
function openIdentity(
  step: Of<'list'>,
  c: StepContext,
  { also, columns }: Pick<Position, 'also' | 'columns'>,
  refused: () => Refusal,
): Step {
  const { resource } = step;
  const where = c.expressions.where(resource, null);
  const spec = { kind: 'select', resource, where, order: null, also, after: false, limit: false, only: true } as const;
  const statement = c.store.prepare(spec);
  const args = c.expressions.parameters(statement, c.names);
  const { plan } = c.resource(resource);
  const read = textParameter(named(plan.columns, plan.identity).rule, c.wire);
  return function* open(run) {
    const { place } = run.x.page!;
    run.after = [];
    if (place === null) return;
    const identity = read(place);
    if (!('value' in identity)) throw refused();
    const [row] = yield* call(statement, [...args(run.work.frame), identity.value as Value]);
    if (!row) throw refused();
    run.after = columns.map((column) => row[column]!);
  };
}

/**
 * Finds the columns by which a list is ordered, and their indexes in the result: computed values follow the others.
 */
function positionOf(
  { resource }: Of<'list'>,
  { keys, descending }: Ordered,
  c: StepContext,
  shown: readonly Expr[],
): Position {
  const also = keys.map(({ by }) => by).filter((by) => fieldOfRow(by) === null);
  const ties = tieBreakers(
    c.resource(resource).plan.order,
    keys.map(({ by }) => by),
  );
  const computed = c.expressions.width(resource) + shown.length;
  const columns = keys.map(({ by }) => {
    const field = fieldOfRow(by);
    return field === null ? computed + also.indexOf(by) : c.expressions.column(resource, field);
  });
  return {
    fields: [...keys.flatMap(({ by }) => fieldOfRow(by) ?? []), ...ties],
    also,
    columns: [...columns, ...ties.map((field) => c.expressions.column(resource, field))],
    ways: [...keys, ...ties.map(() => ({ descending }))],
  };
}

/** Reads the parts of the rows after a row, one after the other, until there are enough. */
function* inParts(
  parts: readonly Part[],
  most: number,
  reading: (part: Part, most: number) => Program<Row[]>,
): Program<Row[]> {
  let rows: Row[] = [];
  for (const part of parts) {
    const found = yield* reading(part, most - rows.length);
    rows = rows.length === 0 ? found : [...rows, ...found];
    if (rows.length >= most) break;
  }
  return rows;
}

/**
 * The parts of the rows after a row, by which of its sort keys are null. Each part is made once, as its statements are
 * prepared once.
 */
function partsOf(ways: Position['ways']): (after: readonly Value[]) => readonly Part[] {
  const canBeNull = ways.some(({ nulls }) => nulls);
  const made = (nulls: readonly boolean[]): Part[] =>
    followingParts(ways, nulls).map((part) => ({ ...part, taken: takenKeys(part) }));
  const always = made(ways.map(() => false));
  if (!canBeNull) return () => always;
  const known = new Map<string, readonly Part[]>();
  return (after) => {
    const nulls = after.map((value) => value === null);
    return getOrMake(known, nulls.join(), () => made(nulls));
  };
}

type PartsAfter = ReturnType<typeof partsOf>;

/**
 * The place after which a page begins, and the parts of the rows after it. Without words, all rows have the same points,
 * which the order leaves out.
 */
function followingOf(
  step: Listing,
  ways: Position['ways'],
  hasPoints: boolean,
): (mask: number, after: readonly Value[]) => { readonly after: readonly Value[]; readonly partsAfter: PartsAfter } {
  const partsAfter = partsOf(ways);
  if (!step.matching || !hasPoints) return (_mask, after) => ({ after, partsAfter });
  const unmatched = partsOf(ways.slice(1));
  return (mask, after) => {
    return mask & SEARCHES ? { after, partsAfter } : { after: after.slice(1), partsAfter: unmatched };
  };
}

type Filter = Of<'list'>['filters'][number];

/** The frame members that hold the parameters of each place. */
const OBJECTS = { query: 'query', header: 'header', body: 'request' } as const;

/** Whether a filter's parameter was sent; null for one of the path, which always is. */
function sentIn({ in: place, parameter }: Filter, c: StepContext): ((frame: Frame) => boolean) | null {
  if (place === 'path') return null;
  const object = OBJECTS[place];
  const index = c.names[object].indexOf(parameter);
  return (frame) => frame[object][index] !== undefined;
}

/** True where a filter's parameter was not sent. */
function notSent({ in: place, parameter }: Filter): Expr {
  const name = place === 'path' ? place : OBJECTS[place];
  const of: Expr = { op: 'name', name, type: OBJECT };
  return { op: 'call', fn: 'not', args: [{ op: 'sent', of, member: parameter, type: BOOLEAN }], type: BOOLEAN };
}
