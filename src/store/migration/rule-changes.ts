import { show } from '../../expression/tree/expression.ts';
import type { OverlapShape, UniqueShape } from '../shape.ts';
import { type ChangeKind, no, PLAIN, yes } from './change-kind.ts';
import { shapeIn } from './migration.ts';

export const addUnique: ChangeKind<'add unique'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: no two rows have the same ${uniqueText(rule)}`,
  besides: no,
  widens: false,
  moves: true,
  steps: { rule: ({ checks, next }, { resource, rule }) => checks.unique(shapeIn(next, resource), rule) },
};

export const dropUnique: ChangeKind<'drop unique'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: two rows may have the same ${uniqueText(rule)}`,
  besides: yes,
  widens: true,
  moves: true,
};

export const addHolds: ChangeKind<'add holds'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` holds`,
  besides: no,
  widens: false,
  steps: { rule: ({ checks, next }, { resource, rule }) => checks.holds(shapeIn(next, resource), rule) },
};

export const dropHolds: ChangeKind<'drop holds'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: \`${show(rule)}\` no longer has to hold`,
  besides: yes,
  widens: true,
};

export const addOverlap: ChangeKind<'add overlap'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: no overlap of ${spanText(rule)}`,
  besides: no,
  widens: false,
  steps: { rule: ({ checks, next }, { resource, rule }) => checks.overlap(shapeIn(next, resource), rule) },
};

export const dropOverlap: ChangeKind<'drop overlap'> = {
  ...PLAIN,
  text: ({ resource, rule }) => `${resource}: ${spanText(rule)} may overlap`,
  besides: yes,
  widens: true,
};

const uniqueText = ({ fields, ignoringCase, condition }: UniqueShape): string => {
  const names = fields.map((field) => (ignoringCase.includes(field) ? `${field} ignoring case` : field));
  return `${names.join(' and ')}${condition ? ` while \`${show(condition)}\`` : ''}`;
};

const spanText = ({ start, end, by, condition }: OverlapShape): string =>
  `\`${show(start)}\` to \`${show(end)}\`${by.length ? ` by ${by.join(' and ')}` : ''}${condition ? ` while \`${show(condition)}\`` : ''}`;
