import type { PartName } from '../plan/parts.ts';
import type { Plan } from '../plan/step.ts';
import type { Finding, Standing } from '../syntax/diagnostic.ts';
import { type Blocks, readMarkdown } from '../syntax/markdown.ts';
import type { Mark, Notes } from '../syntax/phrase.ts';
import { LineIndex, type Span } from '../syntax/span.ts';
import { checkAuthentication } from './authentication/check.ts';
import { Resolved } from './document/resolve.ts';
import { checkEndpoints } from './endpoints/check.ts';
import { checkErrors } from './errors/check.ts';
import { checkEvents } from './events/check.ts';
import { checkLimits } from './limits/check.ts';
import { checkRates } from './limits/check-rates.ts';
import { buildPlan, type Checked } from './plan.ts';
import { checkPurpose } from './purpose/check.ts';
import { withoutEchoes } from './read/echoes.ts';
import { foreign } from './read/foreign.ts';
import { type Item, readItems } from './read/items.ts';
import { leadsOn, withoutPresumptions } from './read/presumptions.ts';
import { readModel } from './read/read.ts';
import { type Reading, reading } from './read/reading.ts';
import { Units } from './read/units.ts';
import { checkResources } from './resources/check.ts';
import type { Model } from './statements/model.ts';
import type { Resource } from './statements/resources.ts';
import { checkStates } from './states/check.ts';
import { checkFits, type Places } from './storage/fits.ts';
import { checkVersioning } from './versioning/check.ts';
import { checkUses } from './versioning/uses.ts';

/** Checks all parts. Endpoints come before authentication and errors, whose checks need the uses in endpoints. */
function checkParts(r: Resolved): Checked {
  checkPurpose(r);
  checkResources(r);
  const states = checkStates(r);
  const endpoints = checkEndpoints(r);
  checkRates(r);
  const schemes = checkAuthentication(r);
  const events = checkEvents(r);
  checkErrors(r);
  checkLimits(r);
  const versions = checkVersioning(r);
  r.finish();
  return { states, endpoints, schemes, events, versions };
}

/** An endpoint, and whether it can be served: whether no finding concerns it. */
interface EndpointState {
  readonly endpoint: string;
  readonly settled: boolean;
}

/**
 * Whether more findings may follow once these are answered. `unchecked`: a part of the document could not be read, and
 * the checks have not run. `open`: the answers may lead to further questions and errors.
 */
type More = 'none' | 'open' | 'unchecked';

/** The result of compiling a document. */
export interface Compiled {
  readonly name: string;
  readonly lines: LineIndex;
  readonly blocks: Blocks;
  readonly model: Model;
  readonly items: readonly Item[];
  readonly endpoints: readonly EndpointState[];
  /** The findings in the order of `RANKS`; those of one rank in document order. */
  readonly findings: readonly Finding[];
  /** Remarks that don't prevent an endpoint from being served, in document order. */
  readonly notices: readonly Finding[];
  /** Errors and notices that an answer to a question may refute: they are not told before it is answered. */
  readonly held: readonly Finding[];
  readonly more: More;
  readonly marks: readonly Mark[];
  /** The plan of the settled endpoints. Null if there is an error, or if no endpoint is settled. */
  readonly plan: Plan | null;
}

/**
 * Compiles a document: read → resolve → check → plan. Never throws on a document, whatever it holds.
 * `name` is how messages call the document; `source` is its text.
 * `notes` takes all findings, also those that follow from others.
 */
