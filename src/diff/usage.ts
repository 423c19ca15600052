import type { ColumnPlan, Plan } from '../plan/step.ts';

/** Which fields callers meet, each as `Resource.field`: in either document, since what they met or meet is what matters. */
export interface Usage {
  /** Those that requests hold. */
  readonly sent: ReadonlySet<string>;
  /** Those that answers and events hold. */
  readonly answered: ReadonlySet<string>;
  /** Whether a request that leaves a new field out would be refused: the endpoint says which it requests. */
  owed(column: ColumnPlan): boolean;
}

/** What callers meet of two documents. */
export function usageOf(old: Plan, next: Plan): Usage {
  const sent = new Set<string>();
  const answered = new Set<string>();
  for (const plan of [old, next]) {
    for (const { before } of plan.endpoints)
      for (const step of before)
        if (step.do === 'validate body' && step.payload)
          for (const field of step.payload.fields) sent.add(`${step.payload.resource}.${field}`);
    for (const { name, views } of plan.resources)
      for (const { members } of views) for (const { field } of members) answered.add(`${name}.${field}`);
  }
  return { sent, answered, owed: () => false };
}
