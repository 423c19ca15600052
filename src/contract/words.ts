import { showIsoDuration } from '../expression/values/duration.ts';
import { showDuration } from '../text/units.ts';
import type { ContractType, Lines, MemberContract, ObjectContract } from './types.ts';

/** Describes a type in English. */
export function typeText(type: ContractType): string {
  switch (type.kind) {
    case 'text': {
      const { format, min, max, pattern, oneOf } = type;
      if (oneOf) return oneOf.length === 1 ? JSON.stringify(oneOf[0]) : `one of ${oneOf.join(', ')}`;
      const length = counted(min, max);
      return [format ?? 'text', length && `${length} characters`, pattern !== null && `/${pattern}/`]
        .filter(Boolean)
        .join(' ');
    }
    case 'integer':
      return ['integer', between(type.min, type.max, String)].filter(Boolean).join(' ');
    case 'decimal': {
      const as = type.as === 'strings' ? 'in text' : 'as a number';
      const bounds = between(type.min, type.max, String);
      return ['decimal', bounds, `of ${type.digits} ${type.digits === 1 ? 'digit' : 'digits'} after the point, ${as}`]
        .filter(Boolean)
        .join(' ');
    }
    case 'timestamp':
      return `timestamp${type.whole === null ? '' : ` in whole ${showDuration(type.whole).replace('1 ', '')}s`}`;
    case 'duration':
      return ['duration', between(type.min, type.max, showIsoDuration)].filter(Boolean).join(' ');
    case 'list':
    case 'set': {
      const items = counted(type.min, type.max);
      return `${type.kind} of ${items && `${items} × `}${typeText(type.of)}${type.nullable ? ' or null' : ''}`;
    }
    case 'map': {
      const keys = type.keys ? `${typeText(type.keys)} → ` : '';
      const entries = counted(type.min, type.max);
      return `map of ${entries && `${entries} × `}(${keys}${typeText(type.of)}${type.nullable ? ' or null' : ''})`;
    }
    case 'object':
      return `{${type.members.map((one) => `${one.name}: ${memberText(one)}`).join('; ')}}`;
    case 'shape':
      return type.name;
    case 'stream':
      return `the stream of ${type.events.join(', ')}`;
    case 'description':
      return `the service’s description, ${type.format}`;
    case 'error':
      return type.faults ? 'an error that names fields' : 'an error';
    case 'boolean':
      return type.only === undefined ? type.kind : String(type.only);
    case 'date':
    case 'null':
      return type.kind;
  }
}

/** Describes the type of a member, and whether it may be omitted or null. */
function memberText({ type, presence, nullable, otherwise, refersTo }: MemberContract): string {
  const absent = otherwise ? `optional, else ${otherwise.text}` : presence === 'optional' ? 'optional' : '';
  const named = refersTo && `names a row of ${refersTo}`;
  return [typeText(type), absent, nullable && 'may be null', named].filter(Boolean).join(', ');
}

function between<T extends number | string>(min: T | null, max: T | null, show: (one: T) => string): string {
  if (min === null && max === null) return '';
  if (max === null) return `at least ${show(min as T)}`;
  if (min === null) return `at most ${show(max)}`;
  return min === max ? show(min) : `${show(min)} to ${show(max)}`;
}

/** Describes a number of characters, items or entries; the minimum 0 is not printed. */
const counted = (min: number | null, max: number | null): string => between(min || null, max, String);

/** Formats rows as columns, each as wide as its widest cell. The last cell of a row does not count. */
export function columns(rows: ReadonlyArray<readonly string[]>, indent: string): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries())
      if (i < row.length - 1) widths[i] = Math.min(48, Math.max(widths[i] ?? 0, cell.length));
  return rows.map((row) =>
    (indent + row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell)).join('  ')).trimEnd(),
  );
}

/** The line numbers of a fact, in parentheses. */
export function at(lines: Lines): string {
  if (lines.length === 0) return '';
  return `  (line${lines.length === 1 ? '' : 's'} ${lines.join(', ')})`;
}

/** The members of an object, one row each; members of nested objects have dotted names. */
export function memberRows(object: ObjectContract, before = ''): string[][] {
  return object.members.flatMap((member): string[][] => {
    const name = before + member.name;
    const { type } = member;
    if (type.kind === 'object') return memberRows(type, `${name}.`);
    if ((type.kind === 'list' || type.kind === 'set') && type.of.kind === 'object') {
      const rows = memberRows(type.of, `${name}[].`);
      const count = counted(type.min, type.max);
      return [[name, `${type.kind}${count && ` of ${count} objects`}${at(member.lines)}`], ...rows];
    }
    return [[name, memberText(member) + at(member.lines)]];
  });
}
