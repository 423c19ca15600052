import type { EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import type { ContractType, MemberContract } from '../../contract/types.ts';
import type { Fault } from '../../plan/conditions.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';

/** The value at fault: a member of the body by its JSON Pointer, a parameter, or a header. */
type Place = 'pointer' | 'parameter' | 'header';

interface ComposedFault {
  readonly rule: Fault;
  readonly place: Place;
  /** The name of the member or parameter. */
  readonly field: string;
  /** The name at the place: for a member of the body, its pointer. */
  readonly name: string;
}

/** A member of the body, and the way to it. */
interface Placed {
  readonly member: MemberContract;
  readonly pointer: string;
}

/** A fault that a request to an endpoint can have under a condition; null if the contract names none. */
export function composedFault(endpoint: EndpointContract, condition: string): ComposedFault | null {
  const { body } = endpoint;
  const members = body ? membersIn(body.type, '') : [];
  const isForm = body?.mediaTypes.every((type) => type === FORM_TYPE || type === MULTIPART_TYPE) ?? false;
  const stated = endpoint.parameters.filter(({ role }) => role === 'stated');
  switch (condition) {
    case 'unknown parameter':
      return { rule: 'unknown_parameter', place: 'parameter', field: 'unknown', name: 'unknown' };
    case 'unknown field':
      return { rule: 'unknown_field', place: 'pointer', field: 'unknown', name: '/unknown' };
    case 'reference unknown': {
      const rule = 'reference_unknown';
      const member = members.find((one) => one.member.refersTo !== null && one.member.refused === null);
      if (member) return ofMember(rule, member, isMany(member.member.type) ? '/0' : '');
      const parameter = stated.find(({ refersTo, refused }) => refersTo !== null && refused === null);
      return parameter ? ofParameter(rule, parameter) : null;
    }
    default:
      return invalid(
        members.filter(({ member }) => member.refused === null),
        stated.filter(({ refused }) => refused === null),
        isForm,
      );
  }
}

function invalid(
  members: readonly Placed[],
  stated: readonly ParameterContract[],
  isForm: boolean,
): ComposedFault | null {
  const absent = members.find(({ member }) => member.presence === 'always');
  if (absent) return ofMember('missing', absent);
  const required = stated.find((one) => one.required && one.in !== 'path');
  if (required) return ofParameter('missing', required);
  const others = [
    ...members
      // In a form, one part with a name is a list of one.
      .filter(({ member }) => !(isForm && isMany(member.type)))
      .map((one) => [otherKind(one.member.type), (rule: Fault) => ofMember(rule, one)] as const),
    ...stated.map((one) => [notAllowed(one.type), (rule: Fault) => ofParameter(rule, one)] as const),
  ];
  const [first] = others.flatMap(([rule, of]) => (rule ? [of(rule)] : []));
  return first ?? null;
}

/** The members of an object, and of objects in it. */
const membersIn = (type: ContractType, at: string): Placed[] => {
  if (type.kind === 'list') return membersIn(type.of, `${at}/0`);
  if (type.kind !== 'object') return [];
  return type.members.flatMap((member) => {
    const pointer = `${at}/${member.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [{ member, pointer }, ...membersIn(member.type, pointer)];
  });
};

const isMany = ({ kind }: ContractType): boolean => kind === 'list' || kind === 'set';

const ofMember = (rule: Fault, { member, pointer }: Placed, item = ''): ComposedFault => ({
  rule,
  place: 'pointer',
  field: member.name,
  name: `${pointer}${item}`,
});

const ofParameter = (rule: Fault, { name, in: place }: ParameterContract): ComposedFault => ({
  rule,
  place: place === 'header' ? 'header' : 'parameter',
  field: name,
  name,
});

/** The fault of a value of another kind. */
const OTHER_KIND: Readonly<Partial<Record<ContractType['kind'], Fault>>> = {
  list: 'not_list',
  set: 'not_list',
  map: 'not_an_object',
  object: 'not_an_object',
  text: 'not_text',
  integer: 'not_integer',
  boolean: 'not_boolean',
  decimal: 'not_decimal',
  timestamp: 'not_timestamp',
  date: 'not_date',
  duration: 'not_duration',
};

/** The fault of a member whose value is of another kind. */
const otherKind = (type: ContractType): Fault | null =>
  type.kind === 'text' && type.format === 'uuid' ? 'not_uuid' : (OTHER_KIND[type.kind] ?? null);

/** The fault of a parameter, which is sent as text, whose value is not allowed; null if all texts are. */
function notAllowed(type: ContractType): Fault | null {
  if (type.kind !== 'text' || type.format === 'uuid') return isMany(type) ? null : otherKind(type);
  if (type.oneOf) return 'not_one_of';
  if (type.pattern) return 'not_matching';
  return type.max === null ? null : 'too_long';
}
