import type { Setup } from '../setup/setup.ts';
import type { SetupMember } from '../statements/statement.ts';

const MEMBERS: readonly SetupMember[] = ['row', 'caller', 'receiver', 'list', 'clock', 'reset'];

/**
 * The members that a setup does not have. A setup with receivers that are registered already needs no `receiver`
 * member.
 */
export function lackingIn(setup: Setup): ReadonlySet<SetupMember> {
  return new Set(
    MEMBERS.filter((member) => setup[member] === undefined && !(member === 'receiver' && setup.receivers?.length)),
  );
}
