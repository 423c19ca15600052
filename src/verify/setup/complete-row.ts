import type { Plan } from '../../plan/step.ts';

/**
 * A field that every row of a resource has and that a row of the setup lacks; null where it lacks none. The test would
 * take the row for one without the value, and blame the service for showing it. A password is never told again.
 */
export function missingField(plan: Plan, resource: string, fields: Readonly<Record<string, unknown>>): string | null {
  const known = plan.resources.find((one) => one.name === resource);
  const missing = known?.columns.find(
    ({ name, nullable, password }) => !nullable && !password && (fields[name] === undefined || fields[name] === null),
  );
  return missing?.name ?? null;
}
