import { comparedValue, type Evaluate, type Layout, toJavaScript } from '../../expression/javascript.ts';
import type { Lowering } from '../../expression/lower.ts';
import { type Expr, mapParts, show } from '../../expression/tree/expression.ts';
import type { Results } from '../../expression/tree/results.ts';
import { BOOLEAN, rowOf, STRING, type Type } from '../../expression/tree/types.ts';
import { NoResult } from '../../expression/values/overflow.ts';
import { randomText } from '../../expression/values/random.ts';
import { newSecret } from '../../expression/values/secret.ts';
import { UuidSource } from '../../expression/values/uuid.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import { resultsOf } from '../../plan/bounds.ts';
import { columnType, loweringOf, type Visibility } from '../../plan/lowering.ts';
import { named } from '../../plan/named.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { declaredBy } from '../../plan/slots.ts';
import type { EndpointPlan, PayloadPlan, Plan, ReceiversPlan, ResourcePlan } from '../../plan/step.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../../store/store.ts';
import { REVISION, SHOWN, storedColumns } from '../../store/tables.ts';

/** The names that an endpoint's or rule's expressions may use; their indexes are slots of its frame. */
export interface Names {
  readonly vars: readonly string[];
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly header: readonly string[];
  readonly request: readonly string[];
}

export const NO_NAMES: Names = { vars: [], path: [], query: [], header: [], request: [] };

/** A resource, and the indexes of its columns in rows. */
interface Stored {
  readonly plan: ResourcePlan;
  readonly columns: ReadonlyMap<string, number>;
}

/**
 * Compiles the expressions of a plan: fields become indexes in rows, and parts that need stored rows become queries.
 */
export class Expressions {
  private readonly resources = new Map<string, Stored>();
  /** The visibility of rows in the queries of compiled expressions. */
  readonly visibleTo: Visibility;
  private readonly plan: Plan;
  private readonly store: Store;
  /** The URL of the service; null where none is configured. */
  readonly url: string | null;
  /** The computations that may have no result. */
  readonly results: Results;
  /** Records derived fields without a result. */
  readonly missing: MissingValues;
  private readonly uuids: UuidSource;
  private all: Expressions | null = null;

  constructor(
    plan: Plan,
    store: Store,
    url: string | null,
    visibleTo: Visibility = 'caller',
    uuids?: UuidSource,
    missing = new MissingValues(),
  ) {
    this.missing = missing;
    this.plan = plan;
    this.store = store;
    this.url = url;
    this.visibleTo = visibleTo;
    this.uuids = uuids ?? new UuidSource(store.random);
    this.results = resultsOf(plan.resources);
    for (const resource of plan.resources) {
      const names = storedColumns(resource).map((column) => column.name);
      this.resources.set(resource.name, { plan: resource, columns: new Map(names.map((name, i) => [name, i])) });
    }
  }

  /** Returns a compiler whose queries see every row. */
  seeingAll(): Expressions {
    if (this.visibleTo === 'all') return this;
    this.all ??= this.seenBy('all');
    return this.all;
  }

  /** Returns a compiler whose queries see the rows that a receiver (a row, as the caller) may see. */
  seeingAsReceiver(): Expressions {
    return this.seenBy('receiver');
  }

  private seenBy(visibleTo: Visibility): Expressions {
    return new Expressions(this.plan, this.store, this.url, visibleTo, this.uuids, this.missing);
  }

  /** A resource that the plan names. */
  private stored(resource: string): Stored {
    const found = this.resources.get(resource);
    if (!found) throw new Error(`The plan has no resource ${resource}`);
    return found;
  }

  /** Returns the index of a column in rows of a resource. */
  column(resource: string, name: string): number {
    return this.stored(resource).columns.get(name)!;
  }

  /** Returns the index of the cached JSON in rows of a resource; null where it has no such column. */
  shown(resource: string): number | null {
    return this.stored(resource).columns.get(SHOWN) ?? null;
  }

  /** Returns the number of columns of a stored row. */
  width(resource: string): number {
    return this.stored(resource).columns.size;
  }

  /** Returns the index of the identity in rows of a resource. */
  identity(resource: string): number {
    return this.column(resource, this.stored(resource).plan.identity);
  }

