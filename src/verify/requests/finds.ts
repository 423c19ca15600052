import type { Json } from '../../export/json.ts';
import { conjuncts, type Expr, isCaller } from '../../expression/tree/expression.ts';
import * as t from '../../expression/tree/types.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { EndpointPlan, InsideStep } from '../../plan/step.ts';
import { textComparisons } from '../oracle/letters.ts';
import type { Situation } from './candidate.ts';
import type { Credentials, KnownRow } from './known.ts';

/**
 * The values of a request, by the object that holds them in expressions and their name: `path id`, `request
 * article.title`.
 */
export type Said = ReadonlyMap<string, Json>;

/** Values for a request, and the rows that the steps of its endpoint find by them. */
export interface LookupBinding {
  readonly said: Said;
  readonly rows: ReadonlyMap<string, KnownRow>;
}

/** A step that finds one row, and the list in the request for whose items the step is repeated. */
interface Find {
  readonly as: string;
  readonly resource: string;
  readonly where: readonly Expr[];
  readonly item: { readonly name: string; readonly list: string } | null;
}

const SAID = new Set(['path', 'query', 'header', 'request']);

/**
 * Yields values for a request with which the steps of its endpoint find rows: each combination of rows, in a random
 * order. Only equality conditions are solved; rows meet the others by chance.
 */
export function* lookupBindings(situation: Situation, caller: Credentials | null): Generator<LookupBinding> {
  const plan = situation.plan?.endpoints.find((one) => one.name === situation.endpoint.name);
  const finds = plan ? findsIn(plan) : findsByParameters(situation);
  yield* new Search(situation, caller).from(finds, 0, new Map(), new Map());
}

/** The field by which a step looks a row up by a text of the body, as `User.email`; null for any other member. */
export function lookedUpBy({ plan, endpoint }: Situation, name: string): string | null {
  const own = plan?.endpoints.find((one) => one.name === endpoint.name);
  for (const step of allNested(own?.inside ?? [])) {
    if ((step.do !== 'find' && step.do !== 'verify') || !step.where) continue;
    for (const { own: read, value } of textComparisons(step.where))
      if (read.op === 'get' && read.of.op === 'name' && saidBy(value, null) === `request ${name}`)
        return `${step.resource}.${read.member}`;
  }
  return null;
}

function findsIn(plan: EndpointPlan): Find[] {
  const within = (steps: readonly InsideStep[], item: Find['item']): Find[] =>
    steps.flatMap((step): Find[] => {
      if (step.do === 'find' || step.do === 'verify') {
        const where = step.where ? conjuncts(step.where) : [];
        const password = step.do === 'verify' ? [sameAs(step.resource, step.field, step.password)] : [];
        return [{ as: step.as, resource: step.resource, where: [...where, ...password], item }];
      }
      // An Ensure by rules of some rows, or ignoring case, is led to rows that other letters find, or that do not count.
      if (step.do === 'ensure' && step.by.some((key) => key.while !== null || key.ignoringCase.length > 0)) {
        const where = step.by[0]?.fields.flatMap((field) => {
          const given = step.with.find((one) => one.field === field)?.value;
          return given ? [sameAs(step.resource, field, given)] : [];
        });
        return [{ as: step.as ?? '', resource: step.resource, where: where ?? [], item }];
      }
      if (step.do === 'remove every')
        return [{ as: '', resource: step.resource, where: step.where ? conjuncts(step.where) : [], item }];
      if (step.do === 'if') return [...within(step.then, item), ...within(step.else, item)];
      if (step.do !== 'for each' || step.over.kind !== 'list') return [];
      const list = saidBy(step.over.list, null);
      return list === null ? [] : within(step.steps, { name: step.as, list });
    });
  return within(plan.inside, null);
}

/** The finds that the contract alone shows: each parameter finds a row by one field. */
function findsByParameters({ endpoint }: Situation): Find[] {
  return endpoint.parameters.flatMap((one): Find[] => {
    if (!one.finds) return [];
    const { resource, field } = one.finds;
    const where = [sameAs(resource, field, memberOf({ op: 'name', name: one.in, type: t.UNKNOWN }, one.name))];
    return [{ as: one.name, resource, where, item: null }];
  });
}

const memberOf = (of: Expr, member: string): Expr => ({ op: 'get', of, member, type: t.UNKNOWN });

/** The condition that a field of a row is equal to a value of the request. */
function sameAs(resource: string, field: string, asked: Expr): Expr {
  const row: Expr = { op: 'name', name: 'this', type: { kind: 'row', resource, nullable: false } };
  return { op: 'call', fn: '==', args: [memberOf(row, field), asked], type: t.BOOLEAN };
}