export function compile(name: string, source: string, notes: Notes = { findings: [], marks: [] }): Compiled {
  const blocks = readMarkdown(source, notes.findings);
  const stranger = foreign(source, blocks);
  if (stranger) notes.findings.push(stranger);
  const { model, parts } = readModel(blocks, notes);
  const units = new Units(blocks);
  const read = reading(blocks, units, notes.findings);
  if (read.unread) return unchecked(name, source, blocks, units, model, parts, read, notes.marks);
  const left = [...read.findings];
  notes.findings.length = 0;
  for (const finding of left) notes.findings.push(finding);
  const items = readItems(model, parts, notes.findings);
  const resolved = new Resolved(model, notes);
  const checked = checkParts(resolved);
  const lines = new LineIndex(source);
  const place = placing(model, parts);
  const { findings: sure, held } = withoutPresumptions(
    withoutEchoes(blocks, units, lines, notes.findings, parts, read),
  );
  const all = inOrder(sure.map(place));
  const { notice: notices = [], other: found = [] } = Object.groupBy(all, ({ severity }) =>
    severity === 'notice' ? severity : 'other',
  );
  const { endpoints, plan } = planOf(name, resolved, checked, [...found, ...held]);
  // The limits of the stores, and the words of older versions, are checked on the plan. A plan beyond them is not served.
  const beyond = plan ? [checkFits, checkUses].flatMap((check) => check(plan, placesIn(model))) : [];
  const findings = beyond.length ? inOrder([...found, ...beyond.map(place)]) : found;
  const served = beyond.length ? null : plan;
  const more = held.length || findings.some((one) => one.severity === 'error' || leadsOn(one)) ? 'open' : 'none';
  const { marks } = notes;
  return { name, lines, blocks, model, items, endpoints, findings, notices, held, more, marks, plan: served };
}

/** Questions about bullets that apply to many statements: no other statement answers them. */
const OF_BULLETS: ReadonlySet<string> = new Set([
  'endpoints/setting',
  'resources/part',
  'limits/rate-headers',
  'limits/pages',
]);

/**
 * The questions that stay open in whatever way somebody mends the unreadable statements: a sentence says “not shown”, or
 * the document lacks a bullet.
 */
function certainQuestions(source: string, model: Model, parts: ReadonlyMap<PartName, Span>): Finding[] {
  const notes: Notes = { findings: [], marks: [] };
  readItems(model, parts, notes.findings);
  const open = notes.findings.filter(({ span, severity }) => span !== null && severity === 'question');
  notes.findings.length = 0;
  checkParts(new Resolved(model, notes));
  // Whether Access has to be said depends on the schemes, which may be what is unreadable.
  const asked = notes.findings.filter(
    ({ code, asks }) =>
      OF_BULLETS.has(code) && asks !== null && asks.name !== 'Access' && !source.includes(`- ${asks.name}`),
  );
  return [...open, ...asked];
}

/** The result for a document with unreadable tables or sections: its reading errors, and the questions that stay anyway. */
function unchecked(
  name: string,
  source: string,
  blocks: Blocks,
  units: Units,
  model: Model,
  parts: ReadonlyMap<PartName, Span>,
  read: Reading,
  marks: readonly Mark[],
): Compiled {
  const lines = new LineIndex(source);
  const told = withoutEchoes(blocks, units, lines, read.findings, parts, read);
  const findings = inOrder([...told, ...certainQuestions(source, model, parts)].map(placing(model, parts)));
  const endpoints = model.endpoints.list.map((one): EndpointState => ({ endpoint: one.name, settled: false }));
  return {
    name,
    lines,
    blocks,
    model,
    items: readItems(model, parts, []),
    endpoints,
    findings,
    notices: [],
    held: [],
    more: 'unchecked',
    marks,
    plan: null,
  };
}

/** The endpoints, settled or not, and the plan of the settled ones. */
function planOf(
  name: string,
  resolved: Resolved,
  checked: Checked,
  findings: readonly Finding[],
): Pick<Compiled, 'endpoints' | 'plan'> {
  const { model } = resolved;
  const broken = findings.some((finding) => finding.severity === 'error');
  const unsettled = new Set(findings.flatMap((finding) => finding.endpoints ?? []));
  const everywhere = findings.some((finding) => finding.endpoints === null);
  const endpoints = model.endpoints.list.map(
    ({ name }): EndpointState => ({ endpoint: name, settled: !everywhere && !unsettled.has(name) }),
  );
  const settled = endpoints.filter((one) => one.settled).map((one) => one.endpoint);
  const plan = broken || settled.length === 0 ? null : buildPlan(name, resolved, checked, new Set(settled));
  return { endpoints, plan };
}

