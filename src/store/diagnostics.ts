import { catalogue } from '../source/diagnostic.ts';

/** What no store takes, whichever of the two a service is given. */
export const storeDiagnostics = catalogue('store', {
  terms: {
    severity: 'error',
    what: (p) =>
      `${p.what} comes to ${p.count} terms once it is written out for the store; at most ${p.most} are taken.`,
    why: 'A derived field is written out wherever it is read, a form wherever rows are shown in it, and who sees a row wherever one is looked for. Each of several that stand one in another may double the statement.',
  },
  depth: {
    severity: 'error',
    what: (p) => `${p.what} is nested more than ${p.most} levels deep once it is written out for the store.`,
    why: 'SQLite takes expressions of 1,000 levels, and PostgreSQL as many as its stack holds.',
  },
  total: {
    severity: 'error',
    what: (p) =>
      `The document comes to ${p.count} terms once all of its statements are written out; at most ${p.most} are taken.`,
    why: 'A service writes every statement when it starts, and would take minutes and gigabytes for these. Show fewer members at fewer endpoints, or derive less.',
  },
  columns: {
    severity: 'error',
    what: (p) => `${p.resource} is stored in ${p.count} columns; at most ${p.most} are taken.`,
    why: 'Databases bound how many columns a table has. Each field is one, and so is each timed transition, each timed event, and each field that is unique ignoring case.',
  },
  members: {
    severity: 'error',
    what: (p) => `${p.view} shows ${p.count} members; at most ${p.most} are taken.`,
    why: 'Databases bound how many columns a statement gives.',
  },
  rowSize: {
    severity: 'error',
    what: (p) => `A row of ${p.resource} may take ${p.count} bytes beside its long texts; at most ${p.most} are taken.`,
    why: 'PostgreSQL keeps a row on one page of 8 KiB, and moves only long values elsewhere: there a row that is larger could not be stored.',
  },
  reserved: {
    severity: 'error',
    what: (p) => `${p.what} would be stored as ${p.name}, a name that is taken.`,
    why: 'SQLite keeps tables that begin with sqlite_ for itself, and PostgreSQL those with pg_; it gives every table the columns tableoid, xmin, cmin, xmax, cmax and ctid. Ninefold adds ninefold_revision, ninefold_shown and the like, in capitals or not.',
  },
  longName: {
    severity: 'error',
    what: (p) => `${p.what} would be stored as ${p.name}, a name of ${p.bytes} bytes; at most ${p.most} are taken.`,
    why: 'PostgreSQL cuts longer names, so that two that begin alike would be one.',
  },
  index: {
    severity: 'error',
    what: (p) => `${p.what} takes an index of ${p.count} columns; at most ${p.most} are taken.`,
    why: 'PostgreSQL bounds how many columns an index has.',
  },
  identitySize: {
    severity: 'error',
    what: (p) => `${p.field} is an identity of up to ${p.count} characters; at most ${p.most} are taken.`,
    why: 'Rows are found by their identity in an index, and PostgreSQL keeps an entry of one on a third of a page.',
  },
  constant: {
    severity: 'error',
    what: (p) => `${p.what} can’t be computed: ${p.reason}.`,
    why: 'It depends on nothing, so that it is computed once, when the service starts.',
  },
});
