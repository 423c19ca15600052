import type { Claims, Value } from '../expression/values/value.ts';
import type { ClaimPlan } from '../plan/callers.ts';
import type { WirePlan } from '../plan/step.ts';
import { ownMember } from '../text/own-members.ts';
import { type Validator, validator } from './validate.ts';

/** Reads the claims of tokens that the document declares, as typed values. */
export class ClaimReader {
  private readonly claims: ReadonlyArray<ClaimPlan & { readonly check: Validator }>;

  /** Texts are taken as the issuer has written them. */
  constructor(claims: readonly ClaimPlan[], wire: WirePlan) {
    this.claims = claims.map((claim) => ({
      ...claim,
      check: validator(claim.rule, { ...wire, text: 'as sent', emptyText: 'kept' }),
    }));
  }

  /**
   * Returns the values by the names of the claims, null for one that the token leaves out. Null instead of all values:
   * the token has a claim with a value that is not allowed, or lacks one.
   */
  of(told: Readonly<Record<string, unknown>>): Claims | null {
    const values = new Map<string, Value>();
    for (const { name, nullable, check } of this.claims) {
      const given = ownMember(told, name) ?? null;
      if (given === null && !nullable) return null;
      const checked = given === null ? { value: null } : check(given);
      if ('fault' in checked) return null;
      values.set(name, checked.value);
    }
    return values;
  }
}
