import { catalogue } from '../../source/diagnostic.ts';

const ask = (what: string, why: string, write: string) => ({
  severity: 'question' as const,
  what: () => what,
  why,
  write: () => write,
});

export const versioningDiagnostics = catalogue('versioning', {
  blankCell: {
    severity: 'question',
    what: (p) => `This version says nothing under “${p.column}”.`,
    why: 'A caller of an old version has to know until when it answers and how it differs.',
  },
  headerName: {
    severity: 'error',
    what: (p) => `“${p.found}” cannot name a header.`,
    why: 'Header names are tokens (RFC 9110, section 5.1).',
  },
  date: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a date of the calendar.`,
    why: 'Versions are named by their dates (RFC 3339, full-date).',
    write: () => '2026-11-01',
  },
  template: {
    severity: 'error',
    what: (p) => `“${p.found}” is not ${p.what}.`,
    why: 'It says where the name of the version stands: as the last segment of what paths start with, in a media type of JSON’s, or as its parameter.',
  },
  versionName: {
    severity: 'error',
    what: (p) => `“${p.found}” cannot name a version in a ${p.scheme}.`,
    why: 'It is a letter or a digit, then letters, digits, `.`, `_` and `-`; in a media type, small letters.',
  },
  pathTaken: {
    severity: 'error',
    what: (p) => `A path that starts with ${p.prefix} is one of that version: nobody would find ${p.path}.`,
    why: 'The version is put before the paths of endpoints, which are stated without it.',
    write: (p) => p.path!.slice(p.prefix!.length),
  },
  without: ask(
    'What does a request without a version get?',
    'It could be the current version, or a refusal.',
    '- Without a version: current version',
  ),
  currentListed: {
    severity: 'error',
    what: (p) => `${p.version} is the current version, and the table lists those before it.`,
    why: 'It can’t be both current and deprecated.',
  },
  order: {
    severity: 'error',
    what: (p) => `${p.version} stands after ${p.before}, which is older.`,
    why: 'Each version differs “from the next”, so they are listed from the newest to the oldest.',
  },
  tooSoon: {
    severity: 'error',
    what: (p) => `${p.version} answers for less than the ${p.months} months that the policy states.`,
    why: 'The table would break the policy.',
    write: (p) => p.earliest ?? null,
  },
  nameTaken: {
    severity: 'error',
    what: (p) => `${p.resource} has a field “${p.name}” in this version already.`,
    why: 'Two fields can’t have one name.',
  },
  parameterTaken: {
    severity: 'error',
    what: (p) => `${p.endpoint} has a parameter “${p.name}” already.`,
    why: 'In this version a request could not say which of both it means.',
  },
  headerTaken: {
    severity: 'error',
    what: (p) => `The header “${p.name}” means something already.`,
    why: 'One header means one thing.',
  },
  deprecatedBefore: {
    severity: 'error',
    what: (p) => `${p.version} would be deprecated before it was published.`,
    why: 'A version is named by the date from which it answers.',
  },
  retiredDiffers: {
    severity: 'error',
    what: (p) => `${p.version} is retired, so how it differs shows to nobody.`,
    why: 'A retired version does not answer: its differences would be accepted and ignored.',
    write: () => 'none',
  },
  sameName: {
    severity: 'error',
    what: (p) => `${p.field} is called “${p.name}” in the next version too.`,
    why: 'A difference without effect is no difference.',
  },
  fieldName: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot name a field.`,
    why: 'A field is named with a letter, then letters, digits and `_`.',
  },
  unseen: {
    severity: 'error',
    what: (p) => `${p.field} stands in no request, answer, event or parameter.`,
    why: 'How it is called there shows to nobody.',
  },
  absentNeeded: {
    severity: 'error',
    what: (p) => `${p.field} is absent in ${p.version}, and a request has to give it.`,
    why: 'No caller of that version could make the request.',
  },
  schemeNone: {
    severity: 'error',
    what: () => 'The document has no versions, yet says this about them.',
    why: 'It would have no effect.',
  },
});
