import type {
  AuditContract,
  FieldContract,
  GivenContract,
  ResourceContract,
  RuleContract,
  StatesContract,
  TransitionContract,
} from '../contract/contract.ts';
import { heldStates, machinesOf } from '../contract/machines.ts';
import { statementId } from '../plan/lines.ts';
import { showDuration } from '../text/units.ts';
import { type Compare, flag, follows, listed, members, on, optional, value, words } from './compare.ts';
import { BREAKS, type Difference, difference, type Here, KEEPS, statedAt, type Verdict } from './difference.ts';
import type { FieldChanges } from './field-changes.ts';
import { otherMakers } from './makers.ts';
import { steps } from './steps.ts';
import { ABSENT, typeDifference, written } from './values.ts';

/** The verdict on an added or removed source of a field, apart from the effect on requests. */
const SOURCES: Readonly<Record<GivenContract['by'], Verdict>> = {
  request: KEEPS.unmet,
  operator: KEEPS.unmet,
  steps: KEEPS.unmet,
  transitions: KEEPS.unmet,
  sequence: BREAKS.otherwise,
  audit: BREAKS.otherwise,
  derived: BREAKS.otherwise,
  moment: BREAKS.otherwise,
};

const sourceText = ({ by, moment }: GivenContract): string =>
  moment === null ? by : by === 'moment' ? `on ${moment}` : by === 'audit' ? `audit ${moment}` : `${by} per ${moment}`;

/** Compares the sources of a field's value. The comparison of bodies reports whether requests contain the field. */
const sources = listed<GivenContract>({
  what: 'its source',
  name: sourceText,
  compare: (old, next, here) => {
    const verdict = SOURCES[next.by];
    if (next.by === 'sequence' || next.by === 'audit')
      return value<string>('its source', verdict)(sourceText(old), sourceText(next), here);
    const what =
      next.by === 'request' ? ABSENT : next.by === 'derived' ? 'its derivation' : `its value on ${next.moment}`;
    return value<GivenContract['value']>(what, verdict)(old.value, next.value, here);
  },
  added: ({ by }) => SOURCES[by],
  removed: ({ by }) => SOURCES[by],
  // A sequence with another scope is the same source, and so is an audit with another fact.
  alike: ({ by, moment }) => (by === 'sequence' || by === 'audit' ? by : `${by} ${moment}`),
});

const presence = flag('it is optional now', 'it is always present now', { so: KEEPS.unmet, not: KEEPS.unmet });

/** Compares a field. Bodies, answers and parameters report the same texts, so that the reports merge. */
const field = (changes: FieldChanges): Compare<FieldContract> =>
  members<FieldContract>({
    name: follows('fields are compared by their names'),
    type: (old, next, here) => {
      const { of, old: was, next: is } = changes.explained(old, next, here.of);
      return [...written(old, next, 'neither', here), ...typeDifference(was, is, 'neither', { ...here, of }, '')];
    },
    optional: (old, next, here) =>
      changes.isDerivedAnew({ field: here.of, expression: null }) ? [] : presence(old, next, here),
    refersTo: value('the resource that it refers to', BREAKS.refused),
    given: (old, next, here) => sources(notRequested(old, next), notRequested(next, old), here),
  });

/** The sources without `request` if only one document has it, because the comparison of bodies reports it. */
const notRequested = (list: readonly GivenContract[], other: readonly GivenContract[]): GivenContract[] =>
  list.filter(({ by }) => by !== 'request' || other.some((one) => one.by === by));

const rule: Compare<RuleContract> = (old, next, here) =>
  members<RuleContract>({
    kind: follows('its text says what it does'),
    text: value('a rule', BREAKS.otherwise),
    fields: follows('its text says which'),
    condition: follows('its text says which'),
    // A rule of another kind has another code, or none.
    code:
      old.kind === next.kind
        ? value('the code of a rule', BREAKS.unknown, (one) => one ?? 'that of a conflict')
        : follows('the rule is another'),
  })(old, next, here);

/** Rules that write other rows, so that adding and removing them is noticeable; other rules only refuse requests. */
const WRITING: ReadonlySet<RuleContract['kind']> = new Set(['removed with', 'cleared']);

const rules = listed<RuleContract>({
  what: 'the rule',
  all: 'the rules',
  name: ({ kind, text }) => `${kind} ${text}`,
  show: ({ text }) => text,
  compare: rule,
  added: ({ kind }) => (WRITING.has(kind) ? BREAKS.otherwise : BREAKS.refused),
  removed: ({ kind }) => (WRITING.has(kind) ? BREAKS.otherwise : KEEPS.accepted),
  // If a request violates several rules, the first one refuses it.
  order: BREAKS.otherwise,
  // The three rules for references to a removed row exclude each other.
  alike: ({ kind, fields }) => (kind === 'keeps' || WRITING.has(kind) ? fields.join() : kind),
});

function timing(one: TransitionContract['timed']): string {
  if (!one) return 'when it is asked for';
  const event = one.instant ? `\`${one.instant.text}\`` : one.transition;
  return one.afterMilliseconds === 0 ? `at ${event}` : `${showDuration(one.afterMilliseconds)} after ${event}`;
}

/** The verdict on an added move: a request for it is accepted now; a timed move changes rows without a request. */
const moreMoves = ({ timed }: TransitionContract): Verdict => (timed ? BREAKS.otherwise : KEEPS.accepted);

const fewerMoves = ({ timed }: TransitionContract): Verdict => (timed ? BREAKS.otherwise : BREAKS.refused);

