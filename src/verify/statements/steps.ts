import { possibleTexts } from '../../expression/tree/always.ts';
import { conjuncts, unfolded } from '../../expression/tree/expression.ts';
import { idText, statementId } from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested, eachSortKeys, sortKeys, writes } from '../../plan/nested-steps.ts';
import { isList, triesOf } from '../../plan/slots.ts';
import type { AnswerStep, InsideStep, Plan } from '../../plan/step.ts';
import { orderTraces } from '../oracle/order-traces.ts';
import type { Trace } from '../oracle/trace.ts';
import type { Endpoint } from './endpoints.ts';
import { freeTexts, lookUpTries, searchTries } from './look-ups.ts';
import type { Reach } from './reach.ts';
import { type Draft, type Need, need, type SetupMember } from './statement.ts';

/**
 * The statements of steps of endpoints, transitions and handlers; a line that several endpoints share has one
 * statement.
 */
export function stepDrafts(plan: Plan, endpoints: readonly Endpoint[], reach: Reach): Draft[] {
  const found = new Map<string, Draft>();
  const add = (draft: Draft): void => {
    const key = idText(draft.id);
    const known = found.get(key);
    if (!known) found.set(key, draft);
    else {
      const names = new Set(known.needs.map((one) => one.name));
      found.set(key, { ...known, needs: [...known.needs, ...draft.needs.filter((one) => !names.has(one.name))] });
    }
  };
  const inside = (
    steps: readonly InsideStep[],
    setup: readonly SetupMember[],
    free: ReadonlySet<string> = new Set(),
  ): void => {
    for (const step of allNested(steps))
      if (step.line !== null) {
        const all = stepNeeds(step, setup, reach, free);
        const needs = hasRows(step, steps) ? all.filter(({ traces }) => !traces.some(isWithoutRows)) : all;
        const item = step.do === 'answer' ? 'endpoints/response payloads' : 'endpoints/methods';
        if (needs.length > 0) add({ id: statementId.step(step), item, needs, line: step.line });
      }
  };
  for (const { plan: one, setup } of endpoints) {
    inside(one.inside, setup, freeTexts(plan, one));
    const line = one.after?.line ?? null;
    const id = statementId.step({ line });
    if (line !== null)
      add({
        id,
        item: 'endpoints/response payloads',
        needs: [
          need('it answers', id, 'done', setup),
          ...(one.after ? [...csvNeeds(one.after, setup), ...fileNeeds(one.after, setup)] : []),
        ],
        line,
      });
  }
  for (const { machines } of plan.resources) for (const one of transitionsIn(machines)) inside(one.then, []);
  for (const handler of plan.handlers) inside([...handler.answers, ...handler.failing], []);
  return [...found.values()];
}

/** The texts of cells that CSV writes in another form. */
function csvNeeds(after: AnswerStep, setup: readonly SetupMember[]): Need[] {
  const { body } = after;
  if (body?.kind !== 'rows' || body.form.kind !== 'CSV') return [];
  const id = statementId.step(after);
  return [
    need('a cell begins as a formula', id, 'formula', setup),
    need('a cell has a comma, quotes or a line end', id, 'quoted', setup),
  ];
}

/** The parts of a file. */
function fileNeeds(after: AnswerStep, setup: readonly SetupMember[]): Need[] {
  const { body } = after;
  if (body?.kind !== 'file' || body.ranges !== 'served') return [];
  const id = statementId.step(after);
  return [
    need('a part of the file is answered', id, 'part', setup),
    need('a range without any byte is refused', id, 'unsatisfiable', setup),
    need('a range that cannot be read, or several, have the whole file', id, 'whole', setup),
  ];
}

/** Whether rows may have equal sort keys in a list. */
function mayBeEqual({ resource, order }: Extract<InsideStep, { do: 'list' | 'list streamed' }>, reach: Reach): boolean {
  return eachSortKeys(order).some((keys) =>
    keys.every(
      ({ by }) =>
        !(by.op === 'get' && by.of.op === 'name' && by.of.name === 'this' && reach.isUnique(resource, by.member)),
    ),
  );
}

/** The traces of the orders of a list, or of a Find, that a request can choose. */
function orderTries(step: InsideStep) {
  if ((step.do !== 'find' && !isList(step)) || !step.order) return [];
  const { order } = step;
  const directions =
    'by' in order ? [false] : [...new Set(possibleTexts(order.direction))].map((way) => way === 'desc');
  const placed = step.do === 'list' && step.all === null;
  const named = 'by' in order ? [null] : order.keys;
  const all = named.flatMap((_, at) =>
    directions.flatMap((descending) => {
      const traces = orderTraces(sortKeys(order, at, descending), placed);
      // A request chooses between the two ways, each of which is tried.
      const way = descending ? 'descending' : 'ascending';
      return directions.length < 2 ? traces : traces.map(({ what, words }) => ({ what, words: `${words}, ${way}` }));
    }),
  );
  return [...new Map(all.map((one) => [one.what, one])).values()];
}

/** Whether a row is found by a field that the service draws and that no answer shows. */
function findsByUnseen({ resource, where }: Extract<InsideStep, { do: 'find' }>, reach: Reach): boolean {
  return (where ? conjuncts(where) : []).some(
    (one) =>
      one.op === 'call' &&
      one.fn === '==' &&
      one.args
        .map(unfolded)
        .some(
          (side) =>
            side.op === 'get' &&
            side.of.op === 'name' &&
            side.of.name === 'this' &&
            reach.isUnseen(resource, side.member),
        ),
  );
}

/**
 * Whether a list or a Group of all rows always has one: a step before it refuses requests unless it finds a row of the
 * same resource, and no step between the two writes rows.
 */
function hasRows(step: InsideStep, steps: readonly InsideStep[]): boolean {
  if (!isList(step) && step.do !== 'group') return false;
  if (step.where || ('filters' in step && (step.filters.length > 0 || step.matching))) return false;
  const before = steps.slice(0, Math.max(0, steps.indexOf(step)));
  const found = before.findLastIndex((one) => one.do === 'find' && one.code !== null && one.resource === step.resource);
  return found >= 0 && !writes(before.slice(found));
}

const isWithoutRows = ({ what }: Trace): boolean => what === 'rounds 0';

function stepNeeds(step: InsideStep, setup: readonly SetupMember[], reach: Reach, free: ReadonlySet<string>): Need[] {
  const id = statementId.step(step);
  const of = (name: string, what: string | readonly string[]): Need => {
    const rows = 'resource' in step && step.do === 'find' ? reach.rowSetup(step.resource) : [];
    const list = step.do === 'find' && findsByUnseen(step, reach) ? (['list'] as const) : [];
    return need(name, id, what, [...new Set([...setup, ...rows, ...list])]);
  };
  return [
    ...triesOf(step)
      .filter(({ what }) => what !== 'equal rows' || (isList(step) && mayBeEqual(step, reach)))
      .map(({ name, what }) => of(name, what)),
    ...orderTries(step).map(({ words, what }) => of(words, what)),
    ...lookUpTries(step, free).map(({ name, what }) => of(name, what)),
    ...searchTries(step, free, reach).map(({ name, what }) => of(name, what)),
  ];
}
