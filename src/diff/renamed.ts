import { type Lines, movedLines, statementId } from '../plan/lines.ts';
import { mapData } from '../plan/map-data.ts';
import type { AuditPlan, Plan } from '../plan/step.ts';
import { sentNames, withSentNames } from './local-names.ts';

/** The new names of fields, resources and codes of the old document. */
interface Names {
  /** `Order.sku` → `product`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, string>;
  readonly codes: ReadonlyMap<string, string>;
}

/**
 * The plan with renamed fields, resources and codes, so that a comparison shows the remaining changes. Used for
 * comparison only; everything else is unchanged.
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
  /** Walks through plain data; `resource` is the one that owns the fields. */
  const walk = (part: unknown, resource: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, resource));
    if (typeof part !== 'object' || part === null) return part;
    const one = part as Record<string, unknown>;
    const own = typeof one.resource === 'string' ? one.resource : resource;
    const out = Object.fromEntries(Object.entries(one).map(([key, value]) => [key, walk(value, own)]));
    for (const key of ['fields', 'ignoringCase', 'by', 'order'])
      if (Array.isArray(one[key])) out[key] = names(out[key], own);
    if (typeof one.field === 'string') out.field = one.field.includes('.') ? path(one.field) : named(own, one.field);
    if (typeof one.resource === 'string') out.resource = resources.get(one.resource) ?? one.resource;
    if (typeof one.reference === 'string') out.reference = resources.get(one.reference) ?? one.reference;
    if (typeof one.references === 'string') out.references = resources.get(one.references) ?? one.references;
    for (const key of ['owner', 'words']) if (typeof one[key] === 'string') out[key] = path(one[key]);
    const type = (one.of as { type?: { kind?: string; resource?: string } } | undefined)?.type;
    if (one.op === 'get' && type?.kind === 'row') out.member = named(type.resource ?? '', one.member as string);
    // A parameter with the name of its field is renamed with the field.
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
      return was ? withSentNames(one, sentNames(was, one, byPlace)) : one;
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
        ...(one.audit && { audit: renamedAudit({ ...one.audit, fields: rest.audit?.fields ?? [] }, one.name, path) }),
        ...(one.entriesOf !== undefined && { entriesOf: path(one.entriesOf) }),
      };
    }),
    versions: walked.versions && {
      ...walked.versions,
      older: (plan.versions?.older ?? []).map((version) => ({
        ...version,
        names: Object.fromEntries(Object.entries(version.names).map(([one, was]) => [path(one), was])),
        ...(version.words && { words: version.words.map((one) => ({ ...one, field: path(one.field) })) }),
      })),
    },
  };
}

/** An audit whose entries, and the fields of its facts, have their new names. */
function renamedAudit(audit: AuditPlan, resource: string, path: (one: string) => string): AuditPlan {
  const field = (of: string, name: string): string => path(`${of}.${name}`).slice(path(of).length + 1);
  return {
    ...audit,
    entries: path(audit.entries),
    facts: audit.facts.map(({ entry, fact, of }) => ({
      entry: field(audit.entries, entry),
      fact,
      of: of === null ? null : fact === 'caller' ? path(of) : field(resource, of),
    })),
  };
}

/** The lines of renamed fields and resources. */
const renamedLines = (
  lines: Lines,
  fields: ReadonlyMap<string, string>,
  resources: ReadonlyMap<string, string>,
): Lines =>
  movedLines(lines, (id) => {
    if (id.kind !== 'field' && id.kind !== 'resource' && id.kind !== 'states') return null;
    const resource = resources.get(id.resource);
    if (id.kind === 'resource') return resource === undefined ? null : statementId.resource(resource, id.fact);
    const field = fields.get(`${id.resource}.${id.field}`);
    if (id.kind === 'states' && (field ?? resource) !== undefined)
      return statementId.states(resource ?? id.resource, field ?? id.field, id.fact);
    return field === undefined ? null : statementId.field(resource ?? id.resource, field);
  });

/**
 * Finds renamed codes: a removed and an added code that answer the same conditions, have the same status and title, or
 * are raised in the same places.
 */
