import { randomUUID } from 'node:crypto';
import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { BodyContract, EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import { sampleBytes } from '../../contract/samples/bytes.ts';
import { Values } from '../../exchanges/values.ts';
import { explainPlan } from '../../explain/explain.ts';
import type { Json } from '../../export/json.ts';
import { showForm } from '../../http/form.ts';
import { isFileContent, WHOLE_FORM } from '../../http/multipart.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import type { Plan } from '../../plan/step.ts';
import type { Engine } from '../../runtime/engine/engine.ts';
import { OperatorRow } from '../../runtime/operator-row.ts';
import { OperatorRows } from '../../runtime/operator-rows.ts';
import { shownToOperator } from '../../runtime/operator-values.ts';
import { ownMember } from '../../text/own-members.ts';
import { type ConsoleService, engineOf, planOf, statingOf, withoutTrees } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type { EndpointAnswer, EndpointSummary, EndpointsAnswer, PlanLine, TryPart, TryRequest } from '../protocol.ts';
import type { Route } from '../route.ts';

/** Routes about endpoints. */
export function endpointViews(served: ConsoleService): Route[] {
  return [
    { method: 'GET', path: '/endpoints', answer: (): EndpointsAnswer => ({ endpoints: summaries(served) }) },
    {
      method: 'GET',
      path: '/endpoints/:name',
      answer: ({ names: [name = ''], query }) => endpointAnswer(served, name, query),
    },
  ];
}

/** All endpoints, in the order of the document, including unsettled ones. */
function summaries(served: ConsoleService): EndpointSummary[] {
  const plan = planOf(served);
  const planned = new Map(plan.endpoints.map((one) => [one.name, one]));
  return served.document().endpoints.map(({ endpoint: name, line }): EndpointSummary => {
    const one = planned.get(name);
    const [method = '', path = ''] = name.split(' ');
    return {
      name,
      method: one?.method ?? method,
      path: one?.path ?? path,
      access: one ? (one.access ?? 'anyone') : null,
      writes: one?.writes ?? false,
      settled: one !== undefined,
      line,
    };
  });
}

async function endpointAnswer(served: ConsoleService, name: string, query: URLSearchParams): Promise<EndpointAnswer> {
  const { contract } = statingOf(served);
  const version = contract.versions[0];
  const endpoint = version?.endpoints.find((one) => one.name === name);
  if (!version || !endpoint) throw new ConsoleError('not found', `The document has no settled endpoint “${name}”.`);
  const { payload } = contract.errors;
  const used = shapesIn(endpoint, new Map(version.shapes.map((shape) => [shape.name, shape])));
  return withoutTrees({
    endpoint,
    shared: sharedAnswers(endpoint, version.endpoints),
    shapes: version.shapes.filter((shape) => used.has(shape.name)),
    errors: payload && { plain: payload.type, withFaults: payload.withFaults },
    plan: planLines(planOf(served), name),
    sample: await sampleOf(engineOf(served), contract, endpoint, query),
  });
}

/** The places of the refusals that all endpoints answer; none where there is one endpoint alone. */
function sharedAnswers({ answers }: EndpointContract, all: readonly EndpointContract[]): number[] {
  if (all.length < 2) return [];
  return answers.flatMap(({ status, code }, i) =>
    code !== null && all.every((one) => one.answers.some((other) => other.status === status && other.code === code))
      ? [i]
      : [],
  );
}

/** The shapes that an endpoint refers to, directly or through other shapes. */
function shapesIn(endpoint: EndpointContract, shapes: ReadonlyMap<string, object>): ReadonlySet<string> {
  const used = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { kind, name } = value as { readonly kind?: unknown; readonly name?: unknown };
    if (kind === 'shape' && typeof name === 'string' && !used.has(name)) {
      used.add(name);
      walk(shapes.get(name));
    }
    for (const [key, part] of Object.entries(value)) if (key !== 'tree') walk(part);
  };
  walk(endpoint);
  return used;
}

const PHASES = { before: 'before', inside: 'inside', after: 'after' } as const;