/** Functions that leave most texts unchanged, so that the argument may be the result. */
const NORMALIZING: ReadonlySet<string> = new Set(['folded', 'lower', 'lowerAscii', 'upper', 'upperAscii', 'trim']);

/** An expression without functions that only normalize a text for a comparison. */
function compared(e: Expr): Expr {
  const [of] = e.op === 'call' && NORMALIZING.has(e.fn) ? e.args : [];
  return of ? compared(of) : e;
}

class Search {
  private readonly situation: Situation;
  private readonly caller: Credentials | null;

  constructor(situation: Situation, caller: Credentials | null) {
    this.situation = situation;
    this.caller = caller;
  }

  *from(finds: readonly Find[], at: number, said: Said, rows: LookupBinding['rows']): Generator<LookupBinding> {
    const find = finds[at];
    if (!find) {
      yield { said, rows };
      return;
    }
    let any = false;
    for (const row of this.situation.random.inAnyOrder(this.situation.rows.of(find.resource))) {
      const more = this.fit(find, row, said, rows);
      if (!more) continue;
      any = true;
      yield* this.from(finds, at + 1, more, find.as ? new Map([...rows, [find.as, row]]) : rows);
    }
    if (!any) yield* this.from(finds, at + 1, said, rows);
  }

  /** The values of a request with which a step finds a row; null where no values find it. */
  private fit(find: Find, row: KnownRow, said: Said, rows: LookupBinding['rows']): Said | null {
    const now = new Map(said);
    const names = new Map([...rows, ['this', row]]);
    for (const one of find.where) {
      if (one.op !== 'call' || one.fn !== '==') continue;
      const [first, second] = one.args;
      if (!first || !second) continue;
      const isAsked = [first, second].some((each) => saidBy(compared(each), find.item) !== null);
      const [left, right] = isAsked ? [compared(first), compared(second)] : [first, second];
      const asked = saidBy(left, find.item) ?? saidBy(right, find.item);
      const [a, b] = [this.value(left, names), this.value(right, names)];
      if (asked === null) {
        if (a !== undefined && b !== undefined && typeof a === typeof b && a !== b) return null;
        continue;
      }
      const found = saidBy(left, find.item) === null ? a : b;
      if (found === undefined || found === null) continue;
      const value = asked === find.item?.list ? [found] : found;
      if (now.has(asked) && JSON.stringify(now.get(asked)) !== JSON.stringify(value)) return null;
      now.set(asked, value);
    }
    return now;
  }

  /** The value of a simple expression; the value of a row is its identity. */
  private value(e: Expr, rows: LookupBinding['rows']): Json | undefined {
    if (e.op === 'const') return e.value;
    const row = this.row(e, rows);
    if (row) return row.identity;
    if (e.op === 'name' && isCaller(e.name)) return this.callerAs(e)?.identity;
    if (e.op !== 'get') return undefined;
    const of = this.row(e.of, rows);
    return of && (this.situation.rows.value(of, e.member) ?? of.passwords?.[e.member]);
  }

  private row(e: Expr, rows: LookupBinding['rows']): KnownRow | undefined {
    if (e.op === 'name') {
      if (!isCaller(e.name)) return rows.get(e.name);
      const caller = this.callerAs(e);
      return caller && this.situation.rows.withIdentity(caller.resource, caller.identity);
    }
    if (e.op !== 'get') return undefined;
    const of = this.row(e.of, rows);
    const resource = of && this.situation.rows.refersTo(of.resource, e.member);
    return of && resource
      ? this.situation.rows.withIdentity(resource, this.situation.rows.value(of, e.member))
      : undefined;
  }

  /** The caller, unless an expression names one that is a row of another resource. */
  private callerAs({ type }: Expr): Credentials | undefined {
    return this.caller && type.kind === 'row' && type.resource === this.caller.resource ? this.caller : undefined;
  }
}

/**
 * The parameter or body member that an expression names, or the list whose item it names; null for any other
 * expression.
 */
function saidBy(e: Expr, item: Find['item']): string | null {
  if (e.op === 'name' && e.name === item?.name) return item.list;
  const members: string[] = [];
  let at = e;
  while (at.op === 'get') {
    members.unshift(at.member);
    at = at.of;
  }
  if (at.op !== 'name' || members.length === 0) return null;
  if (SAID.has(at.name)) return `${at.name} ${members.join('.')}`;
  return null;
}
