import type { Name } from '../../syntax/names.ts';
import { listed } from '../../text/suggest.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Resource } from '../statements/resources.ts';
import type { Machine, Transition } from '../statements/states.ts';
import { statesDiagnostics as d } from './messages.ts';

/** The condition of a timed transition: which transitions have to happen to the row first. */
interface Wait {
  /** The transitions of which one has to happen first. */
  readonly on: readonly Transition[];
  /** The field that these transitions give a value; null where the time counts from the transitions themselves. */
  readonly field: string | null;
}

/**
 * Checks that rows reach each state, and that a timed transition can become due: after the transition that it counts
 * from, or that gives its field a value, a row has to reach a state that it leaves. The check assumes that steps make
 * every transition without a time, and that guards hold.
 */
export function checkReachable(r: Resolved, resource: Resource, machine: Machine, states: readonly Name[]): void {
  const { initial, transitions } = machine;
  // A blank cell may lead to any state.
  if (!initial || transitions.some(({ from, to, when }) => from.length === 0 || !to || !when)) return;
  const led = new Set(transitions.map(({ to }) => to?.text));
  // States to which no transition leads are reported elsewhere.
  const begun = new Set([initial.text, ...states.flatMap(({ text }) => (led.has(text) ? [] : text))]);
  const graph = comingFrom(begun, transitions);
  const apart = states.filter(({ text }) => !graph.has(text));
  for (const state of apart) r.notes.findings.push(d.report.stateApart(state, { state: state.text }));
  const byName = Map.groupBy(transitions, ({ name }) => name.text);
  const waits = new Map(transitions.map((one) => [one, waitOf(r, resource, byName, one)]));
  const made = madeTransitions(new Set([...begun, ...apart.map(({ text }) => text)]), transitions, waits);
  const late = transitions.filter((one) => waits.get(one) && !made.has(one));
  // If a transition only waits for another one that never happens, the finding on the other one is enough. If all of
  // them wait for each other, each is reported.
  const first = late.filter((one) => waits.get(one)?.on.some((other) => made.has(other)) || waitsForItself(one, waits));
  for (const one of first.length ? first : late) {
    const wait = waits.get(one);
    if (!wait) continue;
    const params = { transition: one.name.text, reason: reasonFor(one, wait, made) };
    r.notes.findings.push(d.report.neverDue(one.when, params));
  }
}

/** Why a timed transition never happens. */
function reasonFor({ name, from }: Transition, { on, field }: Wait, made: ReadonlySet<Transition>): string {
  const before = listed(on.map((other) => `“${other.name.text}”`));
  if (before === `“${name.text}”`)
    return field ? `only ${before} itself gives “${field}” a value` : 'it waits for itself';
  if (!on.some((other) => made.has(other))) return `it waits for ${before}, which can only come after “${name.text}”`;
  const states = listed(from.map(({ text }) => `“${text}”`));
  const after = `after ${before}, no row comes to ${states}`;
  return field ? `only ${before} gives “${field}” a value, and ${after}` : after;
}

/** The condition of a timed transition; null where the transition may become due at any time. */
function waitOf(
  r: Resolved,
  resource: Resource,
  byName: ReadonlyMap<string, readonly Transition[]>,
  { when }: Transition,
): Wait | null {
  const named = (name: string): readonly Transition[] => byName.get(name) ?? [];
  if (when?.value.kind === 'after move') {
    const on = named(when.value.by.text);
    return on.length ? { on, field: null } : null;
  }
  if (when?.value.kind !== 'after') return null;
  const instant = r.expr(when.value.instant);
  const field = instant?.op === 'get' && instant.of.op === 'name' ? r.fieldNamed(resource, instant.member) : null;
  const givings = field?.givenBy?.value ?? [];
  const on = givings.flatMap((giving) => (giving.from === 'moment' ? named(giving.moment.text) : []));
  // One source that is no transition may give the field its value at any time.
  return field && on.length > 0 && on.length === givings.length ? { on, field: field.name.text } : null;
}

/** The transitions that can happen, found from the ones that need no other. */
function madeTransitions(
  begun: ReadonlySet<string>,
  transitions: readonly Transition[],
  waits: ReadonlyMap<Transition, Wait | null>,
): ReadonlySet<Transition> {
  const leaving = byFrom(transitions);
  const waiting = new Map<Transition, Transition[]>();
  for (const [one, wait] of waits) for (const other of wait?.on ?? []) append(waiting, other, one);
  const made = new Set<Transition>();
  const reached = new Set(begun);
  const canCome = (one: Transition): boolean => {
    const wait = waits.get(one);
    return !wait || wait.on.some((other) => made.has(other) && leadsTo(other, one.from, leaving, made));
  };
  // Each transition that happens enables others: those from the state that it leads to, and those that wait for it.
  const make = (some: readonly Transition[]): void => {
    const next = [...some];
    for (let one = next.pop(); one; one = next.pop()) {
      if (made.has(one) || !one.from.some(({ text }) => reached.has(text)) || !canCome(one)) continue;
      made.add(one);
      for (const other of waiting.get(one) ?? []) next.push(other);
      if (!one.to || reached.has(one.to.text)) continue;
      reached.add(one.to.text);
      for (const other of leaving.get(one.to.text) ?? []) next.push(other);
    }
  };
  make(transitions);
  // Repeat until nothing changes: a transition that was unreachable in one round may be reachable in the next.
  for (let before = -1; before < made.size; ) {
    before = made.size;
    make(transitions.filter((one) => waits.get(one) && !made.has(one)));
  }
  return made;
}

/** Whether a row can get from the target of a transition to one of some states, by transitions that happen. */
function leadsTo(
  { to }: Transition,
  states: readonly Name[],
  leaving: ReadonlyMap<string, readonly Transition[]>,
  made: ReadonlySet<Transition>,
): boolean {
  const wanted = new Set(states.map(({ text }) => text));
  for (const state of statesFrom(to ? [to.text] : [], leaving, made)) if (wanted.has(state)) return true;
  return false;
}

/** The states that a row can reach from some states, which are included. */
const comingFrom = (states: Iterable<string>, transitions: readonly Transition[]): ReadonlySet<string> =>
  new Set(statesFrom(states, byFrom(transitions), new Set(transitions)));

/** Yields the states that a row can reach from some states by transitions in `made`. */
function* statesFrom(
  states: Iterable<string>,
  leaving: ReadonlyMap<string, readonly Transition[]>,
  made: ReadonlySet<Transition>,
): Generator<string> {
  const reached = new Set(states);
  // Iteration over a Set also visits members that are added during the iteration.
  for (const state of reached) {
    yield state;
    for (const one of leaving.get(state) ?? []) if (one.to && made.has(one)) reached.add(one.to.text);
  }
}

/** The transitions that leave each state. */
function byFrom(transitions: readonly Transition[]): ReadonlyMap<string, readonly Transition[]> {
  const out = new Map<string, Transition[]>();
  for (const one of transitions) for (const { text } of one.from) append(out, text, one);
  return out;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Whether a transition has to happen before it can happen. */
function waitsForItself(one: Transition, waits: ReadonlyMap<Transition, Wait | null>): boolean {
  const seen = new Set<Transition>();
  const next = [one];
  for (let at = next.pop(); at; at = next.pop())
    for (const other of waits.get(at)?.on ?? []) {
      if (other === one) return true;
      if (!seen.has(other)) next.push(other);
      seen.add(other);
    }
  return false;
}
