import { isDeepStrictEqual } from 'node:util';
import { type Expr, type Fn, show } from '../../expression/tree/expression.ts';
import { BOOLEAN, DURATION, INTEGER, type Type } from '../../expression/tree/types.ts';
import type { KeyPlan, NamedKeys, NullsPlace, OrderPlan, TurnedKey } from '../../plan/inside-step.ts';
import { type IdOf, isSameId, type StatementId, statementId } from '../../plan/lines.ts';
import { mapTransitions } from '../../plan/machines.ts';
import { allNested, stepLists, withNested } from '../../plan/nested-steps.ts';
import type { ColumnPlan, TransitionPlan, UniquePlan } from '../../plan/rows.ts';
import { declaredBy, type Slot, slotsOf, slotsOfOver } from '../../plan/slots.ts';
import type { EndpointPlan, InsideStep, Plan, ResourcePlan } from '../../plan/step.ts';
import { type Role, type Roles, STEP_KINDS } from '../../plan/step-kinds.ts';
import type { ValueRule } from '../../plan/value-forms.ts';
import { comparing } from '../oracle/letters.ts';
import { otherPoints, otherSearches } from '../oracle/searches.ts';
import { always, contrary, fieldsOfOtherTypes, near } from './conditions.ts';

/** Yields the plan with one statement altered or left out, where the result can still be computed. */
export function* alterations(plan: Plan, id: StatementId): Generator<Plan> {
  yield* otherwise(plan, id);
  yield* ofValues(plan, id);
  if (id.kind === 'step') yield* otherCodes(plan, id.line);
  if (id.kind === 'endpoint' && id.fact === 'Whole list') yield* ofWholeList(plan, id.endpoint);
}

/** The altered plans that behave differently, and do not only refuse with another code. */
export function* otherwise(plan: Plan, id: StatementId): Generator<Plan> {
  switch (id.kind) {
    case 'step':
      yield* ofSteps(plan, id.line);
      return;
    case 'parameter':
      yield* ofParameter(plan, id);
      return;
    case 'endpoint':
      if (id.fact === 'access') yield* ofAccess(plan, id.endpoint);
      if (id.fact === 'idempotency') yield* ofIdempotency(plan, id.endpoint);
      return;
    case 'hears':
      yield* ofHearing(plan, id.resource);
      return;
    case 'scheme':
      if (id.fact === 'while') yield* ofCallers(plan, id.scheme);
      yield* ofClaims(plan, id);
      return;
    case 'reference':
      yield* ofReference(plan, id);
      return;
    default: {
      const own = 'resource' in id ? plan.resources.find(({ name }) => name === id.resource) : undefined;
      if (own) for (const other of ofResource(own, id, plan.resources)) yield withResource(plan, own, other);
    }
  }
}

/** Plans whose fields take any value of their type, and round decimals. */
function* ofValues(plan: Plan, id: StatementId): Generator<Plan> {
  const { decimals } = plan.wire;
  if (decimals && isSameId(id, statementId.part('resources', 'decimals')))
    yield { ...plan, wire: { ...plan.wire, decimals: { ...decimals, rounding: 'half even' } } };
  const resource = id.kind === 'field' ? plan.resources.find(({ name }) => name === id.resource) : undefined;
  const column = resource?.columns.find(({ name }) => id.kind === 'field' && name === id.field);
  if (resource && column)
    yield withResource(plan, resource, withColumn(resource, column, { ...column, rule: anyOf(column.rule) }));
}

const withColumn = (resource: ResourcePlan, own: ColumnPlan, other: ColumnPlan): ResourcePlan => ({
  ...resource,
  columns: replaced(resource.columns, own, other),
});

/** A list with another item in the place of one. */
const replaced = <T>(all: readonly T[], own: T, other: T): readonly T[] =>
  all.map((one) => (one === own ? other : one));

/** A rule that allows any value of its type. */
function anyOf({ kind, scale, items, keys }: ValueRule): ValueRule {
  const none = { format: null, min: null, max: null, pattern: null, oneOf: null, whole: null };
  return { ...none, kind, scale, items: items && anyOf(items), keys: keys && anyOf(keys) };
}

/**
 * The plan with an altered resource. `Ensure` finds rows by the unique rules of a resource, so its steps get the altered
 * rules.
 */
