import { basename } from 'node:path';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { isScalar, type SampleSource, sampleOf } from '../../contract/kinds.ts';
import { sampleDuration, sampleText } from '../../contract/samples/texts.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import type { Json } from '../json.ts';
import { literal } from './layout.ts';
import { stated } from './signatures.ts';
import type { Group, Method } from './tree.ts';
import { access, camel, isInherited, isKeyword, key, quote, WIDTH } from './words.ts';
import type { Writing } from './writing.ts';

/** A call in the example program, and the endpoint that it calls. */
interface Call {
  readonly endpoint: EndpointContract;
  readonly lines: readonly string[];
}

/** Names that the example declares or imports. */
const DECLARED = ['client', 'createClient', 'created', 'unwrap', 'basicCredentials', 'console'];
/** The first instant of samples. */
const INSTANT = Date.UTC(2030, 0, 15, 10);
const HOUR_MS = 3_600_000;

/**
 * A program that creates a client, and that creates and reads rows where the service has endpoints for this which need
 * no other rows. Without such endpoints, it prints the names of the calls and their groups.
 */
export function exampleOf(w: Writing, tree: Group): string[] {
  const methods = methodsIn(tree);
  const reads = methods.flatMap((one) => readingOf(w, one) ?? []);
  const creates = methods.flatMap((one) => creatingOf(w, one) ?? []);
  const pairs = creates.flatMap((create) => reads.map((read) => [create, read] as const));
  const [best] = pairs.toSorted((one, other) => fitOf(...other) - fitOf(...one));
  const [create = creates[0], read = reads[0]] = best ?? [];
  const calls = [create, read].filter((one) => one !== undefined);
  const credentials = w.schemes.example(schemesOf(calls));
  const { url } = w.contract.address;
  const options = [`baseUrl: ${quote(url ?? 'https://service.example')}`, ...credentials];
  const body = ['', ...calls.flatMap(({ lines }, i) => [...(i > 0 ? [''] : []), ...lines])];
  const text = body.join('\n');
  const imported = [
    ...(credentials.some((one) => one.includes('basicCredentials(')) ? ['basicCredentials'] : []),
    'createClient',
    ...(text.includes('unwrap(') ? ['unwrap'] : []),
  ];
  const file = basename(w.contract.document).replace(/\.md$/, '');
  return [
    `import { ${imported.join(', ')} } from ${quote(`./${/\w/.test(file) ? file : 'client'}.ts`)};`,
    '',
    `const client = createClient(${literal(options, WIDTH - 33)});`.split('\n'),
    calls.length > 0 ? body : ['console.log(Object.keys(client));'],
  ].flat();
}

const methodsIn = ({ methods, groups }: Group): Method[] => [
  ...methods,
  ...groups.flatMap(([, group]) => methodsIn(group)),
];

/** How well two calls show what a caller does: with the credentials of one scheme, about the same rows. */
function fitOf(create: Call, read: Call): number {
  const [one, other] = [create.endpoint.access, read.endpoint.access];
  const alike = one.withoutCredentials
    ? other.withoutCredentials
    : !other.withoutCredentials && one.schemes.some((scheme) => other.schemes.includes(scheme));
  return (alike ? 4 : 0) + (create.endpoint.path === read.endpoint.path ? 2 : 0) + (read.endpoint.page ? 1 : 0);
}

/** The schemes of the callers of a program: those that all of its calls accept, if there are any. Null: all schemes. */
function schemesOf(calls: readonly Call[]): readonly string[] | null {
  if (calls.length === 0) return null;
  const accepted = calls.flatMap(({ endpoint: { access } }) => (access.withoutCredentials ? [] : [access.schemes]));
  const [first = [], ...rest] = accepted;
  const common = first.filter((one) => rest.every((schemes) => schemes.includes(one)));
  return common.length > 0 ? common : accepted.flat();
}

/** Whether a call needs nothing but a body. */
const isSimple = (endpoint: EndpointContract): boolean =>
  !endpoint.path.includes('{') &&
  [...stated(endpoint, 'header'), ...stated(endpoint, 'query')].every((one) => !one.required) &&
  endpoint.preconditions?.ifMatch !== 'required' &&
  !endpoint.deprecation;

/** Lists rows, or reads what an answer holds. */
function readingOf(w: Writing, { endpoint, chain }: Method): Call | null {
  const [success, ...others] = successesOf(endpoint);
  if (endpoint.method !== 'GET' || !isSimple(endpoint) || endpoint.body || !success?.body || others.length > 0)
    return null;
  const called = ['client', ...chain].reduce((value, name) => access(value, name));
  if (endpoint.page) {
    if (w.omitted.has('iterators', endpoint.name)) return null;
    const name = rowName(w, endpoint);
    return { endpoint, lines: [`for await (const ${name} of ${called}All()) console.log(${name});`] };
  }
  const { kind } = success.body.type;
  if (!['object', 'shape', 'list', 'map'].includes(kind)) return null;
  return { endpoint, lines: [`console.log(unwrap(await ${called}()));`] };
}

