import type { Condition, Fault } from '../../plan/conditions.ts';
import type { StatementId } from '../../plan/lines.ts';

/** A fault of one value of a request. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter' | 'header';
  readonly name: string;
  readonly code: Fault;
}

/**
 * The cause of a refusal: a general condition, or a code that a rule or step names; null for a rule that has no code.
 */
type Cause = { readonly condition: Condition } | { readonly code: string | null };

/**
 * The refusal of a request. It is no Error: predictions refuse thousands of requests, and a stack trace would cost too
 * much.
 */
export class Refusal {
  readonly by: Cause;
  readonly faults: readonly FaultAt[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The statement that refuses. */
  readonly statement: StatementId | null;

  constructor(
    by: Cause,
    {
      faults = [],
      headers = [],
      statement = null,
    }: {
      faults?: readonly FaultAt[];
      headers?: ReadonlyArray<readonly [string, string]>;
      statement?: StatementId | null;
    } = {},
  ) {
    this.by = by;
    this.faults = faults;
    this.headers = headers;
    this.statement = statement;
  }

  /** The condition or the code that it is by. */
  get cause(): string {
    return 'condition' in this.by ? this.by.condition : (this.by.code ?? 'a rule without a code');
  }
}

/** The refusal of a general condition. */
export const byCondition = (condition: Condition, about: ConstructorParameters<typeof Refusal>[1] = {}): Refusal =>
  new Refusal({ condition }, about);

/** The refusal of a code; null of a rule that has none. */
export const byCode = (code: string | null, statement: StatementId | null = null): Refusal =>
  new Refusal({ code }, { statement });

/** A failure that the document excludes: the value of an expression is missing or not allowed. */
export class Failure extends Error {}

/**
 * An answer that the oracle can't predict, since code or nothing in the document decides it: such an answer is not
 * judged.
 */
export class Unknown extends Error {}
