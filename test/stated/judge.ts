import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Document, Exchange, Outcome } from './document.ts';
import { headerFaults } from './headers.ts';
import { problemFaults } from './problem.ts';
import { bodyFaults } from './success.ts';

type Answer = Extract<Step, { verb: 'Answer' }>;

/** What an answer says that the document doesn't state, in words; nothing where it states all of it. */
export function judge(document: Document, exchange: Exchange): string[] {
  const { request, said } = exchange;
  const place = document.place(request.method, request.path, request.headers);
  const answers = place.endpoint ? answersOf(place.endpoint) : [];
  const preflight = isPreflight(document, exchange, place.methods);
  if (preflight) return said.status === 204 ? [...headerFaults(document, place, exchange, [], [])] : ['no preflight'];
  const good = answers.filter((one) => one.status.value === said.status);
  const unchanged = said.status === 304 && place.endpoint?.settings.conditional?.value === 'strong ETag';
  if (unchanged) {
    const faults = said.body ? [`a body where there is none: ${said.body}`] : [];
    return [...faults, ...headerFaults(document, place, exchange, answers, [])];
  }
  if (good.length) {
    // The body of a HEAD is left out on the wire alone.
    const faults = good.map((one) => [...bodyFaults(document, place.endpoint!, one, place.version, said.body)]);
    const shape = faults.some((each) => each.length === 0) ? [] : faults[0]!;
    return [...shape, ...headerFaults(document, place, exchange, good, [])];
  }
  const outcomes = document.outcomes(place).filter((one) => one.status === said.status);
  if (!outcomes.length) return [`${said.status}, which nothing there answers with: ${said.body}`];
  const told = outcomes.filter((one) => tells(document, one, said.body));
  if (!told.length) return [...problemFaults(document, outcomes[0]!, said.body)];
  return [...headerFaults(document, place, exchange, [], told)];
}

const tells = (document: Document, outcome: Outcome, body: string | null): boolean =>
  problemFaults(document, outcome, body).next().done === true;

const answersOf = (one: Effective): Answer[] => one.every.filter((step): step is Answer => step.verb === 'Answer');

function isPreflight(document: Document, { request }: Exchange, methods: readonly string[]): boolean {
  const stated = document.origins;
  if (request.method !== 'OPTIONS' || !methods.length || !stated) return false;
  const header = (name: string): string | undefined => request.headers.find(([one]) => one.toLowerCase() === name)?.[1];
  const origin = header('origin');
  const allowed = origin !== undefined && (stated.from === 'any' || stated.from.includes(origin));
  return allowed && header('access-control-request-method') !== undefined;
}
