import { bytesOfColumn, fieldOfColumn } from '../../plan/files.ts';
import type { Plan } from '../../plan/step.ts';
import { counted } from '../../text/units.ts';
import { acceptedAs } from './change-kinds.ts';
import type { Change, Hindrance, Obstacle } from './changes.ts';

/** For each obstacle, the problem and the operator’s possible remedies. */
const OBSTACLES: Readonly<
  Record<Obstacle, (change: Change, rows: number, isOfBytes: boolean) => readonly [says: string, remedy: string]>
> = {
  lost: (change, rows) => [
    `${counted(rows, change.kind === 'drop field' ? 'value' : 'row')} would be lost`,
    `To allow this: --accept "${acceptedAs(change)}". If it has a new name: --rename ${nameOf(change)}=NEW.`,
  ],
  unrecorded: (change, rows) => [
    `${counted(rows, 'row')} would change without an entry of the audit`,
    `Change these rows first, with the old document; or allow this: --accept "${acceptedAs(change)}".`,
  ],
  unfilled: (change, rows, isOfBytes) => [
    `${counted(rows, 'row')} without a value, and the document states none`,
    isOfBytes
      ? 'Only a request can send bytes. Make the field optional.'
      : `Give the value: --fill ${nameOf(change)}=VALUE, or an expression of the row in backquotes. Or make the field optional.`,
  ],
  'no result': (change, rows) => [
    `the expression of ${change.kind === 'replace value' ? '--replace' : '--fill'} has no result for ${counted(rows, 'row')}`,
    change.kind === 'replace value'
      ? 'Give another expression, or a value.'
      : `The result is beyond the range of numbers, times or strings. ${fillAnew(change)}`,
  ],
  'filled wrongly': (change, rows) => [
    `the value of --fill is not allowed in ${counted(rows, 'row')}`,
    fillAnew(change),
  ],
  'not allowed': (change, rows, isOfBytes) => [
    `${counted(rows, 'row')} with a value that is no longer allowed`,
    isOfBytes
      ? 'Change these rows first, with the old document: what the service has measured of bytes stays as it is.'
      : `Change these rows first, with the old document. For a value of an enumeration, give the new value, or an expression of the row in backquotes: --replace ${nameOf(change)}:OLD=NEW.`,
  ],
  'not unique': (_change, rows) => [
    `${counted(rows, 'row')} with the same values as another row`,
    'Change these rows first, with the old document.',
  ],
  'does not hold': (_change, rows) => [
    `the rule does not hold for ${counted(rows, 'row')}`,
    'Change these rows first, with the old document.',
  ],
  overlaps: (_change, rows) => [
    `${counted(rows, 'row')} overlapping another row`,
    'Change these rows first, with the old document.',
  ],
  'refers to nothing': (change, rows) => [
    `${counted(rows, 'row')} with a reference to a row that does not exist`,
    `Change these rows first, with the old document, or keep the target of ${nameOf(change)}.`,
  ],
  'not converted': (_change, rows) => [
    `${counted(rows, 'row')} with a value that has no equal in the new type`,
    'Change these rows first, with the old document; or add a field of the new type, and remove the old one.',
  ],
};

const fillAnew = (change: Change): string => {
  const fill = 'fill' in change ? change.fill : null;
  const allowed = fill?.kind === 'expression' ? ` that is ${fill.allowed}` : '';
  return `Give another value: --fill ${nameOf(change)}=VALUE, or an expression of the row in backquotes${allowed}.`;
};

/** Describes the rows that prevent a change to a document, for people to read. */
export function describeHindrance({ change, why, rows, example }: Hindrance, { resources }: Plan): string {
  const files = resources.find(({ name }) => name === change.resource)?.files ?? [];
  const isOfBytes = 'field' in change && bytesOfColumn(files, change.field) !== null;
  const [says, remedy] = OBSTACLES[why](change, rows, isOfBytes);
  const one = example === null ? '' : ` (such as ${change.resource} ${example})`;
  return `${says}${one}. ${remedy}`;
}

/** The name of the changed resource or field in the document. */
function nameOf(change: Change): string {
  return 'field' in change ? `${change.resource}.${fieldOfColumn(change.field) ?? change.field}` : change.resource;
}
