/** An object of a plan, as whoever goes through a plan without its types sees it. */
type PlanObject = Readonly<Record<string, unknown>> & {
  readonly of?: {
    readonly op?: unknown;
    readonly name?: unknown;
    readonly type?: { readonly kind?: unknown; readonly resource?: unknown };
  };
};

/**
 * A copy of a plan, or of a part of one, in which `change` may set members of each object, the innermost first. It is
 * given the object as it was, and its copy. What it sets has the type of what was there, so that the whole has too.
 */
export function mapData<T>(data: T, change: (was: PlanObject, copy: Record<string, unknown>) => void): T {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, walk(value)]));
    change(part as PlanObject, copy);
    return copy;
  };
  return walk(data) as T;
}
