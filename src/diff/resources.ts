import type {
  FieldContract,
  GivenContract,
  ResourceContract,
  RuleContract,
  StatesContract,
  TransitionContract,
} from '../contract/contract.ts';
import { lineKey } from '../plan/lines.ts';
import { showDuration } from '../text/units.ts';
import { type Compare, flag, follows, listed, members, on, optional, value, words } from './compare.ts';
import { BREAKS, type Here, KEEPS, statedAt, type Verdict } from './difference.ts';
import type { FieldChanges } from './field-changes.ts';
import { steps } from './steps.ts';
import { ABSENT, typeDifference, written } from './values.ts';

/** Whether another source of a field’s value breaks callers, as far as what requests hold doesn’t tell. */
const SOURCES: Readonly<Record<GivenContract['by'], Verdict>> = {
  request: KEEPS.unmet,
  operator: KEEPS.unmet,
  steps: KEEPS.unmet,
  transitions: KEEPS.unmet,
  sequence: BREAKS.otherwise,
  derived: BREAKS.otherwise,
  moment: BREAKS.otherwise,
};

const sourceText = ({ by, moment }: GivenContract): string =>
  moment === null ? by : by === 'moment' ? `on ${moment}` : `${by} per ${moment}`;

/** Who or what gives a field its value. That requests hold it is told of their bodies. */
const sources = listed<GivenContract>({
  what: 'its source',
  name: sourceText,
  compare: (old, next, here) => {
    const verdict = SOURCES[next.by];
    if (next.by === 'sequence') return value<string>('its source', verdict)(sourceText(old), sourceText(next), here);
    const what =
      next.by === 'request' ? ABSENT : next.by === 'derived' ? 'its derivation' : `its value on ${next.moment}`;
    return value<GivenContract['value']>(what, verdict)(old.value, next.value, here);
  },
  added: ({ by }) => SOURCES[by],
  removed: ({ by }) => SOURCES[by],
  // Whatever a sequence counts for, it is one.
  alike: ({ by, moment }) => (by === 'sequence' ? by : `${by} ${moment}`),
});

const presence = flag('it is optional now', 'it is always present now', { so: KEEPS.unmet, not: KEEPS.unmet });

/** A field, beside what bodies, answers and parameters tell of it, in the same words. */
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

/** Without what is told of bodies: that requests hold the field, or no more. */
const notRequested = (list: readonly GivenContract[], other: readonly GivenContract[]): GivenContract[] =>
  list.filter(({ by }) => by !== 'request' || other.some((one) => one.by === by));

const rule: Compare<RuleContract> = (old, next, here) =>
  members<RuleContract>({
    kind: follows('its text says what it does'),
    text: value('a rule', BREAKS.otherwise),
    fields: follows('its text says which'),
    condition: follows('its text says which'),
    // A rule of another kind refuses otherwise, or nothing.
    code:
      old.kind === next.kind
        ? value('the code of a rule', BREAKS.unknown, (one) => one ?? 'that of a conflict')
        : follows('the rule is another'),
  })(old, next, here);

/** The rules that do something to other rows, which is met whether they come or go; the others only refuse. */
const WRITING: ReadonlySet<RuleContract['kind']> = new Set(['removed with', 'cleared']);

const rules = listed<RuleContract>({
  what: 'the rule',
  all: 'the rules',
  name: ({ kind, text }) => `${kind} ${text}`,
  show: ({ text }) => text,
  compare: rule,
  added: ({ kind }) => (WRITING.has(kind) ? BREAKS.otherwise : BREAKS.refused),
  removed: ({ kind }) => (WRITING.has(kind) ? BREAKS.otherwise : KEEPS.accepted),
  // Of several rules that a request breaks, the first refuses it.
  order: BREAKS.otherwise,
  // What is done with rows that refer to one that is removed is one of three things.
  alike: ({ kind, fields }) => (kind === 'keeps' || WRITING.has(kind) ? fields.join() : kind),
});

function timing(one: TransitionContract['timed']): string {
  if (!one) return 'when it is asked for';
  const event = one.instant ? `\`${one.instant.text}\`` : one.transition;
  return one.afterMilliseconds === 0 ? `at ${event}` : `${showDuration(one.afterMilliseconds)} after ${event}`;
}

/** Another move by a request is one more that is accepted; one that time makes changes rows that nobody asked to change. */
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
    // Endpoints and other transitions say which they make.
    madeBy: (was, is, at) => {
      const handlers = (list: TransitionContract['madeBy']): string[] =>
        list.flatMap(({ kind, name }) => (kind === 'handler' ? [name] : []));
      return words('it is made by the handler', { added: BREAKS.otherwise, removed: BREAKS.otherwise })(
        handlers(was),
        handlers(is),
        at,
      );
    },
    follows: steps('after it, '),
  })(old, next, here);

const stateFact =
  (fact: 'initial' | 'final') =>
  (here: Here): Here =>
    statedAt(here, lineKey.states(here.of ?? '', fact));

const states = (of: (here: Here, name: string) => Here): Compare<StatesContract> =>
  members<StatesContract>({
    field: value('the field that holds the state', BREAKS.otherwise),
    values: follows('the field says which values it may have'),
    initial: on(stateFact('initial'), value('the initial state', BREAKS.otherwise)),
    final: follows('a state that no transition starts from is final'),
    transitions: listed<TransitionContract>({
      what: 'transition',
      all: 'the transitions',
      name: (one) => one.name,
      compare: transition,
      added: moreMoves,
      removed: fewerMoves,
      here: (here, one) => of(here, one.name),
    }),
  });

const under = (here: Here, name: string): Here => ({ ...here, of: `${here.of}.${name}` });

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

/** Callers meet a field since something holds, shows or reads it: that this has come or gone is told. */
const both = (list: readonly FieldContract[], other: readonly FieldContract[]): FieldContract[] =>
  list.filter(({ name }) => other.some((one) => one.name === name));

/** A resource, beside the forms in which it is shown. */
const resource = (changes: FieldChanges): Compare<ResourceContract> =>
  members<ResourceContract>({
    name: follows('resources are compared by their names'),
    identity: value('the identity', (old, next) => (old && next ? BREAKS.otherwise : KEEPS.unmet)),
    visible: on(
      (here) => statedAt(here, lineKey.resource(here.of ?? '', 'visible')),
      value('its visibility', BREAKS.otherwise, (one) => (one === null ? 'everyone' : `\`${one.text}\``)),
    ),
    fields: (old, next, here) => fields(changes)(both(old, next), both(next, old), here),
    rules,
    states: optional('states:', states(under), { added: BREAKS.otherwise, removed: BREAKS.otherwise }),
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
