import type { Plan } from '../../plan/step.ts';

/**
 * A field that every row of a resource has and that a row of the setup lacks; null where the row is complete. The test
 * would read the row as one without the value, and blame the service for showing it. Passwords are not checked, since a
 * service never returns them.
 */
export function missingField(plan: Plan, resource: string, fields: Readonly<Record<string, unknown>>): string | null {
  const known = plan.resources.find((one) => one.name === resource);
  const missing = known?.columns.find(
    ({ name, nullable, password }) => !nullable && !password && (fields[name] === undefined || fields[name] === null),
  );
  return missing?.name ?? null;
}
