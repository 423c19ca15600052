import { showSize } from '../text/units.ts';
import { counted, scalarWords } from './kinds.ts';
import type { ContractType, Lines, MemberContract, ObjectContract } from './types.ts';

/** Describes a type in English. */
export function typeText(type: ContractType): string {
  switch (type.kind) {
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
    case 'rows':
      return `${typeText(type.of)}, one on each line`;
    case 'csv': {
      const columns = type.columns.map((one) => `${one.name}: ${typeText(one.type)}${one.nullable ? ' or empty' : ''}`);
      return `CSV of ${columns.join('; ')}; header ${type.header}, formulas ${type.formulas}`;
    }
    case 'bytes':
      return `bytes of ${type.mediaTypes.join(', ')}, at most ${showSize(type.max)}${type.firstBytes ? `, first bytes ${type.firstBytes}` : ''}`;
    case 'description':
      return `the service’s description with ${type.content}, ${type.format}`;
    case 'error':
      return type.faults ? 'an error that names fields' : 'an error';
    case 'null':
      return type.kind;
    default:
      return scalarWords(type);
  }
}

/** Describes the type of a member, and whether it may be omitted or null. */
function memberText({ type, presence, nullable, otherwise, refersTo }: MemberContract): string {
  const absent = otherwise ? `optional, else ${otherwise.text}` : presence === 'optional' ? 'optional' : '';
  const named = refersTo && `names a row of ${refersTo}`;
  return [typeText(type), absent, nullable && 'may be null', named].filter(Boolean).join(', ');
}

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