const transition: Compare<TransitionContract> = (old, next, here) =>
  members<TransitionContract>({
    name: follows('transitions are compared by their names'),
    from: words('the starting state', {
      all: 'the starting states',
      added: moreMoves(next),
      removed: fewerMoves(next),
    }),
    to: value('its target state', BREAKS.otherwise),
    guard: value('its guard', (was, is) => (!is ? KEEPS.accepted : was ? BREAKS.otherwise : BREAKS.refused)),
    timed: value('its time', BREAKS.otherwise, timing),
    code: value('the code that refuses it', BREAKS.unknown),
    madeBy: (was, is, at) => otherMakers(was, is, at),
    follows: steps('after it, '),
  })(old, next, here);

const stateFact =
  ({ field }: StatesContract, fact: 'initial' | 'final') =>
  (here: Here): Here =>
    statedAt(here, statementId.states(here.of ?? '', field, fact));

const machine: Compare<StatesContract> = (old, next, here) =>
  members<StatesContract>({
    field: value('the field that holds the state', BREAKS.otherwise),
    values: follows('the field says which values it may have'),
    initial: on(stateFact(next, 'initial'), value('the initial state', BREAKS.otherwise)),
    final: follows('a state that no transition starts from is final'),
    transitions: listed<TransitionContract>({
      what: 'transition',
      all: 'the transitions',
      name: (one) => one.name,
      compare: transition,
      added: moreMoves,
      removed: fewerMoves,
      here: (at, one) => under(at, one.name),
    }),
  })(old, next, here);

const recorded = (what: string) =>
  flag(`${what} is recorded now`, `${what} is not recorded any more`, { so: BREAKS.otherwise, not: BREAKS.missing });

/** Entries are rows that answers show: more and fewer of them are both noticed. */
const audits = optional<AuditContract>(
  'its audit',
  members<AuditContract>({
    fields: words('the audited field', {
      all: 'the audited fields',
      added: BREAKS.otherwise,
      removed: BREAKS.missing,
      order: KEEPS.order,
    }),
    creation: recorded('a new row'),
    removal: recorded('the removal of a row'),
    entries: value('the resource of the entries of its audit', BREAKS.otherwise),
    removedBy: value('the removal of the entries of its audit', BREAKS.otherwise, (by) =>
      by === null ? 'none' : `by the schedule ${by}`,
    ),
  }),
  { added: BREAKS.otherwise, removed: BREAKS.missing },
);

/** The resource with the same first field with states as another one, where it has that field. */
function inOrderOf(resource: ResourceContract, { states }: ResourceContract): ResourceContract {
  const machines = machinesOf(resource).toSorted(
    (a, b) => Number(b.field === states?.field) - Number(a.field === states?.field),
  );
  return { ...resource, ...heldStates(machines) };
}

const under = (here: Here, name: string): Here => ({ ...here, of: `${here.of}.${name}` });

const furtherStates = listed<StatesContract>({
  what: 'the field with states',
  name: (one) => one.field,
  compare: machine,
  added: BREAKS.otherwise,
  removed: BREAKS.otherwise,
  order: null,
});

const fields = (changes: FieldChanges) =>
  listed<FieldContract>({
    what: 'the field',
    all: 'the fields',
    name: (one) => one.name,
    compare: field(changes),
    added: KEEPS.unmet,
    removed: KEEPS.unmet,
    here: (here, one) => under(here, one.name),
  });

/**
 * The fields of both documents. A field is observable through payloads and expressions, whose comparison reports that
 * it is new or gone.
 */
const both = (list: readonly FieldContract[], other: readonly FieldContract[]): FieldContract[] =>
  list.filter(({ name }) => other.some((one) => one.name === name));

/** Compares a resource, apart from its shown forms. */
const resource =
  (changes: FieldChanges): Compare<ResourceContract> =>
  (old, next, here) => [
    ...resourceMembers(changes)(inOrderOf(old, next), next, here),
    ...machineOrder(machinesOf(old), machinesOf(next), here),
  ];

/** The order of the fields with states is that of moves that are due at one instant. */
function machineOrder(old: readonly StatesContract[], next: readonly StatesContract[], here: Here): Difference[] {
  const both = (list: readonly StatesContract[], other: readonly StatesContract[]): StatesContract[] =>
    list.filter(({ field }) => other.some((one) => one.field === field));
  const [before, after] = [both(old, next), both(next, old)];
  if (before.every(({ field }, i) => field === after[i]?.field)) return [];
  const timed = after.filter(({ transitions }) => transitions.some((one) => one.timed));
  const verdict = timed.length > 1 ? BREAKS.otherwise : KEEPS.order;
  return [difference(here, 'the fields with states: the order is another', verdict)];
}

const resourceMembers = (changes: FieldChanges): Compare<ResourceContract> =>
  members<ResourceContract>({
    name: follows('resources are compared by their names'),
    identity: value('the identity', (old, next) => (old && next ? BREAKS.otherwise : KEEPS.unmet)),
    visible: on(
      (here) => statedAt(here, statementId.resource(here.of ?? '', 'visible')),
      value('its visibility', BREAKS.otherwise, (one) => (one === null ? 'everyone' : `\`${one.text}\``)),
    ),
    fields: (old, next, here) => fields(changes)(both(old, next), both(next, old), here),
    rules,
    states: optional('states:', machine, { added: BREAKS.otherwise, removed: BREAKS.otherwise }),
    furtherStates: (old = [], others = [], here) => furtherStates(old, others, here),
    audit: (old, other, here) => audits(old ?? null, other ?? null, here),
  });

export const resources = (changes: FieldChanges) =>
  listed<ResourceContract>({
    what: 'the resource',
    all: 'the resources',
    name: (one) => one.name,
    compare: resource(changes),
    added: KEEPS.unmet,
    removed: KEEPS.unmet,
    here: (here, one) => ({ ...here, of: one.name }),
  });
