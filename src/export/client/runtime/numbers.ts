/**
 * Parses JSON. A number that JavaScript would round is returned as text, with all its digits from
 * `context.source`, which Node 22 and browsers since 2025 support.
 */
export function parse(text: string): unknown {
  return JSON.parse(text, (_name: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (context?.source === undefined) throw new Error('This platform can’t read numbers exactly');
    const digits = context.source.replace(/e.*$/i, '').replace(/^[-0.]+|[.]/g, '');
    return digits.length > 15 ? context.source : value;
  });
}
