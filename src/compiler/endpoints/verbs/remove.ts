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
