import type { Session } from '../session/session.ts';
import type { Statement } from '../statements/statement.ts';

/** Reasons for statements about resources that were not tried, by their keys: no row could be added. */
export function* withoutRows(
  statements: readonly Statement[],
  { refusals }: Session,
): Generator<readonly [key: string, why: string]> {
  for (const { key } of statements) {
    const [, named = ''] = /^\S+ ([^.:]+)/.exec(key) ?? [];
    const why = refusals.get(named);
    if (why !== undefined) yield [key, `No row of ${named} could be added: ${why}`];
  }
}
