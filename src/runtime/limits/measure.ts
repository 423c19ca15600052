import type { Expr } from '../../expression/tree/expression.ts';
import type { Frame, Value } from '../../expression/values/value.ts';
import { callersWith } from '../../plan/caller-condition.ts';
import type { RatePlan } from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { RequestContext } from '../context/request-context.ts';
import { type Compiled, type Expressions, evaluate, mustBe, NO_NAMES } from '../expressions/layout.ts';

/** The key that a request counts for, and the number of requests of the key. */
export interface Measured {
  readonly key: string;
  readonly most: number;
}

/** Computes the key and the number of a rate for a request, where these depend on the caller. */
export class Measure {
  private readonly plan: RatePlan;
  private readonly row: Compiled | null;
  /** The resource whose callers alone have the row; null where all callers may have it. */
  private readonly only: string | null;
  private readonly resource: string;
  private readonly most: Compiled | null;
  /** True where no query is needed. */
  private readonly isAtHand: boolean;

  private constructor(plan: RatePlan, expressions: Expressions) {
    const { row = null, count } = plan;
    this.plan = plan;
    this.row = row && expressions.compile(row, NO_NAMES);
    this.only = row && callersWith(row);
    this.resource = row?.type.kind === 'row' ? row.type.resource : '';
    this.most = typeof count === 'number' ? null : compileSure(count, expressions);
    this.isAtHand = [this.row, this.most].every((one) => !one?.queries.length);
  }

  /** Null for a rate of a constant number whose key depends on no row. */
  static of(plan: RatePlan, expressions: Expressions): Measure | null {
    return typeof plan.count === 'number' && !plan.row ? null : new Measure(plan, expressions);
  }

  /** The key and the number of a request; null where the rate does not count the request. `read` runs queries. */
  of(
    x: RequestContext,
    read: <T>(program: () => Program<T>) => T | Promise<T>,
  ): Measured | null | Promise<Measured | null> {
    if (!this.isAtHand) return read(() => this.program(x));
    // Without queries, the program ends at its first step.
    return this.program(x).next().value as Measured | null;
  }

  private *program({ frame, callerKey }: RequestContext): Program<Measured | null> {
    const row = yield* this.rowOf(frame);
    const counts = this.plan.per === 'row' ? row !== null : !this.row || row === null;
    if (!counts) return null;
    const most = this.most ? ((yield* evaluate(this.most, frame)) as number) : (this.plan.count as number);
    return { key: this.plan.per === 'row' ? `${this.resource}/${row}` : callerKey, most };
  }

  /** The identity of the row that the caller refers to; null where there is none. */
  private *rowOf(frame: Frame): Program<Value> {
    if (!this.row || (this.only !== null && frame.callerOf !== this.only)) return null;
    return ((yield* evaluate(this.row, frame)) as Value | undefined) ?? null;
  }
}

/** Compiles an expression that has a result. */
function compileSure(expr: Expr, expressions: Expressions): Compiled {
  const { evaluate: value, queries } = expressions.compile(expr, NO_NAMES);
  return { evaluate: mustBe(value, expr), queries };
}
