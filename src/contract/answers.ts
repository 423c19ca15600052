import { type Expr, show } from '../expression/tree/expression.ts';
import { answersOf } from '../plan/answered.ts';
import { callersWith } from '../plan/caller-condition.ts';
import { ambientOrigins, challengesOf, isSafe, type NeededScopes, neededWords } from '../plan/callers.ts';
import { type Condition, HTTP_STATUS, STAGES } from '../plan/conditions.ts';
import { statementId } from '../plan/lines.ts';
import { named } from '../plan/named.ts';
import type { BeforeStep, EndpointPlan, ParameterPlan, RatePlan, SchemePlan, VersionPlan } from '../plan/step.ts';
import { announced, day, earliest, endingHeaders, endingOf, NO_ENDING } from '../plan/versions.ts';
import type { AnswerContract, BecauseContract, HeaderContract } from './endpoint.ts';
import { browserHeaders, header } from './headers.ts';
import { mergeLines, type PlanReader } from './plan-reader.ts';
import { Refusals } from './refusals.ts';
import { success } from './success.ts';
import type { Lines } from './types.ts';

/** Conditions whose errors list faults of single fields and parameters. */
const FAULTY: ReadonlySet<Condition> = new Set([
  'invalid request',
  'unknown field',
  'unknown parameter',
  'reference unknown',
]);

/** The conditions that steps raise, whose answers are stored for an idempotency key. */
const OF_STEPS: ReadonlySet<string> = new Set(STAGES.Steps);

const REASONS: Partial<Record<Condition, string>> = {
  unavailable: 'the service is stopping, or can’t reach its store',
  conflict: 'another request has changed the same rows meanwhile',
  'storage full': 'there is no room to store the change',
  'time-out': 'the request took too long',
  failure: 'a defect of the service, or a value that a step computes and its field does not allow',
};

/** Headers that all further answers carry, because of the checks that the request has passed already. */
interface HeaderFacts {
  readonly rates: HeaderContract['presence'] | 'never';
  readonly version: boolean;
}

/** Makes the answers of one endpoint, in one version. */
export class Answers {
  private readonly r: PlanReader;
  private readonly endpoint: EndpointPlan;
  private readonly version: VersionPlan | null;
  private readonly out: AnswerContract[] = [];
  /** Indexes in `out` of the answers with a code, by code and cause. */
  private readonly codes = new Map<string, number>();
  /** The units of the rates that have counted a request: see `counted`. */
  private readonly units = new Set<string>();
  private headerFacts: HeaderFacts = { rates: 'never', version: false };

  constructor(r: PlanReader, endpoint: EndpointPlan, version: VersionPlan | null) {
    this.r = r;
    this.endpoint = endpoint;
    this.version = version;
  }

  /** All answers, in the order in which a request is checked for them; the success comes last. */
  all(body: Parameters<typeof success>[2]): AnswerContract[] {
    const { before, inside, writes, timeout, name } = this.endpoint;
    this.condition('unavailable', [], REASONS.unavailable);
    for (const step of before) this.before(step);
    this.parameterCodes();
    for (const one of new Refusals(this.r, this.version).of(inside)) {
      if (one.condition) this.condition(one.condition, one.lines, one.because.text);
      else if (one.code !== null) this.code(one.code, one.because, one.lines);
    }
    this.streamCodes();
    if (answersOf(this.endpoint).some(({ conditional }) => conditional))
      this.condition(
        'precondition failed',
        this.r.lines(statementId.endpoint(name, 'conditional')),
        'If-Match names another entity tag',
      );
    if (answersOf(this.endpoint).some(({ body }) => body?.kind === 'file' && body.ranges === 'served'))
      this.condition('range not satisfiable', [], 'Range names no byte of the file', [header('Content-Range')]);
    if (writes) {
      this.condition('conflict', [], REASONS.conflict);
      this.condition('storage full', [], REASONS['storage full']);
    }
    if (timeout !== null)
      this.condition('time-out', this.r.lines(statementId.endpoint(name, 'Time-out')), REASONS['time-out']);
    this.condition('failure', [], REASONS.failure);
    const headers = this.headers();
    return [...this.out, ...success(this.r, this.endpoint, body, headers)].map((one) => this.replayed(one));
  }

