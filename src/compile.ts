import { type Item, readItems } from './model/items.ts';
import type { Model } from './model/model.ts';
import { PARTS, type PartName } from './model/parts.ts';
import { readModel } from './model/read.ts';
import { Resolved } from './model/resolve.ts';
import { checkAuthentication } from './parts/authentication/check.ts';
import { checkEndpoints } from './parts/endpoints/check.ts';
import { checkErrors } from './parts/errors/check.ts';
import { checkEvents } from './parts/events/check.ts';
import { checkLimits } from './parts/limits/check.ts';
import { checkPurpose } from './parts/purpose/check.ts';
import { checkResources } from './parts/resources/check.ts';
import { checkStates } from './parts/states/check.ts';
import { checkVersioning } from './parts/versioning/check.ts';
import { buildPlan } from './plan/build.ts';
import type { Plan } from './plan/step.ts';
import type { Finding } from './source/diagnostic.ts';
import { readMarkdown } from './source/markdown.ts';
import type { Mark } from './source/phrase.ts';
import { LineIndex, type Span } from './source/span.ts';
import { checkFits, type Places } from './store/fits.ts';

/** Each part's rules. Endpoints come before authentication and errors, which ask what the endpoints use. */
const CHECKS: Readonly<Record<PartName, (r: Resolved) => void>> = {
  purpose: checkPurpose,
  resources: checkResources,
  states: checkStates,
  endpoints: checkEndpoints,
  authentication: checkAuthentication,
  events: checkEvents,
  errors: checkErrors,
  limits: checkLimits,
  versioning: checkVersioning,
};

/** Whether an endpoint can be served: no finding stands in its way. */
export interface EndpointState {
  readonly endpoint: string;
  readonly settled: boolean;
}

/** All that is known of a document after reading it. */
export interface Compiled {
  readonly name: string;
  readonly lines: LineIndex;
  readonly model: Model;
  readonly items: readonly Item[];
  readonly endpoints: readonly EndpointState[];
  /** What is not understood first, then what else is wrong, then what is unsaid, then what is unused: each in document order. */
  readonly findings: readonly Finding[];
  readonly marks: readonly Mark[];
  /** What will run. Null while an error stands, or while no endpoint is settled. */
  readonly plan: Plan | null;
}

/**
 * Compiles a document: read → resolve → check → plan. Never throws on a document, whatever it holds.
 * `name` is how messages call the document; `source` is its text.
 */
export function compile(name: string, source: string): Compiled {
  const notes = { findings: [] as Finding[], marks: [] as Mark[] };
  const { model, parts } = readModel(readMarkdown(source, notes.findings), notes);
  const items = readItems(model, parts, notes.findings);
  const resolved = new Resolved(model, notes);
  for (const [part] of PARTS) CHECKS[part](resolved);
  resolved.finish();
  const lines = new LineIndex(source);
  const place = placing(model, parts);
  const found = inOrder(withoutEchoes(lines, notes.findings).map(place));
  const { endpoints, plan } = planOf(name, resolved, found, lines);
  // What no store takes shows once there is a plan, and then there is none.
  const beyond = plan ? checkFits(plan, placesIn(model)) : [];
  const findings = beyond.length ? inOrder([...found, ...beyond.map(place)]) : found;
  return { name, lines, model, items, endpoints, findings, marks: notes.marks, plan: beyond.length ? null : plan };
}

