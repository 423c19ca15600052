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
