import type { EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import { unversionedName } from '../../plan/versions.ts';
import { type JsonObject, present } from '../json.ts';
import type { Use } from '../schema.ts';
import { sentAs, successOf } from './examples.ts';
import type { Exporting } from './exporting.ts';

const ROLES: Readonly<Record<Exclude<ParameterContract['role'], 'stated'>, string>> = {
  'page size': 'The number of items of a page.',
  'page place': 'The position of the page in the list.',
  'idempotency key':
    'A key that the client chooses: the service executes the same request with the same key once, and repeats its first answer.',
  precondition: 'An entity tag (RFC 9110, section 13).',
  range:
    'The part of the file that the client asks for, and the entity tag that the file must still have (RFC 9110, section 14.2 and 13.1.5).',
  version: 'The API version of the request.',
  'last event': 'The id of the last event that the client has read: the stream continues after it.',
};

/** Every parameter of an operation. */
export function parametersOf(x: Exporting, endpoint: EndpointContract): JsonObject[] {
  return endpoint.parameters.map((one) => parameterOf(x, endpoint, one));
}

function parameterOf(x: Exporting, endpoint: EndpointContract, one: ParameterContract): JsonObject {
  const { role, refersTo, keeps, name } = one;
  const at = `${endpoint.name} ${one.in}.${name}`;
  if (refersTo !== null) x.notes.add('refers to', at);
  if (keeps) x.notes.add('keeps', at);
  const use: Use = { way: 'in', patch: false, text: true, at };
  const list = one.type.kind === 'list' || one.type.kind === 'set';
  const schema = schemaOf(x, endpoint, one, use);
  const sent = successOf(x, endpoint)?.request.parameters.get(`${one.in} ${name}`);
  return present({
    name,
    in: one.in,
    description: role === 'stated' ? undefined : ROLES[role],
    required: versionRequired(x, one) || undefined,
    // Items are separated by commas.
    style: list && one.in === 'query' ? 'form' : undefined,
    explode: list && one.in === 'query' ? false : undefined,
    schema,
    example: sent === undefined ? undefined : sentAs(schema, sent),
    'x-ninefold-refers-to': refersTo ?? undefined,
    'x-ninefold-keeps': keeps?.text,
    ...x.schemas.annotations(one, use),
  });
}

/** A version has to be named, except the one of requests that name none. */
function versionRequired({ contract, version }: Exporting, { role, required }: ParameterContract): boolean {
  if (role !== 'version') return required;
  return unversionedName(contract.versioning, contract.versions[0]?.name ?? null) !== version.name;
}

function schemaOf(x: Exporting, { page }: EndpointContract, one: ParameterContract, use: Use): JsonObject {
  const schema = x.schemas.of(one.type, use);
  if (one.role === 'version' && x.version.name !== null) return { type: 'string', enum: [x.version.name] };
  if (one.role === 'page size' && page) return { ...schema, default: page.size.standard };
  return schema;
}
