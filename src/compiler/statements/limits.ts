import type { ValueOf } from '../../language/grammar.ts';
import type { LIMIT_BULLETS, LIMITS, Target, UNCOUNTED_AT } from '../../language/limits.ts';
import type { Stated } from '../../language/statement.ts';
import type { Located } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';

type Rows = typeof LIMITS;

/** The limits that an endpoint has one of. */
export type LimitName = Exclude<keyof Rows, 'Rate'>;
export type LimitValue<L extends LimitName> = ValueOf<Rows[L]['value']>;

/**
 * So many requests in a window of time, for each of something; `at` is empty for every endpoint. `row` is the reference
 * of the caller whose rows are counted for, or that is null.
 */
export type Rate = Exclude<ValueOf<Rows['Rate']['value']>, string> &
  ValueOf<Rows['Rate']['at']> & { readonly span: Span };

/** A statement for some endpoints; no targets for every endpoint. */
interface Targeted {
  readonly at: readonly Target[];
  readonly span: Span;
}

/** Where it is stated that requests without a caller, or of callers without a row, are not counted. */
export type Uncounted = ValueOf<typeof UNCOUNTED_AT> & { readonly span: Span };

/** A limit of some endpoints, which overrides the limit of all endpoints. */
export type OwnLimit = {
  readonly [L in LimitName]: Targeted & { readonly limit: L; readonly value: LimitValue<L> };
}[LimitName];

/** The limits of the endpoints that have none of their own. */
type GeneralLimits = { readonly [L in LimitName as Rows[L]['member']]: Located<LimitValue<L>> | null };

export type Limits = Stated<typeof LIMIT_BULLETS> &
  GeneralLimits & {
    readonly rates: readonly Rate[];
    readonly uncounted: readonly Uncounted[];
    readonly own: readonly OwnLimit[];
  };
