import { show } from '../../expression/tree/expression.ts';
import type { ColumnShape } from '../shape.ts';
import { columnName, quoted, tableName } from '../tables.ts';
import { type ChangeKind, no, PLAIN, path, yes } from './change-kind.ts';
import type { Fill, Of } from './changes.ts';
import { convert, refer, sequence } from './columns.ts';
import { shapeIn } from './migration.ts';
import { checkFilled, checkValues, columnOf, fillField, lose } from './values.ts';

export const addField: ChangeKind<'add field'> = {
  ...PLAIN,
  text: (change) => `${path(change)} is added${change.fill ? `, ${fillText(change.fill)} in stored rows` : ''}`,
  // A node with the old document would write rows without a value that the new document requires.
  besides: ({ fill }) => fill === null,
  widens: true,
  steps: {
    make: ({ to }, { resource, field }) => {
      const { rule, reference } = columnOf(to.resource(resource), field);
      return to.addColumn(tableName(resource), columnName(field), rule.kind, reference);
    },
    fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill),
    check: checkFilled,
  },
};

const accepted = (change: Of<'drop field'>): string => `drop ${path(change)}`;

export const dropField: ChangeKind<'drop field'> = {
  ...PLAIN,
  text: (change) => `${path(change)} is removed, with its values`,
  accept: accepted,
  besides: no,
  widens: false,
  moves: true,
  steps: {
    count: (m, change) => lose(m, change, accepted(change), `${quoted(columnName(change.field))} IS NOT NULL`),
    cut: ({ to }, { resource, field }) => to.dropColumn(tableName(resource), columnName(field)),
  },
};

export const renameField: ChangeKind<'rename field'> = {
  ...PLAIN,
  text: (change) => `${change.resource}.${change.from} is renamed to ${path(change)}`,
  besides: no,
  widens: true,
  moves: true,
};

export const convertField: ChangeKind<'convert field'> = {
  ...PLAIN,
  text: (change) => `${path(change)} is ${typeText(change.to)}, and was ${typeText(change.from)}`,
  besides: no,
  widens: false,
  touches: true,
  moves: true,
  steps: { make: convert, check: checkValues },
};

export const requireField: ChangeKind<'require field'> = {
  ...PLAIN,
  text: (change) =>
    `${path(change)} is always present${change.fill ? `, ${fillText(change.fill)} where it is absent` : ''}`,
  besides: no,
  widens: false,
  touches: true,
  steps: { fill: (m, { resource, field, fill }) => fillField(m, resource, field, fill), check: checkFilled },
};

export const freeField: ChangeKind<'free field'> = {
  ...PLAIN,
  text: (change) => `${path(change)} is optional`,
  besides: yes,
  widens: true,
};

export const referTo: ChangeKind<'refer'> = {
  ...PLAIN,
  text: (change) => `${path(change)} ${change.to ? `refers to ${change.to}` : 'is no longer a reference'}`,
  besides: ({ to }) => to === null,
  widens: false,
  touches: true,
  moves: true,
  steps: {
    make: refer,
    check: ({ checks, next }, change) => checks.reference(change, shapeIn(next, change.resource), change.field, next),
  },
};

export const changeSequence: ChangeKind<'change sequence'> = {
  ...PLAIN,
  text: (change) =>
    `${path(change)} is ${change.to ? 'numbered by another sequence, from the highest number' : 'no longer numbered'}`,
  besides: no,
  widens: true,
  steps: { make: sequence },
};

const fillText = (fill: Fill): string => {
  if (fill.kind === 'sequence') return 'numbered from 1 in the order of the rows';
  return fill.kind === 'value' ? fill.written : `\`${show(fill.expr)}\``;
};

const typeText = ({ rule, reference, password }: ColumnShape): string => {
  if (reference) return `a reference to ${reference}`;
  if (password) return 'a password';
  return rule.kind === 'decimal' ? `a decimal of ${rule.scale} digits` : rule.kind;
};
