import type { Expr } from '../expression/tree/expression.ts';
import type { ValueRule } from './value-forms.ts';

/** A parameter of an endpoint, or a value that a handler takes or gives. */
export interface ParameterPlan {
  readonly name: string;
  readonly rule: ValueRule;
  readonly required: boolean;
  readonly password: boolean;
  /** The value of the parameter if a request does not send it. */
  readonly otherwise: Expr | null;
  readonly code: string | null;
  /** The field whose name the parameter bears, so that a version that renames the field renames it too. */
  readonly field: string | null;
}
