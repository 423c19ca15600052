import { explainInside } from '../explain/steps.ts';
import type { Expr } from '../expression/tree/expression.ts';
import type { Condition } from '../plan/conditions.ts';
import { statementId } from '../plan/lines.ts';
import { transitionIn, transitionsIn } from '../plan/machines.ts';
import { isWriting, nestedLists } from '../plan/nested-steps.ts';
import { assignedBy, conditionsRaised, effectOf, resourceOf, slotsOf, transitionsOf } from '../plan/slots.ts';
import type { InsideStep, ResourcePlan, TransitionPlan, VersionPlan } from '../plan/step.ts';
import { wordFor, wordsIn } from '../plan/words.ts';
import type { RuleContract } from './contract.ts';
import type { BecauseContract } from './endpoint.ts';
import type { PlanReader } from './plan-reader.ts';
import { rulesOf } from './rules.ts';
import type { Lines } from './types.ts';
import { changedRow, createdRow, mayBreak, movedRow, removedRow, type Write } from './writes.ts';

/** A refusal that steps may cause: a code that the document states, or a general condition. */
interface RefusalCause {
  readonly code: string | null;
  readonly condition: Condition | null;
  readonly because: BecauseContract;
  readonly lines: Lines;
}

/** Finds the refusals that steps may cause, in the order of execution. */
export class Refusals {
  private readonly r: PlanReader;
  /** The version of the answers; null for the current one. */
  private readonly version: VersionPlan | null;
  private readonly found: RefusalCause[] = [];
  private readonly seen = new Set<string>();
  /** All writes of the steps. Invariants are checked after the last step. */
  private readonly writes: Write[] = [];
  private readonly moved = new Set<string>();

  constructor(r: PlanReader, version: VersionPlan | null) {
    this.r = r;
    this.version = version;
  }

  /** All refusals that these steps, and the steps that follow from them, may cause. */
  of(steps: readonly InsideStep[]): readonly RefusalCause[] {
    this.steps(steps);
    for (const resource of this.r.invariants) this.invariants(resource);
    return this.found;
  }

  private steps(steps: readonly InsideStep[]): void {
    for (const step of steps) {
      this.step(step);
      for (const steps of nestedLists(step)) this.steps(steps);
    }
  }

  private step(step: InsideStep): void {
    for (const slot of slotsOf(step)) {
      if (slot.role === 'code' && slot.value !== null)
        this.add(slot.value, { kind: 'step', name: step.do, text: explainInside(step) }, this.r.lines(step.line));
      if (slot.role === 'references')
        for (const one of slot.value) this.parameter(one.parameter.code, one.in, one.parameter.name);
      if (slot.role === 'handler') this.run(slot.value, step);
    }
    for (const condition of conditionsRaised(step)) this.condition(condition, step);
    const resource = resourceOf(step);
    if (resource === null) return;
    const effect = effectOf(step);
    if (effect === 'creates') this.write(createdRow(this.r.resource(resource)), step.line);
    if (effect === 'changes') this.write(changedRow(this.r.resource(resource), assignedBy(step)), step.line);
    if (effect === 'removes') this.remove(resource, step.line);
    for (const by of transitionsOf(step)) this.move(resource, by, step);
  }

  private run(name: string, step: InsideStep): void {
    const handler = this.r.plan.handlers.find((one) => one.name === name);
    // A handler of a step with an effect runs after the answer is sent, so its failure is no answer.
    if (!handler || isWriting(step)) return;
    for (const code of handler.fails)
      this.add(code, { kind: 'handler', name: handler.name, text: `${handler.name} fails` }, this.r.lines(step.line));
  }

  /** Adds the refusals of a single write, which are known at once: violated unique rules. */
  private write(write: Write, line: number | null): void {
    this.writes.push(write);
    const { resource } = write;
    for (const rule of rulesOf(this.r, this.r.resource(resource)))
      if (rule.kind === 'unique' && rule.code !== null && mayBreak(this.r, write, looked(resource, rule)))
        this.add(rule.code, { kind: 'rule', name: resource, text: rule.text }, [...this.r.lines(line), ...rule.lines]);
  }

