import { show } from '../expression/expr.ts';
import { explainInside } from '../plan/explain.ts';
import { everyInside, heldBy } from '../plan/inside.ts';
import type { FromPlan, InsideStep } from '../plan/step.ts';
import { type Compare, type Difference, difference, meaning, same } from './compare.ts';

/** Whether callers may notice that a step of a kind comes or goes. A step that differs has gone and come. */
const STEPS: Readonly<Record<InsideStep['do'], { readonly added: boolean; readonly removed: boolean }>> = {
  // What is looked for is told of the body’s fields and the parameters, and so is the code that refuses those.
  'find references': { added: false, removed: false },
  'refuse parameters': { added: false, removed: false },
  find: { added: true, removed: true },
  list: { added: false, removed: true },
  verify: { added: true, removed: true },
  require: { added: true, removed: false },
  match: { added: true, removed: false },
  create: { added: true, removed: true },
  ensure: { added: true, removed: true },
  change: { added: true, removed: true },
  move: { added: true, removed: true },
  'move to': { added: true, removed: true },
  remove: { added: true, removed: true },
  'remove every': { added: true, removed: true },
  run: { added: true, removed: true },
  issue: { added: true, removed: true },
  revoke: { added: true, removed: true },
  if: { added: true, removed: true },
  'for each': { added: true, removed: true },
};

interface Line {
  readonly text: string;
  /** What makes it this step: more than its text tells. */
  readonly key: string;
  readonly step: InsideStep;
}

/**
 * Every step, with those that it holds behind it. Which fields a body has is told of the body, and of the parameters that
 * `filtering` doesn't name, that they come or go: a list that one of them filters is the same list where it isn't sent.
 */
function linesOf(steps: readonly InsideStep[], filtering: ReadonlySet<string>, depth = ''): Line[] {
  return steps.flatMap((step) => {
    // How much a cursor has room for follows from what the fields may hold, which is told of them.
    const {
      then: _then,
      else: _else,
      steps: _steps,
      room: _room,
      ...own
    } = step as InsideStep & Record<string, unknown>;
    const { from } = own as { from?: FromPlan | null };
    const ofBody =
      from?.value.op === 'name' && from.value.name === 'request' ? { from: { ...from, fields: null } } : {};
    const looked = step.do === 'find references' ? { payload: null, fields: null } : {};
    const listed =
      step.do === 'list' ? { filters: step.filters.filter(({ parameter }) => filtering.has(parameter)) } : {};
    const key = depth + meaning({ ...own, ...ofBody, ...looked, ...listed });
    const held = heldBy(step).flatMap((inner, i) => linesOf(inner, filtering, `${depth}${i} `));
    return [{ text: explainInside(step), key, step }, ...held];
  });
}

type Filter = Extract<InsideStep, { do: 'list' }>['filters'][number];

/** What lists are filtered by, by the parameter, with the line of the list. */
function filtersOf(
  steps: readonly InsideStep[],
): Map<string, { readonly filter: Filter; readonly line: number | null }> {
  const lists = [...everyInside(steps)].filter((step) => step.do === 'list');
  return new Map(
    lists.flatMap(({ filters, line }) => filters.map((filter) => [filter.parameter, { filter, line }] as const)),
  );
}

/** Filters that come and go: where a parameter is not sent, which a new one never was, a list is what it was. */
function filters(old: readonly InsideStep[], next: readonly InsideStep[], at: string, where: string): Difference[] {
  const [before, after] = [filtersOf(old), filtersOf(next)];
  const told = ({ parameter, where: kept }: Filter): string => `${parameter} keeps ${show(kept)}`;
  const gone = [...before].flatMap(([name, { filter, line }]): Difference[] =>
    after.has(name)
      ? []
      : [{ ...difference(at, `${where}a filter is gone: ${told(filter)}`, true), lines: [line, null] }],
  );
  const come = [...after].flatMap(([name, { filter, line }]): Difference[] =>
    before.has(name)
      ? []
      : [{ ...difference(at, `${where}a filter is new: ${told(filter)}`, false), lines: [null, line] }],
  );
  return [...gone, ...come];
}

/** Steps in a row: those that are gone, and those that are new. */
export const steps =
  (where = ''): Compare<readonly InsideStep[]> =>
  (old, next, at) => {
    if (same(old, next)) return [];
    const known = filtersOf(next);
    const filtering = new Set([...filtersOf(old).keys()].filter((name) => known.has(name)));
    const [before, after] = [linesOf(old, filtering), linesOf(next, filtering)];
    const kept = common(before, after);
    const gone = before.filter((_, i) => !kept.old.has(i));
    const come = after.filter((_, i) => !kept.next.has(i));
    return [
      ...filters(old, next, at, where),
      ...gone.map(({ text, step }): Difference => {
        const one = difference(at, `${where}a step is gone: ${text}`, STEPS[step.do].removed);
        return { ...one, lines: [step.line, null] };
      }),
      ...come.map(({ text, step }): Difference => {
        const one = difference(at, `${where}a step is new: ${text}`, STEPS[step.do].added);
        return { ...one, lines: [null, step.line] };
      }),
    ];
  };

/** The longest row of steps that both have, by their places (Hunt and McIlroy’s problem, in the plain way). */
function common(
  old: readonly Line[],
  next: readonly Line[],
): { readonly old: Set<number>; readonly next: Set<number> } {
  const length = Array.from({ length: old.length + 1 }, () => new Array<number>(next.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = next.length - 1; j >= 0; j--)
      length[i]![j] =
        old[i]!.key === next[j]!.key ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
  const out = { old: new Set<number>(), next: new Set<number>() };
  for (let [i, j] = [0, 0]; i < old.length && j < next.length; )
    if (old[i]!.key === next[j]!.key) {
      out.old.add(i++);
      out.next.add(j++);
    } else if (length[i + 1]![j]! >= length[i]![j + 1]!) i++;
    else j++;
  return out;
}
