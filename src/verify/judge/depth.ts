/** Nothing that a document describes is nested as deeply as this. */
const DEEPEST = 500;

/** Whether a value is nested so deeply that what goes through it step by step would run out of stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
