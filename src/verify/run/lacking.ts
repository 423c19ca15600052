import type { Setup } from '../setup/setup.ts';
import type { SetupMember } from '../statements/statement.ts';

const MEMBERS: readonly SetupMember[] = ['row', 'caller', 'receiver', 'list', 'clock', 'reset'];

/** The members that a setup does not have. Receivers that are registered already stand for a way to register some. */
export function lackingIn(setup: Setup): ReadonlySet<SetupMember> {
  return new Set(
    MEMBERS.filter((member) => setup[member] === undefined && !(member === 'receiver' && setup.receivers?.length)),
  );
}
