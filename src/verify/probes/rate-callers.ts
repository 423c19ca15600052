import type { Json } from '../../export/json.ts';
import { type Expr, isCaller, parts } from '../../expression/tree/expression.ts';
import { named } from '../../plan/named.ts';
import type { RatePlan, SchemePlan } from '../../plan/step.ts';
import type { Session } from '../session/session.ts';

/** Numbers of requests that are tried, where the rule of a field allows them. */
const NUMBERS = [3, 2, 1, 5, 8, 12];

/** Adds a caller that refers to the same row as another one does, where the operator may. */
export async function addSharer(
  session: Session,
  { row }: RatePlan,
  scheme: SchemePlan,
  caller: string,
): Promise<void> {
  const first = row && pathOf(row)?.[0];
  const { rows } = session.oracle.state;
  const known = rows.all(scheme.resource).find((one) => String(rows.identity(one)) === caller);
  const value = first && known?.get(first.member);
  if (value !== undefined && value !== null) await session.addCallerWith(scheme, { [first!.member]: value as Json });
}

/** Adds callers whose rows, or the rows that they refer to, give a rate another number, where the operator may. */
export async function addOtherNumbers(session: Session, { count }: RatePlan, scheme: SchemePlan): Promise<void> {
  if (typeof count === 'number') return;
  const { resources } = session.subject.plan;
  for (const path of integersIn(count)) {
    const { resource, member } = path.at(-1)!;
    const { rule } = named(named(resources, resource).columns, member);
    for (const number of NUMBERS.filter((one) => one >= (rule.min ?? one) && one <= (rule.max ?? one)).slice(0, 2))
      await addChain(session, path, scheme, number);
  }
}

/** A member of a row, and the resource of the row. */
interface Link {
  readonly resource: string;
  readonly member: string;
}

/** The members of a path that begins at the caller; null for another expression. */
function pathOf(expr: Expr): readonly Link[] | null {
  if (expr.op !== 'get' || expr.derived || expr.of.type.kind !== 'row') return null;
  const before = expr.of.op === 'name' && isCaller(expr.of.name) ? [] : pathOf(expr.of);
  return before && [...before, { resource: expr.of.type.resource, member: expr.member }];
}

/** The paths of the integers of the caller, and of the rows that it refers to, in an expression. */
function integersIn(expr: Expr): readonly (readonly Link[])[] {
  const own = expr.type.kind === 'integer' ? pathOf(expr) : null;
  return own ? [own] : parts(expr).flatMap(integersIn);
}

/** Adds a row with the number, rows that refer to it, and a caller that leads there. */
async function addChain(session: Session, path: readonly Link[], scheme: SchemePlan, number: number): Promise<void> {
  const { plan } = session.subject;
  let value: Json = number;
  for (const { resource, member } of path.slice(1).reverse()) {
    const row = await session.addRow(named(plan.resources, resource), { [member]: value });
    if (!row) return;
    value = session.oracle.state.rows.identity(row) as Json;
  }
  const [first] = path;
  if (first?.resource === scheme.resource) await session.addCallerWith(scheme, { [first.member]: value });
}
