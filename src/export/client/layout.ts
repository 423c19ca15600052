import { WIDTH } from './words.ts';

/** Lines with more space before them; lines of none stay so. */
export const indented = (lines: readonly string[], by = '  '): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => (line === '' ? '' : by + line));

/** A call, on one line if it fits behind `before` at this depth, or with each argument on its own. */
export function call(before: string, args: readonly string[], after: string, depth: number): string[] {
  const line = `${before}(${args.join(', ')})${after}`;
  if (!line.includes('\n') && depth + line.length <= WIDTH) return [line];
  return [`${before}(`, ...indented(args.map((one) => `${one},`)), `)${after}`];
}

/**
 * An object literal. It is on one line if it fits together with the text around it; otherwise each member has its own
 * line.
 */
export function literal(members: readonly string[], room: number): string {
  const line = members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  if (!line.includes('\n') && line.length <= room) return line;
  return ['{', ...indented(members.map((one) => `${one},`)), '}'].join('\n');
}
