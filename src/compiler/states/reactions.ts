import { rowOf } from '../../expression/tree/types.ts';
import type { InsideStep } from '../../plan/step.ts';
import { reactionOf } from '../document/all-steps.ts';
import type { Resolved } from '../document/resolve.ts';
import { writesOf } from '../document/writes.ts';
import { Checking } from '../endpoints/check/checking.ts';
import { checkEach } from '../endpoints/verbs/check-steps.ts';
import { leadingTo, type Machine } from '../statements/states.ts';
import { statesDiagnostics as d } from './messages.ts';

/**
 * Checks the steps that follow transitions: they use no request, since no caller requests them, and they come to an
 * end. Returns the steps by the name of their transition; null where unsettled.
 */
export function checkReactions(r: Resolved, machine: Machine): Map<string, readonly InsideStep[] | null> {
  const out = new Map<string, readonly InsideStep[] | null>();
  const names = machine.transitions.map((transition) => transition.name.text);
  for (const reaction of machine.reactions) {
    if (!names.includes(reaction.transition.text))
      r.unknown(reaction.transition, `transition of ${machine.resource.text}`, names);
    const one = reactionOf(machine, reaction);
    for (const step of one.every)
      if (step.does.byRequest) r.notes.findings.push(d.report.reactionVerb(step.span, { verb: step.verb }));
    const moved = rowOf(machine.resource.text);
    const before = r.notes.findings.length;
    const steps = r.within(one.endpoint.name, () =>
      checkEach(new Checking(r, one, new Map([['moved', moved]]), false), reaction.steps),
    );
    if (!out.has(reaction.transition.text)) out.set(reaction.transition.text, steps);
    // Any endpoint may make the transition: a question about its steps concerns each of them.
    const found = r.notes.findings.splice(before);
    r.notes.findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
    if (follows(r, machine.resource.text, reaction.transition.text))
      r.notes.findings.push(d.report.reactionCycle(reaction.span, { transition: reaction.transition.text }));
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
      if (!seen.has(next) && visit(next)) return true;
      seen.add(next);
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
        const to = r.machine(resource);
        return to
          ? to.transitions
              .filter((one) => leadingTo(to, one.to?.text ?? '').includes(one))
              .map((one) => `${resource} ${one.name.text}`)
          : [];
      });
      out.set(`${machine.resource.text} ${reaction.transition.text}`, moves);
    }
  return out;
}