/**
 * Gives a finding without a place the heading of its part, where the missing statement belongs. If the document doesn't
 * have that part, the place is the title, or else the first line.
 */
function placing(model: Model, parts: ReadonlyMap<string, Span>): (finding: Finding) => Finding {
  const begins = { from: 0, to: 0 };
  return (finding) => {
    if (finding.span) return finding;
    const [part = ''] = finding.code.split('/');
    const { from, to } = parts.get(part) ?? model.title ?? begins;
    return { ...finding, span: { from, to } };
  };
}

/** The places in the document of the resources, members and endpoints that a plan names. */
function placesIn(model: Model): Places {
  const resources = new Map(model.resources.list.map((one) => [one.name.text, one]));
  const endpoints = new Map(model.endpoints.list.map((one) => [one.name, one.span]));
  const members = new Map<Resource, ReadonlyMap<string, Span>>();
  const membersOf = (resource: Resource): ReadonlyMap<string, Span> => {
    const known = members.get(resource);
    if (known) return known;
    const made = new Map<string, Span>();
    for (const { name } of [...resource.fields, ...resource.derived, ...resource.views])
      if (!made.has(name.text)) made.set(name.text, name);
    members.set(resource, made);
    return made;
  };
  return {
    resource: (name, member) => {
      const resource = resources.get(name);
      if (!resource || member === undefined) return resource?.name ?? null;
      if (member === name) return resource.shown ?? resource.name;
      return membersOf(resource).get(member) ?? null;
    },
    endpoint: (name) => endpoints.get(name) ?? null,
  };
}

/** The order of findings: statements that are not understood, other errors, questions. Earlier may cause later ones. */
const RANKS: Readonly<Record<Standing, number>> = {
  unread: 0,
  'not understood': 0,
  wrong: 1,
  deciding: 2,
  blank: 3,
  unsaid: 3,
  idle: 4,
};

/** A finding, and the endpoints that it concerns; null for all. */
interface Found {
  readonly finding: Finding;
  endpoints: Set<string> | readonly string[] | null;
}

/** Sorts findings by rank and place. A finding that several endpoints repeat becomes one that concerns each of them. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const seen: Found[] = [];
  const places = new Map<number, Found[]>();
  for (const finding of findings) {
    const { code, span, message, endpoints } = finding;
    const from = span?.from ?? -1;
    const here = places.get(from) ?? [];
    const known = here.find(
      (one) => one.finding.message === message && one.finding.code === code && one.finding.span?.to === span?.to,
    );
    // Most findings occur once: only a repeated one needs a set of its endpoints.
    if (!known) {
      const one: Found = { finding, endpoints };
      seen.push(one);
      if (here.push(one) === 1) places.set(from, here);
    } else if (endpoints === null || known.endpoints === null) known.endpoints = null;
    else {
      const all = known.endpoints instanceof Set ? known.endpoints : new Set(known.endpoints);
      for (const endpoint of endpoints) all.add(endpoint);
      known.endpoints = all;
    }
  }
  const at = ({ span }: Finding): number => span?.from ?? Number.POSITIVE_INFINITY;
  return seen
    .map(({ finding, endpoints }, i) => ({ finding, endpoints, i, rank: RANKS[finding.standing] }))
    .sort((a, b) => a.rank - b.rank || at(a.finding) - at(b.finding) || a.i - b.i)
    .map(({ finding, endpoints }) =>
      endpoints === finding.endpoints ? finding : { ...finding, endpoints: endpoints && [...new Set(endpoints)] },
    );
}
