import type { Type } from '../../expression/types.ts';
import type { Resolved } from '../../model/resolve.ts';
import { Checking } from '../endpoints/check/checking.ts';
import { checkEach } from '../endpoints/check/steps.ts';
import type { Effective } from '../endpoints/effective.ts';
import { everyStep, NO_SETTINGS, type Step } from '../endpoints/model.ts';
import { writesOf } from '../endpoints/written.ts';
import { statesDiagnostics as d } from './diagnostics.ts';
import { leadingTo, type Machine, type Reaction } from './model.ts';

/** What a request brings, and what it is answered with: nobody asks for what follows a transition. */
const OF_REQUESTS: ReadonlyArray<Step['verb']> = ['List', 'Match', 'Authenticate', 'Issue', 'Answer'];

/** What follows a transition, as steps are checked and planned: like an endpoint without a request. */
export function reactionOf(machine: Machine, reaction: Reaction): Effective {
  const name = `After ${machine.resource.text} ${reaction.transition.text}`;
  const { steps, span } = reaction;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

/** Every reaction of a document, beside its endpoints: what changes rows is in either. */
export function everyReaction(r: Resolved): readonly Effective[] {
  return r.model.states.machines.flatMap((machine) =>
    machine.reactions.map((reaction) => reactionOf(machine, reaction)),
  );
}

/** Checks what follows transitions: steps that need no request, and that come to an end. */
export function checkReactions(r: Resolved, machine: Machine): void {
  const names = machine.transitions.map((transition) => transition.name.text);
  for (const reaction of machine.reactions) {
    if (!names.includes(reaction.transition.text))
      r.unknown(reaction.transition, `transition of ${machine.resource.text}`, names);
    const one = reactionOf(machine, reaction);
    for (const step of one.every)
      if (OF_REQUESTS.includes(step.verb)) r.notes.findings.push(d.report.reactionVerb(step.span, { verb: step.verb }));
    const moved: Type = { kind: 'row', resource: machine.resource.text, nullable: false };
    const before = r.notes.findings.length;
    r.within(one.endpoint.name, () =>
      checkEach(new Checking(r, one, new Map([['moved', moved]]), false), reaction.steps),
    );
    // A transition may be made at any endpoint: what is unsaid of it stands in the way of each.
    const found = r.notes.findings.splice(before);
    r.notes.findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
    if (follows(r, machine.resource.text, reaction.transition.text))
      r.notes.findings.push(d.report.reactionCycle(reaction.span, { transition: reaction.transition.text }));
  }
}

/** True if a transition follows from itself, whatever stands between: then a row could be moved without end. */
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
