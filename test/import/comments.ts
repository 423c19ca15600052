/** The comments of a document, and the lines between them. */
const partsOf = (text: string): string[] => text.split(/(<!--[\s\S]*?-->)/);

/** Every JSON Pointer in the comments of a document. */
export const pointersOf = (text: string): string[] =>
  partsOf(text)
    .filter((part) => part.startsWith('<!--'))
    .flatMap((comment) => [...comment.matchAll(/(?:^|[\s])(#\/\S*)/g)].map(([, pointer = '']) => pointer));

/** The headings, bullets and rows of a document with no comment that names a place for them. */
export function statementsWithoutPlace(text: string): string[] {
  const out: string[] = [];
  let named: readonly string[] = [];
  let isHead = true;
  let heading = '';
  for (const part of partsOf(text)) {
    if (part.startsWith('<!--')) {
      const lines = part.slice(4, -3).trim().split('\n');
      named = lines.map((line) => line.slice(0, line.lastIndexOf(': #')));
      if (heading !== '' && !lines[0]?.startsWith('#')) out.push(heading);
      heading = '';
      continue;
    }
    for (const line of part.split('\n')) {
      const [first = '', second = ''] = line.slice(2).split(' | ');
      if (/^(?:### |# )/.test(line)) heading = line;
      if (line.startsWith('- ') && !named.includes(line.slice(2, line.indexOf(':')))) out.push(line);
      const isRow = line.startsWith('| ');
      if (
        isRow &&
        !isHead &&
        !line.startsWith('| ---') &&
        !named.includes(first) &&
        !named.includes(`${first} in ${second}`)
      )
        out.push(line);
      isHead = !isRow;
    }
  }
  return heading === '' ? out : [...out, heading];
}
