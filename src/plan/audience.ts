import { type Expr, isChanging, isOfCaller, parts } from '../expression/tree/expression.ts';
import { answersIn } from './answered.ts';
import { hasNeeded, type NeededScopes } from './callers.ts';
import type { EndpointPlan } from './step.ts';

/** The scheme of the credentials of a request, and their scopes; the scheme is null for a request without credentials. */
export interface Credentials {
  readonly scheme: string | null;
  readonly scopes: readonly string[];
}

/** The credentials that an endpoint, or its audience, takes. */
interface Taken {
  readonly schemes: readonly string[];
  readonly needs: NeededScopes | null;
}

/** Whether credentials are of one of the schemes, and have the needed scopes. */
export const fits = ({ schemes, needs }: Taken, { scheme, scopes }: Credentials): boolean =>
  scheme !== null && schemes.includes(scheme) && (needs === null || hasNeeded(needs, (one) => scopes.includes(one)));

/** The endpoints that a description leaves out, by their names. */
export interface LeftOut {
  /** Endpoints that the caller may not call. */
  readonly uncalled: ReadonlySet<string>;
  /** Endpoints that are for another audience: nothing in the description shows that they are there. */
  readonly concealed: ReadonlySet<string>;
}

/** An endpoint, in the plan or in the contract, with the callers to whom descriptions show it. */
interface Described {
  readonly name: string;
  /** Absent where each description may show it. */
  readonly audience?: 'none' | Taken;
}

/**
 * The endpoints whose audience somebody with any of the credentials does not belong to. Null: those that are for nobody,
 * which a description for all callers leaves out.
 */
export const concealedFrom = (all: readonly Described[], credentials: readonly Credentials[] | null): Set<string> =>
  new Set(
    all.flatMap(({ name, audience }) => {
      if (audience === undefined) return [];
      const isShown = audience !== 'none' && (credentials?.some((one) => fits(audience, one)) ?? true);
      return isShown ? [] : [name];
    }),
  );

/** Whether descriptions show some endpoint to some callers alone. */
export const haveAudiences = (all: readonly Described[]): boolean =>
  all.some(({ audience }) => audience !== undefined && audience !== 'none');

/** Whether the Access of an endpoint admits a caller. */
export function admits({ before }: EndpointPlan, caller: Credentials): boolean {
  const authenticate = before.find((step) => step.do === 'authenticate');
  if (!authenticate) return true;
  if (caller.scheme === null) return authenticate.optional;
  return fits(
    { schemes: authenticate.schemes, needs: before.find((step) => step.do === 'require scope') ?? null },
    caller,
  );
}

/**
 * The conditions about the caller alone that a request has to meet to succeed: those of Require steps that no way
 * through the steps leaves out.
 */
export function callerConditions({ inside }: EndpointPlan): readonly Expr[] {
  const end = inside.findIndex((step) => answersIn([step]).length > 0);
  const always = end < 0 ? inside : inside.slice(0, end);
  return always.flatMap((step) => (step.do === 'require' && isAboutCaller(step.test, []) ? [step.test] : []));
}

/** Whether an expression reads nothing but the caller, and is the same each time. `items`: names of items of its lists. */
function isAboutCaller(e: Expr, items: readonly string[]): boolean {
  if (e.op === 'rows' || e.op === 'query' || isChanging(e)) return false;
  if (e.op === 'name') return isOfCaller(e) || items.includes(e.name);
  if (e.op === 'each') return isAboutCaller(e.list, items) && isAboutCaller(e.body, [...items, e.name]);
  return parts(e).every((part) => isAboutCaller(part, items));
}
