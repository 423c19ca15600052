import { makeAudit } from './audits.ts';
import type { Draft, Field, Resource, Transition, Typed } from './draft.ts';
import { Expressions, membersOf } from './expressions.ts';
import { content, givings, identity } from './fields.ts';
import { makeTie, Nested } from './nested.ts';
import { computed, finish } from './rules.ts';

const NAMES = ['Ant', 'Bird', 'Cat', 'Dog', 'Eel'];
const FIELDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'];

/** Makes up the resources of a document: the one whose rows call first, then some that requests create. */
export function makeResources(draft: Draft): void {
  const { random } = draft;
  const calls = random.chance(0.75);
  const count = random.int(1, 3);
  for (let i = calls ? 0 : 1; i <= count; i++) {
    const created = i > 0;
    const resource = makeResource(draft, NAMES[i]!, created, calls);
    if (!created) draft.caller = resource.name;
  }
  const all = [...draft.resources];
  if (random.chance(0.4)) draft.tie = makeTie(draft);
  for (const resource of all) computed(draft, resource);
  for (const resource of all) finish(draft, resource);
  for (const resource of all) new Nested(draft).reactions(resource);
  draft.audit = makeAudit(draft);
}

function makeResource(draft: Draft, name: string, created: boolean, calls: boolean): Resource {
  const { random } = draft;
  const own = identity(draft, created);
  const resource: Resource = {
    name,
    path: `/${name.toLowerCase()}s`,
    fields: [own],
    identity: own,
    machines: [],
    visible: 'everyone',
    hides: calls && created && random.chance(0.5),
    derived: [],
    views: [],
    bullets: [],
    shown: [],
    created,
  };
  draft.resources.push(resource);
  for (const field of random.some(FIELDS, random.int(1, created ? 5 : 2)))
    resource.fields.push(makeField(draft, field, created));
  const counted = resource.fields.find((field) => field.typed.kind === 'row' && !field.typed.nullable);
  if (created && random.chance(0.2)) {
    const typed: Typed = { kind: 'integer', nullable: false };
    const given = [counted && random.chance(0.7) ? `sequence per ${counted.name}` : 'sequence'];
    resource.fields.push({
      name: 'count',
      typed,
      type: 'integer',
      format: 'none',
      allowed: 'any',
      given,
      unique: 'no',
    });
  }
  if (created && draft.later.chance(0.35)) resource.fields.push(makeRows(draft));
  if (created && random.chance(0.5)) {
    addMachine(draft, resource);
    if (draft.second.chance(0.35)) addSecond(draft, resource);
  }
  return resource;
}

function makeField(draft: Draft, name: string, created: boolean): Field {
  const { random } = draft;
  const optional = random.chance(0.4);
  const references = draft.resources.map((one) => one.name);
  // A row that has to point at one of its own kind could never be the first.
  const own = references.at(-1)!;
  const allowed = optional ? references : references.filter((one) => one !== own);
  const what = content(draft, allowed, optional);
  const given = fromOwnRow(draft, { name, ...what }, givings(draft, { name, ...what }, created));
  const { kind, oneOf } = what.typed;
  const unique = kind !== 'boolean' && kind !== 'row' && kind !== 'list' && !oneOf && random.chance(0.15);
  const folded = what.typed.kind === 'string' && !what.typed.uuid && random.chance(0.4) ? ', ignoring case' : '';
  return { name, ...what, given, unique: unique ? `yes${folded}, else ${draft.code('rule', 'taken')}` : 'no' };
}

/** A list or a set of references, which may be to rows of its own kind where it may have no items. */
function makeRows({ later, resources }: Draft): Field {
  const nullable = later.chance(0.3);
  const allowed = later.pick(['at most 3 items', 'at most 5 items', '1 to 3 items']);
  const names = resources.map((one) => one.name);
  const target = later.pick(allowed.startsWith('1') && names.length > 1 && !nullable ? names.slice(0, -1) : names);
  return {
    name: 'many',
    typed: { kind: 'rows', nullable, resource: target },
    type: `${later.pick(['list of', 'set of'])} ${target}`,
    format: 'none',
    allowed,
    given: [allowed.startsWith('1') || later.chance(0.5) ? 'request' : 'request, else `[]`'],
    unique: 'no',
  };
}

/** The same sources; or, sometimes, an expression of a field that the row has already. */
function fromOwnRow(draft: Draft, field: Omit<Field, 'given' | 'unique'>, given: string[]): string[] {
  const { later, resources } = draft;
  const { typed } = field;
  if (given.includes('operator') || !later.chance(0.5)) return given;
  const same = resources
    .at(-1)!
    .fields.filter(
      (one) => one.typed.kind === typed.kind && !one.typed.nullable && !one.given.some((each) => /sequence/.test(each)),
    );
  const other = later.among(same);
  if (!other || !['string', 'integer', 'boolean', 'timestamp'].includes(typed.kind) || typed.oneOf || typed.uuid)
    return given;
  if (other.typed.uuid || field.allowed === 'whole minutes') return given;
  const { name } = other;
  const forms: Readonly<Record<string, readonly string[]>> = {
    string: [name, `${name} + "a"`],
    integer: [name, `${name} - 1`, `${name} * ${name}`],
    boolean: [`!${name}`],
    timestamp: [name, `${name} + duration("90m")`],
  };
  const value = later.pick(forms[typed.kind]!);
  return [`on create \`${value}\``, ...(later.chance(0.5) ? [`on change \`${value}\``] : [])];
}

