import type { Errors, PayloadMember } from '../compiler/statements/errors.ts';
import { ERRORS, type MemberType } from '../language/errors.ts';
import { nothing } from '../language/statement.ts';
import type { Node } from './node.ts';
import { isJson, type Operation } from './operations.ts';
import type { Places } from './places.ts';
import { here, hereIf, isFieldName, membersOf, named, type ResourceNames } from './resources.ts';
import { isSayable } from './sayable.ts';
import { schemaValue, stateSources } from './value.ts';

/**
 * Reads the form of the bodies of errors: the file states one where all answers from 400 on have the same schema, and are
 * `application/json`.
 */
export function errorsOf(operations: readonly Operation[], names: ResourceNames, places: Places): Errors {
  const none = { ...nothing(ERRORS), blanks: [], rows: [], columns: [], payloads: [] };
  const schema = commonSchema(operations);
  const members = schema ? membersOf(schema) : [];
  if (!schema || members.length === 0) return none;
  const name = names.of(decodeURIComponent(schema.pointer.slice(schema.pointer.lastIndexOf('/') + 1)));
  const rows = members.flatMap(({ name: member, node }) => memberOf(member, node, name, places) ?? []);
  if (rows.length === 0) {
    schema.leave('object');
    return none;
  }
  places.set(schema.pointer, 'errors', '', '- Payload');
  const payload = { kind: 'table' as const, name: named(name), mediaType: null };
  return isSayable(ERRORS.Payload.value, payload)
    ? { ...none, payload: here(payload), payloads: [{ name: named(name), members: rows }] }
    : none;
}

/** The one schema that the bodies of all errors have; null where there is none, or where one has another form. */
function commonSchema(operations: readonly Operation[]): Node | null {
  const answers = operations.flatMap((one) => one.answers.filter(({ status }) => /^[45]/.test(status)));
  const schemas = answers.map(({ contents }) => {
    const [content, ...more] = contents;
    const isPlain = content && more.length === 0 && isJson(content.media) && !content.media?.includes('+');
    return isPlain && content.schema?.get('$ref') ? content.schema.resolved() : null;
  });
  const [first] = schemas;
  return first && schemas.every((one) => one?.pointer === first.pointer) ? first : null;
}

function memberOf(name: string, node: Node, payload: string, places: Places): PayloadMember | null {
  const value = schemaValue(node);
  const { type, object } = value;
  if (object) node.leave('nested');
  if (!isFieldName(name) || name.includes('.')) {
    node.leave('fieldName');
    return null;
  }
  const one = type?.kind === 'list' ? type.of.kind : type?.kind;
  const isPlain = one === 'string' || one === 'integer' || one === 'boolean';
  if (type && !isPlain) node.leave('payloadType');
  const stated: MemberType | null =
    type && isPlain ? { many: type.kind === 'list' ? 'list' : 'one', of: { kind: 'plain', type: one } } : null;
  stateSources(value, { type: stated !== null, allowed: false, presence: false });
  places.set(node.pointer, 'errors', '', `Payload ${payload}`, name);
  return { name: named(name), type: hereIf(stated), value: null };
}
