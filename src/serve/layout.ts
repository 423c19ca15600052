import { both, type Expr, mapParts, type Query, rename } from '../expression/expr.ts';
import { comparedValue, type Evaluate, type Layout, Overflow, toJavaScript } from '../expression/javascript.ts';
import { UuidSource } from '../expression/uuid.ts';
import type { Frame, Row, Value } from '../expression/value.ts';
import type { Plan } from '../plan/step.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../store/store.ts';
import { REVISION, storedColumns } from '../store/tables.ts';

/** The names that one endpoint (or rule) may use, and their places in its frame. */
export interface Names {
  readonly vars: readonly string[];
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly request: readonly string[];
}

export const NO_NAMES: Names = { vars: [], path: [], query: [], request: [] };

/** Compiles the expressions of a plan: where rows keep their fields, and which statements take aggregates. */
export class Expressions {
  private readonly columns = new Map<string, Map<string, number>>();
  private readonly identities = new Map<string, number>();
  private readonly visible = new Map<string, Expr | null>();
  private readonly store: Store;
  private readonly uuids = new UuidSource();
  private readonly url: string | null;

  constructor(plan: Plan, store: Store, url: string | null) {
    this.store = store;
    this.url = url;
    for (const resource of plan.resources) {
      const names = storedColumns(resource).map((column) => column.name);
      this.columns.set(resource.name, new Map(names.map((name, i) => [name, i])));
      this.identities.set(resource.name, names.indexOf(resource.identity));
      this.visible.set(resource.name, resource.visible);
    }
  }

  /** The place of a column in a resource's rows. */
  column(resource: string, name: string): number {
    return this.columns.get(resource)!.get(name)!;
  }

  identity(resource: string): number {
    return this.identities.get(resource)!;
  }

  visibility(resource: string): Expr | null {
    return this.visible.get(resource) ?? null;
  }

  uuid(now: number): string {
    return this.uuids.next(now);
  }

  /** Compiles an expression that may hold aggregates: they are taken first, each by one statement. */
  compile(expr: Expr, names: Names): Compiled {
    const queries: PreparedQuery[] = [];
    const layout = this.layout(names, (query) => {
      const statement = this.store.prepare({ kind: 'aggregate', query: this.sightedQuery(query) });
      return queries.push({ statement, args: this.parameters(statement, names), place: queries.length }) - 1;
    });
    return { evaluate: toJavaScript(expr, layout), queries };
  }

  /** The same expression with its aggregates, however deep, kept to the rows that the caller may see. */
  sighted(expr: Expr): Expr {
    return expr.op === 'query' ? this.sightedQuery(expr) : mapParts(expr, (part) => this.sighted(part));
  }

  private sightedQuery(query: Query): Query {
    const visible = query.visibleOnly ? this.visibility(query.resource) : null;
    const inner = mapParts(query, (part) => this.sighted(part)) as Query;
    return visible ? bothFor(inner, visible) : inner;
  }

  /** Compiles an expression without aggregates, to the value that is stored: a row stands for its identity. */
  plain(expr: Expr, names: Names = NO_NAMES): Evaluate {
    return comparedValue(expr, this.layout(names, noAggregate));
  }

  /** Compiles what a statement takes first: the values of its parameters. */
  parameters(statement: Statement, names: Names): (frame: Frame) => Argument[] {
    const layout = this.layout(names, noAggregate);
    const values = statement.parameters.map((parameter) => comparedValue(parameter.expr, layout));
    return (frame) => values.map((value) => value(frame) as Value);
  }

  private layout(names: Names, query: (query: Query) => number): Layout {
    return {
      column: (resource, field) => this.column(resource, field),
      identity: (resource) => this.identity(resource),
      revision: (resource) => this.column(resource, REVISION),
      slot: (name) => place(names.vars, name),
      member: (object, name) => place(names[object as 'path' | 'query' | 'request'], name),
      query,
      uuid: (now) => this.uuid(now),
      url: this.url,
    };
  }
}

/** An aggregate that is taken before the expression that uses it. */
interface PreparedQuery {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
  readonly place: number;
}

export interface Compiled {
  readonly evaluate: Evaluate;
  readonly queries: readonly PreparedQuery[];
}

/** Evaluates a compiled expression inside a transaction. */
export function* evaluate(compiled: Compiled, frame: Frame): Program<ReturnType<Evaluate>> {
  for (const query of compiled.queries) {
    const rows: Row[] = yield* call(query.statement, query.args(frame));
    const result = rows[0]![0]!;
    if (typeof result === 'number' && !Number.isSafeInteger(result)) throw new Overflow('A sum went beyond 2^53 − 1');
    frame.results[query.place] = result;
  }
  return compiled.evaluate(frame);
}

function place(names: readonly string[] | undefined, name: string): number {
  const index = names?.indexOf(name) ?? -1;
  if (index < 0) throw new Error(`“${name}” has no place here`);
  return index;
}

/** The row gets a name that no document can use: the condition may bind the row’s own name to another. */
function bothFor(query: Query, visible: Expr): Query {
  const row = `${query.row} seen`;
  const again = (expr: Expr | null): Expr | null => expr && rename(expr, query.row, row);
  return { ...query, row, where: both(again(query.where), rename(visible, 'this', row)), value: again(query.value) };
}

function noAggregate(): never {
  throw new Error('An aggregate stands where none can be taken');
}
