/** The parameter that says how large a page is, and the size of a page without it. */
export type PageSizeParameter = readonly [name: string, value: string];

/** One link of the header Link (RFC 8288): its target without the query, the query, and its parameters. */
interface LinkValue {
  readonly path: string;
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
  readonly parameters: string;
}

/**
 * Whether two values of the header Link name the same pages, in any order of links and parameters: links may contain a
 * page size that requests need not contain. `isSame` compares texts, which may contain marks.
 */
export function isSameLinks(
  expected: string,
  actual: string,
  size: PageSizeParameter | null,
  isSame: (expected: string, actual: string) => boolean,
): boolean {
  const [ours, theirs] = [linksIn(expected), linksIn(actual)];
  if (!ours || !theirs || ours.length !== theirs.length) return false;
  return ours.every((own) => {
    const other = theirs.find(({ parameters }) => parameters === own.parameters);
    return other !== undefined && isSameLink(own, other, size, isSame);
  });
}

function isSameLink(
  own: LinkValue,
  other: LinkValue,
  size: PageSizeParameter | null,
  isSame: (expected: string, actual: string) => boolean,
): boolean {
  const isNamed = own.query.some(([name]) => name === size?.[0]);
  const query = other.query.filter(([name, value]) => isNamed || name !== size?.[0] || value !== size[1]);
  if (own.path !== other.path || query.length !== own.query.length) return false;
  const names = new Set(own.query.map(([name]) => name));
  return [...names].every((name) => {
    const [ours, theirs] = [own.query, query].map((all) =>
      all.filter(([one]) => one === name).map(([, value]) => value),
    );
    return ours?.length === theirs?.length && (ours ?? []).every((one, i) => isSame(one, theirs?.[i] ?? ''));
  });
}

function linksIn(header: string): LinkValue[] | null {
  const links: LinkValue[] = [];
  for (const one of header.split(/,\s*(?=<)/)) {
    const read = /^\s*<([^>?]*)(?:\?([^>]*))?>\s*;(.*)$/s.exec(one);
    if (!read) return null;
    const [, path = '', query, parameters = ''] = read;
    const pairs = query === undefined || query === '' ? [] : query.split('&').map(pairOf);
    const named = parameters.replaceAll('"', '').toLowerCase();
    // No expression looks for the spaces: a header may be long, and have nothing else.
    links.push({
      path,
      query: pairs,
      parameters: named
        .split(';')
        .map((each) => each.trim())
        .join(';'),
    });
  }
  return links;
}

function pairOf(text: string): readonly [string, string] {
  const [name = '', value = ''] = text.split(/=(.*)/s, 2);
  return [decoded(name), decoded(value)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
