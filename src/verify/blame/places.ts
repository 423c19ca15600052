import { answersOf } from '../../plan/answered.ts';
import { includesId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { AnswerStep, BodyPlan, Plan, ShownPlan } from '../../plan/step.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { nameIn } from '../oracle/show.ts';

/** A member of a shown row. */
export interface MemberPlace {
  readonly is: 'member';
  readonly resource: string;
  readonly view: string;
  /** Null where its form has no such member. */
  readonly field: string | null;
  /** Whether the place is within its value, such as an item of a list. */
  readonly isInside: boolean;
}

/** The meaning of a place of an answer’s body, by the plan. */
export type Place =
  | MemberPlace
  /** A whole item of a list, or the list itself. */
  | { readonly is: 'item' }
  /** A member of a page besides its rows. */
  | { readonly is: 'page' }
  /** A member that the Answer step names, or the body as a whole. */
  | { readonly is: 'answer' };

type View = NonNullable<ShownPlan['view']>;

/** The Answer step of an expected success; null for a refusal. */
export function answerGiven({ endpoint, expected }: Pick<Prediction, 'endpoint' | 'expected'>): AnswerStep | null {
  const answers = endpoint ? answersOf(endpoint) : [];
  if (answers.length < 2) return answers[0] ?? null;
  return answers.find((answer) => includesId(expected.statements, statementId.step(answer))) ?? null;
}

/** The meaning of a JSON pointer into an expected body. */
export function placeIn(plan: Plan, body: BodyPlan | null, pointer: string, version: string): Place {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  switch (body?.kind) {
    case 'value':
      return shownAt(plan, body.shown, names, version);
    case 'row with members': {
      const found = longest(body.members, ({ name }) => name, names);
      return found ? shownAt(plan, found.one, found.rest, version) : shownAt(plan, body.shown, names, version);
    }
    case 'members': {
      const found = longest(body.members, ({ name }) => name, names);
      return found ? shownAt(plan, found.one, found.rest, version) : { is: 'answer' };
    }
    case 'page':
      return pageAt(plan, body.view, pagePayload(plan, body.list), names, version);
    default:
      return { is: 'answer' };
  }
}

/**
 * The members in the payload of a list's pages; null if the payload is the items alone, or if the list has no pages.
 */
function pagePayload(
  plan: Plan,
  list: string,
): ReadonlyArray<{ readonly name: string; readonly value: string }> | null {
  for (const { before, inside } of plan.endpoints)
    if (inside.some((step) => step.do === 'list' && step.as === list))
      for (const step of before) if (step.do === 'read page') return step.page.payload;
  return null;
}

function pageAt(
  plan: Plan,
  view: View,
  payload: ReturnType<typeof pagePayload>,
  names: readonly string[],
  version: string,
): Place {
  const found = payload === null ? null : longest(payload, ({ name }) => name, names);
  if (payload !== null && found?.one.value !== 'items') return { is: 'page' };
  const rest = found ? found.rest : names;
  return rest.length < 2 ? { is: 'item' } : inView(plan, view, rest.slice(1), version);
}

function shownAt(plan: Plan, { value, view }: ShownPlan, names: readonly string[], version: string): Place {
  if (view === null || names.length === 0) return { is: 'answer' };
  if (value.type.kind !== 'list') return inView(plan, view, names, version);
  return names.length === 1 ? { is: 'item' } : inView(plan, view, names.slice(1), version);
}

function inView(plan: Plan, { resource, name }: View, names: readonly string[], version: string): Place {
  const { members } = named(named(plan.resources, resource).views, name);
  const called = (field: string): string | null => nameIn(plan, version, resource, field);
  const found = longest(members, ({ field }) => called(field), names);
  if (!found) return { is: 'member', resource, view: name, field: null, isInside: false };
  const { field, value, view } = found.one;
  const rest = value.type.kind === 'list' ? found.rest.slice(1) : found.rest;
  if (view && rest.length > 0) return inView(plan, view, rest, version);
  return { is: 'member', resource, view: name, field, isInside: found.rest.length > 0 };
}

/**
 * Finds the item whose name, which may contain dots, is the longest prefix of a path. `rest`: the path after that
 * prefix.
 */
function longest<T>(
  all: readonly T[],
  nameOf: (one: T) => string | null,
  names: readonly string[],
): { readonly one: T; readonly rest: readonly string[] } | null {
  for (let length = names.length; length > 0; length--) {
    const wanted = names.slice(0, length).join('.');
    const one = all.find((each) => nameOf(each) === wanted);
    if (one) return { one, rest: names.slice(length) };
  }
  // If the path names an object, its first member identifies it.
  const one = all.find((each) => names.length > 0 && nameOf(each)?.startsWith(`${names.join('.')}.`));
  return one ? { one, rest: [] } : null;
}
