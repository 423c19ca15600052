import { transitionIn } from '../../plan/machines.ts';
import type { EndpointPlan, Plan } from '../../plan/step.ts';
import { combinedHeader, type Request } from '../target/exchange.ts';
import { Answering } from './answering.ts';
import { browserHeaders, isPreflight, preflightAnswer } from './browsers.ts';
import { makeDue } from './dues.ts';
import { type Expected, refused } from './errors.ts';
import { eventsOf } from './events.ts';
import { byCondition, Unknown } from './refusal.ts';
import type { Routed } from './routes.ts';
import type { OracleCaller, Transaction } from './scope.ts';
import { State } from './state.ts';
import { reaction } from './steps.ts';
import type { Trace } from './trace.ts';
import { splitPath } from './versions.ts';
import { mustHold, put } from './writes.ts';

/** The expected answer to a request, and the statements that the request tries. */
export interface Prediction {
  readonly endpoint: EndpointPlan | null;
  readonly expected: Expected;
  readonly trace: readonly Trace[];
  /** Whether the answer depends on the time of the request to the millisecond. */
  readonly usedNow: boolean;
}

type Handled = Prediction & { readonly trace: Trace[] };

/**
 * Implements a document slowly and plainly: from the plan alone, with rows in lists and expressions computed row by
 * row. With the tested service, it shares the functions and operators and the readers of values and of HTTP fields, and
 * no other code.
 */
export class Oracle {
  readonly state: State;
  /** The URL of the service. */
  readonly url: string | null;

  constructor(state: State, url: string | null) {
    this.state = state;
    this.url = url;
  }

  /** An oracle of a service without any rows. */
  static of(plan: Plan, url: string | null): Oracle {
    return new Oracle(new State(plan), url);
  }

  copy(): Oracle {
    return new Oracle(this.state.copy(), this.url);
  }

  /** An oracle with the same state for another document. */
  under(plan: Plan): Oracle {
    return new Oracle(new State(plan, this.state), this.url);
  }

  /**
   * Answers a request that arrives at an instant, and applies its changes to the state. `name` identifies the drawn
   * values of the request. Throws Unknown where the document leaves the answer to code.
   */
  handle(request: Request, now: number, name: string): Prediction {
    const found = this.handled(request, now, name);
    const sent = (one: string): string | undefined => headerIn(request, one);
    const extra = browserHeaders(this.state.plan.browsers, request.method, sent, found.trace);
    if (extra.length === 0) return found;
    return { ...found, expected: { ...found.expected, headers: [...found.expected.headers, ...extra] } };
  }

  /** Answers a request like `handle`; null where the document leaves the answer to code. */
  handleKnown(request: Request, now: number, name: string): Prediction | null {
    try {
      return this.handle(request, now, name);
    } catch (error) {
      if (error instanceof Unknown) return null;
      throw error;
    }
  }

  private handled(request: Request, now: number, name: string): Handled {
    if (request.headers.some(([, value]) => NO_FIELD.test(value))) throw new Unknown('The request is none of HTTP.');
    const trace: Trace[] = [];
    const counts = { drawn: 0, usedNow: false };
    const by = {
      begin: (version: string, caller: OracleCaller | null, writes: boolean): Transaction =>
        this.begin(now, { version, caller, trace, counts, name }, writes),
      commit: (work: Transaction): void => this.commit(work),
    };
    this.passTime(now, name, trace);
    const found = this.route(request, trace);
    const work = by.begin('', null, false);
    if (found === 'unsettled')
      return {
        endpoint: null,
        expected: { status: 501, code: null, headers: [], body: undefined, statements: [] },
        trace,
        usedNow: false,
      };
    if ('status' in found) return { endpoint: null, expected: found, trace, usedNow: false };
    if ('refusal' in found) return { endpoint: null, expected: refused(work, found.refusal), trace, usedNow: false };
    const { endpoint, segments, version, path, query } = found;
    const { body } = request;
    const header = (one: string): string | undefined => headerIn(request, one);
    const incoming = {
      method: request.method,
      path,
      query,
      header,
      body,
      late: request.late ?? 0,
      now,
      origin: this.url === null ? null : new URL(this.url).origin,
      segments,
      version,
    };
    const expected = new Answering(this.state, endpoint, incoming, by).answer();
    const bodiless = request.method === 'HEAD' ? { ...expected, body: undefined } : expected;
    return { endpoint, expected: bodiless, trace, usedNow: counts.usedNow };
  }

