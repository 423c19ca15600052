import type { Allowed, FieldType } from '../../language/values.ts';
import type { Field } from '../statements/resources.ts';

/** Which allowed values fit which types. */
export const FITTING: Readonly<Record<FieldType['kind'], ReadonlyArray<Allowed['kind']>>> = {
  string: ['any', 'length', 'pattern', 'one of'],
  integer: ['any', 'range'],
  decimal: ['any', 'range', 'decimals'],
  boolean: ['any'],
  timestamp: ['any', 'whole minutes'],
  date: ['any'],
  duration: ['any', 'durations'],
  reference: ['any'],
  list: ['any', 'items'],
  set: ['any', 'items'],
  map: ['any', 'items'],
};

/** Whether the allowed values of a field fit its type. If not, either of the two may be the mistake. */
export const fitsItsType = ({ type, allowed }: Pick<Field, 'type' | 'allowed'>): boolean =>
  !type || !allowed || FITTING[type.value.kind].includes(allowed.value.kind);
