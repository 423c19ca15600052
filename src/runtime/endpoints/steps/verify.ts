import { call } from '../../../store/store.ts';
import { isHashOf } from '../../resources/passwords.ts';
import type { Of, Step, StepContext } from './context.ts';

/**
 * Authenticate: finds the row whose password matches. Without such a row, another hash is computed, which takes as
 * long: the time of an answer doesn't reveal which accounts exist.
 */
export function compileVerify(step: Of<'verify'>, c: StepContext): Step {
  const { resource } = step;
  const where = c.expressions.where(resource, step.where);
  const statement = c.store.prepare({ kind: 'select', resource, where, order: null, after: false, limit: false });
  const args = c.expressions.parameters(statement, c.names);
  const password = c.expressions.plain(step.password, c.names);
  const column = c.expressions.column(resource, step.field);
  const slot = c.names.vars.indexOf(step.as);
  const refusal = c.errors.code(step.code);
  const known = c.resource(resource);
  const { nobody } = c.passwords!;
  return function* verify({ work }) {
    const [row] = yield* call(statement, args(work.frame));
    const sent = password(work.frame) as string | null;
    const kept = (row?.[column] ?? null) as string | null;
    const matches = isHashOf(sent ?? '', kept ?? nobody, work.aside);
    if (!row || sent === null || kept === null || !matches) throw refusal;
    work.frame.vars[slot] = known.known(work, row);
  };
}