/** The steps of an endpoint as `ninefold plan` prints them. */
function planLines(plan: Plan, name: string): PlanLine[] {
  const one = plan.endpoints.find((endpoint) => endpoint.name === name);
  if (!one) return [];
  let phase: PlanLine['phase'] = 'before';
  const lines: PlanLine[] = [];
  for (const text of explainPlan(plan, one).split('\n').slice(1)) {
    const heading = ownMember(PHASES, /^ (\w+): /.exec(text)?.[1] ?? '');
    if (heading) {
      phase = heading;
      continue;
    }
    const line = /\s+\(line (\d+)\)$/.exec(text);
    lines.push({ phase, text: text.slice(0, line?.index).replace(/^ {2,4}/, ''), line: line ? Number(line[1]) : null });
  }
  return lines;
}

/** A row of each resource, to begin with; null where there is none. */
type FirstRows = ReadonlyMap<string, Readonly<Record<string, unknown>> | null>;

/**
 * A request of an endpoint that is right as far as is known: with rows that are there, of the resource of `resource` the
 * one of `row`.
 */
async function sampleOf(
  engine: Engine,
  contract: Contract,
  endpoint: EndpointContract,
  query: URLSearchParams,
): Promise<TryRequest> {
  const version = contract.versions[0];
  const rows = new Map(await firstRows(engine, resourcesOf(contract, endpoint)));
  const wanted = engine.resources.get(query.get('resource') ?? '');
  const row = wanted && (await new OperatorRow(engine).find(wanted, query.get('row') ?? ''));
  if (wanted && row) rows.set(wanted.plan.name, shownToOperator(wanted, row));
  const values = new Values(engine.store.now(), ({ field, type }) => {
    const target = targetOf(contract, field);
    if (target === null) return undefined;
    const one = identityIn(rows, contract, target);
    const many = type.kind === 'list' || type.kind === 'set';
    return many ? [one].filter((id) => id !== null) : one;
  });
  const of = (place: ParameterContract['in']): ReadonlyArray<readonly [string, string]> =>
    endpoint.parameters
      .filter((one) => one.in === place && (one.required || one.role === 'idempotency key'))
      .map((one) => [one.name, textOf(parameterValue(one, values, rows, contract))]);
  const path = new Map(of('path'));
  const inQuery = of('query').map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const filled = endpoint.path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(path.get(name) ?? ''));
  const { body } = endpoint;
  return {
    method: endpoint.method,
    path: `${filled}${inQuery.length ? `?${inQuery.join('&')}` : ''}`,
    headers: [...of('header'), ...(body ? [['Content-Type', mediaTypeOf(body.mediaTypes, version)] as const] : [])],
    ...(body ? contentOf(body, values) : { body: null }),
    caller: null,
  };
}

/** The content of a request: bytes, the parts of a form, or text. */
function contentOf(body: BodyContract, values: Values): Pick<TryRequest, 'body' | 'file' | 'parts'> {
  const [type = ''] = body.mediaTypes;
  if (body.bytes) {
    const bytes = sampleBytes(body.bytes, type, 1);
    return { body: null, file: { name: 'sample', type, base64: bytes.toString('base64') } };
  }
  const sample = values.body(body.type, body.patch, 0);
  if (type === MULTIPART_TYPE) return { body: null, parts: partsOf(sample) };
  return { body: type === FORM_TYPE ? showForm(sample) : JSON.stringify(sample, null, 2) };
}

/** The parts of a form: the items of a list have the same name, and null is left out. */
function partsOf(sample: Readonly<Record<string, unknown>>): TryPart[] {
  return Object.entries(sample).flatMap(([name, value]) =>
    [value].flat().flatMap((one): TryPart[] => {
      if (one === null || one === undefined) return [];
      if (!isFileContent(one)) return [{ name, text: String(one) }];
      const base64 = Buffer.from(one.latin1, 'latin1').toString('base64');
      return [{ name, file: { name: 'sample', type: one.type, base64 } }];
    }),
  );
}

const mediaTypeOf = (types: readonly string[], version: VersionContract | undefined): string =>
  types[0] === MULTIPART_TYPE ? WHOLE_FORM : (types[0] ?? version?.mediaType ?? 'application/json');

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
