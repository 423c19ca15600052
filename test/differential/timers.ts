import { Refusal } from './refusal.ts';
import { Failure, type Ref } from './value.ts';
import { type Doing, moveOf, movesOf, mustHold, put } from './writes.ts';

interface Due {
  readonly ref: Ref;
  readonly transition: string;
  readonly at: number;
}

/**
 * Makes every move that has fallen due, in the order of the instants, each in a transaction of its own in which `now()`
 * is its instant. One that a rule refuses, or that fails, is given up: the row stays as it is.
 */
export function makeDue(doing: Doing): Doing {
  let current = doing;
  for (let due = firstDue(current); due; due = firstDue(current)) {
    const { ref, transition: name, at } = due;
    const attempt: Doing = {
      ...current,
      rows: current.rows.copy(),
      now: at,
      names: new Map(),
      cause: 'timer',
      caller: null,
    };
    try {
      attempt.rows.get(ref).due.set(name, -at);
      put(attempt, ref, moveOf(doing.model, ref.resource, name));
      mustHold(attempt);
      current = { ...current, rows: attempt.rows };
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof Failure)) throw error;
      current.rows.get(ref).due.set(name, -at);
    }
  }
  return current;
}

/** The move that fell due first; of several at one instant, the one that the document names first. */
function firstDue({ model, rows, now }: Doing): Due | null {
  let first: Due | null = null;
  for (const resource of model.resources.list) {
    const { text: name } = resource.name;
    for (const { transition } of movesOf(model, name))
      for (const ref of rows.all(name)) {
        const at = rows.get(ref).due.get(transition.name.text);
        if (at !== undefined && at > 0 && at <= now && at < (first?.at ?? Number.POSITIVE_INFINITY))
          first = { ref, transition: transition.name.text, at };
      }
  }
  return first;
}