function withResource(plan: Plan, own: ResourcePlan, other: ResourcePlan): Plan {
  const resources = plan.resources.map((one) => (one === own ? other : one));
  if (own.uniques.length !== other.uniques.length || own.uniques.every((one, i) => one === other.uniques[i]))
    return { ...plan, resources };
  const keyOf = (key: KeyPlan): KeyPlan => {
    const at = own.uniques.findIndex(
      (one) => isDeepStrictEqual(one.fields, key.fields) && isDeepStrictEqual(one.condition, key.while),
    );
    const rule = other.uniques[at];
    if (!rule || rule === own.uniques[at]) return key;
    return {
      fields: rule.fields,
      ignoringCase: key.ignoringCase.length > 0 ? rule.ignoringCase : [],
      while: rule.condition,
    };
  };
  return mapSteps({ ...plan, resources }, (step) =>
    step.do === 'ensure' && step.resource === own.name ? [{ ...step, by: step.by.map(keyOf) }] : null,
  );
}

type Resources = readonly ResourcePlan[];

/** The alterations of a condition: no condition, never true, its negation, and similar conditions. */
function* conditions(test: Expr | null, resources: Resources, stored = false): Generator<Expr | null> {
  if (test === null) {
    yield always(false);
    return;
  }
  yield contrary(test);
  yield null;
  yield always(false);
  yield* near(test, resources, stored);
}

/** A look-up by texts that ignores case where the document compares exactly, or the other way round. */
const inOtherLetters = (where: Expr | null): Expr[] =>
  where ? [true, false].map((ignores) => comparing(where, ignores)).filter((other) => show(other) !== show(where)) : [];

/** Plans in which receivers that are rows hear of the events of other rows. */
function* ofHearing(plan: Plan, resource: string): Generator<Plan> {
  const { webhook } = plan;
  const own = webhook?.receivers?.hears.find(({ name }) => name === resource);
  if (!webhook?.receivers || !own) return;
  for (const where of conditions(own.where, plan.resources)) {
    const hears = replaced(webhook.receivers.hears, own, { ...own, where });
    yield { ...plan, webhook: { ...webhook, receivers: { ...webhook.receivers, hears } } };
  }
}

/** Plans in which rows of a scheme call by another condition. */
function* ofCallers(plan: Plan, name: string): Generator<Plan> {
  const own = plan.schemes.find((scheme) => scheme.name === name);
  if (!own?.while) return;
  for (const other of conditions(own.while, plan.resources))
    yield { ...plan, schemes: replaced(plan.schemes, own, { ...own, while: other }) };
}

/** Plans in which a claim takes any value of its type, or may be absent. */
function* ofClaims(plan: Plan, { scheme: name, fact }: IdOf<'scheme'>): Generator<Plan> {
  const scheme = plan.schemes.find((one) => one.name === name);
  const own = scheme?.tokens?.claims.find((claim) => fact === `claim ${claim.name}`);
  if (!scheme?.tokens || !own) return;
  for (const other of [
    { ...own, rule: anyOf(own.rule) },
    { ...own, nullable: !own.nullable },
  ]) {
    const tokens = { ...scheme.tokens, claims: replaced(scheme.tokens.claims, own, other) };
    yield { ...plan, schemes: replaced(plan.schemes, scheme, { ...scheme, tokens }) };
  }
}

const tests = (test: Expr, resources: Resources): Expr[] => [contrary(test), ...near(test, resources)];

/** Plans in which the removal of a row ignores a reference to it. */
function* ofReference(plan: Plan, { resource, field }: IdOf<'reference'>): Generator<Plan> {
  for (const own of plan.resources)
    for (const side of ['keptBy', 'takes', 'clears'] as const) {
      const others = own[side].filter((one) => one.resource !== resource || one.field !== field);
      if (others.length < own[side].length) yield withResource(plan, own, { ...own, [side]: others });
    }
}

