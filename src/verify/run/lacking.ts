import type { Session } from '../session/session.ts';
import type { Setup } from '../setup/setup.ts';
import type { SetupMember, Statement } from '../statements/statement.ts';

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

/** Reasons for statements about resources that were not tried, by the texts of their ids: no row could be added. */
export function* withoutRows(
  statements: readonly Statement[],
  { refusals }: Session,
): Generator<readonly [key: string, why: string]> {
  for (const { id, key } of statements) {
    const resource = 'resource' in id ? id.resource : null;
    const why = resource === null ? undefined : refusals.get(resource);
    if (why !== undefined) yield [key, `No row of ${resource} could be added: ${why}`];
  }
}
