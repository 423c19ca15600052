import type { Session } from '../session/session.ts';
import type { Statement } from '../statements/statement.ts';

/** Why what the document says of resources was not tried, by the keys of its statements: no row of them could be added. */
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