/** The name of the resource whose rows an endpoint lists. */
function rowName({ version }: Writing, endpoint: EndpointContract): string {
  const type = successesOf(endpoint)[0]?.body?.type;
  const lists = type?.kind === 'object' ? type.members.map((one) => one.type) : type ? [type] : [];
  const [items] = lists.flatMap((one) => (one.kind === 'list' && one.of.kind === 'shape' ? [one.of.name] : []));
  const name = camel(version.shapes.find((one) => one.name === items)?.resource ?? 'row');
  return isKeyword(name) || DECLARED.includes(name) ? 'row' : name;
}

/** Creates a row whose values need no other rows. */
function creatingOf(w: Writing, { endpoint, chain }: Method): Call | null {
  const { body } = endpoint;
  const [success, ...others] = successesOf(endpoint);
  if (endpoint.method !== 'POST' || !isSimple(endpoint) || success?.status !== 201 || others.length > 0) return null;
  if (!body || body.bytes || !success.body || !isFree(body.type)) return null;
  const called = ['client', ...chain].reduce((value, name) => access(value, name));
  const sent = code(new Samples().object(body.type), WIDTH - called.length - 28);
  return {
    endpoint,
    lines: [
      ...`const created = await ${called}(${sent});`.split('\n'),
      'if (created.ok) console.log(created.data);',
      `else console.error(created.error.${w.refusals.coded ? 'code' : 'status'});`,
    ],
  };
}

/** Whether a body can be made without rows that it refers to, and without files. */
const isFree = ({ members }: ObjectContract): boolean =>
  members.every((one) => !isSent(one) || (one.refersTo === null && isFreeType(one.type)));

function isFreeType(type: ContractType): boolean {
  if (type.kind === 'object') return isFree(type);
  if (type.kind === 'list' || type.kind === 'set' || type.kind === 'map') return isFreeType(type.of);
  return isScalar(type);
}

/** Whether the program sends a member. An object inherits some optional ones, which a type then asks for. */
const isSent = ({ name, presence }: MemberContract): boolean => presence === 'always' || isInherited(name);

/** Makes values that types allow. Later instants of a body are later. */
class Samples {
  private instants = 0;

  object({ members }: ObjectContract): Json {
    return Object.fromEntries(members.filter(isSent).map(({ name, type }) => [name, this.of(type, name)]));
  }

  /** A value of a type; another one for another `n`. */
  private of(type: ContractType, name: string, n = 1): Json {
    if (isScalar(type)) return sampleOf(type, this.source(n), name);
    switch (type.kind) {
      case 'list':
      case 'set': {
        const length = Math.min(type.max ?? 1, Math.max(type.min ?? 0, 1));
        return Array.from({ length }, (_, i) => this.of(type.of, name, i + 1));
      }
      case 'map': {
        const entry = (i: number): [string, Json] => [
          type.keys ? String(this.of(type.keys, 'key', i)) : `key${i}`,
          this.of(type.of, name, i),
        ];
        return Object.fromEntries(Array.from({ length: type.min ?? 0 }, (_, i) => entry(i + 1)));
      }
      case 'object':
        return this.object(type);
      default:
        return null;
    }
  }

  private source(n: number): SampleSource<Json> {
    const number = (min: number | null, max: number | null): number =>
      Math.min(max ?? Number.MAX_SAFE_INTEGER, Math.max(min ?? n, n));
    const bound = (text: string | null): number | null => (text === null ? null : Number(text));
    return {
      text: (type, name) => sampleText(type, name, n, n - 1),
      integer: ({ min, max }) => number(min, max),
      decimal: ({ min, max, as, digits }) => {
        const value = number(bound(min), bound(max));
        return as === 'strings' ? value.toFixed(digits) : value;
      },
      boolean: () => true,
      duration: sampleDuration,
      instant: () => INSTANT + this.instants++ * HOUR_MS,
      day: () => INSTANT,
    };
  }
}

/**
 * A value as an expression, on one line if it fits. Members of an object at this `depth` have two spaces more before
 * them, and a text that is too long for the line of its name is on the next.
 */
function code(value: Json, room: number, depth = 0): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => code(one, room, depth)).join(', ')}]`;
  const members = Object.entries(value as Readonly<Record<string, Json>>).map(([name, one]) => {
    const before = `${key(name)}:`;
    const after = code(one, room - 2, depth + 2);
    const fits = typeof one !== 'string' || depth + 2 + `${before} ${after},`.length <= WIDTH;
    return fits ? `${before} ${after}` : `${before}\n  ${after}`;
  });
  return literal(members, room);
}