  /** Makes the timed transitions and events that are due up to an instant. */
  passTime(now: number, name: string, trace: Trace[] = []): void {
    const counts = { drawn: 0, usedNow: false };
    const version = this.state.plan.versions?.current ?? '';
    let number = 0;
    const begin = (at: number, writes: boolean): Transaction => {
      if (writes) number += 1;
      return this.begin(
        at,
        { version, cause: 'timer', caller: null, trace, counts, name: `${name} due ${number}` },
        writes,
      );
    };
    makeDue(now, {
      begin,
      put: (work, row, transition) =>
        put(work, row, transitionIn(work.rows.plan(row.resource).machines, transition), reaction),
      commit: (work) => {
        mustHold(work);
        this.commit(work);
      },
    });
  }

  /** Opens a transaction, on a copy of the rows where it writes. */
  begin(now: number, about: Pick<Transaction, 'version' | 'name'> & Partial<Transaction>, writes = true): Transaction {
    const { plan, draws, checks, compiled } = this.state;
    const rows = writes ? this.state.rows.copy() : this.state.rows;
    const { cause = 'request', caller = null, trace = [], counts = { drawn: 0, usedNow: false } } = about;
    const row = caller && rows.byIdentity(caller.row.resource, this.state.rows.identity(caller.row));
    return {
      version: about.version,
      cause,
      name: about.name,
      caller: caller && row ? { ...caller, row } : null,
      trace,
      counts,
      plan,
      checks,
      compiled,
      rows,
      now,
      url: this.url,
      draws,
      happened: [],
      emitted: [],
      before: new Map(),
    };
  }

  /** Applies the changes of a transaction to the state. */
  commit(work: Transaction): void {
    const { state } = this;
    if (state.events) state.events = [...state.events, ...eventsOf(work)];
    state.rows = work.rows;
  }

  private route(
    request: Request,
    trace: Trace[],
  ):
    | {
        endpoint: EndpointPlan;
        segments: ReadonlyMap<string, string>;
        version: string | null;
        path: string;
        query: string | null;
      }
    | { refusal: ReturnType<typeof byCondition> }
    | Expected
    | 'unsettled' {
    const { plan, routes } = this.state;
    const at = request.target.indexOf('?');
    const [whole, query] =
      at < 0 ? [request.target, null] : [request.target.slice(0, at), request.target.slice(at + 1)];
    const isKnown = (path: string): boolean => routes.fitting(path).length > 0;
    const { path, version } = splitPath(plan, whole, isKnown);
    const fitting = routes.fitting(path);
    const answers = (one: Routed): boolean =>
      one.method === request.method || (one.endpoint?.head === true && request.method === 'HEAD');
    const found = fitting.find(answers);
    if (found)
      return found.endpoint
        ? { endpoint: found.endpoint, segments: found.segments, version, path: whole, query }
        : 'unsettled';
    if (fitting.length === 0 || request.method === 'CONNECT') return { refusal: byCondition('no such endpoint') };
    const all = fitting.flatMap(({ method, endpoint }) => (endpoint?.head ? [method, 'HEAD'] : [method]));
    const methods = [...new Set(all)];
    const settled = fitting.flatMap(({ endpoint }) => endpoint ?? []);
    if (isPreflight(plan.browsers, request.method, (one) => headerIn(request, one)))
      return preflightAnswer(plan.browsers, methods, settled, trace);
    return { refusal: byCondition('method not allowed', { headers: [['Allow', methods.join(', ')]] }) };
  }
}

/** The characters that no field value of HTTP contains (RFC 9110, section 5.5). */
const NO_FIELD = /[\x00-\x08\x0a-\x1f\x7f]/;

function headerIn({ headers, body }: Request, name: string): string | undefined {
  const stated = combinedHeader(headers, name);
  if (stated !== null) return stated;
  return name.toLowerCase() === 'content-length' && body !== null ? String(body.length) : undefined;
}
