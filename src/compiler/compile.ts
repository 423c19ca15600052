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
import { buildPlan, type Checked } from './plan.ts';
import { checkPurpose } from './purpose/check.ts';
import { withoutEchoes } from './read/echoes.ts';
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

/** Each part's rules. Endpoints come before authentication and errors, which ask what the endpoints use. */
function checkParts(r: Resolved): Checked {
  checkPurpose(r);
  checkResources(r);
  const states = checkStates(r);
  const endpoints = checkEndpoints(r);
  const schemes = checkAuthentication(r);
  const events = checkEvents(r);
  checkErrors(r);
  checkLimits(r);
  const versions = checkVersioning(r);
  r.finish();
  return { states, endpoints, schemes, events, versions };
}

/** Whether an endpoint can be served: no finding stands in its way. */
interface EndpointState {
  readonly endpoint: string;
  readonly settled: boolean;
}

/**
 * Whether more may be found once the findings are answered. `unchecked`: the document is read in part, and the rest is
 * checked then. `open`: the answers decide what else is asked, or is wrong.
 */
type More = 'none' | 'open' | 'unchecked';

/** All that is known of a document after reading it. */
export interface Compiled {
  readonly name: string;
  readonly lines: LineIndex;
  readonly model: Model;
  readonly items: readonly Item[];
  readonly endpoints: readonly EndpointState[];
  /** What is not understood first, then what else is wrong, then what is unsaid, then what is unused: each in document order. */
  readonly findings: readonly Finding[];
  /** Remarks that keep nothing from being served, in document order. */
  readonly notices: readonly Finding[];
  readonly more: More;
  readonly marks: readonly Mark[];
  /** What will run. Null while an error stands, or while no endpoint is settled. */
  readonly plan: Plan | null;
}

/**
 * Compiles a document: read → resolve → check → plan. Never throws on a document, whatever it holds.
 * `name` is how messages call the document; `source` is its text.
 */
export function compile(name: string, source: string): Compiled {
  const notes: Notes = { findings: [], marks: [] };
  const blocks = readMarkdown(source, notes.findings);
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
  // What no store takes shows once there is a plan, and then there is none.
  const beyond = plan ? checkFits(plan, placesIn(model)) : [];
  const findings = beyond.length ? inOrder([...found, ...beyond.map(place)]) : found;
  const served = beyond.length ? null : plan;
  const more = held.length || findings.some((one) => one.severity === 'error' || leadsOn(one)) ? 'open' : 'none';
  return { name, lines, model, items, endpoints, findings, notices, more, marks: notes.marks, plan: served };
}

/** A document of which tables, or what stands below headings, is unread: what more there is to find may follow from that. */
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
  const findings = inOrder(withoutEchoes(blocks, units, lines, read.findings, parts, read).map(placing(model, parts)));
  const endpoints = model.endpoints.list.map((one): EndpointState => ({ endpoint: one.name, settled: false }));
  return {
    name,
    lines,
    model,
    items: readItems(model, parts, []),
    endpoints,
    findings,
    notices: [],
    more: 'unchecked',
    marks,
    plan: null,
  };
}

/** The endpoints with what stands in their way, and the plan of those that nothing does. */
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
 * What no one line says stands at the heading of its part, where it could be stated; what is of no part, or of one that
 * the document doesn’t have, at its title, or else at its first line.
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

/** Where a document states what its plan speaks of. */
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

/** Statements that are not understood come first, then other errors, then questions: later ones may follow from them. */
const RANKS: Readonly<Record<Standing, number>> = {
  unread: 0,
  'not understood': 0,
  wrong: 1,
  deciding: 2,
  blank: 3,
  unsaid: 3,
  idle: 4,
};

/** A finding, and the endpoints at which it has been found. */
interface Found {
  readonly finding: Finding;
  endpoints: Set<string> | readonly string[] | null;
}

/** By rank, then in document order, each once: what is found at several endpoints stands in the way of each of them. */
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
    // Most are found once: only what is found again is put together.
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
