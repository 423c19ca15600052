import { graded } from './diagnostic.ts';

/**
 * The grades of findings about documents that cannot be read at all: these are neither wrong statements nor missing
 * ones.
 */
const STANDINGS = { unread: ['tooLarge', 'tooDeep', 'tooWide', 'unclosed'] } as const;

/** Findings about the form of a document, in any part. */
export const language = graded('language', STANDINGS, {
  tooLarge: {
    severity: 'error',
    what: (p) => `The document has ${p.size} ${p.unit}; at most ${p.most} are allowed.`,
    why: 'Without this bound, reading a large file could take too long.',
  },
  tooWide: {
    severity: 'error',
    what: (p) => `This table has more than ${p.most} columns.`,
    why: 'No table of the language needs more columns. Without this bound, reading could take too long.',
  },
  tooDeep: {
    severity: 'error',
    what: (p) => `Lists or quotations are nested more than ${p.depth} levels deep here.`,
    why: 'No statement needs more levels. Without this bound, reading could take too long.',
  },
  outsideParts: {
    severity: 'error',
    effects: ['hides cells'],
    what: () => 'A table or list comes before the first part. Move it below one of the nine `##` headings.',
    why: 'Tables and lists are statements, and a statement belongs to a part.',
  },
  secondTitle: {
    severity: 'error',
    effects: ['hides cells'],
    what: () => 'The document has a second title. A document has one title (`#`); a part begins with `##`.',
    why: 'One document describes one service.',
  },
  looksLike: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) => `This looks like ${p.what}, and Markdown reads it as ${p.as}.`,
    why: 'Paragraphs and code blocks are prose and have no effect.',
    write: (p) => p.write || null,
  },
  unclosed: {
    severity: 'error',
    what: (p) => `This ${p.what} is never closed. Close it with ${p.close}.`,
    why: 'Markdown reads all following text as part of it, so no later statement has an effect.',
    write: (p) => p.close ?? null,
  },
  headingLevel: {
    severity: 'error',
    effects: ['hides a section'],
    what: (p) => `This heading is ${p.levels} levels below the heading above it. The next level below is one more “#”.`,
    why: 'The level of a heading decides to which heading it belongs, so no level may be skipped.',
    write: (p) => p.write ?? null,
  },
  emptyTable: {
    severity: 'error',
    what: () => 'This table has no rows. Write a row, or a sentence such as “Scopes: none.”',
    why: 'A table without rows could mean “none” or “not decided yet”.',
  },
  notABullet: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.key}: …” is a paragraph, so it has no effect. Write the statement as a bullet${p.colon ? `, with “:” in place of ${p.colon}` : ''}.`,
    why: 'Paragraphs are prose and have no effect.',
    write: (p) => `- ${p.key}: …`,
    puts: 'bullet',
  },
  misplaced: {
    severity: 'error',
    effects: ['misplaces a statement'],
    what: (p) => `“${p.text}” has no effect here. Write it ${ended(p.home)}`,
    why: 'A statement has an effect only in the place that it belongs to. Prose is for readers.',
    write: (p) => p.write ?? null,
  },
  lookalike: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      p.plain === ' '
        ? `The character ${p.name} is not a space of Markdown. Write a plain space.`
        : p.plain
          ? `The character ${p.name} is not “${p.plain}”. Write “${p.plain}”.`
          : `The invisible character ${p.name} is not allowed here. Remove it.`,
    why: 'Words and signs of the language have one form. Characters that look alike would hide a statement.',
    write: (p) => p.plain?.trim() || null,
    sure: true,
  },
  html: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) => `This is ${p.what} in HTML, which Ninefold does not read. Write ${p.as}.`,
    why: 'HTML is prose and has no effect.',
    write: (p) => p.write ?? null,
  },
  extraCell: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) =>
      p.more
        ? `This row and ${p.more} have more cells than the table has columns. Remove the extra cells, or write “|” inside inline code as “\\|”.`
        : 'This row has more cells than the table has columns. Remove the extra cells, or write “|” inside inline code as “\\|”.',
    why: 'A cell without a column has no meaning.',
  },
  fewerCells: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) =>
      `This row has ${p.has}, and the table has ${p.columns} columns: ${p.names}. Write the missing cell, or nothing between two “|” where it is blank.`,
    why: 'Where a cell is left out, the cells after it stand in the wrong columns.',
  },
  barInCode: {
    severity: 'error',
    effects: ['hides cells'],
    what: () => 'This “|” ends the cell, also inside inline code. In a table, write “\\|”.',
    why: 'The cells after it stand in the wrong columns.',
    write: () => '\\|',
    sure: true,
  },
  nestedList: {
    severity: 'error',
    what: () =>
      'This list is nested. Bullets cannot be nested; only an If, an Otherwise and a For each have steps below them.',
    why: 'A nested line would have no effect.',
  },
  bulletWithoutKey: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      p.more
        ? `This bullet and the ${p.more} after it are not of the form \`Key: value\`.`
        : 'This bullet is not of the form `Key: value`.',
    why: 'Every bullet is a statement. Write explanations as paragraphs.',
  },
  unknown: {
    severity: 'error',
    effects: ['hides a section', 'hides a statement'],
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not allowed here: did you mean “${p.nearest}”?${alsoAllowed(p.nearest, p.expected ?? '')}`
        : p.expected
          ? `“${p.found}” is not allowed here. Allowed: ${p.expected}.${belongs(p)}`
          : `“${p.found}” is not allowed here: the statement already ends before it. Remove it.`,
    why: 'Ninefold reads every word of a statement. A word that it does not know would have no effect.',
    write: (p) => p.nearest || null,
  },
  inCode: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) => `“${p.found}” is inline code, and here it is written plain. Remove the backquotes.`,
    why: 'Words and names of the language are plain. Inline code marks expressions, paths, patterns and names of headers.',
    write: (p) => p.found ?? null,
    sure: true,
  },
  fullStop: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) => `A full stop follows “${p.after}”. Only steps and sentences end with a full stop. Remove it.`,
    why: 'The full stop would be a part of the statement.',
    puts: 'out',
    sure: true,
  },
  secondStatement: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `The statement ends after “${p.after}”. Write “${p.found}” as a statement of its own, on another line.`,
    why: 'A line holds one statement. A second one on the line would have no effect.',
  },
  unknownBullets: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) => `“${p.found}” and the ${p.more} after it are not allowed here. Allowed: ${p.expected}.${belongs(p)}`,
    why: 'Ninefold reads every word of a statement. A word that it does not know would have no effect.',
  },
  unreadTable: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) => `This table has no column “${p.column}”${p.or ?? ''}.`,
    why: 'Without this column, the meaning of a row is unknown. Ninefold checks the statements that depend on this table once the table is correct.',
  },
  unreadHeader: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) => `None of these columns is allowed here. Allowed: ${p.expected}.`,
    why: 'The header gives the cells below it their meaning. Ninefold checks the statements that depend on this table once the table is correct.',
  },
  unreadColumn: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) => p.message ?? '',
    why: 'The cells below this one are not read. Ninefold checks the statements that depend on this table once the table is correct.',
    write: (p) => p.nearest || null,
  },
  unreadCells: {
    severity: 'error',
    effects: ['hides cells'],
    what: (p) =>
      p.some
        ? `Ninefold understands only ${p.some} of the ${p.cells} cells under “${p.column}”. The first of the others: ${p.first}`
        : `Ninefold understands none of the ${p.cells} cells under “${p.column}”. The first: ${p.first}`,
    why: 'The cells may belong under another heading. Ninefold checks the statements that depend on this table once the table is correct.',
  },
  noColumn: {
    severity: 'question',
    effects: ['hides cells'],
    what: (p) => `This table has no column “${p.column}”. Add the column, and a value for each row.`,
    why: 'Ninefold assumes no value for a missing column.',
  },
  missing: {
    severity: 'error',
    effects: ['hides a section', 'hides a statement'],
    what: (p) => (p.after ? `After “${p.after}” comes ${p.expected}.` : `The value is missing. Write ${p.expected}.`),
    why: 'The statement is not complete.',
  },
  durationForm: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.found}” is not a duration of the language. Write a whole number, a space and a unit (${p.units}), such as “${p.write || '5 seconds'}”.`,
    why: 'A duration has one form, so that every reader understands the same.',
    write: (p) => p.write || null,
    sure: true,
  },
  calendarLength: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.found}” has no fixed length, and this statement needs one. Write a number of ${p.units}, such as “30 days”.`,
    why: 'A month has 28 to 31 days, and a year 365 or 366. Timed transitions and expressions count months from a stated instant.',
  },
  sizeForm: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.found}” is not a size of the language. Write a whole number, a space and a unit (${p.units}), such as “${p.write || '64 KiB'}”.`,
    why: 'A size has one form, so that every reader understands the same.',
    write: (p) => p.write || null,
    sure: true,
  },
  sentenceMore: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” has no effect in this sentence, which states “${p.state}” of all ${p.item}. State the others as bullets or rows, and remove the sentence.`,
    why: 'A sentence with “none” or “not shown” speaks of a whole item.',
  },
  twice: {
    severity: 'error',
    what: (p) => `${p.what} is stated twice. Remove one of the two.`,
    why: 'Two statements of the same fact can disagree.',
  },
  nested: {
    severity: 'error',
    what: (p) => `“${p.name}” is nested in “${p.within}”, which is a member itself. Rename one of the two.`,
    why: 'A member of an answer is a value or an object, not both.',
  },
  notYet: {
    severity: 'error',
    what: (p) => `${p.what} is part of the language, and this release does not enforce it yet. Remove it.`,
    why: 'Ninefold accepts only statements that it enforces.',
  },
  unexpected: {
    severity: 'error',
    effects: ['hides a section', 'hides a statement'],
    what: (p) => `${p.what} is not allowed ${p.where}.${p.allowed ? ` Allowed: ${p.allowed}, and prose.` : ''}`,
    why: 'The statement would have no effect there.',
  },
  severalFields: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a field of ${p.resource}, but what the names of several begin with. Name each: ${p.fields}.`,
    why: 'The statement concerns single fields.',
  },
  unknownName: {
    severity: 'error',
    effects: ['names a stranger'],
    what: (p) =>
      p.nearest
        ? `There is no ${p.kind} “${p.found}”: did you mean “${p.nearest}”?${alsoAllowed(p.nearest, p.known ?? '')}`
        : `There is no ${p.kind} “${p.found}”. ${p.known ? `Allowed: ${p.known}.` : `The document declares none.${p.how ? ` ${p.how}` : ''}`}`,
    why: 'The document has to declare every name that it uses.',
    write: (p) => p.nearest || p.declare || null,
  },
});

/** The sentence that lists what is allowed besides the suggested word; empty where nothing else is. */
function alsoAllowed(nearest: string, expected: string): string {
  return expected && expected !== `“${nearest}”` && expected !== nearest ? ` Allowed: ${expected}.` : '';
}

/** Names the place where a misplaced statement belongs; empty where none is known. */
const belongs = ({ home, found }: { readonly home?: string; readonly found?: string }): string =>
  home ? ` “${found}” belongs ${ended(home)}` : '';

/** A sentence may end with one that it quotes. */
const ended = (sentence = ''): string => (sentence.endsWith('.”') ? sentence : `${sentence}.`);
