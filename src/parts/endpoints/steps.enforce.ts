import { both, type Expr } from '../../expression/expr.ts';
import { identified } from '../../expression/javascript.ts';
import { BOOLEAN, INTEGER, STRING, type Type } from '../../expression/types.ts';
import type { Frame, Row, Value } from '../../expression/value.ts';
import type { InsideStep } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { type Compiled, type Expressions, evaluate, type Names } from '../../serve/layout.ts';
import { header } from '../../serve/wire/headers.ts';
import { matchesEtag } from '../../serve/wire/preconditions.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Errors } from '../errors/enforce.ts';
import type { Resource, Work } from '../resources/enforce.ts';
import { makeMove, mover } from '../states/enforce.ts';
import type { Cursors } from './pages.enforce.ts';

/** One run of an endpoint's steps. */
export interface Run {
  readonly x: Exchange;
  readonly work: Work;
  /** Where the next page starts, once a list has been read; null when there is none. */
  next: string | null;
}

/** Runs one step inside the transaction; throws a Refusal where it stops the request. */
export type Step = (run: Run) => Program<void>;

/** What steps are compiled with. */
export interface StepContext {
  readonly store: Store;
  readonly expressions: Expressions;
  readonly errors: Errors;
  readonly cursors: Cursors;
  readonly names: Names;
  resource(name: string): Resource;
  /** The fields that the endpoint requests, in the order of `frame.request`. */
  readonly requested: readonly string[];
}

const OBJECT: Type = { kind: 'object', members: {}, nullable: false };

type Of<K extends InsideStep['do']> = Extract<InsideStep, { do: K }>;

/** Compiles a step of the plan. Each kind has to be handled: a forgotten one doesn't compile. */
export function compileStep(step: InsideStep, c: StepContext): Step {
  switch (step.do) {
    case 'refuse parameters':
      return refuseParameters;
    case 'find':
      return compileFind(step, c);
    case 'list':
      return compileList(step, c);
    case 'require':
      return compileRequire(step, c);
    case 'match':
      return compileMatch(step, c);
    case 'create':
      return compileCreate(step, c);
    case 'change':
      return compileChange(step, c);
    case 'move':
      return compileMove(step, c);
    case 'remove':
      return compileRemove(step, c);
  }
}

// biome-ignore lint/correctness/useYield: a step is a program even where it makes no call
function* refuseParameters({ x }: Run): Program<void> {
  if (x.refused) throw x.refused;
}

/** Rows that the caller may not see don't exist for a step. */
function seen(where: Expr | null, resource: string, c: StepContext): Expr | null {
  return both(where && c.expressions.sighted(where), c.expressions.visibility(resource));
}

function compileFind(step: Of<'find'>, c: StepContext): Step {
  const where = seen(step.where, step.resource, c);
  const { resource } = step;
  const statement = c.store.prepare({ kind: 'select', resource, where, order: null, after: false, limit: false });
  const args = c.expressions.parameters(statement, c.names);
  const slot = c.names.vars.indexOf(step.as);
  const refusal = c.errors.code(step.code);
  const known = c.resource(resource);
  return function* find({ work }) {
    const rows = yield* call(statement, args(work.frame));
    if (!rows[0]) throw refusal;
    work.frame.vars[slot] = known.known(work, rows[0]);
  };
}

