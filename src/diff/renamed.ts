import { type Lines, lineKey } from '../plan/lines.ts';
import { mapData } from '../plan/map-data.ts';
import type { EndpointPlan, Plan } from '../plan/step.ts';

/** What the things of the old document are called in the new one. */
interface Names {
  /** `Order.sku` → `product`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, string>;
  readonly codes: ReadonlyMap<string, string>;
}

/**
 * A plan with other names for its fields, resources and codes, so that what else has changed shows. Only for comparing:
 * all that is no such name stays.
 */
export function renamedPlan(old: Plan, { fields, resources, codes }: Names): Plan {
  const plan = codes.size ? recodedPlan(old, codes) : old;
  if (fields.size + resources.size === 0) return plan;
  const named = (resource: string, field: string): string => fields.get(`${resource}.${field}`) ?? field;
  const path = (one: string): string => {
    const dot = one.indexOf('.');
    if (dot < 0) return resources.get(one) ?? one;
    const [resource, field] = [one.slice(0, dot), one.slice(dot + 1)];
    return `${resources.get(resource) ?? resource}.${named(resource, field)}`;
  };
  const names = (list: unknown, resource: string): unknown =>
    Array.isArray(list) ? list.map((one: unknown) => (typeof one === 'string' ? named(resource, one) : one)) : list;
  /** Goes through plain data; `resource` is the one whose fields are spoken of. */
  const walk = (part: unknown, resource: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, resource));
    if (typeof part !== 'object' || part === null) return part;
    const one = part as Record<string, unknown>;
    const own = typeof one.resource === 'string' ? one.resource : resource;
    const out = Object.fromEntries(Object.entries(one).map(([key, value]) => [key, walk(value, own)]));
    for (const key of ['fields', 'ignoringCase', 'by', 'order'])
      if (Array.isArray(one[key])) out[key] = names(one[key], own);
    if (typeof one.field === 'string') out.field = one.field.includes('.') ? path(one.field) : named(own, one.field);
    if (typeof one.resource === 'string') out.resource = resources.get(one.resource) ?? one.resource;
    if (typeof one.reference === 'string') out.reference = resources.get(one.reference) ?? one.reference;
    if (typeof one.owner === 'string') out.owner = path(one.owner);
    const type = (one.of as { type?: { kind?: string; resource?: string } } | undefined)?.type;
    if (one.op === 'get' && type?.kind === 'row') out.member = named(type.resource ?? '', one.member as string);
    // A parameter that bears its field’s name is called as the field is.
    if (typeof one.field === 'string' && one.name === one.field.slice(one.field.indexOf('.') + 1) && 'required' in one)
      out.name = (out.field as string).slice((out.field as string).indexOf('.') + 1);
    return out;
  };
  const walked = walk(plan, '') as Plan;
  return {
    ...walked,
    lines: { ...plan.lines, ...renamedLines(plan.lines, fields, resources) },
    endpoints: walked.endpoints.map((one, i) => {
      const was = plan.endpoints[i];
      return was ? withMembers(one, sentNames(was, one)) : one;
    }),
    resources: plan.resources.map((one) => {
      const inner = walk({ ...one, resource: one.name }, one.name) as Plan['resources'][number];
      const { resource: _own, ...rest } = inner as Plan['resources'][number] & { resource?: string };
      return {
        ...rest,
        name: resources.get(one.name) ?? one.name,
        identity: named(one.name, one.identity),
        columns: rest.columns.map((column) => ({ ...column, name: named(one.name, column.name) })),
        counted: one.counted.map(path),
      };
    }),
    versions: walked.versions && {
      ...walked.versions,
      older: (plan.versions?.older ?? []).map((version) => ({
        ...version,
        names: Object.fromEntries(Object.entries(version.names).map(([one, was]) => [path(one), was])),
      })),
    },
  };
}

/** Where the fields and resources stand that are called otherwise. */
function renamedLines(
  lines: Lines,
  fields: ReadonlyMap<string, string>,
  resources: ReadonlyMap<string, string>,
): Lines {
  const moved: Array<readonly [string, string]> = [...fields].map(([path, name]) => {
    const [resource = '', field = ''] = path.split('.');
    return [lineKey.field(resource, field), lineKey.field(resources.get(resource) ?? resource, name)];
  });
  for (const [from, to] of resources)
    for (const fact of ['name', 'shown', 'visible'] as const)
      moved.push([lineKey.resource(from, fact), lineKey.resource(to, fact)]);
  return Object.fromEntries(
    moved.flatMap(([from, to]) => {
      const line = lines[from];
      return line === undefined ? [] : [[to, line]];
    }),
  );
}

