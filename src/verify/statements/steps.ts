import { conjuncts } from '../../expression/tree/expression.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import type { Draft } from './draft.ts';
import { need, those } from './draft.ts';
import type { Endpoint } from './endpoints.ts';
import type { Reach } from './reach.ts';
import type { Need, SetupMember } from './statement.ts';

/** The statements that are steps, of endpoints, transitions and handlers; a line that several endpoints share is one. */
export function stepDrafts(plan: Plan, endpoints: readonly Endpoint[], reach: Reach): Draft[] {
  const found = new Map<string, Draft>();
  const add = (draft: Draft): void => {
    const known = found.get(draft.key);
    if (!known) found.set(draft.key, draft);
    else {
      const names = new Set(known.needs.map((one) => one.name));
      found.set(draft.key, { ...known, needs: [...known.needs, ...draft.needs.filter((one) => !names.has(one.name))] });
    }
  };
  const inside = (steps: readonly InsideStep[], setup: readonly SetupMember[]): void => {
    for (const step of allNested(steps))
      if (step.line !== null) {
        const needs = stepNeeds(step, setup, reach);
        if (needs.length > 0) add({ key: `step ${step.line}`, item: 'endpoints/methods', needs, line: step.line });
      }
  };
  for (const { plan: one, setup } of endpoints) {
    inside(one.inside, setup);
    const { line } = one.after;
    const key = `step ${line ?? 0}`;
    if (line !== null)
      add({ key, item: 'endpoints/response payloads', needs: [need('it answers', key, 'done', setup)], line });
  }
  for (const { states } of plan.resources) for (const one of states?.transitions ?? []) inside(one.then, []);
  for (const handler of plan.handlers) inside([...handler.answers, ...handler.failing], []);
  return [...found.values()];
}

/** Whether rows may be equal in what a list is in order by. */
function mayBeEqual({ resource, order }: Extract<InsideStep, { do: 'list' }>, reach: Reach): boolean {
  const keys = 'by' in order ? [order.by] : order.keys.map((one) => one.by);
  return keys.some(
    (key) =>
      !(key.op === 'get' && key.of.op === 'name' && key.of.name === 'this' && reach.isUnique(resource, key.member)),
  );
}

/** Whether a row is found by a field that the service draws and that no answer shows. */
function findsByUnseen({ resource, where }: Extract<InsideStep, { do: 'find' }>, reach: Reach): boolean {
  return (where ? conjuncts(where) : []).some(
    (one) =>
      one.op === 'call' &&
      one.fn === '==' &&
      one.args.some(
        (side) =>
          side.op === 'get' &&
          side.of.op === 'name' &&
          side.of.name === 'this' &&
          reach.isUnseen(resource, side.member),
      ),
  );
}

function stepNeeds(step: InsideStep, setup: readonly SetupMember[], reach: Reach): Need[] {
  const key = `step ${step.line ?? 0}`;
  const of = (name: string, what: string | readonly string[]): Need => {
    const rows = 'resource' in step && step.do === 'find' ? reach.rowSetup(step.resource) : [];
    const list = step.do === 'find' && findsByUnseen(step, reach) ? (['list'] as const) : [];
    return need(name, key, what, [...new Set([...setup, ...rows, ...list])]);
  };
  switch (step.do) {
    case 'find references':
    case 'refuse parameters':
      return [];
    case 'find':
      return [
        of('the row is found', 'found'),
        of(step.code === null ? 'there is no such row' : 'a row that is not there is refused', ['none', 'refused']),
      ];
    case 'verify':
      return [
        of('the password is right', ['found', 'done']),
        of('the password is another one', 'refused'),
        of('the password has another last character', 'refused with another last character'),
        of('the password has a character more', 'refused with a character more'),
        of('the password is in other letters', 'refused in other letters'),
        of('there is no such row', 'none'),
      ];
    case 'list':
      return those(
        of('the list has several rows', ['rounds more', 'done']),
        of('the list has no rows', ['rounds 0']),
        mayBeEqual(step, reach) && of('two rows of the list are equal in its order', 'equal rows'),
      );
    case 'require':
      return [of('its condition is true', 'done'), of('its condition is false', 'refused')];
    case 'match':
      return [
        of('the entity tag is the right one', 'done'),
        of('there is no If-Match', 'refused precondition missing'),
        of('the entity tag is another one', 'refused precondition failed'),
      ];
    case 'preconditions':
      // The statement of the endpoint has these needs.
      return [];
    case 'if':
      return those(of('its condition is true', 'then'), of('its condition is false', 'else'));
    case 'for each':
      return [of('the loop runs zero times', 'rounds 0'), of('the loop runs several times', 'rounds more')];
    case 'ensure':
      return [of('the row is there already', 'found'), of('the row is made', 'none')];
    case 'create':
    case 'change':
    case 'move':
    case 'move to':
    case 'remove':
    case 'remove every':
    case 'run':
    case 'issue':
    case 'revoke':
      return [of('it is done', 'done')];
  }
}
