/** The words that CEL keeps to itself: no member is called so after a dot. */
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
/** An identifier, or several: fields may have names of several parts. */
const IDENTIFIERS = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** A member as an expression reads it: `query.size`, or `query["page-size"]` where the name is no identifier. */
export function memberText(of: string, member: string): string {
  const isPlain = IDENTIFIERS.test(member) && !member.split('.').some((part) => RESERVED.has(part));
  return isPlain ? `${of}.${member}` : `${of}[${JSON.stringify(member)}]`;
}
