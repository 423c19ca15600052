import type { ShapeContract } from '../../../contract/contract.ts';
import type { ContractType, MemberContract } from '../../../contract/types.ts';
import { typeText } from '../../../contract/words.ts';
import { LineLink } from '../parts/refusal.tsx';

interface Props {
  readonly members: readonly MemberContract[];
  readonly shapes: readonly ShapeContract[];
  /** The place of the members: the body of a request, or an answer. */
  readonly where: 'body' | 'answer';
}

/** Objects in objects are shown so deep: a shape may hold itself. */
const DEEPEST = 4;

interface Named {
  readonly name: string;
  readonly member: MemberContract;
}

/** The members of an object as rows of a table; those of objects in it under their dotted names. */
export function Members({ members, shapes, where }: Props) {
  return (
    <>
      {named(members, shapes, '', 0).map(({ name, member }) => (
        <tr key={name}>
          {where === 'answer' && <td />}
          <th scope="row">
            <code>{name}</code>
            {member.presence === 'optional' && <span class="muted"> optional</span>}
          </th>
          {where === 'body' && <td class="muted">body</td>}
          <td>
            {ownText(member.type, shapes)}
            {member.nullable && <span class="muted"> or null</span>}
            {member.otherwise && (
              <span class="muted">
                {' else '}
                <code>{member.otherwise.text}</code>
              </span>
            )}
          </td>
          <td class="tight">
            <LineLink line={member.lines[0]} />
          </td>
        </tr>
      ))}
    </>
  );
}

/** The members that a type has, if it is an object or a shape. */
export function membersOf(type: ContractType, shapes: readonly ShapeContract[]): readonly MemberContract[] {
  if (type.kind === 'object') return type.members;
  if (type.kind === 'shape') return shapes.find((one) => one.name === type.name)?.type.members ?? [];
  if (type.kind === 'list' || type.kind === 'set') return membersOf(type.of, shapes);
  return [];
}

function named(
  members: readonly MemberContract[],
  shapes: readonly ShapeContract[],
  before: string,
  deep: number,
): readonly Named[] {
  if (deep > DEEPEST) return [];
  return members.flatMap((member): Named[] => {
    const many = member.type.kind === 'list' || member.type.kind === 'set' ? '[]' : '';
    const name = before + member.name;
    const inner = membersOf(member.type, shapes);
    return [{ name, member }, ...named(inner, shapes, `${name}${many}.`, deep + 1)];
  });
}

/** A type in words. For an object, this is only the kind of object, since its members are listed below. */
function ownText(type: ContractType, shapes: readonly ShapeContract[]): string {
  if (type.kind === 'object') return 'object';
  if (type.kind === 'shape') return shapes.find((one) => one.name === type.name)?.resource ?? type.name;
  if (type.kind === 'list' || type.kind === 'set') return `${type.kind} of ${ownText(type.of, shapes)}`;
  return typeText(type);
}
