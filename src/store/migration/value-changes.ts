import { type ChangeKind, no, PLAIN, path, yes } from './change-kind.ts';
import { checkValues, replaceValue } from './values.ts';

export const widenValues: ChangeKind<'widen values'> = {
  ...PLAIN,
  text: (change) => `${path(change)} may hold more values`,
  besides: yes,
  widens: true,
};

export const narrowValues: ChangeKind<'narrow values'> = {
  ...PLAIN,
  text: (change) => `${path(change)} may hold fewer values`,
  besides: no,
  widens: false,
  steps: { check: checkValues },
};

export const replaceOne: ChangeKind<'replace value'> = {
  ...PLAIN,
  text: (change) => `${path(change)} is ${change.by} where it is ${change.value}`,
  besides: no,
  widens: false,
  touches: true,
  steps: { fill: replaceValue },
};