  /** Returns the type of a stored field. */
  typeOf(resource: string, field: string): Type {
    return columnType(this.stored(resource).plan, field);
  }

  /** Returns whether a stored field is a list or a set of references. */
  holdsMany(resource: string, field: string): boolean {
    return named(this.stored(resource).plan.columns, field).references !== undefined;
  }

  /** Returns the condition under which a row is visible; null where every row is. */
  visibility(resource: string): Expr | null {
    const { plan } = this.stored(resource);
    const receivers = this.plan.webhook?.receivers;
    return this.visibleTo === 'receiver' && receivers ? visibleToReceivers(receivers, plan) : plan.visible;
  }

  uuid(now: number): string {
    return this.uuids.next(now);
  }

  /** Returns a lowering of expressions into frame values and queries. */
  lowering(): Lowering {
    return loweringOf(
      (resource) => this.stored(resource).plan,
      this.visibleTo,
      (resource) => this.visibility(resource),
    );
  }

  /** Returns a condition over stored rows, named `this`, with visibility. Null where it selects every row. */
  where(resource: string, condition: Expr | null): Expr | null {
    return this.lowering().where(resource, condition);
  }

  /** Compiles an expression; its queries run first, one statement each. */
  compile(expr: Expr, names: Names): Compiled {
    return this.compileLowered(this.lowering().lower(expr), names);
  }

  /** Compiles a lowered expression; its queries run first, one statement each. */
  compileLowered(expr: Expr, names: Names): Compiled {
    const asked = new Map<string, number>();
    const queries: PreparedQuery[] = [];
    const layout = this.layout(names, (stored) => {
      const text = show(stored);
      const known = asked.get(text);
      if (known !== undefined) return known;
      const statement = this.store.prepare({ kind: 'value', value: stored });
      const place = queries.length;
      queries.push({ statement, args: this.parameters(statement, names), place });
      asked.set(text, place);
      return place;
    });
    return { evaluate: toJavaScript(expr, layout), queries };
  }

  /**
   * Compiles an expression over a selected row. Its queries are appended to `also`, so that the statement that selects
   * the row returns their results as well.
   */
  compileShown(expr: Expr, names: Names, also: Expr[]): Evaluate {
    return toJavaScript(
      expr,
      this.layout(names, (stored) => also.push(stored) - 1),
    );
  }

  /** Compiles an expression without queries to the value that is stored: a row becomes its identity. */
  plain(expr: Expr, names: Names = NO_NAMES): Evaluate {
    return comparedValue(expr, this.layout(names, nothingStored));
  }

  /** Compiles the value of a write. A value without a result is a failure, and is not stored as null. */
  given(expr: Expr, names: Names = NO_NAMES): Evaluate {
    return mustBe(this.plain(expr, names), expr);
  }

  /** Compiles the values of a statement's parameters, which come first among its arguments. */
  parameters(statement: Statement, names: Names): (frame: Frame) => Argument[] {
    const layout = this.layout(names, nothingStored);
    const values = statement.parameters.map((parameter) => orNull(comparedValue(parameter.expr, layout)));
    return (frame) => values.map((value) => value(frame) as Value);
  }

  private layout(names: Names, stored: (expr: Expr) => number): Layout {
    return {
      column: (resource, field) => this.column(resource, field),
      identity: (resource) => this.identity(resource),
      revision: (resource) => this.column(resource, REVISION),
      slot: (name) => place(names.vars, name),
      member: (object, name) => place(names[object as 'path' | 'query' | 'header' | 'request'], name),
      stored,
      uuid: (now) => this.uuid(now),
      secret: () => newSecret(this.store.random),
      random: (alphabet, length) => randomText(alphabet, length, this.store.random),
      url: this.url,
    };
  }
}

/** A query that runs before the expression that uses its result. */
interface PreparedQuery {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
  readonly place: number;
}

export interface Compiled {
  readonly evaluate: Evaluate;
  readonly queries: readonly PreparedQuery[];
}

/** The reasons for which a computation has no result, for the log. */
export const BEYOND =
  'a number beyond 2^53 − 1, a time beyond the years 1 to 9999, or a text of more than 1,048,576 characters';

/**
 * Throws NoResult where a value has no result although its type is not nullable, since its use needs one. `line` is a
 * line of the document.
 */
