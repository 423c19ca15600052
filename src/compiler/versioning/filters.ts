import { type Expr, mapParts } from '../../expression/tree/expression.ts';
import { BOOLEAN, STRING, service } from '../../expression/tree/types.ts';
import { mapInside } from '../../plan/nested-steps.ts';
import { isList } from '../../plan/slots.ts';
import type { EndpointPlan, InsideStep, Plan, VersionsPlan } from '../../plan/step.ts';
import { fieldsWithMergedWords, isMerged, wordsIn } from '../../plan/words.ts';

/** The parameters that take the values of fields, as `query status`, with the field of each. */
type Parameters = ReadonlyMap<string, string>;

/** The field whose values a parameter takes; null for an expression that is no such parameter. */
export function isParameter(expr: Expr, parameters: Parameters): string | null {
  if (expr.op !== 'get' || expr.of.op !== 'name') return null;
  return parameters.get(`${expr.of.name} ${expr.member}`) ?? null;
}

/** The field that a comparison with a parameter of its values compares; null for any other expression. */
export function filteredField(expr: Expr, parameters: Parameters): string | null {
  if (expr.op !== 'call' || (expr.fn !== '==' && expr.fn !== '!=')) return null;
  for (const [one, other] of [expr.args, expr.args.toReversed()]) {
    const field = other ? isParameter(other, parameters) : null;
    if (field === null || one?.op !== 'get' || one.derived || one.of.type.kind !== 'row') continue;
    if (`${one.of.type.resource}.${one.member}` === field) return field;
  }
  return null;
}

/**
 * Adds the words of older versions to the filters of lists: a filter by a word of several values keeps the rows with
 * each of them.
 */
export function withWords(plan: Plan): Plan {
  const { versions } = plan;
  const merged = fieldsWithMergedWords(versions);
  if (!versions || merged.size === 0) return plan;
  return { ...plan, endpoints: plan.endpoints.map((one) => filtered(one, versions, merged)) };
}

function filtered(endpoint: EndpointPlan, versions: VersionsPlan, merged: ReadonlySet<string>): EndpointPlan {
  const parameters = new Map<string, string>();
  for (const step of endpoint.before) {
    if (step.do !== 'read parameters' && step.do !== 'validate body') continue;
    const places =
      step.do === 'validate body'
        ? ([['request', step.parameters]] as const)
        : (['path', 'query', 'header'] as const).map((place) => [place, step[place]] as const);
    for (const [place, all] of places)
      for (const { name, words } of all)
        if (words !== undefined && merged.has(words)) parameters.set(`${place} ${name}`, words);
  }
  if (parameters.size === 0) return endpoint;
  const again = (expr: Expr): Expr => {
    const field = filteredField(expr, parameters);
    return field === null ? mapParts(expr, again) : sameWord(expr, field, versions);
  };
  const inside = mapInside(endpoint.inside, (step): InsideStep => {
    if (!isList(step)) return step;
    const filters = step.filters.map((one) => {
      const where = again(one.where);
      return JSON.stringify(where) === JSON.stringify(one.where) ? one : { ...one, where, stated: one.where };
    });
    return { ...step, filters };
  });
  return { ...endpoint, inside };
}

const call = (fn: 'and' | 'or' | 'not' | '==', ...args: readonly Expr[]): Expr => ({
  op: 'call',
  fn,
  args,
  type: BOOLEAN,
});

const anyOf = (all: readonly Expr[]): Expr => all.reduce((one, other) => call('or', one, other));

/** A comparison that also holds for two values with the same word in the version of the request. */
function sameWord(expr: Expr, field: string, versions: VersionsPlan): Expr {
  if (expr.op !== 'call') return expr;
  const names = [versions.current, ...versions.older.filter((one) => !one.retired).map(({ name }) => name)];
  const type = service(names);
  const version: Expr = {
    op: 'get',
    of: { op: 'name', name: 'service', type },
    member: 'version',
    type: type.kind === 'object' ? type.members.version! : STRING,
  };
  const text = (value: string): Expr => ({ op: 'const', value, type: STRING });
  const isIn = (one: Expr, values: readonly string[]): Expr =>
    anyOf(values.map((value) => call('==', one, text(value))));
  const alike = versions.older.flatMap((older) => {
    const groups = older.retired ? [] : (wordsIn(older, field)?.words ?? []).filter(isMerged);
    const both = groups.map(({ values }) =>
      expr.args.map((arg) => isIn(arg, values)).reduce((a, b) => call('and', a, b)),
    );
    return both.length > 0 ? [call('and', call('==', version, text(older.name)), anyOf(both))] : [];
  });
  const same = anyOf([{ ...expr, fn: '==' }, ...alike]);
  return expr.fn === '==' ? same : call('not', same);
}
