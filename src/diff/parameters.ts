import type { EndpointContract, ParameterContract } from '../contract/endpoint.ts';
import { type Compare, follows, listed, members, value } from './compare.ts';
import { BREAKS, KEEPS } from './difference.ts';
import { ABSENT, holder, replacementVerdict, type Values } from './values.ts';

/** The name of a parameter in messages; a parameter named after a field has the field's name in the current version. */
const called = ({ in: place, name, field }: ParameterContract): string =>
  `the ${place} parameter ${field === null ? name : field.slice(field.indexOf('.') + 1)}`;

/** Compares one parameter of an endpoint. */
function parameter(values: Values): Compare<ParameterContract> {
  return (old, next, here) => {
    const name = called(next);
    const what = `${name}: `;
    const sentOf = (one: ParameterContract) => (one.required ? 'always' : 'optional');
    return members<ParameterContract>({
      in: follows('parameters are compared by where they are'),
      role: follows(
        'those that are not stated follow from pages, keys, preconditions and versions, which are compared',
      ),
      name: (was, is, at) =>
        next.field === null || next.in === 'path'
          ? follows('parameters go by their names, and what those of a path are called stands in no request')(
              was,
              is,
              at,
            )
          : value<string>('the name', BREAKS.refused)(was, is, { ...at, of: next.field }),
      field: follows('it is the same field, or one with another name'),
      type: (was, is, at) => {
        const stated = next.field === null && next.refersTo === null;
        return values.types(was, is, 'request', at, what, holder(name), next.field, stated);
      },
      // A parameter with a default is optional, which the comparison of `otherwise` reports.
      required: (was, is, at) =>
        (old.otherwise === null) !== (next.otherwise === null)
          ? []
          : value<boolean>(name, is ? BREAKS.refused : KEEPS.accepted, (one) => (one ? 'required' : 'optional'))(
              was,
              is,
              at,
            ),
      otherwise: value(`${what}${ABSENT}`, (was, is) => replacementVerdict(was, is, [sentOf(old), sentOf(next)])),
      refused: value(`${what}the code that refuses it`, BREAKS.unknown, (one) => one ?? 'that of an invalid request'),
      refersTo: value(`${what}the resource whose row it names`, BREAKS.refused),
      finds: value(`${what}the field by which it finds a row`, BREAKS.otherwise, (one) =>
        one ? `${one.resource}.${one.field}` : 'none',
      ),
      keeps: value(`${what}its filter`, BREAKS.otherwise),
    })(old, next, here);
  };
}

/**
 * Compares the parameters that an endpoint states. Path parameters are compared by position, because requests do not
 * contain their names. `unknown`: whether the new document refuses or ignores unknown parameters.
 */
export function parameters(
  values: Values,
  unknown: EndpointContract['unknownParameters'],
): Compare<EndpointContract['parameters']> {
  const inPath = listed<ParameterContract>({
    what: '',
    name: (one) => one.name,
    show: called,
    compare: parameter(values),
    added: BREAKS.refused,
    removed: BREAKS.refused,
    alike: () => '',
    order: null,
  });
  const others = listed<ParameterContract>({
    what: '',
    all: 'the parameters',
    name: (one) => `${one.in} ${one.field ?? one.name}`,
    show: called,
    compare: parameter(values),
    added: (one) => (one.required ? BREAKS.refused : KEEPS.accepted),
    removed: (one) => (one.in === 'query' && unknown === 'refused' ? BREAKS.refused : BREAKS.otherwise),
    // A parameter may change from that of a field to one of its own, or the reverse.
    alike: (one) => `${one.in} ${one.name}`,
  });
  return (old, next, here) => {
    const of = (list: typeof old, path: boolean): ParameterContract[] =>
      list.filter((one) => one.role === 'stated' && (one.in === 'path') === path);
    return [...inPath(of(old, true), of(next, true), here), ...others(of(old, false), of(next, false), here)];
  };
}
