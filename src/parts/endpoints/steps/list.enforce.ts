import { both, type Expr } from '../../../expression/expr.ts';
import { BOOLEAN, type Type } from '../../../expression/types.ts';
import type { Row, Value } from '../../../expression/value.ts';
import { type Argument, call, type Statement } from '../../../store/store.ts';
import type { Of, Run, Step, StepContext } from './context.ts';
import { ordered, seen } from './find.enforce.ts';

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

/** List: one page of the rows that the caller may see. */
export function compileList(step: Of<'list'>, c: StepContext): Step {
  const { resource } = step;
  const order = ordered(step.order)!;
  const slot = c.names.vars.indexOf(step.as);
  const base = seen(step.where, resource, c);
  const sent = step.filters.map((filter) => c.names.query.indexOf(filter.parameter));
  const by = c.expressions.column(resource, order.field);
  const identity = c.expressions.identity(resource);
  const position = by === identity ? [by] : [by, identity];
  const orderText = `${order.field} ${order.descending}`;
  // One statement for each set of filters that are sent, written when it is first needed; past a few filters there
  // would be too many sets, and one statement asks of each filter whether it was sent.
  const many = step.filters.length > 5;
  const statements = new Map<number, { statement: Statement; args: (frame: Run['work']['frame']) => Argument[] }>();
  const statementFor = (mask: number, after: boolean) => {
    const key = mask * 2 + (after ? 1 : 0);
    const known = statements.get(key);
    if (known) return known;
    const where = step.filters.reduce<Expr | null>((all, filter, i) => {
      const kept = c.expressions.sighted(filter.where);
      if (many)
        return both(
          all,
          sent[i]! < 0 ? kept : { op: 'call', fn: 'or', args: [notSent(filter.parameter), kept], type: BOOLEAN },
        );
      return mask & (1 << i) ? both(all, kept) : all;
    }, base);
    const statement = c.store.prepare({ kind: 'select', resource, where, order, after, limit: true });
    const made = { statement, args: c.expressions.parameters(statement, c.names) };
    statements.set(key, made);
    return made;
  };
  statementFor(0, false);
  return function* list(run) {
    const { x } = run;
    const { frame } = run.work;
    const page = x.page!;
    let after: Value[] = [];
    if (page.cursor !== null) {
      const opened = c.cursors.open(x, orderText, page.cursor);
      if (!opened) throw c.errors.condition('page refused');
      after = opened;
    }
    // A parameter of the path is not among those of the query: it is always sent.
    const mask = many
      ? 0
      : sent.reduce((all, index, i) => (index >= 0 && frame.query[index] === undefined ? all : all | (1 << i)), 0);
    const { statement, args } = statementFor(mask, after.length > 0);
    const rows: Row[] = yield* call(statement, [...args(frame), ...after, page.limit + 1]);
    run.next = null;
    if (rows.length > page.limit) {
      rows.length = page.limit;
      const last = rows[page.limit - 1]!;
      run.next = c.cursors.seal(
        x,
        orderText,
        position.map((column) => last[column]!),
      );
    }
    frame.vars[slot] = rows;
  };
}

/** True where a parameter of the query was not sent. */
function notSent(parameter: string): Expr {
  const query: Expr = { op: 'name', name: 'query', type: OBJECT };
  return { op: 'call', fn: 'not', args: [{ op: 'sent', of: query, member: parameter, type: BOOLEAN }], type: BOOLEAN };
}