/** The endpoints with what stands in their way, and the plan of those that nothing does. */
function planOf(
  name: string,
  resolved: Resolved,
  findings: readonly Finding[],
  lines: LineIndex,
): Pick<Compiled, 'endpoints' | 'plan'> {
  const { model } = resolved;
  const broken = findings.some((finding) => finding.severity === 'error');
  const unsettled = new Set(findings.flatMap((finding) => finding.endpoints ?? []));
  const everywhere = findings.some((finding) => finding.endpoints === null);
  const endpoints = model.endpoints.list.map(
    ({ name }): EndpointState => ({ endpoint: name, settled: !everywhere && !unsettled.has(name) }),
  );
  const settled = endpoints.filter((one) => one.settled).map((one) => one.endpoint);
  const line = (offset: number): number => lines.position(offset).line;
  const plan = broken || settled.length === 0 ? null : buildPlan(name, resolved, new Set(settled), line);
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
  return {
    resource: (name, member) => {
      const resource = resources.get(name);
      if (!resource || member === undefined) return resource?.name ?? null;
      if (member === name) return resource.shown ?? resource.name;
      const all = [...resource.fields, ...resource.derived, ...resource.views];
      return all.find((one) => one.name.text === member)?.name ?? null;
    },
    endpoint: (name) => endpoints.get(name) ?? null,
  };
}

/** What keeps the rest of a document from being read at all. */
const UNREAD: readonly string[] = ['language/too-large', 'language/too-deep', 'language/too-wide', 'language/unclosed'];

/** A statement’s key: of a bullet, of a row whose first cell names what is stated, or of an answer. */
const KEY = /^\s*(?:- [^:`|]+:|\| [^|`]+?\s+\||\d+\. Answer\b)/;

/**
 * One mistake is one finding: what can’t be read isn’t asked for as well, and neither is all that comes after what
 * hides it.
 */
function withoutEchoes(lines: LineIndex, findings: readonly Finding[]): Finding[] {
  const unread = findings.filter((finding) => UNREAD.includes(finding.code));
  if (unread.length) return unread;
  const key = (text: string): string =>
    (KEY.exec(text)?.[0] ?? '')
      .replace(/\s+/g, ' ')
      .replace(/\d+\. /, '')
      .trim();
  const broken = new Set<string>();
  const seen = new Set<number>();
  for (const { span, severity, code } of findings) {
    if (!span || (severity !== 'error' && !code.endsWith('/blank-cell'))) continue;
    const { line } = lines.position(span.from);
    if (!seen.has(line)) broken.add(key(lines.line(line).slice(0, 200)));
    seen.add(line);
  }
  broken.delete('');
  return findings.filter(
    ({ severity, code, suggestion }) =>
      severity === 'error' || code.endsWith('/blank-cell') || suggestion === null || !broken.has(key(suggestion)),
  );
}

/** What is stated and not used: what is still to be written may use it. */
const IDLE = /\/(?:.*unused|.*-unread|unreachable|never-(?:made|reached|issued|shown|raised))$/;

/** What isn’t understood comes first, then what else is wrong, then what is unsaid: those behind may follow from it. */
function rank({ severity, code }: Finding): number {
  if (IDLE.test(code)) return 3;
  if (severity === 'question') return 2;
  return code.startsWith('language/') ? 0 : 1;
}

/** By rank, then in document order, each once: what is found at several endpoints stands in the way of each of them. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const seen = new Map<string, { readonly finding: Finding; endpoints: Set<string> | readonly string[] | null }>();
  for (const finding of findings) {
    const { code, span, message, endpoints } = finding;
    const key = `${span?.from} ${span?.to} ${code} ${message}`;
    const known = seen.get(key);
    // Most are found once: only what is found again is put together.
    if (!known) seen.set(key, { finding, endpoints });
    else if (endpoints === null || known.endpoints === null) known.endpoints = null;
    else {
      const all = known.endpoints instanceof Set ? known.endpoints : new Set(known.endpoints);
      for (const endpoint of endpoints) all.add(endpoint);
      known.endpoints = all;
    }
  }
  const at = ({ span }: Finding): number => span?.from ?? Number.POSITIVE_INFINITY;
  return [...seen.values()]
    .map(({ finding, endpoints }, i) => ({ finding, endpoints, i, rank: rank(finding) }))
    .sort((a, b) => a.rank - b.rank || at(a.finding) - at(b.finding) || a.i - b.i)
    .map(({ finding, endpoints }) =>
      endpoints === finding.endpoints ? finding : { ...finding, endpoints: endpoints && [...new Set(endpoints)] },
    );
}