  /** An answer with the header of its repetition, if it is one that is stored for an idempotency key. */
  private replayed(one: AnswerContract): AnswerContract {
    const claim = this.endpoint.before.find((step) => step.do === 'claim key');
    const { kind, name } = one.because;
    const stored =
      kind === 'condition' ? OF_STEPS.has(name) : kind !== 'not modified' && kind !== 'stream' && kind !== 'sunset';
    if (!claim?.replayed || !stored || one.status >= claim.below) return one;
    const { name: mark, value } = claim.replayed;
    return { ...one, headers: [...one.headers, { ...header(mark, value), presence: 'sometimes' }] };
  }

  /** Adds the answers with which a step before the transaction may refuse a request. */
  private before(step: BeforeStep): void {
    const lines = this.r.lines(step.line);
    const raise = (...conditions: readonly Condition[]): void => {
      for (const one of conditions) this.condition(one, lines);
    };
    switch (step.do) {
      case 'limit':
        this.limit(step, lines);
        break;
      case 'authenticate':
        this.authenticate(step, lines);
        break;
      case 'require scope':
        this.scope(step, lines);
        break;
      case 'choose version': {
        const { versions } = this.r.plan;
        if (versions?.without === 'refused') raise('version missing');
        raise('version unknown');
        if (versions?.older.length) raise('version retired');
        this.headerFacts = { ...this.headerFacts, version: true };
        break;
      }
      case 'check sunset':
        this.code(step.code, { kind: 'sunset', name: 'sunset', text: `it is ${day(step.at)} or later` }, lines);
        break;
      case 'negotiate':
        raise('not acceptable');
        break;
      case 'read body':
        if (!step.optional) raise('length missing');
        raise('request too large');
        if (!step.later) raise('unsupported media type', 'unsupported encoding', 'malformed request');
        break;
      case 'refuse body':
        raise('request too large');
        break;
      case 'read parameters':
        raise('malformed request');
        this.content();
        break;
      case 'validate body':
        break;
      case 'read page':
        raise('page refused');
        break;
      case 'claim key':
        if (!step.optional) raise('idempotency key missing');
        raise('idempotency key malformed', 'idempotency key in flight', 'idempotency key reused');
        break;
    }
  }

  /** Faults of parameters and of the body share one error, under the condition that is checked first. */
  private content(): void {
    const { before } = this.endpoint;
    const body = before.find((step) => step.do === 'validate body');
    const read = before.find((step) => step.do === 'read parameters');
    const refused = before.find((step) => step.do === 'refuse body');
    if (!read) return;
    const own = (list: readonly ParameterPlan[], place: string): Lines =>
      mergeLines(
        ...list.filter((one) => one.code === null || place !== 'path').map((one) => this.parameterLines(one, place)),
      );
    const parameters = mergeLines(own(read.path, 'path'), own(read.query, 'query'), own(read.header, 'header'));
    // Bytes have no fields with faults.
    const early = body?.later || body?.payload?.bytes ? undefined : body;
    const judged =
      read.path.some((one) => one.code === null) ||
      read.query.length > 0 ||
      read.header.length > 0 ||
      early !== undefined;
    if (judged) this.condition('invalid request', mergeLines(parameters, this.r.lines(early?.line ?? null)));
    if (early?.unknown === 'refused')
      this.condition('unknown field', this.r.lines(statementId.part('resources', 'unknownFields')));
    if (read.unknown === 'refused') this.condition('unknown parameter', this.r.lines(read.line));
    if (refused) this.condition('body not expected', this.r.lines(refused.line));
  }

  private parameterLines(one: ParameterPlan, place: string): Lines {
    return this.r.lines(statementId.parameter(this.endpoint.name, place, one.name));
  }

  private limit(step: Extract<BeforeStep, { do: 'limit' }>, lines: Lines): void {
    const rate = this.r.plan.rates[step.rate];
    if (!rate) return;
    const retry: HeaderContract[] = rate.headers.retryAfter ? [header('Retry-After')] : [];
    if (rate.headers.rateLimit) this.headerFacts = { ...this.headerFacts, rates: this.counted(rate, step.callers) };
    this.condition('rate exceeded', lines, `more than the rate “${rate.name}” allows`, retry);
  }

