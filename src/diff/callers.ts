import type { Plan } from '../plan/step.ts';
import {
  type Compare,
  type Difference,
  difference,
  follows,
  members,
  named,
  optional,
  same,
  value,
} from './compare.ts';
import { endpoint } from './endpoints.ts';
import { receivers } from './receivers.ts';
import { type FieldNames, renamedPlan } from './renamed.ts';
import { resource } from './resources.ts';
import {
  address,
  browsers,
  errors,
  handler,
  passwords,
  rate,
  scheme,
  stream,
  versions,
  webhook,
  wire,
} from './rest.ts';
import { usageOf } from './usage.ts';

const HARMLESS = { added: false, removed: false } as const;
const by = (_at: string, name: string): string => name;

/** What differs between two plans. The type makes a forgotten member of a plan a compile error. */
function plans(old: Plan, next: Plan): Compare<Plan> {
  return members<Plan>({
    document: follows('the name of a file is no part of the service'),
    title: value('the title', false),
    address,
    resources: named('the resource', (one) => one.name, resource(usageOf(old, next)), HARMLESS, by),
    endpoints: named('the endpoint', (one) => one.name, endpoint(old, next), { added: false, removed: true }, by),
    errors,
    wire,
    schemes: named('the scheme', (one) => one.name, scheme, { added: false, removed: true }, by),
    browsers: optional('what pages of other origins may do', browsers, { added: false, removed: true }),
    passwords: optional('the hashing of passwords', passwords, HARMLESS),
    rates: named(
      'the rate for each',
      (one) => one.name,
      rate,
      { added: true, removed: false },
      (_at, name) => `rate ${name}`,
    ),
    versions: optional('versions', versions(old.versions?.current ?? ''), {
      added: next.versions?.without === 'refused',
      removed: true,
    }),
    handlers: named('the handler', (one) => one.name, handler, HARMLESS, by),
    webhook: optional('the webhook', webhook, { added: false, removed: true }),
    stream: optional('the stream', stream, { added: false, removed: true }),
    timeout: follows('it is the longest of the endpoints’'),
    unsettled: named(
      'what answers 501:',
      (one) => `${one.method} ${one.path}`,
      () => [],
      { added: true, removed: false },
    ),
  });
}

/** What is said where plans differ and nothing above tells in what: better than to say that nothing does. */
export const UNTOLD = 'something differs that has no name here';

/** What is called otherwise, as the operator says. */
export interface Renamed {
  readonly fields: FieldNames;
  readonly resources: ReadonlyMap<string, string>;
}

/** All that differs for callers, and what of it the new document’s older versions keep as it was. */
export function comparePlans(old: Plan, next: Plan, renamed: Renamed): Difference[] {
  const version = coveringVersion(old, next);
  const stated = version ? statedNames(old, next, version.names) : new Map<string, string>();
  const fields = new Map([...renamed.fields, ...stated]);
  const was = renamedPlan(old, fields, renamed.resources);
  const usage = usageOf(was, next);
  const renames = [...fields].map(([path, name]): Difference => {
    const [resourceName = ''] = path.split('.', 1);
    const at = `${renamed.resources.get(resourceName) ?? resourceName}.${name}`;
    const met = usage.sent.has(at) || usage.answered.has(at);
    const covered = stated.has(path) && version ? version.name : null;
    return { ...difference(at, `${path} is called ${name}`, met), covered };
  });
  const resources = [...renamed.resources].map(([from, to]) => difference(to, `${from} is called ${to}`, false));
  const found = [...renames, ...resources, ...plans(was, next)(was, next, 'the service'), ...receivers(old, next)];
  const told = version ? found.map((one) => covered(one, version.name, version.names)) : found;
  if (told.length === 0 && !same({ ...old, document: '' }, { ...next, document: '' }))
    return [difference('the service', UNTOLD, true)];
  return told;
}

/** The older version of the new document that is the current one of the old, if it still answers. */
function coveringVersion(old: Plan, next: Plan) {
  if (!old.versions || old.versions.current === next.versions?.current) return null;
  return next.versions?.older.find((one) => one.name === old.versions!.current && !one.retired) ?? null;
}

/** The fields of which the older version says what they were called, where the old document called them so. */
function statedNames(old: Plan, next: Plan, names: Readonly<Record<string, string | null>>): Map<string, string> {
  const has = (plan: Plan, path: string): boolean =>
    plan.resources.some((one) => one.columns.some((column) => `${one.name}.${column.name}` === path));
  return new Map(
    Object.entries(names).flatMap(([path, was]): Array<[string, string]> => {
      const cut = path.indexOf('.');
      const before = `${path.slice(0, cut)}.${was}`;
      return was !== null && has(old, before) && !has(next, before) ? [[before, path.slice(cut + 1)]] : [];
    }),
  );
}

/** A new field that is absent in the older version is not owed there. */
function covered(one: Difference, version: string, names: Readonly<Record<string, string | null>>): Difference {
  const field = /^the body’s field (\S+) is new$/.exec(one.text)?.[1];
  const absent =
    field !== undefined && Object.entries(names).some(([path, was]) => was === null && path.endsWith(`.${field}`));
  return one.breaking && absent ? { ...one, covered: version } : one;
}
