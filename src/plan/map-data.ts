/** An object of a plan, without its type. */
type PlanObject = Readonly<Record<string, unknown>> & {
  readonly of?: {
    readonly op?: unknown;
    readonly name?: unknown;
    readonly type?: { readonly kind?: unknown; readonly resource?: unknown };
  };
};

/**
 * Copies a plan, or a part of one. For each object, innermost first, `change` receives the original and the copy, and
 * may set members of the copy. Their values must have the types of the original ones, so that the result has the type
 * of the input.
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
