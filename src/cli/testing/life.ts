import type { Compiled } from '../../compiler/compile.ts';
import { contractOf } from '../../contract/contract-of.ts';
import { mapTransitions } from '../../plan/machines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { InsideStep, Plan } from '../../plan/step.ts';
import { counted } from '../../text/units.ts';
import { oneLine } from '../../text/visible.ts';
import { GOAL_KINDS, type Goal, type GoalKind, goalsOf } from '../../verify/life/goals.ts';
import { searchForLife } from '../../verify/life/search.ts';
import { subjectAt } from '../../verify/session/subject.ts';
import { MemoryService } from './memory-service.ts';
import { firstInstant } from './moved-store.ts';

/** The budget of a search, in counted milliseconds of a slow machine, and the additional budget per endpoint. */
const BUDGET_MS = 5000;
const OF_ENDPOINT_MS = 10;
/** The most endpoints of a document that is tried: a search in a larger one would reach only a small part. */
const MOST_ENDPOINTS = 2000;

/** The endpoints, transitions, events and codes of a document that requests to its service in memory have reached. */
export interface Tried extends Readonly<Record<`${GoalKind}s`, { readonly found: number; readonly of: number }>> {
  /** The goals without a request, in the order of the document. */
  readonly missing: ReadonlyArray<{ readonly kind: GoalKind; readonly name: string; readonly line: number | null }>;
  /** The endpoints that run handlers, whose code is not run. */
  readonly untried: readonly string[];
  readonly requests: number;
  /** Whether the search tried everything, rather than ending at its budget. */
  readonly complete: boolean;
}

/**
 * Starts a document’s service in memory and looks for a request that leads to each endpoint, transition, event and code
 * of its own. Null if no endpoint can be tried, or if there are too many. Rejects with SetupError or StoreError if the
 * service cannot start.
 */
export async function tryDocument(compiled: Compiled & { readonly plan: Plan }): Promise<Tried | null> {
  const { plan, untried } = withoutHandlers(compiled.plan);
  if (plan.endpoints.length === 0 || plan.endpoints.length > MOST_ENDPOINTS) return null;
  const contract = contractOf(plan);
  const goals = goalsOf(plan, contract);
  const service = await MemoryService.of(plan, firstInstant(plan));
  try {
    const subject = subjectAt({ plan, contract }, service, service);
    const { missing, requests, cut } = await searchForLife(
      subject,
      goals,
      BUDGET_MS + OF_ENDPOINT_MS * plan.endpoints.length,
    );
    const lines = endpointLines(compiled);
    const placed = missing.map((one) => ({ ...one, line: one.line ?? lines.get(one.name) ?? null }));
    const counts = GOAL_KINDS.map((kind) => [`${kind}s`, countOf(kind, goals, missing)] as const);
    return {
      ...(Object.fromEntries(counts) as Pick<Tried, `${GoalKind}s`>),
      missing: placed.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
      untried,
      requests,
      complete: !cut,
    };
  } finally {
    await service.stop();
  }
}

function countOf(kind: GoalKind, goals: readonly Goal[], missing: readonly Goal[]): { found: number; of: number } {
  const number = (all: readonly Goal[]): number => all.filter((one) => one.kind === kind).length;
  return { found: number(goals) - number(missing), of: number(goals) };
}

function endpointLines({ model, lines }: Compiled): ReadonlyMap<string, number> {
  return new Map(model.endpoints.list.map(({ name, span }) => [name, lines.position(span.from).line]));
}

const runs = (steps: readonly InsideStep[]): boolean => [...allNested(steps)].some((step) => step.do === 'run');

/** The plan without endpoints that run handlers, and without steps after transitions that do. */
function withoutHandlers(plan: Plan): { readonly plan: Plan; readonly untried: readonly string[] } {
  if (plan.handlers.length === 0) return { plan, untried: [] };
  const endpoints = plan.endpoints.filter(({ inside }) => !runs(inside));
  const resources = plan.resources.map((one) => ({
    ...one,
    machines: mapTransitions(one.machines, (each) => (runs(each.then) ? { ...each, then: [] } : each)),
  }));
  const untried = plan.endpoints.filter((one) => !endpoints.includes(one)).map(({ name }) => name);
  return { plan: { ...plan, endpoints, resources, handlers: [] }, untried };
}

/** The missing endpoints, transitions, events and codes, in words. */
const MISSING: Readonly<Record<GoalKind, (name: string) => string>> = {
  endpoint: (name) => `${name} took no request.`,
  transition: (name) => `No request led to transition ${name}.`,
  event: (name) => `No request led to event ${name}.`,
  code: (name) => `No request was refused with ${name}.`,
};

/** The largest number of listed goals that the search did not reach. */
const MOST_LISTED = 20;

/** The result of a search, as text: a sentence, and a line for each thing that was not found. */
export function triedText(document: string, tried: Tried): string {
  const { missing, untried, complete } = tried;
  const lines = [`${summaryOf(tried)}${complete ? '' : ' The search ended at its bound.'}`];
  if (untried.length > 0) {
    const [names, run] = [counted(untried.length, 'endpoint'), untried.length === 1 ? 'runs' : 'run'];
    lines.push(
      `${names} ${run} handlers and ${untried.length === 1 ? 'was' : 'were'} not tried, nor what only they lead to.`,
    );
  }
  const places = missing.slice(0, MOST_LISTED).map(({ kind, name, line }) => {
    const place = line === null ? `${document}:` : `${document}:${line}`;
    return `  ${oneLine(place)} ${oneLine(MISSING[kind](name))}`;
  });
  if (missing.length > places.length) places.push(`  And ${missing.length - places.length} others: --json has all.`);
  if (places.length > 0)
    lines.push('No request was found for these. One may exist: this is a search, and no proof.', ...places);
  return `${lines.join('\n')}\n`;
}

function summaryOf(tried: Tried): string {
  const kinds = GOAL_KINDS.map((kind) => ({ kind, ...tried[`${kind}s`] })).filter(({ of }) => of > 0);
  const all = kinds.every(({ found, of }) => found === of);
  const parts = kinds.map(({ kind, found, of }) => (all ? counted(of, kind) : `${found} of ${counted(of, kind)}`));
  const last = parts.pop() ?? '';
  const list = parts.length ? `${parts.join(', ')} and ${last}` : last;
  return `A request was found for ${all && (parts.length > 0 || kinds[0]!.of > 1) ? 'all ' : ''}${list}.`;
}