function compileList(step: Of<'list'>, c: StepContext): Step {
  const { resource, order } = step;
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

function compileRequire(step: Of<'require'>, c: StepContext): Step {
  const test = c.expressions.compile(step.test, c.names);
  const refusal = c.errors.code(step.code);
  return function* require({ work: { frame } }) {
    if ((yield* evaluate(test, frame)) !== true) throw refusal;
  };
}

/** If-Match against the row’s entity tag (RFC 9110, section 13.1.1). */
function compileMatch(step: Of<'match'>, c: StepContext): Step {
  const to = c.expressions.compile(step.to, c.names);
  const name = step.header.toLowerCase();
  return function* match({ x, work: { frame } }) {
    const sent = header(x.incoming.rawHeaders, name);
    if (sent === undefined) throw c.errors.condition('precondition missing');
    const tag = (yield* evaluate(to, frame)) as string;
    if (matchesEtag(sent, tag) !== true) throw c.errors.condition('precondition failed');
  };
}

interface Filling {
  readonly column: number;
  readonly member: number;
  /** Refuses a reference to a row that the caller may not see: for it, there is no such row. */
  readonly seen: {
    readonly statement: Statement;
    readonly args: (frame: Frame) => Argument[];
    readonly name: (run: Run) => string;
  } | null;
}

/** References to rows that not everyone sees are looked up as the caller sees them. */
function seenReference(resource: string, field: string, c: StepContext): Filling['seen'] {
  const column = c.resource(resource).plan.columns.find((one) => one.name === field)!;
  const visible = column.reference === null ? null : c.expressions.visibility(column.reference);
  if (column.reference === null || visible === null) return null;
  const { identity } = c.resource(column.reference).plan;
  const type: Type =
    column.rule.kind === 'uuid' ? { ...STRING, format: 'uuid' } : column.rule.kind === 'integer' ? INTEGER : STRING;
  const row: Type = { kind: 'row', resource: column.reference, nullable: false };
  const own: Expr = { op: 'get', of: { op: 'name', name: 'this', type: row }, member: identity, type };
  const sent: Expr = { op: 'get', of: { op: 'name', name: 'request', type: OBJECT }, member: field, type };
  const where = both({ op: 'call', fn: '==', args: [own, sent], type: BOOLEAN }, visible);
  const spec = { kind: 'select', resource: column.reference, where, order: null, after: false, limit: false } as const;
  const statement = c.store.prepare(spec);
  return {
    statement,
    args: c.expressions.parameters(statement, c.names),
    name: (run) => run.work.wire(resource, field) ?? field,
  };
}

function fillings(resource: string, request: readonly string[], c: StepContext): Filling[] {
  return request.map((name) => ({
    column: c.expressions.column(resource, name),
    member: c.requested.indexOf(name),
    seen: seenReference(resource, name, c),
  }));
}

interface Assigning {
  readonly column: number;
  readonly value: Compiled;
  /** A row that is assigned is stored as its identity. */
  readonly identity: number | null;
}

function assignings(step: Of<'create'> | Of<'change'>, c: StepContext): Assigning[] {
  return step.with.map((one) => {
    const { type } = one.value;
    const identity = type.kind === 'row' ? c.expressions.identity(type.resource) : null;
    return {
      column: c.expressions.column(step.resource, one.field),
      value: c.expressions.compile(one.value, c.names),
      identity,
    };
  });
}

/** The values of a step; `absent` says that a field that was not sent becomes absent. */
function* given(
  run: Run,
  fill: readonly Filling[],
  assign: readonly Assigning[],
  c: StepContext,
  absent = false,
): Program<Map<number, Value>> {
  const { frame } = run.work;
  const values = new Map<number, Value>();
  for (const { column, member, seen } of fill) {
    const value = frame.request[member] ?? (absent || frame.request[member] === null ? null : undefined);
    if (value === undefined) continue;
    if (seen && value !== null && (yield* call(seen.statement, seen.args(frame))).length === 0)
      throw c.errors.condition('reference unknown', [
        { place: 'pointer', name: `/${seen.name(run)}`, code: 'reference_unknown' },
      ]);
    values.set(column, value);
  }
  for (const one of assign) {
    const value = yield* evaluate(one.value, frame);
    values.set(one.column, one.identity === null ? (value as Value) : identified(value, one.identity));
  }
  return values;
}

function compileCreate(step: Of<'create'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = fillings(step.resource, step.request, c);
  const assign = assignings(step, c);
  const slot = c.names.vars.indexOf(step.as);
  return function* create(run) {
    const values = yield* given(run, fill, assign, c);
    run.work.frame.vars[slot] = yield* resource.create(run.work, values);
  };
}

function compileChange(step: Of<'change'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const fill = fillings(step.resource, step.request, c);
  const assign = assignings(step, c);
  const slot = c.names.vars.indexOf(step.row);
  return function* change(run) {
    const values = yield* given(run, fill, assign, c, !step.patch);
    yield* resource.change(run.work, run.work.frame.vars[slot] as Row, values);
  };
}

function compileMove(step: Of<'move'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const one = mover(resource, step.by, c.expressions, c.errors);
  const slot = c.names.vars.indexOf(step.row);
  return function* move({ work }) {
    yield* makeMove(work, resource, one, work.frame.vars[slot] as Row);
  };
}

function compileRemove(step: Of<'remove'>, c: StepContext): Step {
  const resource = c.resource(step.resource);
  const slot = c.names.vars.indexOf(step.row);
  return function* remove({ work }) {
    yield* resource.remove(work, work.frame.vars[slot] as Row);
  };
}
