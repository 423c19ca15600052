import type { Name } from '../../syntax/names.ts';
import { listed } from '../../text/suggest.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Machine, Transition } from '../statements/states.ts';
import { statesDiagnostics as d } from './messages.ts';

/** A field with states, whose allowed values are known. */
export interface Graph {
  readonly machine: Machine;
  readonly states: readonly Name[];
}

/** A transition among the states of all fields of a resource: each state with its field, as in `status draft`. */
interface Edge {
  readonly one: Transition;
  readonly name: string;
  readonly field: string;
  readonly from: readonly string[];
  readonly to: string | null;
}

/** The condition of a timed transition: which transitions have to happen to the row first. */
interface Wait {
  /** The transitions of which one has to happen first. */
  readonly on: readonly Edge[];
  /** The field that these transitions give a value; null where the time counts from the transitions themselves. */
  readonly field: string | null;
}

const placed = (field: string, state: string): string => `${field} ${state}`;

/**
 * Checks that rows reach each state, and that a timed transition can become due: after the transition that it counts
 * from, or that gives its field a value, a row has to reach a state that it leaves. The check assumes that steps make
 * every transition without a time, and that guards hold.
 */
export function checkReachable(r: Resolved, resource: string, graphs: readonly Graph[]): void {
  // A blank cell may lead to any state.
  const isBlank = ({ from, to, when }: Transition): boolean => from.length === 0 || !to || !when;
  if (graphs.some(({ machine }) => !machine.initial || machine.transitions.some(isBlank))) return;
  const edges = graphs.flatMap(({ machine: { field, transitions } }) =>
    transitions.map((one): Edge => {
      const from = one.from.map(({ text }) => placed(field.text, text));
      return { one, name: one.name.text, field: field.text, from, to: one.to && placed(field.text, one.to.text) };
    }),
  );
  const led = new Set(edges.map(({ to }) => to));
  const all = graphs.flatMap(({ machine: { field }, states }) =>
    states.map((state) => ({ state, key: placed(field.text, state.text) })),
  );
  // States to which no transition leads are reported elsewhere.
  const begun = new Set([
    ...graphs.map(({ machine: { field, initial } }) => placed(field.text, initial?.text ?? '')),
    ...all.flatMap(({ key }) => (led.has(key) ? [] : key)),
  ]);
  const graph = comingFrom(begun, edges);
  const apart = all.filter(({ key }) => !graph.has(key));
  for (const { state } of apart) r.notes.findings.push(d.report.stateApart(state, { state: state.text }));
  const byName = Map.groupBy(edges, ({ name }) => name);
  const waits = new Map(edges.map((one) => [one, waitOf(r, resource, byName, one)]));
  const made = madeTransitions(new Set([...begun, ...apart.map(({ key }) => key)]), edges, waits);
  const late = edges.filter((one) => waits.get(one) && !made.has(one));
  // If a transition only waits for another one that never happens, the finding on the other one is enough. If all of
  // them wait for each other, each is reported.
  const first = late.filter((one) => waits.get(one)?.on.some((other) => made.has(other)) || waitsForItself(one, waits));
  for (const edge of first.length ? first : late) {
    const wait = waits.get(edge);
    if (!wait) continue;
    const params = { transition: edge.name, reason: reasonFor(edge, wait, made) };
    r.notes.findings.push(d.report.neverDue(edge.one.when, params));
  }
}

/** Why a timed transition never happens. */
function reasonFor({ name, one: { from } }: Edge, { on, field }: Wait, made: ReadonlySet<Edge>): string {
  const before = listed(on.map((other) => `“${other.name}”`));
  if (before === `“${name}”`) return field ? `only ${before} itself gives “${field}” a value` : 'it waits for itself';
  if (!on.some((other) => made.has(other))) return `it waits for ${before}, which can only come after “${name}”`;
  const states = listed(from.map(({ text }) => `“${text}”`));
  const after = `after ${before}, no row comes to ${states}`;
  return field ? `only ${before} gives “${field}” a value, and ${after}` : after;
}

