import { possibleTexts } from '../../../expression/tree/always.ts';
import type { Expr } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import type { Token } from '../../../syntax/tokens.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Resource } from '../../statements/resources.ts';
import { leadingTo, type Machine, type Transition } from '../../statements/states.ts';
import { assignments } from '../check/assignments.ts';
import type { Checking } from '../check/checking.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

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
    const machine = c.r.machine(name);
    if (!machine) {
      c.findings.push(d.report.moveUnknown(step.row, { resource: name }));
      return null;
    }
    const moved = { row: step.row.text, resource: name };
    const reached = step.to && checkMoveTo(c, step.to, resource, machine);
    const names = c.r.once(transitionsOf).get(machine) ?? new Set();
    if (step.by && !names.has(step.by.text)) c.r.unknown(step.by, `transition of ${name}`, names);
    const by = reached?.by ?? (step.by ? [step.by.text] : []);
    const { given } = assignments(c, step.with, resource, ['change', ...by]);
    if (!given) return null;
    if (step.to) return reached && { do: 'move to', ...moved, ...reached, with: given, line: c.line(step) };
    return step.by && { do: 'move', ...moved, by: step.by.text, with: given, line: c.line(step) };
  },
};

/** The names of each machine's transitions. */
const transitionsOf = (r: Resolved): ReadonlyMap<Machine, ReadonlySet<string>> =>
  new Map(r.model.states.machines.map((one) => [one, new Set(one.transitions.map(({ name }) => name.text))]));

/** The machines with a transition to an unknown state. */
const misspeltIn = (r: Resolved): ReadonlySet<Machine> =>
  new Set(
    r.model.states.machines.filter((machine) => {
      const resource = r.resourceNamed(machine.resource.text);
      const allowed = resource && r.fieldNamed(resource, machine.field.text)?.allowed?.value;
      const states = allowed?.kind === 'one of' ? new Set(allowed.values.map(({ text }) => text)) : null;
      return states !== null && machine.transitions.some(({ to }) => to === null || !states.has(to.text));
    }),
  );

function made(c: Checking, resource: string, transitions: readonly Transition[]): void {
  for (const one of transitions) c.r.movesMade.add(`${resource} ${one.name.text}`);
}

/** Checks `Move … to e`: each possible state needs transitions to it, one from each state, with equal refusals. */
function checkMoveTo(
  c: Checking,
  token: Token,
  resource: Resource,
  machine: Machine,
): { to: Expr; by: string[] } | null {
  const name = resource.name.text;
  const to = c.type(token, c.r.rows.get(name)?.fields.get(machine.field.text) ?? t.UNKNOWN, 'Move … to');
  if (!to || c.r.once(misspeltIn).has(machine)) {
    made(c, name, machine.transitions);
    return null;
  }
  const states = possibleTexts(to);
  if (!states) {
    const allowed = resource.fields.find((field) => field.name.text === machine.field.text)?.allowed?.value;
    const values = allowed?.kind === 'one of' ? allowed.values.map((value) => value.text) : [];
    c.findings.push(d.report.moveTo(token, { field: `${name}.${machine.field.text}`, states: values.join(', ') }));
    return null;
  }
  const by = states.flatMap((state) => {
    const leading = leadingTo(machine, state);
    made(c, name, leading);
    checkLeading(c, token, state, leading);
    return leading.map((transition) => transition.name.text);
  });
  return { to, by };
}

function checkLeading(c: Checking, to: Token, state: string, leading: readonly Transition[]): void {
  const refusals = new Set(leading.map((one) => (one.otherwise?.value === 'none' ? '' : one.otherwise?.value.text)));
  const from = leading.flatMap((one) => one.from.map((each) => each.text));
  const twice = from.find((each, i) => from.indexOf(each) < i);
  if (leading.length === 0) c.findings.push(d.report.moveNowhere(to, { state }));
  else if (twice !== undefined) c.findings.push(d.report.moveTwice(to, { from: twice, state }));
  else if (refusals.size > 1) c.findings.push(d.report.moveRefusals(to, { state, codes: [...refusals].join(', ') }));
}