export function codeNames(old: Plan, next: Plan): Map<string, string> {
  const [before, after] = [outcomesOf(old), outcomesOf(next)];
  const without = (list: readonly CodeMeaning[], others: readonly CodeMeaning[]): CodeMeaning[] =>
    list.filter(({ code }) => !others.some((one) => one.code === code));
  let [gone, come] = [without(before, after), without(after, before)];
  const out = new Map<string, string>();
  for (const meaning of MEANINGS) {
    const pairs = onlyPairs(gone, come, meaning);
    for (const [was, is] of pairs) out.set(was.code, is.code);
    const isLeft = (one: CodeMeaning): boolean => !pairs.flat().includes(one);
    [gone, come] = [gone.filter(isLeft), come.filter(isLeft)];
  }
  return out;
}

/** The meaning of a code: its conditions, outcome and sources. */
interface CodeMeaning {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** The general conditions with this code; empty if only steps and rules raise it. */
  readonly conditions: string;
  /** The serialized steps, rules, transitions and parameters that raise the code. */
  readonly raisedBy: string;
}

/** The keys by which a renamed code is recognized, the most specific first. */
const MEANINGS: ReadonlyArray<(one: CodeMeaning) => string | null> = [
  ({ conditions }) => conditions || null,
  ({ conditions, status, title }) => (conditions ? null : `${status} ${title}`),
  ({ raisedBy }) => raisedBy || null,
];

function outcomesOf(plan: Plan): CodeMeaning[] {
  const { conditions, codes } = plan.errors;
  const raisedBy = raisersOf(plan);
  const general = Object.entries(conditions);
  const answered = (code: string): string =>
    general.flatMap(([name, one]) => (one.code === code ? [name] : [])).join(', ');
  const all = [...Object.values(codes), ...general.map(([, one]) => one)];
  return [...new Map(all.map((one) => [one.code, one])).values()].map(({ code, status, title }) => ({
    code,
    status,
    title,
    conditions: answered(code),
    raisedBy: (raisedBy.get(code) ?? []).join('\n'),
  }));
}

/** The steps, rules, transitions and parameters that raise each code, serialized without the code and the line. */
function raisersOf({ endpoints, resources, schedules = [] }: Plan): Map<string, string[]> {
  const out = new Map<string, string[]>();
  mapData({ endpoints, resources, schedules }, ({ code }, copy) => {
    delete copy.line;
    if (typeof code !== 'string') return;
    out.set(code, [...(out.get(code) ?? []), JSON.stringify({ ...copy, code: null })]);
  });
  return out;
}

/** The plan with renamed codes. */
function recodedPlan(plan: Plan, codes: ReadonlyMap<string, string>): Plan {
  const called = (code: string): string => codes.get(code) ?? code;
  const keyed = <T>(of: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(of).map(([code, one]) => [called(code), one]));
  const walked = mapData(plan, ({ code }, copy) => {
    if (typeof code === 'string') copy.code = called(code);
  });
  const lines = movedLines(plan.lines, (id) => {
    const code = id.kind === 'code' ? codes.get(id.code) : undefined;
    return code === undefined ? null : statementId.code(code);
  });
  return {
    ...walked,
    lines: { ...plan.lines, ...lines },
    handlers: walked.handlers.map((one) => ({ ...one, fails: one.fails.map(called) })),
    errors: { ...walked.errors, codes: keyed(walked.errors.codes), columns: keyed(walked.errors.columns) },
  };
}

/** Pairs names by position: the lists differ in names only. */
const byPlace = (old: readonly string[], next: readonly string[]): Array<readonly [string, string]> =>
  old.flatMap((was, i) => {
    const is = next[i];
    return is === undefined || is === was ? [] : [[was, is] as const];
  });

/**
 * Pairs removed with added items that are the same under another name: each has the same `alike` key, and neither side
 * has a second item with that key. A null key matches nothing.
 */
export function onlyPairs<T>(
  gone: readonly T[],
  come: readonly T[],
  alike: (one: T) => string | null,
): Array<readonly [was: T, is: T]> {
  return gone.flatMap((was) => {
    const key = alike(was);
    const those = (list: readonly T[]): T[] => list.filter((one) => alike(one) === key);
    const [[is, ...others], rivals] = [those(come), those(gone)];
    const isOnly = key !== null && is !== undefined && others.length === 0 && rivals.length === 1;
    return isOnly ? [[was, is] as const] : [];
  });
}
