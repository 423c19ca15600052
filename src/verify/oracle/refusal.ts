import type { Condition, Fault } from '../../plan/conditions.ts';

/** One value of a request at fault. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter' | 'header';
  readonly name: string;
  readonly code: Fault;
}

/** What a refusal is by: a general condition, or a code that a rule or step names; null for a rule that has none. */
type Cause = { readonly condition: Condition } | { readonly code: string | null };

/** What stops a request. No error: requests that are only thought of are refused by the thousand, and a stack costs more. */
export class Refusal {
  readonly by: Cause;
  readonly faults: readonly FaultAt[];
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The statement that refuses, by its key in the plan’s lines. */
  readonly statement: string | null;

  constructor(
    by: Cause,
    {
      faults = [],
      headers = [],
      statement = null,
    }: {
      faults?: readonly FaultAt[];
      headers?: ReadonlyArray<readonly [string, string]>;
      statement?: string | null;
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
export const byCode = (code: string | null, statement: string | null = null): Refusal =>
  new Refusal({ code }, { statement });

/** What the document says cannot be: a value that is missing or not allowed where an expression gives it. */
export class Failure extends Error {}

/** What the oracle can’t say, as the document states it in code or not at all: such an answer is not judged. */
export class Unknown extends Error {}
