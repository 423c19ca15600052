import type { ErrorPayloadContract, ToldContract } from '../../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../contract/endpoint.ts';
import type { Expression } from '../../contract/types.ts';
import { problemType } from '../../plan/problem-type.ts';
import { ownMember } from '../../text/own-member.ts';
import type { Exchange } from '../exchange.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Exporting } from './exporting.ts';

/** What is known of an error or a fault, by the names that expressions have for it. */
type Known = Readonly<Record<string, Json>>;

/** A value that an example can’t have: the document computes it of what isn’t known before there is a service. */
const UNKNOWN = Symbol('unknown');
type Worked = Json | typeof UNKNOWN;

interface Example {
  readonly name: string;
  readonly value: Json;
}

/** What the example of a success is called, of its request and of its answer. */
export const ANSWERED = 'answered';

/** The example of an answer: what the service answered; of an error that was not met, what can be composed from the contract. */
export function exampleOf(x: Exporting, endpoint: EndpointContract, answer: AnswerContract): Example[] {
  const { body, code, status, because } = answer;
  if (!body || body.type.kind === 'stream') return [];
  const recorded = x.exchange(endpoint.name, status, code)?.answer.body;
  if (recorded !== undefined) return [{ name: code ?? ANSWERED, value: recorded }];
  if (code === null) x.notes.add('no example', endpoint.name);
  else x.notes.add('composed examples', because.kind === 'condition' ? because.name : `${endpoint.name} ${code}`);
  return composed(x, endpoint, answer);
}

/** The request that an endpoint did what it is for at, and its answer. */
export function successOf(x: Exporting, { name, answers }: EndpointContract): Exchange | undefined {
  const success = answers.at(-1);
  return success && x.exchange(name, success.status, success.code);
}

/** A parameter or a header as JSON, by the schema of what it holds. */
export function sentAs({ type }: JsonObject, text: string): Json {
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return type === 'array' ? text.split(',') : text;
}

/** An example of an error, by its code; none where what the payload holds isn’t known from the contract. */
function composed(x: Exporting, endpoint: EndpointContract, { body, code, title, status }: AnswerContract): Example[] {
  const { errors } = x.contract;
  const { payload } = errors;
  if (body?.type.kind !== 'error' || code === null || !payload) return [];
  const fault = body.type.faults ? faultOf(endpoint, payload) : null;
  if (payload.kind === 'RFC 9457')
    return [{ name: code, value: problem(payload, { title: title ?? code, status, code }, fault) }];
  const columns = errors.codes.find((one) => one.code === code)?.more ?? {};
  const error = { ...columns, code, status, title: title ?? code };
  const leftOut = x.contract.wire.missing !== 'null';
  const value = objectOf(payload.told, { error, fault, leftOut });
  if (value !== UNKNOWN) return [{ name: code, value }];
  x.notes.add('error examples', `${endpoint.name} ${code}`);
  return [];
}

function problem(
  { problemType: type }: ErrorPayloadContract,
  { code, ...stated }: Known & { code: string },
  fault: Known | null,
): Json {
  const error = { ...(type === null ? {} : { type: problemType(type, code) }), ...stated, code };
  if (!fault) return error;
  const { rule = null, message = null, pointer, parameter, header } = fault;
  const at = Object.entries({ pointer, parameter, header }).filter((one): one is [string, Json] => one[1] !== null);
  return { ...error, errors: [{ ...Object.fromEntries(at), code: rule, detail: message }] };
}

/** A fault that a request to the endpoint can have. */
function faultOf(endpoint: EndpointContract, { faults }: ErrorPayloadContract): Known {
  const fault = (rule: string, at: Known): Known => {
    const none = { field: '', pointer: null, parameter: null, header: null };
    return { ...none, ...at, rule, message: faults[rule] ?? rule };
  };
  const [member] = endpoint.body?.type.members ?? [];
  if (member) {
    const pointer = `/${member.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return fault(member.presence === 'optional' ? 'null_refused' : 'missing', { field: member.name, pointer });
  }
  const stated = endpoint.parameters.find((one) => one.role === 'stated' && one.in !== 'header');
  if (!stated) return fault('unknown_parameter', { field: 'unknown', parameter: 'unknown' });
  return fault('missing', { field: stated.name, parameter: stated.name });
}

interface ErrorParts {
  readonly error: Known;
  readonly fault: Known | null;
  readonly leftOut: boolean;
}

function objectOf(members: readonly ToldContract[], told: ErrorParts): Worked {
  const out: Record<string, Json> = {};
  for (const member of members) {
    // Dotted names nest, which no example does yet.
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

/** What an expression that only names a part of the error or of the fault has as its result. */
function workedOut(expression: Expression | null, { error, fault }: ErrorParts): Worked {
  const tree = expression?.tree;
  if (tree?.op === 'const') return tree.value;
  if (tree?.op !== 'get' || tree.of.op !== 'name') return UNKNOWN;
  const known = tree.of.name === 'error' ? error : tree.of.name === 'fault' ? fault : null;
  return (known && ownMember(known, tree.member)) ?? (known ? null : UNKNOWN);
}
