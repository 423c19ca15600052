import { type Expr, show } from '../expression/tree/expression.ts';
import { nestedLists } from '../plan/nested-steps.ts';
import type { FromPlan, InsideStep, OrderPlan, OverPlan } from '../plan/step.ts';

/** Numbered steps, those that a step holds further to the right. */
export function explainSteps(steps: readonly InsideStep[], indent: string): string[] {
  return steps.flatMap((step, i) => {
    const line = step.line === null ? '' : `  (line ${step.line})`;
    const inner = `${indent}    `;
    const own = `${indent}${String(i + 1).padStart(2)}. ${explainInside(step)}${line}`;
    const [first = [], second = []] = nestedLists(step);
    const otherwise = second.length ? [`${indent}    otherwise:`, ...explainSteps(second, inner)] : [];
    return [own, ...explainSteps(first, inner), ...otherwise];
  });
}

/** What a step of a kind does, in words. As a method, so that any kind's can be held as that of every kind. */
type Explain<D extends InsideStep['do']> = { explain(step: Extract<InsideStep, { do: D }>): string }['explain'];

/** The words of each kind of step: one that is forgotten doesn't compile. */
const WORDS: { readonly [D in InsideStep['do']]: Explain<D> } = {
  'find references': (step) =>
    `find what the request refers to: ${[...step.fields, ...step.parameters.map((one) => one.parameter.name)].join(', ')}, as the caller sees it`,
  'refuse parameters': () => 'refuse parameters that state their own refusal',
  find: (step) =>
    `find ${step.as}: the visible ${step.resource}${explainWhere(step.where)}${step.order ? `, ${explainOrder(step.order)}` : ''}${step.code ? `, else ${step.code}` : ' or none'}`,
  list: (step) => {
    const filters = step.filters.map((filter) => `${filter.parameter} keeps ${show(filter.where)}`);
    return [
      `list ${step.as}: the visible rows of ${step.resource}${explainWhere(step.where)}`,
      ...filters,
      explainOrder(step.order),
      ...(step.all ? [`all, ${step.all.most} at most, more ${step.all.refused ? 'are refused' : 'are left out'}`] : []),
    ].join('; ');
  },
  issue: (step) =>
    `issue ${step.as}: ${step.scheme} for ${show(step.to)}${step.scopes.length ? ` with scopes ${step.scopes.join(', ')}` : ''}`,
  revoke: (step) => (step.of ? `revoke every ${step.scheme} for ${show(step.of)}` : `revoke the ${step.scheme} sent`),
  verify: (step) =>
    `find ${step.as}: the visible ${step.resource}${explainWhere(step.where)}, and verify its ${step.field} by ${show(step.password)}, else ${step.code}`,
  require: (step) => `require ${show(step.test)}, else ${step.code}`,
  match: (step) =>
    step.of === null
      ? `match ${step.header} to ${show(step.to)}`
      : `match ${step.header} to the entity tag of ${step.of} at this address`,
  preconditions: (step) =>
    step.of === null
      ? 'refuse a request that has If-Match, If-None-Match or If-Unmodified-Since'
      : `evaluate If-Match, If-Unmodified-Since and If-None-Match against what ${step.of} answers at this address`,
  create: (step) => `create ${step.as ? `${step.as}: ` : ''}${step.resource}${explainGiven(step)}`,
  ensure: (step) =>
    `ensure ${step.as ? `${step.as}: ` : ''}${step.resource}${explainGiven(step)}, unless there is one with the same ${step.by.map((key) => key.join(' and ')).join(', or ')}`,
  change: (step) => `change ${step.row}${explainGiven(step)}`,
  move: (step) => `move ${step.row} by ${step.by}`,
  'move to': (step) => `move ${step.row} to ${show(step.to)}, by ${step.by.join(' or ')}`,
  remove: (step) => `remove ${step.row}`,
  run: (step) => {
    const assignments = step.with.map((one) => `${one.field} ${show(one.value)}`).join(', ');
    const result = step.as === null ? ', when this is committed' : `, giving ${step.as}`;
    return `run ${step.handler}${assignments && ` with ${assignments}`}${result}`;
  },
  'remove every': (step) => `remove every visible ${step.resource}${explainWhere(step.where)}`,
  if: (step) => `if ${show(step.test)}:`,
  'for each': (step) => `for each ${step.as} of ${explainOver(step.over)}:`,
};

/** What a step does, in words. */
export function explainInside(step: InsideStep): string {
  const explain: Explain<InsideStep['do']> = WORDS[step.do];
  return explain(step);
}

function explainOver(over: OverPlan): string {
  if (over.kind === 'list') return show(over.list);
  return `the visible rows of ${over.resource}${explainWhere(over.where)}; ${explainOrder(over.order)}`;
}

const explainWhere = (where: Expr | null): string => (where ? ` where ${show(where)}` : '');

function explainOrder(order: OrderPlan): string {
  if ('by' in order) return `${order.descending ? 'latest' : 'earliest'} ${explainKey(order.by)} first`;
  const keys = order.keys.map(({ name, by }) => (name ? `${name} by ${explainKey(by)}` : explainKey(by))).join(', ');
  return `sorted by ${order.sorted ? `${show(order.sorted)} (${keys})` : keys}, ${show(order.direction)}`;
}

const explainKey = (by: Expr): string => (by.op === 'get' && by.of.op === 'name' ? by.member : show(by));

function explainFrom({ value, fields }: FromPlan): string {
  const direct = value.op === 'name' && value.name === 'request';
  return `${direct ? 'the request' : show(value)}${fields.length ? ` (${fields.join(', ')})` : ''}`;
}

function explainGiven(step: Extract<InsideStep, { do: 'create' | 'ensure' | 'change' }>): string {
  const request = step.from ? ` from ${explainFrom(step.from)}` : '';
  const own = step.with.map((one) => `${one.field} ${show(one.value)}`).join(', ');
  return request + (own && ` with ${own}`);
}