export function mustBe(value: Evaluate, expr: Expr, line: number | null = null): Evaluate {
  if (expr.type.nullable) return value;
  return (frame) => {
    const given = value(frame) ?? null;
    if (given !== null) return given;
    throw new NoResult(`${line === null ? '' : `Line ${line}: `}“${show(expr)}” has no result: ${BEYOND}`);
  };
}

/** Evaluates a compiled expression inside a transaction. */
export function* evaluate(compiled: Compiled, frame: Frame): Program<ReturnType<Evaluate>> {
  for (const query of compiled.queries) {
    const rows: Row[] = yield* call(query.statement, query.args(frame));
    frame.results[query.place] = rows[0]![0]!;
  }
  return compiled.evaluate(frame);
}

/**
 * Returns null where a value can't be read. All parameters of a statement are computed, also those in a branch of `&&`,
 * `||` or `?:` that is not taken: there, a parameter may read a member of null, and its value has no effect.
 */
function orNull(value: Evaluate): Evaluate {
  return (frame) => {
    try {
      return value(frame);
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  };
}

function place(names: readonly string[] | undefined, name: string): number {
  const index = names?.indexOf(name) ?? -1;
  if (index < 0) throw new Error(`“${name}” has no place here`);
  return index;
}

function nothingStored(): never {
  throw new Error('Stored rows are asked for where none can be');
}

/**
 * The least time between two log entries about missing values of a field, in milliseconds: a list may lack thousands.
 */
const SAID_EVERY_MS = 60_000;

/** Logs derived fields that were answered as missing because they have no result. */
class MissingValues {
  onMissing: (field: string) => void = () => {};
  private readonly said = new Map<string, number>();

  note(field: string): void {
    const now = performance.now();
    if (now - (this.said.get(field) ?? Number.NEGATIVE_INFINITY) < SAID_EVERY_MS) return;
    this.said.set(field, now);
    this.onMissing(field);
  }
}

/** Returns the names that an endpoint's expressions may use, in the order of their slots. */
export function namesOf(plan: EndpointPlan): Names {
  const parameters = plan.before.find((step) => step.do === 'read parameters');
  const body = plan.before.find((step) => step.do === 'validate body');
  return {
    vars: [...new Set([...allNested(plan.inside)].flatMap(declaredBy))],
    path: parameters?.path.map((one) => one.name) ?? [],
    query: parameters?.query.map((one) => one.name) ?? [],
    header: parameters?.header.map((one) => one.name) ?? [],
    request: body ? [...held(body.payload), ...body.parameters.map((one) => one.name)] : [],
  };
}

/** The members of the body that hold fields: the fields themselves, or the member that has them. */
function held(payload: PayloadPlan | null): readonly string[] {
  if (!payload) return [];
  return payload.member === null ? payload.fields : [payload.member];
}

/**
 * The condition under which a receiver that is a row sees a row of a resource in payloads: that of `Hears of`, with the
 * row as `this` and the receiver as `caller`. Null where receivers see all rows. Without an entry in `Hears of`,
 * receivers see no rows of the resource.
 */
function visibleToReceivers(receivers: ReceiversPlan, { name, visible }: ResourcePlan): Expr | null {
  if (visible === null) return null;
  const heard = receivers.hears.find((one) => one.name === name);
  if (!heard) return { op: 'const', value: false, type: BOOLEAN };
  if (!heard.where) return null;
  const names = new Map<string, Name>([
    ['this', { op: 'name', name: 'caller', type: rowOf(receivers.resource) }],
    ['about', { op: 'name', name: 'this', type: rowOf(name) }],
  ]);
  return renamed(heard.where, names);
}

type Name = Extract<Expr, { op: 'name' }>;

/** Renames names in an expression. Names that macros bind are replaced by unique ones, since they could collide. */
function renamed(expr: Expr, names: ReadonlyMap<string, Name>): Expr {
  if (expr.op === 'name') return names.get(expr.name) ?? expr;
  if (expr.op !== 'each') return mapParts(expr, (part) => renamed(part, names));
  const name = `${expr.name} item`;
  const type = expr.list.type.kind === 'list' ? expr.list.type.of : STRING;
  const body = renamed(expr.body, new Map(names).set(expr.name, { op: 'name', name, type }));
  return { ...expr, list: renamed(expr.list, names), name, body };
}
