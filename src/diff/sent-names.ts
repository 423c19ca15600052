import { mapData } from '../plan/map-data.ts';
import type { EndpointPlan } from '../plan/step.ts';

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