/** A resource with a statement about its rows altered. */
function* ofResource(resource: ResourcePlan, id: StatementId, resources: Resources): Generator<ResourcePlan> {
  const { visible, uniques, holds, overlaps, machines } = resource;
  switch (id.kind) {
    case 'resource':
      if (id.fact === 'visible')
        for (const other of conditions(visible, resources, true)) yield { ...resource, visible: other };
      if (id.fact === 'audited') yield* otherAudits(resource);
      return;
    case 'field':
      yield* ofField(resource, id.field, resources);
      return;
    case 'unique': {
      const own = uniques[id.index];
      if (!own) return;
      yield { ...resource, uniques: uniques.toSpliced(id.index, 1) };
      for (const other of otherUniques(resource, own, resources))
        yield { ...resource, uniques: uniques.with(id.index, other) };
      return;
    }
    case 'holds': {
      const own = holds[id.index];
      if (!own) return;
      yield { ...resource, holds: holds.toSpliced(id.index, 1) };
      for (const test of tests(own.test, resources))
        yield { ...resource, holds: holds.with(id.index, { ...own, test }) };
      return;
    }
    case 'overlap': {
      const own = overlaps[id.index];
      if (!own) return;
      yield { ...resource, overlaps: overlaps.toSpliced(id.index, 1) };
      for (const other of otherOverlaps(own, resources))
        yield { ...resource, overlaps: overlaps.with(id.index, other) };
      return;
    }
    case 'transition': {
      for (const machine of machines) {
        const { transitions } = machine;
        const own = transitions.find(({ name }) => name === id.transition);
        if (!own) continue;
        for (const other of otherTransitions(transitions, own, resources)) {
          const altered = { ...machine, transitions: replaced(transitions, own, other) };
          yield { ...resource, machines: replaced(machines, machine, altered) };
        }
      }
    }
  }
}

/** A resource of whose changes fewer, or more, are recorded. */
function* otherAudits({ audit, ...resource }: ResourcePlan): Generator<ResourcePlan> {
  if (!audit) return;
  yield resource;
  yield { ...resource, audit: { ...audit, creation: !audit.creation } };
  yield { ...resource, audit: { ...audit, removal: !audit.removal } };
  for (const field of audit.fields)
    yield { ...resource, audit: { ...audit, fields: audit.fields.filter((one) => one !== field) } };
}

/** A resource whose field has another expression, is not given its values, or counts by other rows. */
function* ofField(resource: ResourcePlan, field: string, resources: Resources): Generator<ResourcePlan> {
  const { columns, derived, givings } = resource;
  for (const one of derived)
    if (one.name === field)
      for (const value of near(one.value, resources, true))
        yield { ...resource, derived: replaced(derived, one, { ...one, value }) };
  if (givings.some((one) => one.field === field))
    yield { ...resource, givings: givings.filter((one) => one.field !== field) };
  for (const one of columns)
    if (one.sequence && one.name === field)
      for (const per of [null, ...columns.flatMap(({ name, reference }) => (reference ? [name] : []))])
        if (per !== one.sequence.per) yield withColumn(resource, one, { ...one, sequence: { per } });
}

function otherUniques({ columns }: ResourcePlan, rule: UniquePlan, resources: Resources): UniquePlan[] {
  const { fields, condition, ignoringCase } = rule;
  return [
    { ...rule, condition: null, ignoringCase: fields },
    ...(condition && ignoringCase.length > 0 ? [{ ...rule, condition: null }] : []),
    ...(ignoringCase.length > 0 ? [{ ...rule, ignoringCase: [] }] : []),
    ...(condition ? tests(condition, resources).map((test) => ({ ...rule, condition: test })) : []),
    ...fields.map((field) => ({ ...rule, fields: fields.filter((one) => one !== field) })),
    ...columns.flatMap(({ name, reference }) =>
      reference !== null && !fields.includes(name) ? [{ ...rule, fields: [...fields, name] }] : [],
    ),
  ];
}

type OverlapPlan = ResourcePlan['overlaps'][number];

const otherOverlaps = (rule: OverlapPlan, resources: Resources): OverlapPlan[] => [
  { ...rule, by: [] },
  { ...rule, condition: null },
  ...(rule.condition ? tests(rule.condition, resources).map((condition) => ({ ...rule, condition })) : []),
];

function otherTransitions(
  transitions: readonly TransitionPlan[],
  own: TransitionPlan,
  resources: Resources,
): TransitionPlan[] {
  const all = [...new Set(transitions.flatMap(({ from, to }) => [...from, to]))];
  return [
    ...(own.guard ? tests(own.guard, resources).map((guard) => ({ ...own, guard })) : []),
    ...(own.guard ? [{ ...own, guard: null }] : []),
    ...(own.from.length < all.length ? [{ ...own, from: all }] : []),
    ...own.from.map((state) => ({ ...own, from: own.from.filter((from) => from !== state) })),
    ...all.filter((to) => to !== own.to).map((to) => ({ ...own, to })),
    ...(own.timed ? [{ ...own, from: [] }] : []),
    ...(own.timed?.instant ? otherMonths(own.timed.instant) : []).map((instant) => ({
      ...own,
      timed: { after: 0, instant, move: null },
    })),
  ];
}

