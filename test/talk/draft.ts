import type { BeforeStep, EndpointPlan, ParameterPlan, PayloadPlan, Plan, ResourcePlan } from '../../src/plan/step.ts';
import type { Request } from './side.ts';
import { fit, type Making } from './values.ts';

/** A request while it is made up: its parts, each of which may still be made wrong. */
export interface Draft {
  readonly endpoint: EndpointPlan;
  method: string;
  path: Map<string, string>;
  /** Stands before the path, where versions do. */
  prefix: string;
  query: Array<[name: string, value: string]>;
  headers: Array<[name: string, value: string]>;
  /** The body as values; undefined where there is none. */
  body: Record<string, unknown> | undefined;
  /** Stands for the body as it is. */
  raw: string | null;
  /** How long ago the request came, in milliseconds. */
  late: number;
}

/** Where values for requests are found, beside those that are made up. */
export interface Sources {
  readonly making: Making;
  readonly plan: Plan;
  /** A value that some row has in a field. */
  known(resource: string, field: string): string | null;
  /** What a path parameter of an endpoint stands for: a field of a resource. */
  fieldOf(endpoint: string, parameter: string): { resource: string; field: string } | null;
  /** A path that was there before. */
  path(endpoint: EndpointPlan): ReadonlyMap<string, string> | null;
}

export const stepOf = <D extends BeforeStep['do']>(endpoint: EndpointPlan, what: D) =>
  endpoint.before.find((step): step is Extract<BeforeStep, { do: D }> => step.do === what);

/** What a field is called in a version; null where it is absent there. */
export function wireName(plan: Plan, version: string | null, resource: string, field: string): string | null {
  const older = plan.versions?.older.find((one) => one.name === version);
  const name = older?.names[`${resource}.${field}`];
  return name === undefined ? field : name;
}

/** A request that the document asks for, as far as its parts say so. */
export function draftOf(endpoint: EndpointPlan, sources: Sources, version: string | null = null): Draft {
  const { random } = sources.making;
  const parameters = stepOf(endpoint, 'read parameters');
  const draft: Draft = {
    endpoint,
    method: endpoint.method,
    path: new Map(),
    prefix: '',
    query: [],
    headers: [],
    body: undefined,
    raw: null,
    late: 0,
  };
  const there = random.chance(0.7) ? sources.path(endpoint) : null;
  for (const parameter of parameters?.path ?? [])
    draft.path.set(parameter.name, there?.get(parameter.name) ?? parameterValue(endpoint, parameter, sources));
  for (const parameter of parameters?.query ?? [])
    if ((parameter.required && !parameter.otherwise) || random.chance(0.3))
      draft.query.push([queryName(sources.plan, version, parameter), parameterValue(endpoint, parameter, sources)]);
  for (const parameter of parameters?.header ?? [])
    if ((parameter.required && !parameter.otherwise) || random.chance(0.5))
      draft.headers.push([parameter.name, parameterValue(endpoint, parameter, sources)]);
  const page = stepOf(endpoint, 'read page')?.page;
  if (page && random.chance(0.4)) draft.query.push([page.limit, String(random.int(1, Math.min(3, page.most)))]);
  const body = stepOf(endpoint, 'validate body');
  if (body) draft.body = bodyOf(endpoint, body, sources, version);
  return draft;
}

const queryName = (plan: Plan, version: string | null, { name, field }: ParameterPlan): string => {
  const [resource, column] = field?.split('.') ?? [];
  return (resource && column && wireName(plan, version, resource, column)) || name;
};

function parameterValue(endpoint: EndpointPlan, parameter: ParameterPlan, sources: Sources): string {
  const { random } = sources.making;
  const field = sources.fieldOf(endpoint.name, parameter.name);
  const known = field && random.chance(0.85) ? sources.known(field.resource, field.field) : null;
  return known ?? written(fit(sources.making, parameter.rule));
}

/** A value as it stands in an address or a header. */
export const written = (value: unknown): string =>
  Array.isArray(value) ? value.map(written).join(',') : typeof value === 'string' ? value : JSON.stringify(value);

