import { alwaysTrue } from '../../expression/tree/always.ts';
import { nullable, rowOf, TIMESTAMP } from '../../expression/tree/types.ts';
import type { InsideStep, MachinePlan } from '../../plan/step.ts';
import type { Name } from '../../syntax/names.ts';
import type { Token } from '../../syntax/tokens.ts';
import { addTo } from '../../text/lists.ts';
import { listed } from '../../text/suggest.ts';
import { allSteps, reactionOf } from '../document/all-steps.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import { writesOf } from '../document/writes.ts';
import { Checking } from '../endpoints/check/checking.ts';
import { checkEach } from '../endpoints/verbs/check-steps.ts';
import { expressionDiagnostics } from '../expression/messages.ts';
import type { Step } from '../statements/endpoints.ts';
import { isTimed, leadingTo, type Machine, type Transition } from '../statements/states.ts';
import { checkZone } from './calendar.ts';
import { statesDiagnostics as d } from './messages.ts';
import { planStates } from './plan.ts';
import { checkReachable, type Graph } from './reachable.ts';

/** The plan of each field with states; undefined while unsettled. */
export type CheckedStates = ReadonlyMap<Machine, MachinePlan | undefined>;

/** Checks the states of each field: every state reached and left, every transition made, every refusal stated. */
export function checkStates(r: Resolved): CheckedStates {
  const graphOf = new Map<Machine, Graph>();
  const checked = new Map(r.model.states.machines.map((machine) => [machine, checkMachine(r, machine, graphOf)]));
  // Steps after a transition of one field may lead to a transition of another one, so this check comes last.
  for (const machine of r.model.states.machines) checkCircles(r, machine);
  for (const { name } of r.model.resources.list) {
    const machines = r.machines(name.text);
    const graphs = machines.flatMap((machine) => graphOf.get(machine) ?? []);
    if (graphs.length > 0 && graphs.length === machines.length) checkReachable(r, name.text, graphs);
  }
  return checked;
}

/** Steps after transitions come to an end. */
function checkCircles(r: Resolved, { resource, reactions }: Machine): void {
  for (const { transitions, span } of reactions) {
    const circular = transitions.find(({ text }) => follows(r, resource.text, text));
    if (circular) r.notes.findings.push(d.report.reactionCycle(span, { transition: circular.text }));
  }
}

/** Checks one field with states. Adds it to `graphOf` where its states and transitions are known. */
function checkMachine(r: Resolved, machine: Machine, graphOf: Map<Machine, Graph>): MachinePlan | undefined {
  const { findings } = r.notes;
  const resource = r.resource(machine.resource);
  const field = resource && r.field(resource, machine.field);
  if (!resource || !field) {
    // The field is misspelt; the codes of its transitions count as used all the same.
    for (const { otherwise } of machine.transitions)
      if (otherwise && otherwise.value !== 'none') r.code(otherwise.value, 'step');
    return undefined;
  }
  const path = `${resource.name.text}.${field.name.text}`;
  const allowed = field.allowed?.value;
  const givings = field.givenBy?.value ?? [];
  if (!field.allowed || !field.givenBy) return undefined;
  const [giving, ...others] = givings;
  if (allowed?.kind !== 'one of' || others.length > 0 || giving?.from !== 'transitions') {
    findings.push(d.report.notAnEnumeration(machine.span, { field: path }));
    return undefined;
  }
  const states = allowed.values.map((value) => value.text);
  const named = new Set(states);
  const misspelt = new Set<string>();
  const known = (name: Name | null, words: readonly string[] = []): void => {
    if (!name || named.has(name.text)) return;
    r.unknown(name, `state of ${path}`, [...states, ...words]);
    misspelt.add(name.text);
  };
  const [state] = states;
  if (!machine.initial && state !== undefined) findings.push(d.report.initial(machine.span, { field: path, state }));
  else known(machine.initial);
  for (const name of machine.final?.value ?? []) known(name, machine.final?.value.length === 1 ? ['none'] : []);
  for (const transition of machine.transitions) {
    for (const from of transition.from) known(from);
    known(transition.to);
    checkTransition(r, machine, transition);
  }
  const reactions = checkReactions(r, machine);
  if (machine.transitions.length === 0) findings.push(d.report.noTransitions(machine.span, { field: path }));
  else if (misspelt.size === 0) {
    checkStateGraph(r, machine, allowed.values, path);
    graphOf.set(machine, { machine, states: allowed.values });
  }
  return planStates(r, machine, reactions);
}

