import { catalogue } from '../../syntax/diagnostic.ts';

/** Limits of the stores. A document has to keep within those of both stores, whichever one serves it. */
export const storeDiagnostics = catalogue('store', {
  terms: {
    severity: 'error',
    what: (p) =>
      `${p.what} is ${p.count} terms long in SQL; at most ${p.most} are allowed. Derive the fields that it uses from fewer others, or show fewer of them.`,
    why: 'In SQL, a derived field is written out wherever it is read, a view wherever rows are shown in it, and the condition under “Visible” wherever rows are selected. When one contains another, lengths multiply.',
  },
  depth: {
    severity: 'error',
    what: (p) =>
      `${p.what} is nested more than ${p.most} levels deep in SQL. Derive the fields that it uses from fewer others.`,
    why: 'SQLite accepts expressions of 1,000 levels, and PostgreSQL as many as fit on its stack. In SQL, the expression of a derived field is written out wherever the field is read.',
  },
  total: {
    severity: 'error',
    what: (p) =>
      `All statements of the document together are ${p.count} terms long in SQL; at most ${p.most} are allowed. Show fewer members at fewer endpoints, or derive fewer fields.`,
    why: 'The service prepares every statement when it starts. These would take minutes and gigabytes of memory.',
  },
  columns: {
    severity: 'error',
    what: (p) =>
      `${p.resource} needs ${p.count} columns; at most ${p.most} are allowed. Move some of its fields to another resource.`,
    why: 'Databases limit the columns of a table. Each field takes one, and so does each timed transition, each timed event, and each field that is unique ignoring case.',
  },
  members: {
    severity: 'error',
    what: (p) =>
      `${p.view} shows ${p.count} members; at most ${p.most} are allowed. Remove some, or show them in another view.`,
    why: 'Databases limit the columns of a result.',
  },
  rowSize: {
    severity: 'error',
    what: (p) =>
      `A row of ${p.resource} may need ${p.count} bytes beside its long strings; at most ${p.most} are allowed. Move some of its fields to another resource, or allow shorter strings.`,
    why: 'PostgreSQL stores a row on one page of 8 KiB, and moves only long values elsewhere. A larger row could not be stored.',
  },
  reserved: {
    severity: 'error',
    what: (p) => `${p.what} would be stored under the name ${p.name}, which is taken. Choose another name.`,
    why: 'SQLite reserves table names that begin with sqlite_, and PostgreSQL those that begin with pg_. Every table has the columns tableoid, xmin, cmin, xmax, cmax and ctid (PostgreSQL) and columns whose names begin with ninefold_. Capital and small letters do not distinguish names.',
  },
  longName: {
    severity: 'error',
    what: (p) =>
      `${p.what} would be stored under a name of ${p.bytes} bytes, ${p.name}; at most ${p.most} are allowed. Choose a shorter name.`,
    why: 'PostgreSQL cuts longer names, so two names with the same beginning would be one.',
  },
  index: {
    severity: 'error',
    what: (p) =>
      `${p.what} needs an index of ${p.count} columns; at most ${p.most} are allowed. Compare, or make unique, fewer fields together.`,
    why: 'PostgreSQL limits the columns of an index.',
  },
  uniques: {
    severity: 'error',
    what: (p) =>
      `${p.resource} has ${p.count} unique rules; at most ${p.most} are allowed. Remove some, or move some of its fields to another resource.`,
    why: 'Each unique rule has an index and a statement, and a database looks at every index of a table for every statement. With twice as many rules, a start takes eight times as long.',
  },
  identitySize: {
    severity: 'error',
    what: (p) =>
      `${p.field} is an identity that may have ${p.count} characters; at most ${p.most} are allowed. Allow fewer characters.`,
    why: 'An index holds the identity, and PostgreSQL limits an entry of an index to a third of a page.',
    write: () => 'at most 100 characters',
  },
  constant: {
    severity: 'error',
    what: (p) => `${p.what} has a constant part without a result: ${p.reason}. Correct the numbers.`,
    why: 'The service computes a constant part once, when it starts.',
  },
});
