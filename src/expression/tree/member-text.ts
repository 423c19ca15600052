/** The reserved words of CEL, which cannot name a member after a dot. */
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
/** An identifier, or several with dots, since names of fields may have several parts. */
const IDENTIFIERS = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** Whether a text is an identifier, or several with dots. */
export const isIdentifiers = (text: string): boolean => IDENTIFIERS.test(text);

/** The notation of a member: `query.size`, or `query["page-size"]` if the name is no identifier. */
export function memberText(of: string, member: string): string {
  const isPlain = isIdentifiers(member) && !member.split('.').some((part) => RESERVED.has(part));
  return isPlain ? `${of}.${member}` : `${of}[${JSON.stringify(member)}]`;
}
