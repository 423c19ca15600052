import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../export/json.ts';
import { conjuncts, type Expr, isCaller, unfolded } from '../expression/tree/expression.ts';
import type { EndpointPlan, InsideStep } from '../plan/step.ts';
import { ownMember } from '../text/own-members.ts';
import type { Caller, Row, World } from './world.ts';

/** The values of a request, by their object in expressions and their name: `path id`, `request room`. */
type RequestedValues = ReadonlyMap<string, Json>;

/** A step that finds one row, and the list of the request that it iterates over. */
interface Find {
  readonly step: Extract<InsideStep, { do: 'find' | 'verify' }>;
  readonly item: { readonly name: string; readonly list: string } | null;
}

const REQUEST_NAMES = new Set(['path', 'query', 'header', 'request']);

/**
 * Yields the values of requests with which the steps of an endpoint find their rows, one per combination of rows,
 * newest rows first. Only equality conditions are solved; the service checks the others.
 */
export async function* waysToFind(
  world: World,
  endpoint: EndpointPlan,
  caller: Caller | null,
): AsyncGenerator<RequestedValues> {
  const finds = findsIn(endpoint.inside, null);
  yield* from(new Search(world, caller), finds, 0, new Map(), new Map());
}

function findsIn(steps: readonly InsideStep[], item: Find['item']): Find[] {
  return steps.flatMap((step): Find[] => {
    if (step.do === 'find' || step.do === 'verify') return [{ step, item }];
    if (step.do !== 'for each' || step.over.kind !== 'list') return [];
    const list = requestedBy(step.over.list);
    return list === null ? [] : findsIn(step.steps, { name: step.as, list });
  });
}

async function* from(
  search: Search,
  finds: readonly Find[],
  at: number,
  said: RequestedValues,
  rows: ReadonlyMap<string, Row>,
): AsyncGenerator<RequestedValues> {
  const find = finds[at];
  if (!find) {
    yield said;
    return;
  }
  let any = false;
  for (const row of await search.world.rows(find.step.resource)) {
    const more = await search.fit(find, row, said, rows);
    if (!more) continue;
    any = true;
    yield* from(search, finds, at + 1, more, new Map([...rows, [find.step.as, row]]));
  }
  // The step accepts that there is no row, so the values need no match in the stored rows.
  if (!any && find.step.code === null) yield* from(search, finds, at + 1, said, rows);
}

class Search {
  readonly world: World;
  private readonly caller: Caller | null;

  constructor(world: World, caller: Caller | null) {
    this.world = world;
    this.caller = caller;
  }

  /** The values of a request for which a step finds the given row; null if there are none. */
  async fit(
    find: Find,
    row: Row,
    said: RequestedValues,
    rows: ReadonlyMap<string, Row>,
  ): Promise<RequestedValues | null> {
    const now = new Map(said);
    const names = new Map([...rows, ['this', row]]);
    const { step, item } = find;
    for (const one of step.where ? conjuncts(step.where) : []) {
      if (one.op !== 'call' || one.fn !== '==') continue;
      // A value in the letters of the row is found by a step that ignores case, too.
      const [left, right] = one.args.map(unfolded);
      if (!left || !right) continue;
      const [a, b] = [await this.value(left, names), await this.value(right, names)];
      const requested = requestedBy(left, item) ?? requestedBy(right, item);
      const found = requestedBy(left, item) === null ? a : b;
      const value = requested !== null && requested === item?.list && found !== undefined ? [found] : found;
      if (requested !== null) {
        if (value === undefined || value === null) continue;
        if (now.has(requested) && !isDeepStrictEqual(now.get(requested), value)) return null;
        now.set(requested, value);
      } else if (a !== undefined && b !== undefined && a !== b) return null;
    }
    return now;
  }

  /** The value of a simple expression; for a row, its identity. Undefined for other expressions. */
  private async value(e: Expr, rows: ReadonlyMap<string, Row>): Promise<Json | undefined> {
    if (e.op === 'const') return e.value;
    const row = await this.row(e, rows);
    if (row && e.type.kind === 'row') return this.world.identityOf(e.type.resource, row);
    if (e.op !== 'get') return undefined;
    const of = await this.row(e.of, rows);
    return of && (ownMember(of, e.member) as Json | undefined);
  }

  private async row(e: Expr, rows: ReadonlyMap<string, Row>): Promise<Row | undefined> {
    if (e.type.kind !== 'row') return undefined;
    if (e.op === 'name') return isCaller(e.name) ? this.callerAs(e.type.resource) : rows.get(e.name);
    if (e.op !== 'get') return undefined;
    const of = await this.row(e.of, rows);
    const identity = of && ownMember(of, e.member);
    if (identity === undefined || identity === null) return undefined;
    const { resource } = e.type;
    return (await this.world.rows(resource)).find((one) => this.world.identityOf(resource, one) === identity);
  }

  /** The caller, if it is a row of the resource. */
  private callerAs(resource: string): Row | undefined {
    const scheme = this.world.plan.schemes.find(({ name }) => name === this.caller?.scheme);
    return scheme?.resource === resource ? this.caller?.row : undefined;
  }
}

/**
 * The parameter or body member that an expression refers to, or the list that contains it; null for other expressions.
 */
function requestedBy(e: Expr, item: Find['item'] = null): string | null {
  if (e.op === 'name' && e.name === item?.name) return item.list;
  return e.op === 'get' && e.of.op === 'name' && REQUEST_NAMES.has(e.of.name) ? `${e.of.name} ${e.member}` : null;
}
