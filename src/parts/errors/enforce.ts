import type { ErrorMemberPlan, ErrorsPlan } from '../../plan/step.ts';
import type { Answer, FaultAt } from '../../serve/exchange.ts';
import { ownMember } from '../../source/own.ts';
import { type Condition, FAULTS, type Outcome, STAGES } from './conditions.ts';
import { type PayloadWriter, payloadWriter } from './payload.enforce.ts';

/** The conditions that steps raise by themselves. */
const OF_STEPS: ReadonlySet<Condition> = new Set(STAGES.Steps);

/** What stops a request: a condition, or a code that a step or rule raises. Thrown, but not an Error: nothing went wrong. */
export class Refusal {
  readonly outcome: Outcome | null;
  readonly condition: Condition | null;
  readonly faults: readonly FaultAt[];
  readonly headers: readonly string[];
  /** A rule that states no code, in words: only the operator can break one. */
  readonly rule: string | null;

  constructor(
    outcome: Outcome | null,
    condition: Condition | null,
    faults: readonly FaultAt[] = [],
    headers: readonly string[] = [],
    rule: string | null = null,
  ) {
    this.rule = rule;
    this.outcome = outcome;
    this.condition = condition;
    this.faults = faults;
    this.headers = headers;
  }

  /** True for refusals that steps and rules raise, which an idempotency key keeps like answers. */
  get stated(): boolean {
    return this.condition === null || OF_STEPS.has(this.condition);
  }
}

/** The bare statuses of conditions that the document gives no outcome, as HTTP has them (RFC 9110). */
const BARE: Partial<Record<Condition, number>> = {
  'no such endpoint': 404,
  'method not allowed': 405,
  unavailable: 503,
};

/** How many faults an answer tells: a body of unknown names alone would make one ten times its size. */
const MOST_FAULTS = 100;

/** Makes refusals and turns them into answers. */
export class Errors {
  private readonly plan: ErrorsPlan;
  private readonly ready = new Map<Outcome, string>();
  private readonly writers = new Map<Outcome, PayloadWriter>();
  private readonly missing: 'left out' | 'null';
  private readonly plain = new Map<string, Refusal>();

  constructor(plan: ErrorsPlan, missing: 'left out' | 'null' | null) {
    this.plan = plan;
    this.missing = missing ?? 'left out';
  }

  /** The refusal of a general condition. */
  condition(condition: Condition, faults: readonly FaultAt[] = [], headers: readonly string[] = []): Refusal {
    const known = faults.length || headers.length ? undefined : this.plain.get(condition);
    if (known) return known;
    const told = faults.length > MOST_FAULTS ? faults.slice(0, MOST_FAULTS) : faults;
    const refusal = new Refusal(this.plan.conditions[condition] ?? null, condition, told, headers);
    if (!faults.length && !headers.length) this.plain.set(condition, refusal);
    return refusal;
  }

  /** Whether the document says what a condition is answered with. */
  states(condition: Condition): boolean {
    return this.plan.conditions[condition] !== undefined;
  }

  /** The refusal of a rule: by its code, or where it states none, in words for the operator. */
  rule(code: string | null, words: string): Refusal {
    return code ? this.code(code) : new Refusal(null, null, [], [], words);
  }

  /** The refusal of a code that a step or a rule names. */
  code(code: string): Refusal {
    const known = this.plain.get(`code ${code}`);
    if (known) return known;
    const refusal = new Refusal(ownMember(this.plan.codes, code)!, null);
    this.plain.set(`code ${code}`, refusal);
    return refusal;
  }

  /** The answer to a refusal, in the form that the document states. */
  answer(refusal: Refusal): Answer {
    const { outcome } = refusal;
    if (!outcome) {
      const status = (refusal.condition && BARE[refusal.condition]) ?? 500;
      return { status, headers: [...refusal.headers], body: null };
    }
    const { payload } = this.plan;
    if (payload.kind === 'none') return { status: outcome.status, headers: [...refusal.headers], body: null };
    if (payload.kind === 'table') {
      const headers = ['Content-Type', payload.mediaType, ...refusal.headers];
      return { status: outcome.status, headers, body: this.told(outcome, refusal.faults, payload.members) };
    }
    return this.problem(outcome, refusal);
  }

  /** By the document’s own members; without faults, the same bytes each time. */
  private told(outcome: Outcome, faults: readonly FaultAt[], members: readonly ErrorMemberPlan[]): string {
    const ready = faults.length ? undefined : this.ready.get(outcome);
    if (ready !== undefined) return ready;
    const write =
      this.writers.get(outcome) ??
      payloadWriter(members, outcome, ownMember(this.plan.columns, outcome.code) ?? {}, this.missing);
    this.writers.set(outcome, write);
    const body = write(faults);
    if (faults.length === 0) this.ready.set(outcome, body);
    return body;
  }

  /** Problem details (RFC 9457) without a type, which then is about:blank. */
  private problem(outcome: Outcome, refusal: Refusal): Answer {
    const headers = ['Content-Type', 'application/problem+json', ...refusal.headers];
    const body = this.head(outcome);
    if (refusal.faults.length === 0) return { status: outcome.status, headers, body: `${body}}` };
    const errors = refusal.faults.map(({ place, name, code }) => ({ [place]: name, code, detail: FAULTS[code] }));
    return { status: outcome.status, headers, body: `${body},"errors":${JSON.stringify(errors)}}` };
  }

  private head(outcome: Outcome): string {
    const known = this.ready.get(outcome);
    if (known) return known;
    const { title, status, code } = outcome;
    const text = JSON.stringify({ title, status, code }).slice(0, -1);
    this.ready.set(outcome, text);
    return text;
  }
}
