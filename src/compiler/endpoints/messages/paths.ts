import type { Entry } from '../../../syntax/diagnostic.ts';

/** Findings about paths. */
export const PATHS = {
  path: {
    severity: 'error',
    effects: ['hides a section'],
    what: (p) =>
      `“${p.found}” is not a path. A path is “/”, or segments of letters, digits and “-._~:@” other than “.” and “..”, each with at most one parameter such as “{id}”, and each parameter named once.`,
    why: 'No request could have this path.',
    write: () => '/orders/{id}',
  },
  descriptionPath: {
    severity: 'error',
    what: (p) => `“${p.found}” has a parameter. The path of a Description has none.`,
    why: 'A description covers the whole service, so it has one address.',
    write: () => '/openapi.json',
  },
  descriptionContent: {
    severity: 'question',
    what: (p) =>
      `Does the description at ${p.path} show each caller every endpoint, or only those that this caller may call?`,
    why: 'A description also tells callers about endpoints that refuse them.',
    write: (p) => p.write ?? null,
  },
  descriptionUncalled: {
    severity: 'error',
    what: (p) => `The document has no callers, so each description has every endpoint. Remove “with ${p.content}”.`,
    why: 'A statement without effect would be read as one with effect.',
  },
  pathLength: {
    severity: 'error',
    effects: ['hides a section'],
    what: (p) => `This path is too long. At most ${p.most} characters are allowed.`,
    why: 'Proxies and servers refuse longer addresses.',
  },
  pathsOverlap: {
    severity: 'error',
    what: (p) =>
      `The path ${p.both} matches this path and ${p.other}, and neither has all the text of the other around its parameter. Change the text of one.`,
    why: 'Of several paths that match a request, the one with the most text around its parameter is taken.',
  },
} satisfies Record<string, Entry>;
