import type { Value } from '../../expression/values/value.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { statementId } from '../../plan/lines.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Claims } from '../setup/setup.ts';
import { noteBeyond, noteBounds } from './bounds.ts';
import type { Checks } from './checks.ts';
import { note, type Transaction } from './scope.ts';

/**
 * The claims of a token as typed values, null for one that the token leaves out. Null instead of all: a claim has a
 * value that is not allowed, or is missing. Notes in `work` what the token tells of each statement.
 */
export function typedClaims(
  checks: Checks,
  scheme: SchemePlan,
  told: Claims,
  work: Transaction | null,
): ReadonlyMap<string, Value> | null {
  const values = new Map<string, Value>();
  let isAllowed = true;
  for (const { name, rule, nullable } of scheme.tokens?.claims ?? []) {
    const key = statementId.scheme(scheme.name, `claim ${name}`);
    const raw = ownMember(told, name) ?? null;
    if (raw === null) {
      if (work) note(work, key, nullable ? 'left out' : 'refused missing');
      values.set(name, null);
      isAllowed &&= nullable;
      continue;
    }
    const checked = checks.claim(rule)(raw);
    if ('value' in checked) {
      if (work) note(work, key, 'accepted');
      if (work) noteBounds(work, key, rule, checked.value);
      values.set(name, checked.value);
    } else {
      isAllowed = false;
      if (!work) continue;
      note(work, key, `refused ${checked.fault}`);
      const loose = checks.claim(checks.unbounded(rule))(raw);
      if ('value' in loose) noteBeyond(work, key, rule, checked.fault, loose.value);
    }
  }
  return isAllowed ? values : null;
}