  /** Whether answers carry the RateLimit headers after a rate whose limit may apply to some requests only. */
  private counted({ per, row }: RatePlan, everyone: boolean): HeaderFacts['rates'] {
    const { before } = this.endpoint;
    const step = before.find((one) => one.do === 'authenticate');
    const path = row ? show(row) : '';
    this.units.add(everyone ? 'address' : `${per} ${path}`.trim());
    // Each request has no caller, a caller with the row, or a caller without it.
    const { units } = this;
    const rowed = units.has(`row ${path}`) && (units.has(`rowless ${path}`) || !this.mayLack(row, step?.schemes ?? []));
    if (rowed) units.add('caller');
    const ofCallers = !step || units.has('caller');
    const ofNobody = (step ? !step.optional : false) || units.has('nobody');
    return units.has('address') || (ofCallers && ofNobody) ? 'always' : 'sometimes';
  }

  /** Whether a caller of the endpoint may have no row at a path. */
  private mayLack(row: Expr | undefined, schemes: readonly string[]): boolean {
    const only = row ? callersWith(row) : null;
    if (!row || row.type.nullable) return true;
    return only !== null && schemes.some((name) => named(this.r.plan.schemes, name).resource !== only);
  }

  /** Rates per request without a caller also count requests with refused credentials, before the 401 is sent. */
  private refusedRates(): HeaderContract[] {
    const { rates } = this.r.plan;
    const counted = this.endpoint.before.some((step) => {
      const rate = step.do === 'limit' ? rates[step.rate] : undefined;
      return rate?.per === 'nobody' && rate.headers.rateLimit;
    });
    return counted && this.headerFacts.rates === 'never' ? [header('RateLimit-Policy'), header('RateLimit')] : [];
  }

  private authenticate(step: Extract<BeforeStep, { do: 'authenticate' }>, lines: Lines): void {
    const schemes = this.r.plan.schemes.filter((one) => step.schemes.includes(one.name));
    const challenge = (sent: boolean): HeaderContract[] => {
      const cookies = sent ? this.removedCookies(schemes) : [];
      return [header('WWW-Authenticate', challengesOf(schemes, sent)), ...cookies, ...this.refusedRates()];
    };
    const { method } = this.endpoint;
    if (!isSafe(method) && (schemes.some(ambientOrigins) || step.sets))
      this.condition('origin not accepted', lines, 'a page of another origin sends the request', this.refusedRates());
    if (!step.optional) this.condition('credentials missing', lines, undefined, challenge(false));
    this.condition('credentials not accepted', lines, undefined, challenge(true));
    if (schemes.some((one) => one.tokens)) this.condition('credentials expired', lines, undefined, challenge(true));
  }

  /** Credentials that are refused lose their cookie; with several schemes, some requests send others. */
  private removedCookies(schemes: readonly SchemePlan[]): HeaderContract[] {
    if (!schemes.some((one) => one.cookie?.removed)) return [];
    return [{ ...header('Set-Cookie'), presence: schemes.length === 1 ? 'always' : 'sometimes' }];
  }

  private scope(needed: NeededScopes, lines: Lines): void {
    const oauth = this.r.plan.schemes.some((one) => one.tokens?.oauth && one.scheme !== null);
    const challenge: HeaderContract[] = oauth ? [{ ...header('WWW-Authenticate'), presence: 'sometimes' }] : [];
    this.condition('scope missing', lines, `the caller lacks ${neededWords(needed)}`, challenge);
  }

  /** The codes of parameters that state their own refusal. */
  private parameterCodes(): void {
    const { before, name } = this.endpoint;
    const read = before.find((step) => step.do === 'read parameters');
    const body = before.find((step) => step.do === 'validate body');
    const places = { path: read?.path, query: read?.query, header: read?.header, body: body?.parameters };
    for (const [place, list] of Object.entries(places))
      for (const one of list ?? [])
        if (one.code !== null)
          this.code(
            one.code,
            {
              kind: 'parameter',
              name: one.name,
              text: `the ${place} parameter ${one.name} has a value that is not allowed`,
            },
            this.r.lines(statementId.parameter(name, place, one.name)),
          );
  }