/** An instant some months later, as a service may have it that counts 30 days, or that goes past the end of a month. */
function otherMonths(instant: Expr): Expr[] {
  if (instant.op !== 'call' || (instant.fn !== 'addMonths' && instant.fn !== 'addYears')) return [];
  const [from, count, zone] = instant.args;
  if (!from || !zone || count?.op !== 'const' || typeof count.value !== 'number') return [];
  const { type } = instant;
  const days = count.value * (instant.fn === 'addMonths' ? 30 : 365);
  const length: Expr = { op: 'const', value: days * DAY_MS, type: DURATION };
  const called = (fn: Fn, args: readonly Expr[], result: Type = type): Expr => ({ op: 'call', fn, args, type: result });
  const one: Expr = { op: 'const', value: 1, type: INTEGER };
  const day = called('getDate', [from, zone], INTEGER);
  const first = called('addDays', [from, called('-', [one, day], INTEGER), zone]);
  const later = called(instant.fn, [first, count, zone]);
  return [called('+', [from, length]), called('addDays', [later, called('-', [day, one], INTEGER), zone])];
}

const DAY_MS = 86_400_000;

/** Endpoints and transitions with each step of a line in another form, or without it. */
function* ofSteps(plan: Plan, line: number): Generator<Plan> {
  const own = stepAt(plan, line);
  if (!own) return;
  for (const others of stepForms(own, plan.resources)) yield withSteps(plan, line, others);
  const isExchanged = (steps: readonly InsideStep[]): boolean => exchanged(steps, line) !== steps;
  if (mayRefuse(own) && stepLists(plan).some(isExchanged)) yield mapLists(plan, (steps) => exchanged(steps, line));
}

/** The least status of a refusal. */
const LEAST_REFUSAL = 400;

/**
 * Whether a step may refuse a request because of stored rows. Its position matters: if two steps would refuse, the
 * answer shows which of them comes first.
 */
const mayRefuse = (step: InsideStep): boolean =>
  slotsOf(step).some(({ role }) => role === 'code' || role === 'tag' || role === 'transitions');

/**
 * Moves the step of a line behind the next step that may refuse a request; unchanged where the steps up to that one
 * need its row.
 */
function exchanged(steps: readonly InsideStep[], line: number): readonly InsideStep[] {
  const at = steps.findIndex((step) => step.line === line);
  const next = at < 0 ? -1 : steps.findIndex((step, i) => i > at && mayRefuse(step));
  const own = steps[at];
  if (next < 0 || !own) return steps;
  const between = JSON.stringify(steps.slice(at + 1, next + 1));
  const isNeeded = declaredBy(own).some((row) => between.includes(JSON.stringify(row)));
  return isNeeded ? steps : steps.toSpliced(next + 1, 0, own).toSpliced(at, 1);
}

/** Plans in which a step has each other code of the document. */
function* otherCodes(plan: Plan, line: number): Generator<Plan> {
  const own = stepAt(plan, line);
  for (const { member, role, value } of own ? slotsOf(own) : [])
    if (own && role === 'code' && value !== null)
      for (const code of Object.keys(plan.errors.codes))
        if (code !== value) yield withSteps(plan, line, [withMember(own, member, code)]);
}

const stepAt = (plan: Plan, line: number): InsideStep | undefined =>
  stepLists(plan)
    .flatMap((steps) => [...allNested(steps)])
    .find((step) => step.line === line);

const withSteps = (plan: Plan, line: number, others: readonly InsideStep[]): Plan =>
  mapSteps(plan, (step) => (step.line === line ? others : null));

/**
 * Replaces the steps of a plan. If `othersOf` returns null for a step, the step stays and its nested steps are
 * replaced.
 */
const mapSteps = (plan: Plan, othersOf: (step: InsideStep) => readonly InsideStep[] | null): Plan =>
  mapLists(plan, (steps) => steps.flatMap((step) => othersOf(step) ?? step));

/** Replaces the lists of steps of a plan, from the outermost to the nested ones. */
function mapLists(plan: Plan, otherOf: (steps: readonly InsideStep[]) => readonly InsideStep[]): Plan {
  const again = (steps: readonly InsideStep[]): InsideStep[] => otherOf(steps).map((step) => withNested(step, again));
  return {
    ...plan,
    endpoints: plan.endpoints.map((one) => ({ ...one, inside: again(one.inside) })),
    resources: plan.resources.map((one) => ({
      ...one,
      machines: mapTransitions(one.machines, (each) => ({ ...each, then: again(each.then) })),
    })),
  };
}