/** Every state is reached, and is either final or left. */
function checkStateGraph(r: Resolved, machine: Machine, states: readonly Name[], path: string): void {
  const { findings } = r.notes;
  const left = new Set(machine.transitions.flatMap((transition) => transition.from.map((from) => from.text)));
  const reached = new Set(machine.transitions.map((transition) => transition.to?.text));
  if (machine.initial) reached.add(machine.initial.text);
  const final = new Set(machine.final?.value.map((name) => name.text));
  if (!machine.final) {
    const dead = states.filter((state) => !left.has(state.text)).map((state) => state.text);
    findings.push(
      d.report.final(machine.span, {
        field: path,
        all: listed(states.map((state) => state.text)),
        states: dead.join(', '),
      }),
    );
  }
  for (const state of states) {
    if (machine.initial && !reached.has(state.text)) findings.push(d.report.neverReached(state, { state: state.text }));
    if (machine.final && !final.has(state.text) && !left.has(state.text))
      findings.push(d.report.neverLeft(state, { state: state.text }));
  }
  for (const transition of machine.transitions)
    for (const from of transition.from)
      if (final.has(from.text))
        findings.push(d.report.finalLeft(from, { state: from.text, transition: transition.name.text }));
}

/** The steps that make a transition of a resource; a row that is misspelt may be of any. */
function movesBy(r: Resolved, resource: string, name: string): Step[] {
  const moves = r.once(movesOf).get(name);
  return [...new Set([...(moves?.get(resource) ?? []), ...(moves?.get(ANY) ?? [])])];
}

/** Key for the resource of a row that no step has named. */
const ANY = '';

/** The steps that make each transition, by its name and then by the resource. */
function movesOf(r: Resolved): Map<string, Map<string, Step[]>> {
  const out = new Map<string, Map<string, Step[]>>();
  for (const { one, rows } of r.once(allSteps)) {
    for (const { step, resource: known } of writesOf(one.steps, new Map(rows))) {
      if (step.verb !== 'Move' || !step.by) continue;
      const resource = known ?? ANY;
      const moves = out.get(step.by.text) ?? new Map<string, Step[]>();
      addTo(moves, resource, step);
      out.set(step.by.text, moves);
    }
  }
  return out;
}

function checkTransition(r: Resolved, machine: Machine, transition: Transition): void {
  const { findings } = r.notes;
  const resource = machine.resource.text;
  const name = transition.name.text;
  const timed = isTimed(transition.when?.value);
  const moves = movesBy(r, resource, name);
  const when = transition.when?.value;
  const misread = when?.kind === 'guard' && !checkGuard(r, when.test, resource, transition);
  if (when?.kind === 'after') {
    r.type(when.instant, r.scope(new Map(), resource), nullable(TIMESTAMP, true), '“after”', 'row');
    if ('months' in when) checkZone(r, resource, when);
  }
  if (when?.kind === 'after move') {
    const names = r.transitions(resource).map((one) => one.name.text);
    if (!names.includes(when.by.text)) r.unknown(when.by, `transition of ${resource}`, names);
  }
  if (timed) {
    for (const step of moves) findings.push(d.report.timedByStep(step.span, { transition: name }));
  } else if (moves.length === 0 && transition.when && !misread) {
    r.afterAll(() => {
      if (!r.isSuggested(name) && !r.movesMade.has(`${resource} ${name}`))
        findings.push(d.report.neverMade(transition.name, { transition: name, row: resource.toLowerCase() }));
    });
  }
  const otherwise = transition.otherwise?.value;
  if (!otherwise) return;
  if (otherwise !== 'none') {
    if (timed) findings.push(d.report.refusalUnused(otherwise, { transition: name, code: otherwise.text }));
    r.code(otherwise, 'step', ['none']);
  } else if (!timed && !misread) {
    findings.push(d.report.refusalMissing(transition.otherwise, { transition: name }));
  }
}

