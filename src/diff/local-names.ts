import { mapData } from '../plan/map-data.ts';
import { allNested } from '../plan/nested-steps.ts';
import { pathNames, withoutNames } from '../plan/paths.ts';
import { declaredBy } from '../plan/slots.ts';
import type { EndpointPlan, InsideStep, Plan } from '../plan/step.ts';

/**
 * The old plan with the new names of everything that only the document names: path parameters, and variables of steps.
 * No request or answer contains these names. A renamed member of a request is also adopted in the steps, because the
 * comparison of requests reports it.
 */
export function withLocalNames(old: Plan, next: Plan): Plan {
  const others = new Map(next.endpoints.map((one) => [withoutNames(one.name), one]));
  return {
    ...old,
    endpoints: old.endpoints.map((one) => {
      const other = others.get(withoutNames(one.name));
      if (!other) return one;
      const local = renamed(one, namesOf(one.inside, other.inside), pathNamesOf(one, other));
      return withSentNames(local, inBody(sentNames(one, other, onlyOne)));
    }),
  };
}

/** The names of body members. A renamed filter of a list is reported for its parameter. */
const inBody = (names: ReadonlyMap<string, string>): Names =>
  new Map([...names].filter(([name]) => name.startsWith('request.')));

/** The removed and the added name, if exactly one of each differs. */
function onlyOne(old: readonly string[], next: readonly string[]): Array<readonly [string, string]> {
  const [was, ...gone] = old.filter((one) => !next.includes(one));
  const [is, ...come] = next.filter((one) => !old.includes(one));
  return was === undefined || is === undefined || gone.length + come.length > 0 ? [] : [[was, is]];
}

type Names = ReadonlyMap<string, string>;

/** Renamed variables of steps, if both endpoints declare the same number. */
function namesOf(old: readonly InsideStep[], next: readonly InsideStep[]): Names {
  const made = (steps: readonly InsideStep[]): string[] => [...allNested(steps)].flatMap(declaredBy);
  return called(made(old), made(next));
}

function pathNamesOf(old: EndpointPlan, next: EndpointPlan): Names {
  return called(pathNames(old.path), pathNames(next.path));
}

function called(old: readonly string[], next: readonly string[]): Names {
  if (old.length !== next.length) return new Map();
  return new Map(
    old.flatMap((name, i) => (next[i] === undefined || next[i] === name ? [] : [[name, next[i]] as const])),
  );
}

/** The endpoint with renamed variables and path parameters. */
function renamed(endpoint: EndpointPlan, names: Names, path: Names): EndpointPlan {
  if (names.size + path.size === 0) return endpoint;
  const { inside, after } = endpoint;
  const steps = mapData({ inside, after }, (was, copy) => {
    if (was.op === 'name') copy.name = nameIn(names, was.name);
    if (was.op === 'get' && was.of?.op === 'name' && was.of.name === 'path') copy.member = nameIn(path, was.member);
    for (const key of ['as', 'row', 'list']) if (typeof was[key] === 'string') copy[key] = nameIn(names, was[key]);
    if (Array.isArray(was.makes)) copy.makes = was.makes.map((each) => nameIn(names, each));
  });
  return {
    ...endpoint,
    before: endpoint.before.map((step) =>
      step.do === 'read parameters'
        ? { ...step, path: step.path.map((one) => ({ ...one, name: path.get(one.name) ?? one.name })) }
        : step,
    ),
    ...steps,
  };
}

const nameIn = (names: Names, name: unknown): unknown => (typeof name === 'string' ? (names.get(name) ?? name) : name);

/** Pairs old names with the new names that replace them. */
type Pairs = (old: readonly string[], next: readonly string[]) => ReadonlyArray<readonly [old: string, next: string]>;

/** Renamed parameters and body members of a request, as `query.sku` or `request.sku`. */
export function sentNames(old: EndpointPlan, next: EndpointPlan, pairs: Pairs): Map<string, string> {
  const out = new Map<string, string>();
  const note = (object: string, was: readonly string[], is: readonly string[]): void => {
    for (const [from, to] of pairs(was, is)) out.set(`${object}.${from}`, to);
  };
  const names = (list: readonly { readonly name: string }[]): string[] => list.map((one) => one.name);
  for (const [i, step] of old.before.entries()) {
    const other = next.before[i];
    if (step.do === 'read parameters' && other?.do === step.do) {
      note('query', names(step.query), names(other.query));
      note('header', names(step.header), names(other.header));
    }
    if (step.do === 'validate body' && other?.do === step.do) {
      const [was, is] = [step.payload?.member, other.payload?.member];
      note('request', names(step.parameters), names(other.parameters));
      note('request', step.payload?.fields ?? [], other.payload?.fields ?? []);
      if (was && is) note('request', [was], [is]);
    }
  }
  return out;
}

/** The endpoint whose steps refer to the new names of parameters and body members. */
export function withSentNames(endpoint: EndpointPlan, names: ReadonlyMap<string, string>): EndpointPlan {
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
