import type { Condition, Fault } from '../../src/plan/conditions.ts';

/** One value at fault. */
export interface FaultAt {
  readonly place: 'pointer' | 'parameter';
  readonly name: string;
  readonly code: Fault;
}

/** What stops a request: a condition, or a code that a step or a rule names; null for a rule that has none. */
export class Refusal extends Error {
  readonly condition: Condition | null;
  readonly code: string | null;
  readonly faults: readonly FaultAt[];
  readonly headers: ReadonlyArray<readonly [string, string]>;

  constructor(
    why: { condition: Condition } | { code: string | null },
    faults: readonly FaultAt[] = [],
    headers: ReadonlyArray<readonly [string, string]> = [],
  ) {
    super('condition' in why ? why.condition : (why.code ?? 'a rule without a code'));
    this.condition = 'condition' in why ? why.condition : null;
    this.code = 'code' in why ? why.code : null;
    this.faults = faults;
    this.headers = headers;
  }
}

/** The refusal of a condition. */
export function condition(
  name: Condition,
  faults: readonly FaultAt[] = [],
  headers: ReadonlyArray<readonly [string, string]> = [],
): Refusal {
  return new Refusal({ condition: name }, faults.slice(0, 100), headers);
}

/** The refusal of a code. */
export function refusal(code: string | null): Refusal {
  return new Refusal({ code });
}