/**
 * Checks the guard of a transition. Returns false if the guard is not a condition: its author may have meant a time.
 */
function checkGuard(r: Resolved, test: Token, resource: string, transition: Transition): boolean {
  const { findings } = r.notes;
  const before = findings.length;
  const guard = checkCondition(r, test, r.scope(new Map(), resource), 'A guard', 'step');
  if (guard && alwaysTrue(guard))
    findings.push(d.report.cannotFail(transition.when, { transition: transition.name.text }));
  const wrong = findings[before];
  if (!guard && wrong?.code === 'expression/mismatch' && wrong.params?.found?.startsWith('a timestamp')) {
    const params = { ...wrong.params, write: `at \`${test.text}\`` };
    findings[before] = expressionDiagnostics.report.mismatch(wrong.span, params);
  }
  return guard !== null;
}

/**
 * Checks the steps that follow transitions: they use no request, since no caller requests them. Returns the steps by
 * the name of their transition; null where unsettled.
 */
function checkReactions(r: Resolved, machine: Machine): Map<string, readonly InsideStep[] | null> {
  const out = new Map<string, readonly InsideStep[] | null>();
  const names = machine.transitions.map((transition) => transition.name.text);
  const resource = machine.resource.text;
  const owner = r.machines(resource).length > 1 ? `${resource}.${machine.field.text}` : resource;
  for (const reaction of machine.reactions) {
    for (const one of reaction.transitions)
      if (!names.includes(one.text)) r.unknown(one, `transition of ${owner}`, names);
    const one = reactionOf(machine, reaction);
    for (const step of one.every)
      if (step.does.byRequest) r.notes.findings.push(d.report.reactionVerb(step.span, { verb: step.verb }));
    const moved = rowOf(machine.resource.text);
    const before = r.notes.findings.length;
    const steps = r.within(one.endpoint.name, () =>
      checkEach(new Checking(r, one, new Map([['moved', moved]]), false), reaction.steps),
    );
    for (const { text } of reaction.transitions) if (!out.has(text)) out.set(text, steps);
    // Any endpoint may make the transition: a question about its steps concerns each of them.
    const found = r.notes.findings.splice(before);
    r.notes.findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
  }
  return out;
}

/** Whether a transition follows from itself, directly or through others: then a row could be moved without end. */
function follows(r: Resolved, resource: string, transition: string): boolean {
  const start = `${resource} ${transition}`;
  const seen = new Set<string>();
  const visit = (at: string): boolean => {
    for (const next of r.once(movesAfter).get(at) ?? []) {
      if (next === start) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      if (visit(next)) return true;
    }
    return false;
  };
  return visit(start);
}

/** The transitions that may follow from each, as `Resource transition`. */
function movesAfter(r: Resolved): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const machine of r.model.states.machines)
    for (const reaction of machine.reactions) {
      const rows = new Map([['moved', machine.resource.text]]);
      const moves = writesOf(reaction.steps, rows).flatMap(({ step, resource }) => {
        if (step.verb !== 'Move' || resource === null) return [];
        if (step.by) return [`${resource} ${step.by.text}`];
        const moved = r.movedIn.get(step);
        return (moved ? [moved] : r.machines(resource)).flatMap((to) =>
          to.transitions
            .filter((one) => leadingTo(to, one.to?.text ?? '').includes(one))
            .map((one) => `${resource} ${one.name.text}`),
        );
      });
      for (const { text } of reaction.transitions) out.set(`${machine.resource.text} ${text}`, moves);
    }
  return out;
}
