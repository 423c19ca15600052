import type { Expr } from '../expression/tree/expression.ts';
import type { ValueRule } from './value-forms.ts';

/** A parameter of an endpoint, or an argument or result of a handler. */
export interface ParameterPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly required: boolean;
  readonly password: boolean;
  /** The value of the parameter if a request does not send it. */
  readonly otherwise: Expr | null;
  readonly code: string | null;
  /**
   * The field that gives the parameter its name, so that a version that renames the field also renames the parameter.
   */
  readonly field: string | null;
}