  private streamCodes(): void {
    const { stream } = this.r.plan;
    if (this.endpoint.after?.body?.kind !== 'stream' || !stream) return;
    const because = (text: string): BecauseContract => ({ kind: 'stream', name: 'stream', text });
    if (stream.atOnce)
      this.code(
        stream.atOnce.code,
        because('as many streams are open as may be'),
        this.r.lines(statementId.part('stream', 'atOnce')),
      );
    if (stream.resumption)
      this.code(
        stream.resumption.code,
        because('Last-Event-ID names an event that is no longer kept'),
        this.r.lines(statementId.part('stream', 'resumption')),
      );
  }

  private condition(
    condition: Condition,
    lines: Lines,
    text: string = condition,
    headers: readonly HeaderContract[] = [],
  ): void {
    const because: BecauseContract = { kind: 'condition', name: condition, text };
    const known = this.out.findIndex((one) => one.because.kind === 'condition' && one.because.name === condition);
    const one = this.out[known];
    // A condition that two steps check is one answer, at the first check. Each rate is an answer of its own.
    if (one && (condition !== 'rate exceeded' || one.because.text === text)) {
      this.out[known] = { ...one, lines: mergeLines(one.lines, lines) };
      return;
    }
    this.out.push(conditionAnswer(this.r, condition, because, lines, [...headers, ...this.headers()]));
  }

  private code(code: string, because: BecauseContract, lines: Lines): void {
    const outcome = this.r.plan.errors.codes[code];
    const key = JSON.stringify([code, because.kind, because.name, because.text]);
    const known = this.codes.get(key);
    const one = known === undefined ? undefined : this.out[known];
    if (one) {
      this.out[known!] = { ...one, lines: mergeLines(one.lines, lines) };
      return;
    }
    this.codes.set(key, this.out.length);
    this.out.push({
      status: outcome?.status ?? 500,
      code,
      title: outcome?.title ?? null,
      because,
      headers: this.headers(),
      body: errorBody(this.r, false),
      lines: mergeLines(lines, this.r.lines(statementId.code(code))),
    });
  }

  /** Headers of every further answer of the endpoint, because of the checks that the request has passed already. */
  private headers(): HeaderContract[] {
    const { versions } = this.r.plan;
    const { vary, deprecation } = this.endpoint;
    const out: HeaderContract[] = [];
    const { rates } = this.headerFacts;
    if (rates !== 'never')
      for (const name of ['RateLimit-Policy', 'RateLimit']) out.push({ ...header(name), presence: rates });
    const known = this.headerFacts.version && versions && this.version;
    const ofVersion = known ? announced(known.deprecated, known.sunset, versions.headers) : NO_ENDING;
    const own = deprecation ? endingOf(deprecation) : NO_ENDING;
    for (const [name, value] of endingHeaders(earliest(own, ofVersion))) out.push(header(name, value));
    return [...out, ...browserHeaders(this.r, vary, this.endpoint.method === 'OPTIONS')];
  }
}

/** The answer to a condition: its outcome in the document, or else the status that HTTP defines. */
export function conditionAnswer(
  r: PlanReader,
  condition: Condition,
  because: BecauseContract,
  lines: Lines,
  headers: readonly HeaderContract[],
): AnswerContract {
  const outcome = r.plan.errors.conditions[condition];
  const own = r.lines(statementId.condition(condition));
  const adopted = own.length ? own : r.lines(outcome ? statementId.part('errors', 'conditions') : null);
  return {
    status: outcome?.status ?? HTTP_STATUS[condition] ?? 500,
    code: outcome?.code ?? null,
    title: outcome?.title ?? null,
    because,
    headers,
    body: outcome ? errorBody(r, FAULTY.has(condition)) : null,
    lines: mergeLines(lines, adopted),
  };
}

function errorBody(r: PlanReader, faults: boolean): AnswerContract['body'] {
  const { payload } = r.plan.errors;
  if (payload.kind === 'none') return null;
  const mediaType = payload.kind === 'table' ? payload.mediaType : 'application/problem+json';
  return { mediaType, type: { kind: 'error', faults }, nullable: false, expression: null };
}