  /** The states that a transition leaves, in the words of the version. */
  private statesOf(resource: string, { field, from }: TransitionPlan & { readonly field: string }): string[] {
    const words = wordsIn(this.version, `${resource}.${field}`);
    return words ? [...new Set(from.map((state) => wordFor(words, state)))] : [...from];
  }

  private move(resource: string, by: string, step: InsideStep): void {
    const { line } = step;
    const { machines } = this.r.resource(resource);
    if (!transitionsIn(machines).some((one) => one.name === by)) return;
    const transition = transitionIn(machines, by);
    if (transition.code !== null)
      this.add(
        transition.code,
        {
          kind: 'transition',
          name: `${resource}.${by}`,
          text: refusedMove(resource, transition, this.statesOf(resource, transition)),
        },
        [...this.r.lines(line, statementId.transition(resource, by))],
      );
    this.write(movedRow(this.r.resource(resource), by, assignedBy(step)), line);
    const key = `${resource}.${by}`;
    if (this.moved.has(key)) return;
    this.moved.add(key);
    this.steps(transition.then);
  }

  /** Adds the refusals of removing a row: references that prevent it, and effects on rows that reference it. */
  private remove(resource: string, line: number | null, gone = new Set<string>()): void {
    if (gone.has(resource)) return;
    gone.add(resource);
    const plan = this.r.resource(resource);
    this.writes.push(removedRow(plan));
    const { keptBy, takes, clears } = plan;
    for (const one of takes) this.remove(one.resource, line, gone);
    for (const { resource: other, field, code } of keptBy)
      if (code !== null)
        this.add(
          code,
          { kind: 'rule', name: resource, text: `kept by ${other}.${field}` },
          this.r.lines(line, statementId.reference(other, field)),
        );
    for (const one of clears) this.write(changedRow(this.r.resource(one.resource), [one.field]), line);
  }

  /** Adds the refusals by rules that are checked at the end of the transaction, if a write could violate them. */
  private invariants(resource: ResourcePlan): void {
    const { name, overlaps } = resource;
    const rules = rulesOf(this.r, resource);
    const add = (rule: RuleContract, ends: readonly Expr[]): void => {
      if (rule.code !== null && this.writes.some((one) => mayBreak(this.r, one, looked(name, rule, ends))))
        this.add(rule.code, { kind: 'rule', name, text: rule.text }, rule.lines);
    };
    for (const rule of rules) if (rule.kind === 'holds') add(rule, []);
    for (const [i, rule] of rules.filter(({ kind }) => kind === 'no overlap').entries()) {
      const { start, end } = overlaps[i] ?? {};
      add(rule, start && end ? [start, end] : []);
    }
  }

  private parameter(code: string | null, place: string, name: string): void {
    if (code !== null)
      this.add(
        code,
        { kind: 'parameter', name, text: `the ${place} parameter ${name} names no row that the caller can see` },
        [],
      );
  }

  private condition(condition: Condition, step: InsideStep): void {
    const text = explainInside(step);
    this.found.push({
      code: null,
      condition,
      because: { kind: 'condition', name: condition, text },
      lines: this.r.lines(step.line),
    });
  }

  private add(code: string, because: BecauseContract, lines: Lines): void {
    const key = JSON.stringify([code, because, lines]);
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.found.push({ code, condition: null, because, lines });
  }
}

/** The expressions and fields that a rule reads; `ends` are the start and end of a rule against overlaps. */
function looked(resource: string, { kind, fields, condition }: RuleContract, ends: readonly Expr[] = []) {
  const tree = condition?.tree ?? null;
  const always = kind === 'holds';
  return { resource, fields, expressions: always && tree ? [tree] : ends, condition: always ? null : tree };
}

function refusedMove(resource: string, { guard }: TransitionPlan, from: readonly string[]): string {
  return `the ${resource} is not ${from.join(' or ')}${guard ? ', or its guard does not hold' : ''}`;
}
