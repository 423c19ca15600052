import { blanksOf, questionsOf } from '../../language/statement.ts';
import { VERSION, VERSIONING, versionValues } from '../../language/versioning.ts';
import { blankCell, bullet, graded } from '../../syntax/diagnostic.ts';

/** The findings that are neither wrong nor merely unsaid. */
const STANDINGS = { blank: ['blankCell'] } as const;

export const versioningDiagnostics = graded('versioning', STANDINGS, {
  ...questionsOf(VERSIONING),
  ...versionValues.entries,
  blankCell: blankCell(
    () => 'This version',
    blanksOf(VERSION),
    'A deprecated version states until when it answers, and how it differs from the next version.',
  ),
  versionName: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a name for a version in a ${p.scheme}. A name is a letter or a digit, then letters, digits, “.”, “_” and “-”, up to 64 in all${p.scheme === 'media type' ? ', without capital letters' : ''}.`,
    why: 'Requests and answers carry the name.',
  },
  pathTaken: {
    severity: 'error',
    what: (p) =>
      `The service would read “${p.prefix}” in requests for ${p.path} as the version. Write the path without the version, or choose another path.`,
    why: 'The service puts the version before the paths of endpoints. Endpoints state their paths without it.',
    write: (p) => `/${p.path!.split('/').slice(p.prefix!.split('/').length).join('/')}`,
  },
  currentListed: {
    severity: 'error',
    what: (p) => `${p.version} is the current version. The table lists only the versions before it.`,
    why: 'A version is either current or deprecated.',
  },
  order: {
    severity: 'error',
    what: (p) =>
      `${p.version} comes after ${p.before} in the table, and is newer. List the versions from the newest to the oldest.`,
    why: 'Each version states how it differs from the next newer one.',
  },
  withoutCurrent: {
    severity: 'error',
    what: (p) => `${p.version} is the current version. Write “current version”.`,
    why: 'A statement has one form, so that two documents that say the same are the same.',
    write: () => bullet('Without a version', 'current version'),
    sure: true,
  },
  withoutUnknown: {
    severity: 'error',
    what: (p) =>
      `The table of versions does not list “${p.found}”. ${p.versions ? `It lists ${p.versions}.` : 'It lists no version.'}`,
    why: 'A request without a version is answered in a version that the document describes.',
    write: () => bullet('Without a version', 'current version'),
  },
  withoutRetired: {
    severity: 'error',
    what: (p) =>
      `${p.version} is retired, so every request without a version would be refused as retired. Name a version that answers, or write “refused”.`,
    why: 'A retired version answers no request.',
    write: () => bullet('Without a version', 'refused'),
  },
  supportedEnds: {
    severity: 'error',
    what: (p) =>
      `${p.version} is supported, so it has no dates of deprecation and sunset. Write “none”, or “deprecated” under State.`,
    why: 'The dates are those of a deprecated version.',
    write: () => 'none',
  },
  undated: {
    severity: 'error',
    what: (p) => `${p.version} is ${p.state}. State the date from which it ${p.date}, such as 2026-11-01.`,
    why: 'Only a supported version has no dates; a deprecated version may have no sunset.',
    write: () => '2026-11-01',
  },
  tooSoon: {
    severity: 'error',
    what: (p) =>
      `${p.version} would answer for less than the ${p.months} of the deprecation policy. Its sunset is ${p.earliest} or later.`,
    why: 'The table would break the policy.',
    write: (p) => p.earliest ?? null,
  },
  nameTaken: {
    severity: 'error',
    what: (p) => `${p.resource} already has a field “${p.name}” in this version. Choose another name.`,
    why: 'Two fields of a resource cannot have one name.',
  },
  parameterTaken: {
    severity: 'error',
    what: (p) => `${p.endpoint} already has a parameter “${p.name}” in this version. Choose another name.`,
    why: 'A request could not say which of the two it means.',
  },
  headerTaken: {
    severity: 'error',
    what: (p) =>
      `The header “${p.name}” is already used: by HTTP, by credentials, by idempotency keys or by versions. Choose another header.`,
    why: 'A header has one meaning.',
  },
  deprecatedBefore: {
    severity: 'error',
    what: (p) =>
      `${p.version} would be deprecated before it was published. The date under “Deprecated” is ${p.version} or later.`,
    why: 'With the scheme “a date in header”, a version is named by the date from which it answers.',
  },
  retiredDiffers: {
    severity: 'error',
    what: (p) => `${p.version} is retired and no longer answers, so its differences have no effect. Write “none”.`,
    why: 'A statement without effect hides a mistake.',
    write: () => 'none',
    sure: true,
  },
  sameName: {
    severity: 'error',
    what: (p) => `${p.field} is ${p.name} in the next version too. Remove this difference.`,
    why: 'A statement without effect hides a mistake.',
  },
  fieldName: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” is not a name for a field. A name is a letter, then letters, digits and “_”, with single hyphens between them, such as unit_price.`,
    why: 'Requests and answers of this version use the name.',
  },
  unseen: {
    severity: 'error',
    what: (p) =>
      `No request, answer, event or parameter has ${p.field}, so its name in this version has no effect. Remove this difference.`,
    why: 'A statement without effect hides a mistake.',
  },
  wordless: {
    severity: 'error',
    what: (p) =>
      `${p.field} is no string with allowed values “one of …”, so none of its values has another word in a version. Remove this difference.`,
    why: 'A version has other words for the values of an enumeration or for states.',
  },
  wordOfNothing: {
    severity: 'error',
    what: (p) => `${p.field} has no value “${p.found}”. Its values are ${p.values}.`,
    why: 'The first text is a value of the current version, the second is the word for it in this version.',
  },
  wordForm: {
    severity: 'error',
    what: (p) =>
      `“${p.word}” is not a word for a value. A value is a word, or several words with single spaces between them, without “,”, “;” and “|”.`,
    why: 'Requests and answers of this version use the word.',
  },
  wordAbsent: {
    severity: 'error',
    what: (p) => `${p.field} is absent in ${p.version}, so this word has no effect. Remove this difference.`,
    why: 'A statement without effect hides a mistake.',
  },
  sameWord: {
    severity: 'error',
    what: (p) =>
      `The word for “${p.value}” of ${p.field} is “${p.word}” in the next version too. Remove this difference.`,
    why: 'A statement without effect hides a mistake.',
  },
  wordSearched: {
    severity: 'error',
    what: (p) =>
      `${p.resource} is searched by ${p.field}, whose values have other words in this version. Remove the field from “Search”, or this difference.`,
    why: 'A search finds the values of the current version. A caller of this version would look for its own words, and find nothing.',
  },
  wordSent: {
    severity: 'question',
    what: (p) =>
      `In ${p.version}, “${p.word}” is the word for ${p.values} of ${p.field}. Which of these does a request mean whose body has “${p.word}”? Or is the word not accepted in bodies (“, not accepted”)?`,
    why: 'A row stores one value. A row that shows the word already keeps its own value in any case.',
    write: (p) => `, sent as \`${p.first}\``,
  },
  wordSentOther: {
    severity: 'error',
    what: (p) =>
      `In ${p.version}, “${p.word}” is not the word for “${p.found}” of ${p.field}. It is the word for ${p.values}.`,
    why: 'A caller would be shown another word than the one that it has sent.',
  },
  wordAlone: {
    severity: 'error',
    what: (p) =>
      `In ${p.version}, “${p.word}” is the word for a single value of ${p.field}, so a request can mean no other. Remove the text after the word.`,
    why: 'A statement without effect hides a mistake.',
  },
  wordUnsent: {
    severity: 'error',
    what: (p) =>
      `No body of a request has ${p.field}, so what a request means by “${p.word}” has no effect. A filter by the word finds the rows of all its values. Remove the text after the word.`,
    why: 'A statement without effect hides a mistake.',
  },
  wordComputed: {
    severity: 'error',
    what: (p) =>
      `${p.where} has text that is computed from ${p.field} (\`${p.expression}\`). In ${p.version}, the values of ${p.field} have other words, and the text would have those of the current version. Show the value itself, as a value of JSON.`,
    why: 'The service translates a value of the field, and no text that is made from it.',
  },
  wordOrdered: {
    severity: 'error',
    what: (p) =>
      `${p.where} orders rows by ${p.field} (\`${p.expression}\`). In ${p.version}, its values have other words, so the order would not be that of the words. Choose another order.`,
    why: 'Rows are ordered by the values of the current version.',
  },
  wordGrouped: {
    severity: 'error',
    what: (p) =>
      `${p.where} groups rows by ${p.field} (\`${p.expression}\`). In ${p.version}, its values have other words, so several groups could show the same word. Group by another value.`,
    why: 'Rows are grouped by the values of the current version.',
  },
  wordRepeated: {
    severity: 'error',
    what: (p) =>
      `${p.where} shows the distinct values of ${p.field} (\`${p.expression}\`). In ${p.version}, several of its values have the same word, which the list would have twice. Show the list without “distinct()”, or distinct values of another field.`,
    why: 'The values of the current version are distinct, and their words need not be.',
  },
  wordCompared: {
    severity: 'error',
    what: (p) =>
      `${p.where} compares ${p.field} with a text of the request (\`${p.expression}\`). In ${p.version}, the values of ${p.field} have other words, which the text would not match. Give the parameter the type ${p.field}.`,
    why: 'The service translates what a request sends for a parameter or a field that has the values of the field.',
  },
  wordCopied: {
    severity: 'error',
    what: (p) =>
      `${p.where} copies ${p.field} into the text ${p.to}. In ${p.version}, the values of ${p.field} have other words, and the copy would have those of the current version. Give ${p.to} allowed values “one of …”.`,
    why: 'The service translates the values of enumerations, and no texts.',
  },
  wordUncopied: {
    severity: 'error',
    what: (p) =>
      `${p.where} copies ${p.field} into ${p.to}. In ${p.version}, the values of ${p.field} have other words, and those of ${p.to} have none, so its callers would be shown values that they do not know. State the words of ${p.to}, too, such as “${p.to} \`${p.value}\` is \`${p.word}\`”.`,
    why: 'A copy is a value of its own field, with the words that the document states for this field.',
  },
  wordElsewhere: {
    severity: 'error',
    what: (p) =>
      `${p.where} reads the parameter “${p.parameter}” in \`${p.expression}\`. In an older version, several values of ${p.field} have the same word, so the parameter can only be compared with ${p.field} itself, by == or !=, under “Keeps rows where”.`,
    why: 'A filter can find the rows with each of the values. Anything else would need a single one.',
  },
  absentNeeded: {
    severity: 'error',
    what: (p) =>
      `${p.field} is absent in ${p.version}, and a request must send it. Give it another source under “Given by”, or another name in this version.`,
    why: 'No caller of that version could make the request.',
  },
  schemeNone: {
    severity: 'error',
    what: () => 'The scheme is none, so the document has no versions. Remove this statement, or state a scheme.',
    why: 'A statement without effect hides a mistake.',
  },
});
