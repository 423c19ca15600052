import type { Plan } from '../../plan/step.ts';

/** The lowest cost that scrypt accepts. */
const LEAST_COST = 2;

/** A plan whose passwords are hashed at the lowest cost, because passwords in tests need no protection. */
export const withFastHashes = <P extends Pick<Plan, 'passwords'>>(plan: P): P => ({
  ...plan,
  passwords: plan.passwords && { ...plan.passwords, cost: LEAST_COST },
});