/** Other values of a member. As a method, so that any role's can be held as that of every role. */
type Others<R extends Role> = { others(value: Roles[R], resources: Resources): Iterable<Roles[R]> }['others'];

/** The other values that `test` tries of a member of each role; of a role that is not here, none. */
const OTHERS: { readonly [R in Role]?: Others<R> } = {
  test: tests,
  where: function* (where, resources) {
    yield* conditions(where, resources);
    yield* inOtherLetters(where);
  },
  matching: (own) => (own ? [...otherSearches(own).map(({ matching }) => matching), undefined] : []),
  lookUp: (where) => [always(false), ...inOtherLetters(where)],
  keys: function* (keys) {
    if (keys.some((key) => key.ignoringCase.length > 0)) yield keys.map((key) => ({ ...key, ignoringCase: [] }));
    else yield keys.map((key) => ({ ...key, ignoringCase: key.fields }));
    if (keys.some((key) => key.while)) yield keys.map((key) => ({ ...key, while: null }));
  },
  order: orders,
  // A tag that no request names.
  tag: (to) => [{ op: 'const', value: '', type: to.type }],
  values: function* (values, resources) {
    for (const one of values) {
      yield values.filter((each) => each !== one);
      for (const value of near(one.value, resources))
        yield values.map((each) => (each === one ? { ...one, value } : each));
    }
  },
  from: (from) => (from ? [null] : []),
  every: (every) => (every ? [undefined] : []),
  members: function* (members, resources) {
    for (const one of members)
      for (const value of near(one.value, resources))
        yield members.map((each) => (each === one ? { ...one, value } : each));
  },
  over: function* (over, resources) {
    for (const slot of slotsOfOver(over))
      for (const value of othersOf(slot, resources)) yield { ...over, [slot.member]: value };
  },
  rounds: () => [[]],
};

const othersOf = ({ role, value }: Slot, resources: Resources): Iterable<unknown> =>
  (OTHERS[role] as Others<Role> | undefined)?.(value as never, resources) ?? [];

/** The alterations of a step. */
function* stepForms(step: InsideStep, resources: Resources): Generator<readonly InsideStep[]> {
  const { omissible, mistakenFor } = STEP_KINDS[step.do];
  if (omissible === 'first') yield [];
  for (const slot of slotsOf(step))
    for (const value of othersOf(slot, resources)) yield [withMember(step, slot.member, value)];
  if (mistakenFor) yield [withMember(step, 'do', mistakenFor)];
  if (omissible === 'last') yield [];
}

/** A step with another value, of the same type, of one of its members. */
const withMember = (step: InsideStep, member: string, value: unknown): InsideStep => ({ ...step, [member]: value });

/** The filters of lists by a parameter. */
function* ofParameter(plan: Plan, { endpoint, place, parameter }: IdOf<'parameter'>): Generator<Plan> {
  const own = plan.endpoints.find(({ name }) => name === endpoint);
  for (const step of allNested(own?.inside ?? [])) {
    if (step.do !== 'list' || step.line === null) continue;
    for (const one of step.filters) {
      if (one.in !== place || one.parameter !== parameter) continue;
      const others = step.filters.filter((each) => each !== one);
      yield withSteps(plan, step.line, [{ ...step, filters: others }]);
      // A service that filters may show rows that the list does not show without the filter.
      if (step.where) yield withSteps(plan, step.line, [{ ...step, where: null }]);
      const resource = plan.resources.find((each) => each.name === step.resource);
      if (resource?.visible) yield withResource(plan, resource, { ...resource, visible: null });
      for (const where of tests(one.where, plan.resources))
        yield withSteps(plan, step.line, [{ ...step, filters: [...others, { ...one, where }] }]);
    }
  }
}

/** An endpoint that requires no scope or other ones, that accepts anonymous requests, or that refuses them. */
function* ofAccess(plan: Plan, endpoint: string): Generator<Plan> {
  const own = plan.endpoints.find(({ name }) => name === endpoint);
  if (!own) return;
  const { before } = own;
  const needed = before.find((step) => step.do === 'require scope');
  if (needed) {
    yield withBefore(
      plan,
      own,
      before.filter((step) => step !== needed),
    );
    const { scopes, all } = needed;
    const fewer = scopes.map((scope) => scopes.filter((one) => one !== scope));
    const others = scopes.length > 1 ? [...fewer.map((some) => ({ scopes: some, all })), { scopes, all: !all }] : [];
    for (const other of others)
      yield withBefore(
        plan,
        own,
        before.map((step) => (step === needed ? { ...needed, ...other } : step)),
      );
  }
  if (before.some((step) => step.do === 'authenticate'))
    yield withBefore(
      plan,
      own,
      before.map((step) => (step.do === 'authenticate' ? { ...step, optional: !step.optional } : step)),
    );
}

