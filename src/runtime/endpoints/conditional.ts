import { digestOf } from '../../expression/values/digest.ts';
import { header } from '../../http/headers.ts';
import { matchesEtag, noneMatch } from '../../http/preconditions.ts';
import type { BeforeStep } from '../../plan/step.ts';
import { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Answer } from '../http/message.ts';
import { type Answering, newRun, type Representation, type Step } from './steps/context.ts';

/** The headers that a 304 repeats from the 200 (RFC 9110, section 15.4.5), in addition to its entity tag. */
const REPEATED: readonly string[] = ['Cache-Control', 'Vary'];

/**
 * Gives each answer a strong entity tag, and evaluates If-Match and If-None-Match against it, in this order (RFC 9110,
 * section 13.2.2). The conditions are evaluated once the answer is known, so that other refusals come first. An
 * If-Match that cannot be read is false; an If-None-Match that cannot be read is ignored.
 */
export function conditionally(answering: Answering, errors: Errors): Answering {
  return function* answer(run) {
    const whole = yield* answering(run);
    const tag = tagOf(whole);
    const { rawHeaders } = run.x.incoming;
    const match = header(rawHeaders, 'if-match');
    if (match !== undefined && matchesEtag(match, tag) !== true) throw errors.condition('precondition failed');
    whole.headers.push('ETag', tag);
    const none = header(rawHeaders, 'if-none-match');
    return none !== undefined && noneMatch(none, tag) === false ? notModified(whole) : whole;
  };
}

/**
 * Returns 128 bits of a hash of the answer's headers and body: a header such as Link may change while the body stays.
 */
function tagOf({ headers, body, digest }: Answer): string {
  return `"${digestOf(`${headers.join('\n')}\n\n${digest ?? body}`)}"`;
}

function notModified({ headers }: Answer): Answer {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === 'ETag' || REPEATED.includes(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!);
  return { status: 304, headers: kept, body: null };
}

/** The steps of a GET that a write runs for its validators. */
interface Looking {
  readonly name: string;
  readonly before: ReadonlyArray<(x: RequestContext) => unknown>;
  readonly inside: readonly Step[];
  readonly answer: Answering;
}

/**
 * Whether a step before the transaction is needed to run a GET within a write: caller and version are known already.
 */
export const isLookedThrough = ({ do: kind }: BeforeStep): boolean =>
  kind === 'read parameters' || kind === 'read page';

/** Runs the steps of a GET inside a write, for the same caller and the same address. */
export function representationOf({ name, before, inside, answer }: Looking): Representation {
  return function* representation({ x, work }) {
    const asked = asGet(x, name);
    for (const step of before) if (step(asked)) return null;
    if (asked.faults.length || asked.refused) return null;
    const run = newRun(asked, work.within(asked.frame));
    try {
      for (const step of inside) yield* step(run);
      const { headers } = yield* answer(run);
      return { tag: header(headers, 'etag') ?? null, modified: header(headers, 'last-modified') ?? null };
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  };
}

/** Returns a request as a GET without preconditions. */
function asGet(x: RequestContext, endpoint: string): RequestContext {
  const { incoming, frame } = x;
  const rawHeaders = incoming.rawHeaders.filter((_, at, all) => !/^(?:if-|range$)/i.test(all[at - (at % 2)]!));
  return {
    ...x,
    // Cursors are bound to an endpoint, here to that of the GET.
    endpoint,
    incoming: { ...incoming, method: 'GET', rawHeaders },
    frame: { ...frame, path: [], query: [], header: [], request: [], vars: [], row: null, results: [], bound: [] },
    faults: [],
    parameters: [],
    page: null,
    refused: null,
    key: null,
  };
}
