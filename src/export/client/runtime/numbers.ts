/**
 * JSON, with the digits themselves in the place of a number of which JavaScript would lose some. `context.source` is what
 * stands in the text: Node 22, and browsers since 2025, tell it.
 */
export function parse(text: string): unknown {
  return JSON.parse(text, (_name: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (context?.source === undefined) throw new Error('This platform can’t read numbers exactly');
    const digits = context.source.replace(/e.*$/i, '').replace(/^[-0.]+|[.]/g, '');
    return digits.length > 15 ? context.source : value;
  });
}