/** An endpoint whose list may have a row less or more, or any number, or is refused where it has more. */
function* ofWholeList(plan: Plan, endpoint: string): Generator<Plan> {
  const own = plan.endpoints.find(({ name }) => name === endpoint);
  for (const step of own?.inside ?? []) {
    if ((step.do !== 'list' && step.do !== 'group') || !step.all || step.line === null) continue;
    const { most, refused } = step.all;
    const others = [most - 1, most + 1, Number.POSITIVE_INFINITY].map((other) => ({ most: other, refused }));
    for (const all of [...others, { most, refused: !refused }]) yield withSteps(plan, step.line, [{ ...step, all }]);
  }
}

/** An endpoint that keeps no refusal for its key, or takes requests without one. */
function* ofIdempotency(plan: Plan, endpoint: string): Generator<Plan> {
  const own = plan.endpoints.find(({ name }) => name === endpoint);
  const claim = own?.before.find((step) => step.do === 'claim key');
  if (!own || !claim) return;
  const others: Array<typeof claim> = [];
  if (claim.below > LEAST_REFUSAL) others.push({ ...claim, below: LEAST_REFUSAL });
  if (!claim.optional) others.push({ ...claim, optional: true });
  for (const other of others) yield withBefore(plan, own, own.before.with(own.before.indexOf(claim), other));
}

const withBefore = (plan: Plan, own: EndpointPlan, before: EndpointPlan['before']): Plan => ({
  ...plan,
  endpoints: plan.endpoints.map((one) => (one === own ? { ...own, before } : one)),
});

/**
 * Alterations of an order: the opposite direction, nulls at the other end, further sort keys left out or turned, and other
 * sort keys that an implementation may confuse with the stated ones.
 */
function* orders(order: OrderPlan | null, resources: readonly ResourcePlan[]): Generator<OrderPlan> {
  if (!order) return;
  for (const then of furtherKeys(order.then, resources)) yield withThen(order, then);
  if ('by' in order) {
    yield { ...order, descending: !order.descending };
    if (order.nulls) yield { ...order, nulls: other(order.nulls) };
    for (const by of others(order.by, resources)) yield { ...order, by };
    return;
  }
  yield { ...order, direction: turned(order.direction) };
  for (const [i, key] of order.keys.entries()) {
    const changed = (one: NamedKeys): OrderPlan => ({ ...order, keys: order.keys.with(i, one) });
    for (const by of others(key.by, resources)) yield changed({ ...key, by });
    if (key.nulls) yield changed({ ...key, nulls: other(key.nulls) });
    if (key.descending !== undefined) yield changed({ ...key, descending: !key.descending });
    for (const then of furtherKeys(key.then, resources)) yield changed(withThen(key, then));
  }
}

/** Alterations of the sort keys after the first. */
function* furtherKeys<K extends TurnedKey>(
  keys: readonly K[] | undefined = [],
  resources: readonly ResourcePlan[],
): Generator<readonly K[]> {
  for (const [i, key] of keys.entries()) {
    yield keys.slice(0, i);
    if (key.nulls) yield keys.with(i, { ...key, nulls: other(key.nulls) });
    for (const descending of [true, false])
      if (key.descending !== descending) yield keys.with(i, { ...key, descending });
    for (const by of others(key.by, resources)) yield keys.with(i, { ...key, by });
  }
}

function withThen<O extends { readonly then?: readonly unknown[] }>(order: O, then: NonNullable<O['then']>): O {
  const { then: _, ...first } = order;
  return (then.length > 0 ? { ...first, then } : first) as O;
}

const other = (place: NullsPlace): NullsPlace => (place === 'first' ? 'last' : 'first');

const others = (by: Expr, resources: readonly ResourcePlan[]): readonly Expr[] => [
  ...otherPoints(by),
  ...near(by, resources),
  ...fieldsOfOtherTypes(by, resources),
];

/** The other of two directions. */
function turned(direction: Expr): Expr {
  const is = (value: string): Expr => ({ op: 'const', value, type: direction.type });
  const test: Expr = { op: 'call', fn: '==', args: [direction, is('asc')], type: BOOLEAN };
  return { op: 'if', test, then: is('desc'), else: is('asc'), type: direction.type };
}
