import { both, type Expr, show } from '../../../expression/expr.ts';
import { BOOLEAN, type Type } from '../../../expression/types.ts';
import type { Frame, Row, Value } from '../../../expression/value.ts';
import { type Argument, call, type Statement } from '../../../store/store.ts';
import { tieBreakers } from '../../../store/tables.ts';
import type { Of, Step, StepContext } from './context.ts';

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

/** List: one page of the rows that the caller may see, with what the answer shows of each. */
export function compileList(step: Of<'list'>, c: StepContext): Step {
  const { resource } = step;
  const slot = c.names.vars.indexOf(step.as);
  const shown = c.views.get(step.as)?.also ?? [];
  const sent = step.filters.map((filter) => sentIn(filter, c));
  const position = positionOf(step, c, shown);
  const order = { by: position.by, descending: step.order.descending };
  const orderText = `${show(step.order.by)} ${order.descending}`;
  // One statement for each set of filters that are sent, written when it is first needed; past a few filters there
  // would be too many sets, and one statement asks of each filter whether it was sent.
  const many = step.filters.length > 5;
  const statements = new Map<number, { statement: Statement; args: (frame: Frame) => Argument[] }>();
  const statementFor = (mask: number, after: boolean) => {
    const key = mask * 2 + (after ? 1 : 0);
    const known = statements.get(key);
    if (known) return known;
    const condition = step.filters.reduce<Expr | null>((all, filter, i) => {
      const kept = filter.where;
      if (many)
        return both(all, sent[i] ? { op: 'call', fn: 'or', args: [notSent(filter), kept], type: BOOLEAN } : kept);
      return mask & (1 << i) ? both(all, kept) : all;
    }, step.where);
    const where = c.expressions.where(resource, condition);
    const also = [...shown, ...position.also];
    const statement = c.store.prepare({ kind: 'select', resource, where, order, also, after, limit: true });
    const made = { statement, args: c.expressions.parameters(statement, c.names) };
    statements.set(key, made);
    return made;
  };
  statementFor(0, false);
  const width = c.expressions.width(resource);
  // biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
  c.first.push(function* openCursor(run) {
    const cursor = run.x.page!.cursor;
    run.after = cursor === null ? [] : c.cursors.open(run.x, orderText, cursor);
    if (run.after === null) throw c.errors.condition('page refused');
  });
  return function* list(run) {
    const { x } = run;
    const { frame } = run.work;
    const page = x.page!;
    const after: readonly Value[] = run.after!;
    const mask = many ? 0 : sent.reduce((all, isSent, i) => (isSent && !isSent(frame) ? all : all | (1 << i)), 0);
    const { statement, args } = statementFor(mask, after.length > 0);
    const rows: Row[] = yield* call(statement, [...args(frame), ...after, page.limit + 1]);
    run.next = null;
    if (rows.length > page.limit) {
      rows.length = page.limit;
      const last = rows[page.limit - 1]!;
      run.next = c.cursors.seal(
        x,
        orderText,
        position.columns.map((column) => last[column]!),
      );
    }
    run.extras[slot] = shown.length ? rows.map((row) => row.slice(width)) : null;
    frame.vars[slot] = width === rows[0]?.length ? rows : rows.map((row) => row.slice(0, width));
  };
}

/** What a list is ordered by, and where that stands in the rows that come back: a computed value follows the others. */
function positionOf(step: Of<'list'>, c: StepContext, shown: readonly Expr[]) {
  const { resource } = step;
  const by = c.expressions.lowering().lower(step.order.by);
  const stored = by.op === 'get' && by.of.op === 'name' && by.of.name === 'this';
  const first = stored ? c.expressions.column(resource, by.member) : c.expressions.width(resource) + shown.length;
  const { order } = c.resource(resource).plan;
  const ties = tieBreakers(order, by).map((field) => c.expressions.column(resource, field));
  return { by, also: stored ? [] : [by], columns: [first, ...ties] };
}

type Filter = Of<'list'>['filters'][number];

/** Where the parameters of each place are in a frame. */
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
