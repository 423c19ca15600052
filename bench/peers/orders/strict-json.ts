/**
 * Throws where JSON has a byte order mark, or a member that is named twice: `JSON.parse` takes both. The services that
 * are measured leave it to their framework; those that are tested look for it.
 */
export function checkJson(text: string): void {
  if (text.startsWith('\uFEFF')) throw new SyntaxError('The body begins with a byte order mark');
  const open: Array<Set<string> | null> = [];
  for (const { 0: found, 1: name, 2: colon } of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs)) {
    if (found === '{') open.push(new Set());
    else if (found === '[') open.push(null);
    else if (found === '}' || found === ']') open.pop();
    else if (colon !== undefined) mustBeNew(open.at(-1), JSON.parse(name ?? '""') as string);
  }
}

function mustBeNew(names: Set<string> | null | undefined, name: string): void {
  if (names?.has(name)) throw new SyntaxError(`The body has two members “${name}”`);
  names?.add(name);
}
