import type { ContractType, MemberContract, ObjectContract } from './types.ts';

/**
 * The type of a body as a form. No value is null; a list has an item, because its name is repeated; and a decimal is a
 * text.
 */
export const formType = (type: ObjectContract): ObjectContract => ({
  ...type,
  members: type.members.map(memberInForm),
});

const memberInForm = (member: MemberContract): MemberContract => ({
  ...member,
  type: inForm(member.type),
  nullable: false,
});

function inForm(type: ContractType): ContractType {
  if (type.kind === 'decimal') return { ...type, as: 'strings' };
  if (type.kind !== 'list' && type.kind !== 'set') return type;
  return { ...type, of: inForm(type.of), min: Math.max(type.min ?? 0, 1) };
}
