import { catalogue } from './diagnostic.ts';

/** What can be wrong with the form of a document, whatever part it stands in. */
export const language = catalogue('language', {
  tooLarge: {
    severity: 'error',
    what: (p) => `The document has ${p.size} ${p.unit}; at most ${p.most} are read.`,
    why: 'A bound keeps reading fast whatever the file holds.',
  },
  tooWide: {
    severity: 'error',
    what: (p) => `This table has more than ${p.most} columns.`,
    why: 'No table of the language has nearly as many, and reading them would take unbounded time.',
  },
  tooDeep: {
    severity: 'error',
    what: (p) => `Lists or quotations are nested more than ${p.depth} deep here.`,
    why: 'Nothing in the language nests that deep, and reading it would take unbounded time.',
  },
  outsideParts: {
    severity: 'error',
    what: () => 'A table or list stands before the first part.',
    why: 'Tables and lists are contract, and contract belongs under one of the nine `##` headings.',
  },
  secondTitle: {
    severity: 'error',
    what: () => 'The document has a second title.',
    why: 'One document describes one service. Parts are headed with `##`.',
  },
  looksLike: {
    severity: 'error',
    what: (p) => `This looks like ${p.what}, and Markdown reads it as part of a paragraph.`,
    why: 'As a paragraph it would be prose, and what it states would not be in force.',
    write: (p) => p.write || null,
  },
  unclosed: {
    severity: 'error',
    what: (p) => `This ${p.what} is never closed.`,
    why: 'Everything after it belongs to it, so that none of it would be in force.',
    write: (p) => p.close ?? null,
  },
  headingLevel: {
    severity: 'error',
    what: (p) => `This heading stands ${p.levels} levels below the one above it.`,
    why: 'What a heading speaks of shows in its level, so none is left out.',
    write: (p) => p.write ?? null,
  },
  emptyTable: {
    severity: 'error',
    what: () => 'This table has no rows.',
    why: 'It states nothing, and it could be taken for stating that there is nothing.',
  },
  notABullet: {
    severity: 'error',
    what: (p) => `“${p.key}” is stated in a paragraph.`,
    why: 'Paragraphs are prose. A bullet puts the statement in force.',
    write: (p) => `- ${p.key}: …`,
  },
  extraCell: {
    severity: 'error',
    what: () => 'This row has more cells than the table has columns.',
    why: 'A cell without a column means nothing. Inside inline code, write `|` as `\\|`.',
  },
  nestedList: {
    severity: 'error',
    what: () => 'This is nested where nothing can be nested.',
    why: 'Bullets are one level deep, and a step holds only text and further numbered steps.',
  },
  bulletWithoutKey: {
    severity: 'error',
    what: () => 'This bullet is not of the form `Key: value`.',
    why: 'Every bullet is contract. Write explanations as paragraphs.',
  },
  unknown: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not understood here: did you mean “${p.nearest}”?`
        : `“${p.found}” is not understood here. Expected ${p.expected}.`,
    why: 'Contract text that is not understood is an error, never prose: it would be accepted and ignored.',
    write: (p) => p.nearest || null,
  },
  missing: {
    severity: 'error',
    what: (p) => `Something is missing here. Expected ${p.expected}.`,
    why: 'The statement is not complete, so it cannot be put into force.',
  },
  twice: {
    severity: 'error',
    what: (p) => `${p.what} is stated twice.`,
    why: 'Two statements of the same fact can disagree, and then nobody knows which is in force.',
  },
  nested: {
    severity: 'error',
    what: (p) => `“${p.name}” nests in “${p.within}”, which is a member itself.`,
    why: 'A member of an answer is a value or an object, not both.',
  },
  notYet: {
    severity: 'error',
    what: (p) => `${p.what} is part of the language but is not enforced yet.`,
    why: 'A statement that is accepted and not enforced would be a false promise, so it is refused by name.',
  },
  unexpected: {
    severity: 'error',
    what: (p) => `${p.what} does not belong ${p.where}.`,
    why: 'It would be accepted and ignored. Move it where it has a meaning, or make it a paragraph.',
  },
  unknownName: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `There is no ${p.kind} “${p.found}”: did you mean “${p.nearest}”?`
        : `There is no ${p.kind} “${p.found}”.`,
    why: 'A name has to be declared somewhere in the document: nothing is made up to fit it.',
    write: (p) => p.nearest || p.declare || null,
  },
});