/** States, with transitions that reach and leave them all. */
function addMachine(draft: Draft, resource: Resource): void {
  const { random } = draft;
  const states = random.some(['open', 'shut', 'held', 'lost'], random.int(2, 4));
  const [initial] = states as [string];
  const instants = resource.fields.filter((field) => field.typed.kind === 'timestamp');
  const transitions: Transition[] = [];
  const add = (from: readonly string[], to: string): void => {
    const instant = transitions.length && instants.length && random.chance(0.5) ? random.pick(instants) : null;
    const guard = new Expressions(draft, {
      kind: 'step',
      names: membersOf(draft, '', resource.name),
      sent: [],
      sighted: false,
      caller: false,
    });
    const made = transitions.length && random.chance(0.2) ? random.pick(transitions).name : null;
    const length = random.pick(['1 second', '90 minutes', '24 hours', '30 days']);
    const since = random.chance(0.3) ? `at \`${instant?.name}\`` : `${length} after \`${instant?.name}\``;
    const after = made ? `${length} after ${made}` : since;
    const timed = made !== null || instant !== null;
    transitions.push({
      name: draft.name('go'),
      from,
      to,
      when: timed ? after : random.chance(0.5) ? 'always' : `\`${guard.test().replaceAll('|', '\\|')}\``,
      otherwise: timed ? 'none' : draft.code('step', 'not_now'),
      timed,
    });
  };
  for (const [i, state] of states.slice(1).entries()) add(random.some(states.slice(0, i + 1), random.int(1, 2)), state);
  const left = new Set(transitions.flatMap((one) => one.from));
  if (random.chance(0.4)) add([states.at(-1)!], initial);
  for (const [i, one] of transitions.entries())
    transitions[i] = comingDue(draft, one, transitions, transitions.slice(0, i));
  for (const one of transitions) for (const state of one.from) left.add(state);
  const final = states.filter((state) => !left.has(state));
  const name = 'state';
  resource.fields.push({
    name,
    typed: { kind: 'string', nullable: false, oneOf: states },
    type: 'string',
    format: 'none',
    allowed: `one of ${states.join(', ')}`,
    given: ['transitions'],
    unique: 'no',
  });
  resource.machines.push({ field: name, initial, final, transitions, reactions: new Map() });
  for (const field of resource.fields) stampOn(draft, field, transitions);
}

/** A second field with states, whose guards read the first one, and whose times may count from moves of the first. */
function addSecond({ second: random }: Draft, resource: Resource): void {
  const [first] = resource.machines;
  const states = random.some(['new', 'open', 'seen', 'done'], random.int(2, 3));
  const instants = resource.fields.filter((field) => field.typed.kind === 'timestamp').map(({ name }) => name);
  const moves = first!.transitions.filter(({ timed }) => !timed).map(({ name }) => name);
  const of = resource.fields.find(({ name }) => name === first!.field)!.typed.oneOf!;
  const timed = [...instants.map((name) => `\`${name}\``), ...moves];
  const transition = (from: readonly string[], to: string, i: number): Transition => {
    const common = { name: `turn${i}`, from, to };
    if (i > 0 && random.chance(0.4)) {
      const when = `${random.pick(['1 second', '90 minutes', '24 hours'])} after ${random.pick(timed)}`;
      return { ...common, when, otherwise: 'none', timed: true };
    }
    const guard = `\`${first!.field} ${random.pick(['==', '!='])} "${random.pick(of)}"\``;
    const when = random.chance(0.4) ? 'always' : guard;
    return { ...common, when, otherwise: first!.transitions[0]!.otherwise, timed: false };
  };
  const forward = states.slice(1).map((to, i) => transition(random.some(states.slice(0, i + 1), 1), to, i));
  const back = random.chance(0.4) ? [transition([states.at(-1)!], states[0]!, forward.length)] : [];
  const transitions = [...forward, ...back];
  const left = new Set(transitions.flatMap(({ from }) => from));
  resource.fields.push({
    name: 'stage',
    typed: { kind: 'string', nullable: false, oneOf: states },
    type: 'string',
    format: 'none',
    allowed: `one of ${states.join(', ')}`,
    given: ['transitions'],
    unique: 'no',
  });
  const final = states.filter((state) => !left.has(state));
  resource.machines.push({ field: 'stage', initial: states[0]!, final, transitions, reactions: new Map() });
}

/**
 * The same transition; one that counts from another after which no row comes to it counts from one before it that a step
 * makes, or is made by a step.
 */
function comingDue(
  draft: Draft,
  one: Transition,
  all: readonly Transition[],
  earlier: readonly Transition[],
): Transition {
  const [, length, name] = /^(.+) after (\w+)$/.exec(one.when) ?? [];
  const before = all.find((other) => other.name === name);
  if (!before || comesTo(before.to, one.from, all)) return one;
  const other = earlier.find(({ to, timed }) => !timed && comesTo(to, one.from, all));
  if (other) return { ...one, when: `${length} after ${other.name}` };
  return { ...one, when: 'always', otherwise: draft.code('step', 'not_now'), timed: false };
}

/** Whether a row can come from a state to one of some others, or is in one already. */
function comesTo(state: string, states: readonly string[], all: readonly Transition[]): boolean {
  const reached = new Set([state]);
  for (const _ of all) for (const { from, to } of all) if (from.some((each) => reached.has(each))) reached.add(to);
  return states.some((each) => reached.has(each));
}

/** Lets a transition give a field a value that nothing else gives at that moment. */
function stampOn(draft: Draft, field: Field, transitions: readonly Transition[]): void {
  if (
    !draft.random.chance(0.3) ||
    field.typed.kind !== 'timestamp' ||
    field.allowed === 'whole minutes' ||
    field.given.some((one) => one.startsWith('on change'))
  )
    return;
  field.given = [...field.given, `on ${draft.random.pick(transitions).name} \`now()\``];
}
