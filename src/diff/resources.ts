import type { Expr } from '../expression/expr.ts';
import type {
  ColumnPlan,
  EventPlan,
  GivingPlan,
  OverlapPlan,
  ResourcePlan,
  Timing,
  TransitionPlan,
  UniquePlan,
  ViewMember,
  ViewPlan,
} from '../plan/step.ts';
import { type Compare, difference, follows, members, named, optional, plainly, same, value, words } from './compare.ts';
import { steps } from './steps.ts';
import type { Usage } from './usage.ts';
import { expression, shown, valueRule } from './values.ts';

const ANY = { added: true, removed: true, changed: true } as const;
const RULE = { added: true, removed: false } as const;
const HARMLESS = { added: false, removed: false } as const;
const under = (at: string, name: string): string => `${at}.${name}`;

/** A field, as callers meet it: what they send, and what they are answered. */
function column(usage: Usage): Compare<ColumnPlan> {
  return (old, next, at) => {
    const [sent, answered] = [usage.sent.has(at), usage.answered.has(at)];
    return members<ColumnPlan>({
      name: follows('fields are compared by their names'),
      rule: valueRule('', sent, answered),
      nullable: value(
        'presence',
        (_was, is) => (is ? answered : sent),
        (absent) => (absent ? 'optional' : 'always'),
      ),
      password: value('whether it is a password', sent),
      reference: value('what it refers to', sent || answered),
      from: members<ColumnPlan['from']>({
        operator: value('whether the operator gives it', false),
        transitions: value('whether transitions give it', false),
        steps: value('whether steps give it', false),
      }),
      otherwise: expression('what a request that leaves it out gets', { added: false, removed: sent, changed: sent }),
      sequence: value('how it is numbered', answered),
    })(old, next, at);
  };
}

const unique: Compare<UniquePlan> = members<UniquePlan>({
  fields: follows('unique rules are compared by what they say'),
  ignoringCase: follows('unique rules are compared by what they say'),
  condition: follows('unique rules are compared by what they say'),
  code: value('the code that refuses what is not unique', true),
});

const overlap: Compare<OverlapPlan> = members<OverlapPlan>({
  start: follows('overlaps are compared by what they say'),
  end: follows('overlaps are compared by what they say'),
  by: follows('overlaps are compared by what they say'),
  condition: follows('overlaps are compared by what they say'),
  code: value('the code that refuses an overlap', true),
});

const uniqueName = ({ fields, ignoringCase, condition }: UniquePlan): string =>
  `${fields.map((one) => (ignoringCase.includes(one) ? `${one} ignoring case` : one)).join(' and ')}${condition ? ` while ${shown(condition)}` : ''}`;

const overlapName = ({ start, end, by, condition }: OverlapPlan): string =>
  `${shown(start)} to ${shown(end)}${by.length ? ` by ${by.join(' and ')}` : ''}${condition ? ` while ${shown(condition)}` : ''}`;

const timing = (one: Timing | null): string =>
  one ? `${one.after / 1000} seconds after ${one.instant ? shown(one.instant) : one.move}` : 'when it is asked for';

const transition: Compare<TransitionPlan> = members<TransitionPlan>({
  name: follows('transitions are compared by their names'),
  from: words('the states it starts from:', { added: false, removed: true, order: false }),
  to: value('the state it leads to', true),
  guard: expression('its guard', { added: true, removed: false, changed: true }),
  code: value('the code that refuses it', true),
  timed: value('when it happens', true, timing),
  then: steps('after it, '),
});

const states = members<NonNullable<ResourcePlan['states']>>({
  field: value('the field that holds the state', true),
  initial: value('the state of a new row', true),
  transitions: named('transition', (one) => one.name, transition, { added: false, removed: true }, under),
});

const event: Compare<EventPlan> = members<EventPlan>({
  name: follows('events are compared by their names'),
  on: value('what it tells of', true),
  by: words('the transitions it tells of:', { added: true, removed: true, order: false }),
  fields: words('the fields it tells of:', { added: true, removed: true, order: false }),
  timed: value('when it is told', true, (one) =>
    one ? `${shown(one.instant)}${one.condition ? ` while ${shown(one.condition)}` : ''}` : 'as it happens',
  ),
  to: words('notified by', { added: false, removed: true, order: false }),
  view: value('what its payload is', true),
});

/** Members of a view in their order; JSON’s has no meaning, so that another order breaks nobody. */
const member: Compare<ViewMember> = members<ViewMember>({
  field: follows('members are compared by their names'),
  value: expression('what is shown', ANY),
  view: value('the form in which it is shown', true),
});

const view: Compare<ViewPlan> = (old, next, at) => {
  const found = members<ViewPlan>({
    name: follows('views are compared by their names'),
    members: named(`in ${next.name}, the member`, (one) => one.field, member, { added: false, removed: true }),
  })(old, next, at);
  return found.length || same(old, next)
    ? found
    : [difference(at, `${next.name} shows its members in another order`, false)];
};

const references = (what: string, breaks: { added: boolean; removed: boolean }) =>
  named<{ readonly resource: string; readonly field: string }>(
    what,
    (one) => `${one.resource}.${one.field}`,
    (old, next, at) => value(what, true)(old, next, at),
    breaks,
  );

/** A resource as callers meet it. */
export function resource(usage: Usage): Compare<ResourcePlan> {
  return members<ResourcePlan>({
    name: follows('resources are compared by their names'),
    columns: named(
      'the field',
      (one) => one.name,
      column(usage),
      {
        added: (one) => usage.owed(one),
        removed: false,
      },
      under,
    ),
    identity: value('the identity', true, (one) => (one.startsWith(' ') ? 'of the service’s own' : one)),
    order: words('the order of rows:', { added: true, removed: true, order: true }),
    derived: named(
      'the derived field',
      (one) => one.name,
      members<ResourcePlan['derived'][number]>({
        name: follows('derived fields are compared by their names'),
        value: expression('what it is derived from', ANY),
      }) as Compare<ResourcePlan['derived'][number]>,
      HARMLESS,
      under,
    ),
    visible: expression('who sees its rows:', { added: true, removed: false, changed: true }) as Compare<Expr | null>,
    uniques: named('the unique rule', uniqueName, unique, RULE),
    keptBy: references('what keeps its rows:', RULE),
    counted: words('what counts for each of its rows:', { added: false, removed: false, order: false }),
    takes: references('what goes with its rows:', { added: true, removed: true }),
    clears: references('what loses a reference with its rows:', { added: true, removed: true }),
    holds: named('the rule', (one) => shown(one.test), value('the code that refuses it', true, plainly), RULE),
    overlaps: named('the rule of no overlap', overlapName, overlap, RULE),
    givings: named<GivingPlan>(
      'what is given on',
      (one) => `${one.moment} to ${one.field}`,
      members<GivingPlan>({
        field: follows('they are compared by their fields'),
        moment: follows('they are compared by their moments'),
        value: expression('what is given', ANY),
      }),
      { added: true, removed: true },
    ),
    states: optional('states:', states, { added: true, removed: true }),
    events: named(
      'the event',
      (one) => one.name,
      event,
      { added: false, removed: true },
      (_at, name) => name,
    ),
    views: named('the view', (one) => one.name, view, { added: false, removed: true }),
  });
}
