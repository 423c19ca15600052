import { type Condition, type Fault, faultTexts, HTTP_STATUS, type Outcome } from '../../plan/conditions.ts';
import { problemType } from '../../plan/problem-type.ts';
import type { ErrorMemberPlan, ErrorsPlan, WirePlan } from '../../plan/step.ts';
import { ownMember } from '../../text/own-members.ts';
import { Refusal } from '../context/refusal.ts';
import type { FaultAt } from '../context/request-context.ts';
import type { Answer } from '../http/message.ts';
import { type PayloadWriter, payloadWriter } from './payload.ts';

/** The most faults in an answer: a body of unknown names alone would make an answer ten times its size. */
const MOST_FAULTS = 100;

/** Makes refusals and turns them into answers. */
export class Errors {
  private readonly plan: ErrorsPlan;
  /** Texts of outcomes without faults: the payload, or the beginning of the problem details. */
  private readonly cachedTexts = new Map<Outcome, string>();
  private readonly writers = new Map<Outcome, PayloadWriter>();
  private readonly missing: 'left out' | 'null';
  private readonly plain = new Map<string, Refusal>();
  private readonly faultTexts: Readonly<Record<Fault, string>>;
  /** The messages of faults by their codes, as JSON. */
  private readonly details: ReadonlyMap<string, string>;

  constructor(plan: ErrorsPlan, wire: Pick<WirePlan, 'missing' | 'timestamps'>) {
    this.plan = plan;
    this.missing = wire.missing ?? 'left out';
    this.faultTexts = faultTexts(wire);
    this.details = new Map(Object.entries(this.faultTexts).map(([code, text]) => [code, JSON.stringify(text)]));
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

  /** Returns the refusal of a rule: by its code, or, where it states none, with words for the operator. */
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
      const status = (refusal.condition && HTTP_STATUS[refusal.condition]) ?? 500;
      return { status, headers: [...refusal.headers], body: null };
    }
    const { payload } = this.plan;
    const { status, code } = outcome;
    if (payload.kind === 'none') return { status, headers: [...refusal.headers], body: null, code };
    if (payload.kind === 'table') {
      const headers = ['Content-Type', payload.mediaType, ...refusal.headers];
      return { status, headers, body: this.told(outcome, refusal.faults, payload.members), code };
    }
    return this.problem(outcome, refusal);
  }

  /** Returns the payload in the document's own members; without faults it is constant. */
  private told(outcome: Outcome, faults: readonly FaultAt[], members: readonly ErrorMemberPlan[]): string {
    const cached = faults.length ? undefined : this.cachedTexts.get(outcome);
    if (cached !== undefined) return cached;
    const write =
      this.writers.get(outcome) ??
      payloadWriter(members, outcome, ownMember(this.plan.columns, outcome.code) ?? {}, this.missing, this.faultTexts);
    this.writers.set(outcome, write);
    const body = write(faults);
    if (faults.length === 0) this.cachedTexts.set(outcome, body);
    return body;
  }

  /** Problem details (RFC 9457). Without a type, it is about:blank. */
  private problem(outcome: Outcome, refusal: Refusal): Answer {
    const headers = ['Content-Type', 'application/problem+json', ...refusal.headers];
    const body = this.head(outcome);
    const { status, code } = outcome;
    if (refusal.faults.length === 0) return { status, headers, body: `${body}}`, code };
    const errors = refusal.faults.map(
      ({ place, name, code }) =>
        `{"${place}":${JSON.stringify(name)},"code":"${code}","detail":${this.details.get(code)}}`,
    );
    return { status, headers, body: `${body},"errors":[${errors.join(',')}]}`, code };
  }

  private head(outcome: Outcome): string {
    const known = this.cachedTexts.get(outcome);
    if (known) return known;
    const { title, status, code } = outcome;
    const { payload, columns } = this.plan;
    const type = payload.kind === 'RFC 9457' &&
      payload.type && { type: problemType(payload.type, code, ownMember(columns, code)) };
    const text = JSON.stringify({ ...type, title, status, code }).slice(0, -1);
    this.cachedTexts.set(outcome, text);
    return text;
  }
}