/**
 * The codes of the old document that have another name in the new one: where one is gone and another is new, and both
 * answer the same conditions, or have the same status and words.
 */
export function codeNames(old: Plan, next: Plan): Map<string, string> {
  const [before, after] = [outcomesOf(old), outcomesOf(next)];
  const removed = [...before].filter(([code]) => !after.has(code));
  const added = [...after].filter(([code]) => !before.has(code));
  const out = new Map<string, string>();
  for (const [code, meant] of removed) {
    const same = added.filter(([, means]) => means === meant);
    const rivals = removed.filter(([, means]) => means === meant);
    const [found] = same;
    if (found && same.length === 1 && rivals.length === 1) out.set(code, found[0]);
  }
  return out;
}

/** What each code is for: its conditions, or, where only steps and rules raise it, its status and words. */
function outcomesOf({ errors: { conditions, codes } }: Plan): Map<string, string> {
  const out = new Map<string, string>();
  for (const { code, status, title } of Object.values(codes)) out.set(code, `${status} ${title}`);
  const general = Object.entries(conditions);
  for (const [, { code }] of general)
    out.set(code, general.flatMap(([name, one]) => (one.code === code ? [name] : [])).join(', '));
  return out;
}

/** A plan whose codes are called otherwise. */
function recodedPlan(plan: Plan, codes: ReadonlyMap<string, string>): Plan {
  const called = (code: string): string => codes.get(code) ?? code;
  const keyed = <T>(of: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).map(([code, one]) => [called(code), one]));
  const walked = mapData(plan, ({ code }, copy) => {
    if (typeof code === 'string') copy.code = called(code);
  });
  const lines = [...codes].flatMap(([from, to]) => {
    const line = plan.lines[lineKey.code(from)];
    return line === undefined ? [] : [[lineKey.code(to), line]];
  });
  return {
    ...walked,
    lines: { ...plan.lines, ...Object.fromEntries(lines) },
    handlers: walked.handlers.map((one) => ({ ...one, fails: one.fails.map(called) })),
    errors: { ...walked.errors, codes: keyed(walked.errors.codes), columns: keyed(walked.errors.columns) },
  };
}

/** What members of a request are called otherwise, as `query.sku` or `request.sku`: parameters and fields of a body. */
function sentNames(old: EndpointPlan, next: EndpointPlan): Map<string, string> {
  const out = new Map<string, string>();
  const note = (object: string, was: readonly string[], is: readonly string[]): void => {
    for (const [i, name] of was.entries()) {
      const called = is[i];
      if (called !== undefined && called !== name) out.set(`${object}.${name}`, called);
    }
  };
  const names = (list: readonly { readonly name: string }[]): string[] => list.map((one) => one.name);
  for (const [i, step] of old.before.entries()) {
    const other = next.before[i];
    if (step.do === 'read parameters' && other?.do === step.do) {
      note('query', names(step.query), names(other.query));
      note('header', names(step.header), names(other.header));
    }
    if (step.do === 'validate body' && other?.do === step.do) {
      note('request', names(step.parameters), names(other.parameters));
      note('request', step.payload?.fields ?? [], other.payload?.fields ?? []);
    }
  }
  return out;
}

/** An endpoint in whose steps the members of its request are called so. */
function withMembers(endpoint: EndpointPlan, names: ReadonlyMap<string, string>): EndpointPlan {
  if (names.size === 0) return endpoint;
  const { inside, after } = endpoint;
  const called = mapData({ inside, after }, (was, copy) => {
    if ((was.op === 'get' || was.op === 'sent') && was.of?.op === 'name')
      copy.member = names.get(`${was.of.name}.${was.member}`) ?? was.member;
    if (typeof was.parameter === 'string' && typeof was.in === 'string')
      copy.parameter = names.get(`${was.in === 'body' ? 'request' : was.in}.${was.parameter}`) ?? was.parameter;
  });
  return { ...endpoint, ...called };
}
