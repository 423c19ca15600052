import type { Validators } from '../../http/preconditions.ts';
import type { BeforeStep, EndpointPlan } from '../../plan/step.ts';
import { answerAfter, answerOf, entityTagOf } from './answer.ts';
import { Content } from './content.ts';
import { openPlaces, readPage } from './pages.ts';
import { Refusal } from './refusal.ts';
import type { Run } from './run.ts';
import type { Given, Transaction } from './scope.ts';
import { runSteps } from './steps.ts';

/** The parts of a request that the GET of the same address has too. */
interface Asking {
  readonly path: string;
  readonly query: string | null;
  readonly segments: ReadonlyMap<string, string>;
  readonly header: (name: string) => string | undefined;
}

/** The endpoint and the parameters for which a cursor is valid. */
type PageBound = (endpoint: EndpointPlan, content: Content) => string;

/**
 * The validators (RFC 9110, section 8.8) that a GET of the same path would return now; null if the GET would be
 * refused.
 */
export function representationIn(
  transaction: Transaction,
  get: EndpointPlan,
  asking: Asking,
  boundOf: PageBound,
): Validators | null {
  // The GET does not count as tried, since no request was sent.
  const work: Transaction = { ...transaction, trace: [] };
  const names = [...get.path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const values = [...asking.segments.values()];
  const said = { ...asking, segments: new Map(names.map((name, i) => [name, values[i] ?? ''])) };
  try {
    const content = new Content(work, get.name);
    const run = runOf(work, get, said, content, boundOf);
    if (!run) return null;
    openPlaces(run, get);
    runSteps(run, get.inside);
    const answer = answerAfter(run, get, { path: said.path, query: said.query, sent: content.sent });
    const stated = new Map(answer.headers);
    const tag = answerOf(run, get).conditional ? entityTagOf(work, get, answer) : (stated.get('ETag') ?? null);
    return { tag, modified: stated.get('Last-Modified') ?? null };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function runOf(work: Transaction, get: EndpointPlan, said: Asking, content: Content, boundOf: PageBound): Run | null {
  const stepOf = <D extends BeforeStep['do']>(kind: D) =>
    get.before.find((step): step is Extract<BeforeStep, { do: D }> => step.do === kind);
  const read = stepOf('read parameters');
  if (read) content.readParameters({ ...read, unknown: 'ignored' }, null, said);
  if (content.faults.length) return null;
  const paged = stepOf('read page');
  const asked = paged ? readPage(paged.page, content.sent, boundOf(get, content)) : null;
  if (asked instanceof Refusal) return null;
  return runFor(work, get, content, asked, said.header, () => null);
}

/** The state of an endpoint's steps before the first. */
export function runFor(
  work: Transaction,
  endpoint: EndpointPlan,
  content: Content,
  asked: Run['asked'],
  header: Run['header'],
  representation: Run['representation'],
): Run {
  const names = new Map<string, Given>([
    ['path', content.path],
    ['query', content.query],
    ['header', content.header],
    ['request', content.request],
  ]);
  const { refusal } = content;
  return {
    work,
    endpoint,
    names,
    sighted: true,
    header,
    representation,
    asked,
    refusal,
    late: content.late,
    page: null,
    answered: null,
    issued: [],
    revoked: [],
  };
}
