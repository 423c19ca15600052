import { checkAbsent } from '../check/absent-parameters.ts';
import { checkSeen } from '../check/hidden-rows.ts';
import { NOTHING, type VerbModule } from './verb.ts';

/** Remove `x` */
export const REMOVE: VerbModule<'Remove'> = {
  does: ({ row }) => ({ ...NOTHING, writes: { does: 'Remove', row: row.text } }),
  check(c, step) {
    const resource = c.row(step.row);
    if (!resource) return null;
    c.removed = new Set([...c.removed, step.row.text]);
    return { do: 'remove', row: step.row.text, resource: resource.name.text, line: c.line(step) };
  },
};

/** Remove every R where p */
export const REMOVE_EVERY: VerbModule<'Remove every'> = {
  does: ({ resource }) => ({ ...NOTHING, writes: { does: 'Remove', resource: resource.text } }),
  check(c, step) {
    const resource = c.r.resource(step.resource);
    if (!resource) {
      c.broken = true;
      return null;
    }
    const name = resource.name.text;
    const where = step.where && c.condition(step.where, '“where”', name);
    if (step.where && where) checkAbsent(c, 'Remove every', where, step.where);
    if (where || !step.where) checkSeen(c, 'Remove every', resource, where, step.span);
    c.removeEvery(name);
    return step.where && !where ? null : { do: 'remove every', resource: name, where, line: c.line(step) };
  },
};
