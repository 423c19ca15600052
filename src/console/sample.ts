import { randomUUID } from 'node:crypto';
import type { Contract, VersionContract } from '../contract/contract.ts';
import type { EndpointContract, ParameterContract } from '../contract/endpoint.ts';
import { Values } from '../exchanges/values.ts';
import type { Json } from '../export/json.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import { OperatorRows } from '../runtime/operator-rows.ts';
import { shownToOperator } from '../runtime/operator-values.ts';
import type { TryRequest } from './protocol.ts';

/** A row of each resource, to begin with; null where there is none. */
type FirstRows = ReadonlyMap<string, Readonly<Record<string, unknown>> | null>;

/** A request of an endpoint that is right as far as is known: with rows that are there. */
export async function sampleOf(engine: Engine, contract: Contract, endpoint: EndpointContract): Promise<TryRequest> {
  const version = contract.versions[0];
  const rows = await firstRows(engine, resourcesOf(contract, endpoint));
  const values = new Values(engine.store.now(), ({ field }) => {
    const target = targetOf(contract, field);
    return target === null ? undefined : identityIn(rows, contract, target);
  });
  const of = (place: ParameterContract['in']): ReadonlyArray<readonly [string, string]> =>
    endpoint.parameters
      .filter((one) => one.in === place && (one.required || one.role === 'idempotency key'))
      .map((one) => [one.name, textOf(parameterValue(one, values, rows, contract))]);
  const path = new Map(of('path'));
  const query = of('query').map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const filled = endpoint.path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(path.get(name) ?? ''));
  const { body } = endpoint;
  return {
    method: endpoint.method,
    path: `${filled}${query.length ? `?${query.join('&')}` : ''}`,
    headers: [...of('header'), ...(body ? [['Content-Type', mediaTypeOf(body.mediaTypes, version)] as const] : [])],
    body: body && JSON.stringify(values.body(body.type, body.patch, 0), null, 2),
    caller: null,
  };
}

const mediaTypeOf = (types: readonly string[], version: VersionContract | undefined): string =>
  types[0] ?? version?.mediaType ?? 'application/json';

/** The resource whose row a field names, such as `Order.customer`. */
function targetOf(contract: Contract, field: string | null): string | null {
  if (field === null) return null;
  const cut = field.indexOf('.');
  const resource = contract.resources.find((one) => one.name === field.slice(0, cut));
  return resource?.fields.find((one) => one.name === field.slice(cut + 1))?.refersTo ?? null;
}

/** The resources whose rows a request names. */
function resourcesOf(contract: Contract, { parameters, body }: EndpointContract): ReadonlySet<string> {
  const named = parameters.flatMap((one) => one.finds?.resource ?? one.refersTo ?? []);
  const fields = body?.type.members.flatMap((one) => targetOf(contract, one.field) ?? []) ?? [];
  return new Set([...named, ...fields]);
}

async function firstRows(engine: Engine, names: ReadonlySet<string>): Promise<FirstRows> {
  const operator = new OperatorRows(engine);
  const out = new Map<string, Readonly<Record<string, unknown>> | null>();
  for (const name of names) {
    const resource = engine.resources.get(name);
    if (!resource) continue;
    const [row] = await operator.first(resource);
    out.set(name, row ? shownToOperator(resource, row) : null);
  }
  return out;
}

function identityIn(rows: FirstRows, contract: Contract, resource: string): Json {
  const identity = contract.resources.find((one) => one.name === resource)?.identity ?? '';
  return (rows.get(resource)?.[identity] ?? null) as Json;
}

function parameterValue(one: ParameterContract, values: Values, rows: FirstRows, contract: Contract): Json {
  if (one.role === 'idempotency key') return randomUUID();
  if (one.role === 'version') return contract.versions[0]?.name ?? '';
  const found = one.finds && rows.get(one.finds.resource);
  if (one.finds && found) return (found[one.finds.field] ?? null) as Json;
  if (one.refersTo !== null) return identityIn(rows, contract, one.refersTo) ?? values.of(one.type, one.name, 0);
  return values.of(one.type, one.name, 0);
}

const textOf = (value: Json): string => {
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
};
