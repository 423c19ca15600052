import { isScalar, type SampleSource, sampleOf, TEXT } from '../contract/kinds.ts';
import { sampleFile } from '../contract/samples/bytes.ts';
import { sampleDuration, sampleText } from '../contract/samples/texts.ts';
import type { ContractType, MemberContract, ObjectContract, TextType } from '../contract/types.ts';
import { typeOfRule } from '../contract/values.ts';
import type { Json } from '../export/json.ts';
import type { ValueRule, WirePlan } from '../plan/step.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the identity of a row for a field with a reference: null if there is no row, undefined if the field has no
 * reference.
 */
type Referred = (member: MemberContract, attempt: number) => Json | undefined;

/** Generates distinct values that a type allows. `attempt` varies values that a rule may accept or refuse. */
export class Values {
  private made = 0;
  private readonly today: number;
  private readonly referred: Referred;
  /** The number of instants in the current request: later members get later instants. */
  private instants = 0;

  /** `now` is in milliseconds since the epoch. */
  constructor(now: number, referred: Referred) {
    this.today = Math.floor(now / DAY_MS) * DAY_MS;
    this.referred = referred;
  }

  /** Begins a new request. */
  begin(): void {
    this.instants = 0;
  }

  /**
   * Generates a body. The first attempt omits members with a default, the second all optional members, the third none,
   * and further attempts alternate.
   */
  body(type: ObjectContract, patch: boolean, attempt: number): Record<string, Json> {
    this.begin();
    return this.object(type, attempt, patch);
  }

  private object({ members }: ObjectContract, attempt: number, patch = false): Record<string, Json> {
    const out: Array<[string, Json]> = [];
    for (const [index, member] of members.entries()) {
      const needed = member.presence === 'always' || (patch && out.length === 0);
      if (!needed && (attempt % 2 === 1 || (attempt === 0 && member.otherwise !== null))) continue;
      const named = this.referred(member, attempt);
      if (named === null && !needed) continue;
      out.push([member.name, named ?? this.of(member.type, member.name, attempt, index)]);
    }
    return Object.fromEntries(out);
  }

  /** A value of a field that the operator sets. Booleans alternate between rows. */
  ofRule(rule: ValueRule, wire: WirePlan, password: boolean, name: string, nth: number): Json {
    if (rule.kind === 'boolean') return nth % 2 === 0;
    return this.of(typeOfRule(rule, wire, password), name, nth);
  }

  of(type: ContractType, name: string, attempt: number, index = 0): Json {
    if (isScalar(type)) return sampleOf(type, this.source(attempt, index), name);
    switch (type.kind) {
      case 'list':
      case 'set':
        return Array.from({ length: Math.min(type.max ?? 1, Math.max(type.min ?? 0, 1)) }, () =>
          this.of(type.of, name, attempt),
        );
      case 'map': {
        const length = Math.min(type.max ?? 1, Math.max(type.min ?? 0, 1));
        const key = type.keys ?? TEXT;
        const entry = (): [string, Json] => [String(this.of(key, 'key', attempt)), this.of(type.of, name, attempt)];
        return Object.fromEntries(Array.from({ length }, entry));
      }
      case 'bytes':
        return { ...sampleFile(type, attempt) };
      case 'object':
        return this.object(type, attempt);
      default:
        return null;
    }
  }

  /** Numbers differ with each attempt; instants are some days ahead, in the daytime. */
  private source(attempt: number, index: number): SampleSource<Json> {
    const bound = (text: string | null): number | null => (text === null ? null : Number(text));
    return {
      text: (type, name) => this.text(type, name, attempt),
      integer: ({ min, max }) => number(min, max, attempt, index),
      decimal: ({ min, max, as, digits }) => {
        const value = number(bound(min), bound(max), attempt, index);
        return as === 'strings' ? value.toFixed(digits) : value;
      },
      boolean: () => attempt % 4 >= 2,
      duration: sampleDuration,
      instant: () => this.today + (3 + attempt) * DAY_MS + (10 + this.instants++) * HOUR_MS,
      day: () => this.today - (attempt % 4) * DAY_MS + (attempt >= 4 ? 7 * DAY_MS : 0),
    };
  }

  private text(type: TextType, name: string, attempt: number): string {
    return sampleText(type, name, ++this.made, attempt);
  }
}

/** A small number, which differs with each attempt. */
function number(min: number | null, max: number | null, attempt: number, index: number): number {
  const least = min ?? Math.min(1, max ?? 1);
  const more = attempt === 0 ? 10 : attempt - 1;
  return Math.min(max ?? Number.MAX_SAFE_INTEGER, least + 2 * index + more);
}
