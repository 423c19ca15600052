import type { Contract, ErrorsContract } from '../contract/contract.ts';
import { contractOf } from '../contract/contract-of.ts';
import { versionText } from '../plan/receiver-versions.ts';
import type { Plan } from '../plan/step.ts';
import { answers } from './answers.ts';
import type { Side } from './causes.ts';
import { type Compare, follows, listed, members, same, value } from './compare.ts';
import { BREAKS, type Difference, difference, type Here, KEEPS, SERVICE, type Verdict } from './difference.ts';
import { stream, webhook } from './events.ts';
import { FieldChanges } from './field-changes.ts';
import { innerNames, innerNameTold, withInnerNames } from './inner-names.ts';
import { withLocalNames } from './local-names.ts';
import { type Found, type MergedDifference, merged } from './merge.ts';
import { address, browsers, codes, payload, rates, schemes, wire } from './parts.ts';
import { codeNames, renamedPlan } from './renamed.ts';
import { resources } from './resources.ts';
import { schedules } from './schedules.ts';
import { Values } from './values.ts';
import { currentVersion, type Pair, pairsOf, version, versioning, versions } from './versions.ts';
import { resourcesForCallers } from './words.ts';

/** Renamed fields and resources, as the operator passes them on the command line. */
export interface Renamed {
  /** `Order.sku` → `product`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, string>;
}

/**
 * Reported if contracts differ and no comparison below names the difference, instead of reporting that nothing differs.
 */
export const UNNAMED_DIFFERENCE = 'something differs that has no name here';

/**
 * All differences for callers between two documents: the contracts in each version that both describe. A difference is
 * reported once, with all the places where callers notice it.
 */
export function compareCallers(old: Plan, next: Plan, renamed: Renamed): MergedDifference[] {
  const fields = new Map([...renamed.fields, ...statedNames(old, next)]);
  const called = codeNames(old, next);
  const outer = renamedPlan(withLocalNames(old, next), { fields, resources: renamed.resources, codes: called });
  const inner = innerNames(outer, next);
  const plan = withInnerNames(outer, inner);
  const here: Here = { ...SERVICE, statements: [plan.lines, next.lines] };
  const [was, is] = [contractOf(plan, oldNames(fields, renamed)), contractOf(next)];
  const found = [
    ...serviceOf(was, is, renamed, called, here),
    ...inner.map((one) => ofAll(innerNameTold(one, here))),
    ...pairsOf(was, is).flatMap((pair) => inVersion(was, is, pair, here)),
  ];
  const other = merged(found).some((one) => one.covered !== null);
  const all = merged([...currentVersion(was, is, other, here).map(ofAll), ...found]);
  if (all.length === 0 && !same(unordered(was), unordered(is)))
    return merged([ofAll(difference(SERVICE, UNNAMED_DIFFERENCE, BREAKS.otherwise))]);
  return all;
}

/**
 * A contract without the facts that have no meaning for callers: the file name, the prose, what runs handlers, and the
 * order of allowed values and events.
 */
const unordered = (contract: Contract): unknown =>
  JSON.parse(
    JSON.stringify({ ...contract, document: '', prose: [], handlers: [] }, (key, part: unknown) =>
      (key === 'oneOf' || key === 'events') && Array.isArray(part) && part.every((one) => typeof one === 'string')
        ? part.toSorted()
        : part,
    ),
  );

const ofAll = (one: Difference): Found => ({ difference: one, version: null });

/** Differences that don't depend on the version. */
function serviceOf(
  old: Contract,
  next: Contract,
  renamed: Renamed,
  called: ReadonlyMap<string, string>,
  here: Here,
): Found[] {
  const renames = [...renamed.resources].map(([from, to]) =>
    difference({ ...SERVICE, of: to }, `${from} is called ${to}`, KEEPS.unmet),
  );
  const recoded = [...called].map(([from, to]) => {
    const lines = [old, next].map(({ errors }) => errors.codes.find(({ code }) => code === to)?.lines ?? []);
    const [before = [], after = []] = lines;
    return difference(
      { ...SERVICE, of: to, lines: [before, after] },
      `the code is ${to}, and was ${from}`,
      BREAKS.unknown,
    );
  });
  const all = [...renames, ...recoded, ...service(old, next, called)(old, next, here), ...receivers(old, next)];
  return all.map(ofAll);
}

/**
 * Compares the parts of a contract that don't depend on the version. The type makes a forgotten member a compile error.
 */
function service(old: Contract, next: Contract, called: ReadonlyMap<string, string>): Compare<Contract> {
  return members<Contract>({
    format: follows('it is that of this program'),
    document: follows('the name of a file is no part of the service'),
    title: value('the title', KEEPS.words),
    prose: follows('what is said to people is no part of what the service does'),
    address,
    wire,
    schemes,
    browsers,
    rates,
    errors: errors(old, next, called),
    resources: (was, _is, at) => resources(new FieldChanges(old, next))(was, resourcesForCallers(old, next), at),
    versioning: versioning(old, next),
    versions,
    schedules,
    handlers: follows('what they make is compared where it is'),
    webhook,
    stream,
    unsettled: (a, b, here) => open(a.filter(isUnserved(next)), b.filter(isUnserved(old)), here),
  });
}

type Open = Contract['unsettled'][number];

const open = listed<Open>({
  what: 'what answers 501:',
  name: (one) => `${one.method} ${one.path}`,
  compare: () => [],
  added: BREAKS.refused,
  removed: KEEPS.accepted,
});

/**
 * Whether an unsettled endpoint is missing in the other document. If it is not, the comparison of endpoints reports it
 * as new or gone.
 */
const isUnserved =
  ({ versions: [current] }: Contract) =>
  ({ method, path }: Open): boolean =>
    !current?.endpoints.some((one) => one.name === `${method} ${path}`);

function errors(old: Contract, next: Contract, called: ReadonlyMap<string, string>): Compare<ErrorsContract> {
  const [was, is] = [sideOf(old), sideOf(next)];
  if (!was || !is) return () => [];
  const values = new Values(was.version, is.version, new FieldChanges(old, next));
  const coded = new Set(next.errors.codes.flatMap(({ conditions }) => conditions));
  return members<ErrorsContract>({
    payload: payload(values, new Set([...wordsOf(old), ...wordsOf(next), ...called.keys()])),
    codes: codes({ arising: [arisingIn(old), arisingIn(next)], coded, renamed: new Set(called.values()) }),
    wire: (a, b, here) => answers(values, was, is)(a, b, { ...here, of: 'what is no request of HTTP' }),
  });
}

/** The codes of errors, and the text of their titles and further columns. */
const wordsOf = ({ errors: { codes: all } }: Contract): string[] =>
  all.flatMap((one) => [one.code, one.title, ...Object.values(one.more).filter((word) => word !== null)]);

function sideOf(contract: Contract): Side | null {
  const [current] = contract.versions;
  return current ? { contract, version: current, endpoint: null } : null;
}

/** The conditions that a request can cause. */
function arisingIn({ versions: all, errors: { wire: onTheWire } }: Contract): ReadonlySet<string> {
  const found = all.flatMap((one) => [...one.endpoints.flatMap((each) => each.answers), ...one.elsewhere]);
  return new Set(
    [...found, ...onTheWire].flatMap(({ because }) => (because.kind === 'condition' ? [because.name] : [])),
  );
}

/** The differences in a version, or for requests that name no version. */
function inVersion(old: Contract, next: Contract, pair: Pair, here: Here): Found[] {
  const values = new Values(pair.old, pair.next, new FieldChanges(old, next));
  const was: Side = { contract: old, version: pair.old, endpoint: null };
  const is: Side = { contract: next, version: pair.next, endpoint: null };
  const current = pair.old === old.versions[0];
  const keeping = next.versions.find(({ name, status }) => name === pair.old.name && status !== 'retired');
  const kept = pair.named || pair.old.name === null ? null : (keeping?.name ?? null);
  return version(values, was, is)(pair.old, pair.next, here).map((one) => ({
    difference: one,
    version: { name: pair.old.name ?? '', current, keptBy: kept },
  }));
}

/** The old names of renamed fields, by their new paths. */
function oldNames(fields: ReadonlyMap<string, string>, { resources: others }: Renamed): Record<string, string> {
  return Object.fromEntries(
    [...fields].map(([path, name]) => {
      const [resource = '', field = ''] = path.split('.');
      return [`${others.get(resource) ?? resource}.${name}`, field];
    }),
  );
}

/** Renamed fields that the new document states itself: its older version lists the name that the old document has. */
function statedNames(old: Plan, next: Plan): Map<string, string> {
  const current = old.versions?.current;
  const names = next.versions?.older.find((one) => one.name === current)?.names ?? {};
  const has = (plan: Plan, path: string): boolean =>
    plan.resources.some((one) => one.columns.some((column) => `${one.name}.${column.name}` === path));
  return new Map(
    Object.entries(names).flatMap(([path, was]): Array<[string, string]> => {
      const dot = path.indexOf('.');
      const before = `${path.slice(0, dot)}.${was}`;
      return was !== null && has(old, before) && !has(next, before) ? [[before, path.slice(dot + 1)]] : [];
    }),
  );
}

/**
 * The effect of changed versions on receivers. Registered receivers keep the version of their registration. Rows that
 * are receivers get payloads in the current version.
 */
function receivers(old: Contract, next: Contract): Difference[] {
  // An added or removed webhook, or another kind of receivers, is reported by the comparison of webhooks.
  if (!old.webhook || !next.webhook || Boolean(old.webhook.receivers) !== Boolean(next.webhook.receivers)) return [];
  return old.webhook.receivers ? rows(old, next) : registered(old, next);
}

const namesOf = ({ versions }: Contract): string[] => versions.map(({ name }) => name ?? '');

function receiverDifference(
  version: string,
  old: Contract,
  next: Contract,
  text: string,
  verdict: Verdict,
): Difference {
  const linesOf = ({ versions, versioning }: Contract) =>
    versions.find(({ name }) => (name ?? '') === version)?.lines ?? versioning?.lines ?? [];
  return difference({ ...SERVICE, of: 'receivers', lines: [linesOf(old), linesOf(next)] }, text, verdict);
}

function registered(old: Contract, next: Contract): Difference[] {
  const known = namesOf(next);
  const [[was = ''], [is = '']] = [namesOf(old), known];
  return namesOf(old).flatMap((version) => {
    const who = `those that were registered for ${versionText(version)}`;
    if (!known.includes(version)) {
      const mend = `\`receivers FILE change --waiting --version ${is || 'none'}\``;
      const text = `${who} wait, since it is not described any more, until ${mend}`;
      return [receiverDifference(version, old, next, text, BREAKS.untold)];
    }
    if (version === was && was !== is)
      return [receiverDifference(version, old, next, `${who} are told in its names as before`, KEEPS.known)];
    return [];
  });
}

/** Payloads change if fields have other names in the old current version than in the new one. */
function rows(old: Contract, next: Contract): Difference[] {
  const [[was = ''], [is = '']] = [namesOf(old), namesOf(next)];
  if (was === is) return [];
  const renamed = next.versions.find(({ name }) => name === was)?.renamed ?? [];
  const text = `those that are rows are told in ${versionText(is)}, and were told in ${versionText(was)}`;
  return [receiverDifference(was, old, next, text, renamed.length > 0 ? BREAKS.missing : KEEPS.known)];
}