function bodyOf(
  _endpoint: EndpointPlan,
  step: Extract<BeforeStep, { do: 'validate body' }>,
  sources: Sources,
  version: string | null,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  const { random } = sources.making;
  for (const parameter of step.parameters)
    if (parameter.required || random.chance(0.6)) out[parameter.name] = fit(sources.making, parameter.rule);
  const { payload } = step;
  if (!payload) return out;
  const one = (): Record<string, unknown> => fieldsOf(payload, sources, version);
  const held = payload.items
    ? Array.from({ length: Math.max(payload.items.min, Math.min(payload.items.max, random.int(1, 2))) }, one)
    : one();
  return payload.member === null ? { ...out, ...(held as object) } : { ...out, [payload.member]: held };
}

function fieldsOf(payload: PayloadPlan, sources: Sources, version: string | null): Record<string, unknown> {
  const { random } = sources.making;
  const resource = resourceOf(sources.plan, payload.resource);
  const out: Record<string, unknown> = {};
  for (const field of payload.fields) {
    const column = resource.columns.find((one) => one.name === field)!;
    const name = wireName(sources.plan, version, resource.name, field);
    const spared = payload.optional || column.nullable || column.otherwise !== null;
    if (name === null || (spared && random.chance(0.4))) continue;
    const target = column.reference;
    const known =
      target && random.chance(0.95) ? sources.known(target, resourceOf(sources.plan, target).identity) : null;
    const again =
      column.rule.kind === 'text' && !target && random.chance(0.12) ? sources.known(resource.name, field) : null;
    if (again !== null) put(out, name, random.chance(0.5) ? otherCase(again) : again);
    else put(out, name, known === null ? fit(sources.making, column.rule) : plain(known, column.rule.kind));
  }
  return out;
}

/** Gives a member a value; a name with dots is of a member within another. */
export function put(held: Record<string, unknown>, name: string, value: unknown): void {
  const [first = '', ...rest] = name.split('.');
  if (rest.length === 0) held[first] = value;
  else {
    if (typeof held[first] !== 'object' || held[first] === null) held[first] = {};
    put(held[first] as Record<string, unknown>, rest.join('.'), value);
  }
}

/** The same letters, the large ones small and the small ones large. */
export const otherCase = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

/** Takes a member away. */
export function drop(held: Record<string, unknown>, name: string): void {
  const [first = '', ...rest] = name.split('.');
  const inner = held[first];
  if (rest.length === 0) delete held[first];
  else if (typeof inner === 'object' && inner !== null) drop(inner as Record<string, unknown>, rest.join('.'));
}

const plain = (text: string, kind: string): unknown => (kind === 'integer' ? Number(text) : text);

export const resourceOf = (plan: Plan, name: string): ResourcePlan =>
  plan.resources.find((resource) => resource.name === name)!;

/** The request as it is sent. */
export function sent(draft: Draft): Request {
  const path =
    draft.prefix +
    draft.endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => encoded(draft.path.get(name) ?? ''));
  const query = draft.query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  const body = draft.raw ?? (draft.body === undefined ? null : JSON.stringify(draft.body));
  const has = (name: string): boolean => draft.headers.some(([one]) => one.toLowerCase() === name);
  const framing: Array<[string, string]> = [];
  if (body !== null && !has('content-length') && !has('transfer-encoding'))
    framing.push(['Content-Length', String(Buffer.byteLength(body))]);
  if (body !== null && !has('content-type')) framing.push(['Content-Type', 'application/json']);
  const headers = [...draft.headers, ...framing].filter(([, value]) => value !== GONE);
  return { method: draft.method, path: path || '/', query: query || null, headers, body, late: draft.late };
}

/** Says which version is meant, where the document says that it is said. */
export function speak(draft: Draft, { by }: NonNullable<Plan['versions']>, version: string): void {
  const say = (name: string, value: string): void => {
    draft.headers = [...draft.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]];
  };
  if (by.kind === 'header') say(by.header, version);
  else if (by.kind === 'media type') say('Accept', version === GONE ? GONE : by.template.replace('{version}', version));
  else draft.prefix = version === GONE ? '' : by.prefix.replace('{version}', version);
}

/** Takes a header away that would be sent otherwise. */
export const GONE = '\u0000gone';

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