/** The condition of a timed transition; null where the transition may become due at any time. */
function waitOf(
  r: Resolved,
  name: string,
  byName: ReadonlyMap<string, readonly Edge[]>,
  { one: { when } }: Edge,
): Wait | null {
  const named = (transition: string): readonly Edge[] => byName.get(transition) ?? [];
  if (when?.value.kind === 'after move') {
    const on = named(when.value.by.text);
    return on.length ? { on, field: null } : null;
  }
  if (when?.value.kind !== 'after') return null;
  const instant = r.expr(when.value.instant);
  const resource = r.resourceNamed(name);
  const field =
    resource && instant?.op === 'get' && instant.of.op === 'name' ? r.fieldNamed(resource, instant.member) : null;
  const givings = field?.givenBy?.value ?? [];
  const on = givings.flatMap((giving) => (giving.from === 'moment' ? named(giving.moment.text) : []));
  // One source that is no transition may give the field its value at any time.
  return field && on.length > 0 && on.length === givings.length ? { on, field: field.name.text } : null;
}

/** The transitions that can happen, found from the ones that need no other. */
function madeTransitions(
  begun: ReadonlySet<string>,
  transitions: readonly Edge[],
  waits: ReadonlyMap<Edge, Wait | null>,
): ReadonlySet<Edge> {
  const leaving = byFrom(transitions);
  const waiting = new Map<Edge, Edge[]>();
  for (const [one, wait] of waits) for (const other of wait?.on ?? []) append(waiting, other, one);
  const made = new Set<Edge>();
  const reached = new Set(begun);
  const canCome = (one: Edge): boolean => {
    const wait = waits.get(one);
    if (!wait) return true;
    // A move in another field leaves the state as it is.
    return wait.on.some(
      (other) => made.has(other) && (other.field !== one.field || leadsTo(other, one.from, leaving, made)),
    );
  };
  // Each transition that happens enables others: those from the state that it leads to, and those that wait for it.
  const make = (some: readonly Edge[]): void => {
    const next = [...some];
    for (let one = next.pop(); one; one = next.pop()) {
      if (made.has(one) || !one.from.some((state) => reached.has(state)) || !canCome(one)) continue;
      made.add(one);
      for (const other of waiting.get(one) ?? []) next.push(other);
      if (!one.to || reached.has(one.to)) continue;
      reached.add(one.to);
      for (const other of leaving.get(one.to) ?? []) next.push(other);
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
  { to }: Edge,
  states: readonly string[],
  leaving: ReadonlyMap<string, readonly Edge[]>,
  made: ReadonlySet<Edge>,
): boolean {
  const wanted = new Set(states);
  for (const state of statesFrom(to === null ? [] : [to], leaving, made)) if (wanted.has(state)) return true;
  return false;
}

/** The states that a row can reach from some states, which are included. */
const comingFrom = (states: Iterable<string>, transitions: readonly Edge[]): ReadonlySet<string> =>
  new Set(statesFrom(states, byFrom(transitions), new Set(transitions)));

/** Yields the states that a row can reach from some states by transitions in `made`. */
function* statesFrom(
  states: Iterable<string>,
  leaving: ReadonlyMap<string, readonly Edge[]>,
  made: ReadonlySet<Edge>,
): Generator<string> {
  const reached = new Set(states);
  // Iteration over a Set also visits members that are added during the iteration.
  for (const state of reached) {
    yield state;
    for (const one of leaving.get(state) ?? []) if (one.to && made.has(one)) reached.add(one.to);
  }
}

/** The transitions that leave each state. */
function byFrom(transitions: readonly Edge[]): ReadonlyMap<string, readonly Edge[]> {
  const out = new Map<string, Edge[]>();
  for (const one of transitions) for (const state of one.from) append(out, state, one);
  return out;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Whether a transition has to happen before it can happen. */
function waitsForItself(one: Edge, waits: ReadonlyMap<Edge, Wait | null>): boolean {
  const seen = new Set<Edge>();
  const next = [one];
  for (let at = next.pop(); at; at = next.pop())
    for (const other of waits.get(at)?.on ?? []) {
      if (other === one) return true;
      if (!seen.has(other)) next.push(other);
      seen.add(other);
    }
  return false;
}
