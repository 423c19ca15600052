import { possibleTexts } from '../../../expression/tree/always.ts';
import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Step } from '../../statements/endpoints.ts';
import type { Resource } from '../../statements/resources.ts';
import { leadingTo, type Machine, type Transition } from '../../statements/states.ts';
import { assignments } from '../check/assignments.ts';
import type { Checking } from '../check/checking.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

type MoveStep = Extract<Step, { verb: 'Move' }>;

/** Move `x` by transition with f e · to e with f e */
export const MOVE: VerbModule<'Move'> = {
  does: ({ row }) => ({ ...NOTHING, writes: { does: 'Move', row: row.text } }),
  check(c, step) {
    const resource = c.row(step.row);
    if (!resource) {
      // An unknown row may be a row of any resource with states.
      if (step.to)
        for (const { resource: any, transitions } of c.r.model.states.machines) made(c, any.text, transitions);
      return null;
    }
    const name = resource.name.text;
    const machines = c.r.machines(name);
    if (machines.length === 0) {
      c.findings.push(d.report.moveUnknown(step.row, { resource: name }));
      return null;
    }
    const moved = { row: step.row.text, resource: name };
    const reached = step.to && checkMoveTo(c, step, step.to, resource);
    const names = c.r.once(transitionNames).get(name) ?? new Set();
    if (step.by && !names.has(step.by.text)) c.r.unknown(step.by, `transition of ${name}`, names);
    const by = reached?.by ?? (step.by ? [step.by.text] : []);
    const { given } = assignments(c, step.with, resource, ['change', ...by]);
    if (!given) return null;
    if (step.to) return reached && { do: 'move to', ...moved, ...reached, with: given, line: c.line(step) };
    return step.by && { do: 'move', ...moved, by: step.by.text, with: given, line: c.line(step) };
  },
};

/** The names of each resource's transitions. */
const transitionNames = ({ model }: Resolved): ReadonlyMap<string, ReadonlySet<string>> => {
  const out = new Map<string, Set<string>>();
  for (const { resource, transitions } of model.states.machines) {
    const names = out.get(resource.text) ?? new Set();
    for (const { name } of transitions) names.add(name.text);
    out.set(resource.text, names);
  }
  return out;
};

/** The machines with a transition to an unknown state. */
const misspeltIn = (r: Resolved): ReadonlySet<Machine> =>
  new Set(
    r.model.states.machines.filter((machine) => {
      const states = new Set(statesOf(r, machine));
      return states.size > 0 && machine.transitions.some(({ to }) => to === null || !states.has(to.text));
    }),
  );

/** The states that a field allows. */
function statesOf(r: Resolved, machine: Machine): string[] {
  const resource = r.resourceNamed(machine.resource.text);
  const allowed = resource && r.fieldNamed(resource, machine.field.text)?.allowed?.value;
  return allowed?.kind === 'one of' ? allowed.values.map(({ text }) => text) : [];
}

const fieldOf = ({ resource, field }: Machine): string => `${resource.text}.${field.text}`;

function made(c: Checking, resource: string, transitions: readonly Transition[]): void {
  for (const one of transitions) c.r.movesMade.add(`${resource} ${one.name.text}`);
}

/** Checks `Move … to e`: each possible state needs transitions to it, one from each state, with equal refusals. */
function checkMoveTo(c: Checking, step: MoveStep, token: Token, resource: Resource): { to: Expr; by: string[] } | null {
  const name = resource.name.text;
  const machines = c.r.machines(name);
  const to = c.type(token, stateType(c.r, name, machines), 'Move … to');
  const isUnsettled = (one: Machine): boolean =>
    c.r.once(misspeltIn).has(one) || (machines.length > 1 && statesOf(c.r, one).length === 0);
  if (!to || machines.some(isUnsettled)) {
    for (const { transitions } of machines) made(c, name, transitions);
    return null;
  }
  const states = possibleTexts(to);
  if (!states) {
    const values = machines.flatMap((one) => statesOf(c.r, one));
    c.findings.push(d.report.moveTo(token, { field: machines.map(fieldOf).join(' or '), states: values.join(', ') }));
    return null;
  }
  const machine = machineOf(c, step, token, states, machines);
  if (!machine) return null;
  c.r.movedIn.set(step, machine);
  const by = states.flatMap((state) => {
    const leading = leadingTo(machine, state);
    made(c, name, leading);
    checkLeading(c, token, state, leading);
    return leading.map((transition) => transition.name.text);
  });
  return { to, by };
}

/** The type of the states of all fields of a resource. */
function stateType(r: Resolved, resource: string, machines: readonly Machine[]): t.Type {
  const types = machines.flatMap(({ field }) => r.rows.get(resource)?.fields.get(field.text) ?? []);
  // The states of a field without a type, or without allowed values, may be any.
  const isOpen = types.length > 1 && types.some((type) => t.valuesOf(type) === null);
  return isOpen ? t.UNKNOWN : types.reduce(t.either, types[0] ?? t.UNKNOWN);
}

/** The one field that allows all of some states; null, with a finding, where the states do not tell. */
function machineOf(
  c: Checking,
  step: MoveStep,
  token: Token,
  states: readonly string[],
  machines: readonly Machine[],
): Machine | null {
  const [only, ...others] = machines;
  if (only && others.length === 0) return only;
  const of = new Map(machines.map((one) => [one, new Set(statesOf(c.r, one))]));
  const fitting = machines.filter((one) => states.every((state) => of.get(one)?.has(state)));
  const [machine, ...more] = fitting;
  if (machine && more.length === 0) return machine;
  const meant = machines.filter((one) => states.some((state) => of.get(one)?.has(state)));
  for (const { resource, transitions } of meant) made(c, resource.text, transitions);
  const named = states.map((state) => `“${state}”`);
  c.findings.push(
    d.report.moveFields(token, {
      states: named.length === 1 ? `${named.join()} is a state` : `${named.join(' and ')} are states`,
      fields: meant.map(fieldOf).join(' and of '),
      row: step.row.text,
      by: meant.flatMap((one) => states.flatMap((state) => leadingTo(one, state)))[0]?.name.text ?? 'place',
    }),
  );
  return null;
}

function checkLeading(c: Checking, to: Token, state: string, leading: readonly Transition[]): void {
  const refusals = new Set(leading.map((one) => (one.otherwise?.value === 'none' ? '' : one.otherwise?.value.text)));
  const from = leading.flatMap((one) => one.from.map((each) => each.text));
  const twice = from.find((each, i) => from.indexOf(each) < i);
  if (leading.length === 0) c.findings.push(d.report.moveNowhere(to, { state }));
  else if (twice !== undefined) c.findings.push(d.report.moveTwice(to, { from: twice, state }));
  else if (refusals.size > 1) c.findings.push(d.report.moveRefusals(to, { state, codes: [...refusals].join(', ') }));
}
