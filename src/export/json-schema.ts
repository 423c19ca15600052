import type { Contract, VersionContract } from '../contract/contract.ts';
import type { AnswerBody, EndpointContract } from '../contract/endpoint.ts';
import { successesOf } from '../contract/successes.ts';
import type { ContractType } from '../contract/types.ts';
import { forCallers } from './internals.ts';
import type { JsonObject } from './json.ts';
import { NotExpressed } from './not-expressed.ts';
import { FAULTY_ERROR, PLAIN_ERROR, Schemas, type Use } from './schema.ts';

/**
 * Converts one version to JSON Schema (2020-12), with a definition for each body, payload and shape. `internals`: also the
 * members and the list of facts that JSON Schema cannot express.
 */
export function jsonSchemaOf(
  { wire, errors, title }: Contract,
  version: VersionContract,
  internals = false,
): JsonObject {
  const notes = new NotExpressed();
  const names = new Names();
  const definitions: Record<string, JsonObject> = {};
  const [plain, faulty] = [names.once('Error'), names.once('ErrorWithFaults')];
  const shapes = new Map(version.shapes.map((one) => [one.name, names.once(componentName(one.name))]));
  const referred = new Map([...shapes, [PLAIN_ERROR, plain], [FAULTY_ERROR, faulty]]);
  const schemas = new Schemas(wire, notes, (shape) => ({ $ref: `#/$defs/${referred.get(shape) ?? shape}` }));
  const define = (name: string, type: ContractType, use: Omit<Use, 'text' | 'at'>, nullable = false): void => {
    const here = { ...use, text: false, at: name };
    definitions[name] = nullable ? schemas.orNull(type, here) : schemas.of(type, here);
  };
  for (const { name, type } of version.shapes) define(shapes.get(name) ?? name, type, SENT);
  if (errors.payload) {
    define(plain, errors.payload.type, SENT);
    define(faulty, errors.payload.withFaults, SENT);
  }
  for (const endpoint of version.endpoints) {
    const { name, body } = endpoint;
    if (body && !body.bytes) {
      notes.add('body text');
      define(`${name} request`, body.type, { way: 'in', patch: body.patch });
    }
    for (const [key, { type, nullable }] of bodiesOf(endpoint))
      if (type.kind !== 'stream' && type.kind !== 'bytes') define(key, type, SENT, nullable);
  }
  for (const { name, payload } of version.events) define(`event ${name}`, payload, SENT);
  const all = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: version.name === null ? title : `${title}, ${version.name}`,
    $defs: definitions,
    'x-ninefold-not-expressed': notes.list(),
  };
  return internals ? all : forCallers(all);
}

/** The bodies of successes by name: the status, and a number where a status has several. */
function bodiesOf(endpoint: EndpointContract): ReadonlyMap<string, AnswerBody> {
  const out = new Map<string, AnswerBody>();
  const names = new Names();
  for (const { status, body } of successesOf(endpoint))
    if (body) out.set(names.once(`${endpoint.name} ${status}`), body);
  return out;
}

const SENT = { way: 'out', patch: false } as const;

/** Makes names unique: a name that is in use gets a number. */
export class Names {
  private readonly taken = new Set<string>();

  once(name: string): string {
    let own = name;
    for (let n = 2; this.taken.has(own); n++) own = `${name}${n}`;
    this.taken.add(own);
    return own;
  }
}

/** A name as components of OpenAPI may be called. */
export const componentName = (name: string): string => name.replace(/[^A-Za-z0-9._-]+/g, '-');
