import type { ErrorPayloadContract, ToldContract } from '../../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../contract/endpoint.ts';
import { problemTypeOf } from '../../contract/problem-types.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType, Expression } from '../../contract/types.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Exchange } from '../exchange.ts';
import type { Json, JsonObject } from '../json.ts';
import { composedFault } from './composed-fault.ts';
import type { Exporting } from './exporting.ts';

/** The known values of an error or fault, by their names in expressions. */
type Known = Readonly<Record<string, Json>>;

/** Marks a value that an example cannot have, because its expression depends on data of a running service. */
const UNKNOWN = Symbol('unknown');
type Worked = Json | typeof UNKNOWN;

interface Example {
  readonly name: string;
  readonly value: Json;
}

/** The name of the example of a successful request and its answer. */
export const ANSWERED = 'answered';

/** The kinds of bodies without examples: a description is this document, or one that is exported like it. */
const WITHOUT: ReadonlySet<ContractType['kind']> = new Set(['stream', 'bytes', 'description']);

/** The examples of an answer: a recorded answer, or for an error, one that is composed from the contract. */
export function exampleOf(x: Exporting, endpoint: EndpointContract, answer: AnswerContract): Example[] {
  const { body, code, status, because } = answer;
  if (!body || WITHOUT.has(body.type.kind)) return [];
  const recorded = x.exchange(endpoint.name, status, code)?.answer.body;
  if (recorded !== undefined) return [{ name: code ?? ANSWERED, value: recorded }];
  if (code === null) x.notes.add('no example', endpoint.name);
  else x.notes.add('composed examples', because.kind === 'condition' ? because.name : `${endpoint.name} ${code}`);
  return composed(x, endpoint, answer);
}

/** The recorded exchange of a success. */
export function successOf(x: Exporting, endpoint: EndpointContract): Exchange | undefined {
  const exchanges = successesOf(endpoint).map(({ status, code }) => x.exchange(endpoint.name, status, code));
  return exchanges.find((one) => one !== undefined);
}

/** Parses a parameter or header value, by its schema. */
export function sentAs({ type }: JsonObject, text: string): Json {
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return type === 'array' ? text.split(',') : text;
}

/** Composes the example of an error; none if the contract does not determine the payload. */
function composed(x: Exporting, endpoint: EndpointContract, answer: AnswerContract): Example[] {
  const { body, code, title, status, because } = answer;
  const { errors } = x.contract;
  const { payload } = errors;
  if (body?.type.kind !== 'error' || code === null || !payload) return [];
  const fault = body.type.faults ? faultOf(endpoint, payload, because.name) : null;
  const lacks = (): Example[] => {
    x.notes.add('error examples', `${endpoint.name} ${code}`);
    return [];
  };
  if (body.type.faults && !fault) return lacks();
  if (payload.kind === 'RFC 9457')
    return [{ name: code, value: problem(problemTypeOf(errors, code), { title: title ?? code, status, code }, fault) }];
  const columns = errors.codes.find((one) => one.code === code)?.more ?? {};
  const error = { ...columns, code, status, title: title ?? code };
  const leftOut = x.contract.wire.missing !== 'null';
  const value = objectOf(payload.told, { error, fault, leftOut });
  return value === UNKNOWN ? lacks() : [{ name: code, value }];
}

function problem(type: string | null, stated: Known & { code: string }, fault: Known | null): Json {
  const error = { ...(type === null ? {} : { type }), ...stated };
  if (!fault) return error;
  const { rule = null, message = null, pointer, parameter, header } = fault;
  const at = Object.entries({ pointer, parameter, header }).filter((one): one is [string, Json] => one[1] !== null);
  return { ...error, errors: [{ ...Object.fromEntries(at), code: rule, detail: message }] };
}

/** A fault that a request to the endpoint can cause under a condition; null if the contract names none. */
function faultOf(endpoint: EndpointContract, { faults }: ErrorPayloadContract, condition: string): Known | null {
  const found = composedFault(endpoint, condition);
  if (!found) return null;
  const { rule, place, field, name } = found;
  return { field, pointer: null, parameter: null, header: null, [place]: name, rule, message: faults[rule] ?? rule };
}

interface ErrorParts {
  readonly error: Known;
  readonly fault: Known | null;
  readonly leftOut: boolean;
}

function objectOf(members: readonly ToldContract[], told: ErrorParts): Worked {
  const out: Record<string, Json> = {};
  for (const member of members) {
    // Dotted names nest, which composed examples do not support yet.
    const value = member.name.includes('.') ? UNKNOWN : memberOf(member, told);
    if (value === UNKNOWN) return UNKNOWN;
    if (value !== null || !told.leftOut) out[member.name] = value;
  }
  return out;
}

function memberOf(one: ToldContract, told: ErrorParts): Worked {
  switch (one.kind) {
    case 'value':
      return workedOut(one.value, told);
    case 'object':
      return objectOf(one.members, told);
    case 'objects':
      return told.fault ? listOf(objectOf(one.members, told)) : [];
    case 'list':
    case 'map': {
      const pair = told.fault ? one : one.otherwise;
      if (!pair) return one.kind === 'list' ? [] : {};
      const value = workedOut(pair.value, told);
      if (one.kind === 'list') return listOf(value);
      const key = workedOut(pair.key, told);
      if (typeof key === 'symbol' || typeof value === 'symbol') return UNKNOWN;
      return key === null || value === null ? {} : { [String(key)]: [value] };
    }
  }
}

function listOf(value: Worked): Worked {
  if (value === UNKNOWN) return UNKNOWN;
  return value === null ? [] : [value];
}

/** The value of an expression that refers to a member of the error or fault; unknown for other expressions. */
function workedOut(expression: Expression | null, { error, fault }: ErrorParts): Worked {
  const tree = expression?.tree;
  if (tree?.op === 'const') return tree.value;
  if (tree?.op !== 'get' || tree.of.op !== 'name') return UNKNOWN;
  const known = tree.of.name === 'error' ? error : tree.of.name === 'fault' ? fault : null;
  return (known && ownMember(known, tree.member)) ?? (known ? null : UNKNOWN);
}
