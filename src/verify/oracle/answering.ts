import { idempotencyKey } from '../../http/idempotency-key.ts';
import { accepts, mediaRanges, mediaType } from '../../http/media.ts';
import { boundaryIn } from '../../http/multipart.ts';
import type { Validators } from '../../http/preconditions.ts';
import { hasNeeded, type NeededScopes } from '../../plan/callers.ts';
import { beginsAs, type FilePlan } from '../../plan/files.ts';
import { isOfCallers } from '../../plan/limits.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { named } from '../../plan/named.ts';
import type {
  AnswerStep,
  BeforeStep,
  EndpointPlan,
  InsideStep,
  PartsPlan,
  PayloadPlan,
  SchemePlan,
} from '../../plan/step.ts';
import type { Claims } from '../setup/setup.ts';
import { answerAfter, answerOf, conditionally, inPart } from './answer.ts';
import { authenticated, carrierOf, cookiesOf, foreign, handOut, inAnotherForm, scopeMissing } from './callers.ts';
import { typedClaims } from './claims.ts';
import { Content, ofFaults } from './content.ts';
import { type Expected, refused } from './errors.ts';
import { evaluate, sees } from './evaluate.ts';
import { keepAnswer, keptAnswer, ofAnyone } from './kept-answers.ts';
import { openPlaces, readPage } from './pages.ts';
import { readParts } from './parts.ts';
import { callerKey, countedIn, unitOf } from './rate-windows.ts';
import { byCode, byCondition, Failure, Refusal } from './refusal.ts';
import { representationIn, runFor } from './representation.ts';
import type { RequestedPage, Run } from './run.ts';
import type { Given, OracleCaller, Transaction } from './scope.ts';
import { note, scopeOfRow } from './scope.ts';
import type { ClaimedKey, State } from './state.ts';
import { runSteps } from './steps.ts';
import { chosenVersion, endHeaders, mediaTypeOf, versionIn } from './versions.ts';
import { mustHold } from './writes.ts';

/** A request to an endpoint. */
interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer | null;
  /** The delay of the last byte of the body, in milliseconds. */
  readonly late: number;
  readonly now: number;
  /** The origin of the service; null where its address is unknown. */
  readonly origin: string | null;
  readonly segments: ReadonlyMap<string, string>;
  /** The version in the path; null where the path has none. */
  readonly version: string | null;
}

type BodyPlan = Extract<BeforeStep, { do: 'validate body' }>;

/** Begins and commits transactions on the predicted state of the service. */
interface Transactions {
  readonly begin: (version: string, caller: OracleCaller | null, writes: boolean) => Transaction;
  readonly commit: (work: Transaction) => void;
}

/** The processing of one request at one endpoint: its checks are in the order of the document. */
export class Answering {
  private readonly state: State;
  private readonly endpoint: EndpointPlan;
  private readonly incoming: Incoming;
  private readonly by: Transactions;
  private readonly rates: Array<readonly [policy: string, left: string]> = [];
  private caller: OracleCaller | null = null;
  /** The version of the request; null until it has been read. */
  private version: string | null = null;
  private work: Transaction;
  private content: Content;
  private asked: RequestedPage | null = null;
  private json: unknown = undefined;
  private unexpected = false;
  private key: ClaimedKey | null = null;
  /** The cookies of the answer: no kept answer has them. */
  private cookies: ReadonlyArray<readonly [string, string]> = [];
  /** The Answer step that the steps have ended in; null before. */
  private answered: AnswerStep | null = null;

  constructor(state: State, endpoint: EndpointPlan, incoming: Incoming, by: Transactions) {
    this.state = state;
    this.endpoint = endpoint;
    this.incoming = incoming;
    this.by = by;
    this.work = this.by.begin(state.plan.versions?.current ?? '', null, false);
    this.content = new Content(this.work, endpoint.name);
  }

  answer(): Expected {
    const expected = this.stopped(() => {
      this.before();
      return this.inside();
    });
    const headers: Array<readonly [string, string]> = [...expected.headers];
    if (expected.status < 400) headers.push(...this.cookies);
    if (this.rates.length) {
      headers.push(['RateLimit-Policy', this.rates.map(([policy]) => policy).join(', ')]);
      headers.push(['RateLimit', this.rates.map(([, left]) => left).join(', ')]);
    }
    headers.push(...endHeaders(this.state.plan, this.version, this.endpoint));
    if (this.endpoint.vary.length) headers.push(['Vary', this.endpoint.vary.join(', ')]);
    const claim = this.endpoint.before.find((step) => step.do === 'claim key');
    const mark = claim?.replayed?.name;
    const isRepeated = headers.some(([name]) => name === mark);
    return { ...expected, headers, absent: mark === undefined || isRepeated ? [] : [mark] };
  }

  private stopped(run: () => Expected): Expected {
    try {
      return run();
    } catch (error) {
      if (this.work.rows !== this.state.rows) this.state.rows.spend(this.work.rows);
      if (error instanceof Failure) return refused(this.work, byCondition('failure'));
      if (error instanceof Refusal) return refused(this.work, error);
      throw error;
    }
  }

  private before(): void {
    const { before, name } = this.endpoint;
    // Bytes are received once the parameters are known to be allowed.
    const bytes = before.some((step) => step.do === 'read body' && step.bytes);
    const contents: ReadonlyArray<BeforeStep['do']> = bytes
      ? ['read parameters']
      : ['read parameters', 'validate body', 'refuse body'];
    const last = before.findLastIndex((step) => contents.includes(step.do));
    for (const [i, step] of before.entries()) {
      this.take(step);
      if (i === last || (step.do === 'validate body' && step.parts)) this.checkContent();
    }
    if (last < 0) this.checkContent();
    note(this.work, statementId.endpoint(name, 'access'), 'taken');
    if (this.endpoint.deprecation) note(this.work, statementId.endpoint(name, 'deprecated'), 'answered');
  }

  /** Whether the caller has the needed scopes; notes each scope that decides it. */
  private hasScopes(needed: NeededScopes): boolean {
    const { scopes = [], scheme = '' } = this.caller ?? {};
    const enough = hasNeeded(needed, (scope) => scopes.includes(scope));
    for (const one of needed.scopes)
      if (hasNeeded(needed, (scope) => scopes.includes(scope) !== (scope === one)) !== enough)
        note(this.work, statementId.scheme(scheme, `scope ${one}`), enough ? 'taken' : 'refused');
    return enough;
  }

  private take(step: BeforeStep): void {
    const { incoming, endpoint, state } = this;
    const { plan } = state;
    switch (step.do) {
      case 'limit':
        this.count(step.rate, step.callers);
        return;
      case 'authenticate':
        this.authenticate(step);
        return;
      case 'require scope': {
        const key = statementId.endpoint(endpoint.name, 'access');
        if (this.hasScopes(step)) return;
        note(this.work, key, 'refused scope missing');
        throw scopeMissing(state, this.caller, step, key);
      }
      case 'choose version': {
        const version = chosenVersion(plan, incoming.version, incoming.header, incoming.now);
        if (version instanceof Refusal) throw this.noted(version);
        this.version = version.name;
        this.again(version.name);
        note(this.work, statementId.version(version.name), 'answered');
        return;
      }
      case 'check sunset': {
        const statement = statementId.endpoint(endpoint.name, 'deprecated');
        if (incoming.now < step.at) return;
        note(this.work, statement, 'refused');
        throw byCode(step.code, statement);
      }
      case 'negotiate': {
        const isJson = step.offered === 'application/json';
        const offered = isJson ? mediaTypeOf(plan, this.version ?? '') : step.offered;
        const accept = incoming.header('accept');
        if (![offered, ...(step.others ?? [])].some((one) => accepts(accept, one))) throw byCondition('not acceptable');
        return;
      }
      default:
        this.takeContent(step);
    }
  }

  /** Reads the body and the parameters. */
  private takeContent(step: BeforeStep): void {
    const { incoming, endpoint } = this;
    switch (step.do) {
      case 'read body':
        this.readBody(step);
        return;
      case 'refuse body': {
        const length = this.length();
        if (length === null) return;
        const key = statementId.endpoint(endpoint.name, 'unread bodies');
        if (length > step.most)
          throw byCondition('request too large', { statement: statementId.endpoint(endpoint.name, 'Request size') });
        if (length > 0) this.unexpected = true;
        if (length > 0) note(this.work, key, 'refused body not expected');
        return;
      }
      case 'read parameters': {
        const read = endpoint.before.find((one) => one.do === 'read page');
        this.content.readParameters(step, read?.do === 'read page' ? read.page : null, incoming);
        return;
      }
      case 'validate body':
        if (step.payload?.bytes) this.receive(step.payload, step.payload.bytes);
        else {
          if (step.parts && this.json === undefined) this.receiveParts(step, step.parts);
          this.content.readBody(step, this.json);
        }
        return;
      case 'read page': {
        const { content } = this;
        const bound = this.boundOf(endpoint, content);
        const page = readPage(step.page, content.sent, bound);
        if (page instanceof Refusal) {
          note(this.work, statementId.endpoint(endpoint.name, 'pages'), 'refused page refused');
          throw page;
        }
        this.asked = page;
        return;
      }
      case 'claim key':
        this.claim(step);
    }
  }

  /** The endpoint and the parameters for which a cursor is valid. */
  private boundOf({ name }: EndpointPlan, { query, header, request }: Content): string {
    return JSON.stringify([
      name,
      [...this.incoming.segments],
      this.callerKey(),
      plainOf(query),
      plainOf(header),
      plainOf(request),
      this.version,
    ]);
  }

  private noted(refusal: Refusal): Refusal {
    if (refusal.statement) note(this.work, refusal.statement, 'refused');
    return refusal;
  }

  /** Begins the transaction anew once the caller or the version is known, since both decide how values are read. */
  private again(version: string): void {
    this.work = this.by.begin(version, this.caller, false);
    this.content = new Content(this.work, this.endpoint.name);
  }

  private callerKey(): string {
    return callerKey(this.caller, this.work);
  }

  private authenticate(step: Extract<BeforeStep, { do: 'authenticate' }>): void {
    const { state, endpoint, incoming } = this;
    const calls = (caller: OracleCaller): boolean => {
      const { row } = caller;
      const scope = scopeOfRow(this.by.begin(this.work.version, caller, false), row);
      const { while: condition } = named(state.plan.schemes, caller.scheme);
      const holds = !condition || evaluate(condition, scope) === true;
      if (!holds) note(this.work, statementId.scheme(caller.scheme, 'while'), 'no caller');
      const seen = sees(row, scope);
      if (!seen) note(this.work, statementId.resource(row.resource, 'visible'), `no caller by ${caller.scheme}`);
      return holds && seen;
    };
    const claimsOf = (scheme: SchemePlan, told: Claims) => typedClaims(this.work.checks, scheme, told, this.work);
    const noted = (key: StatementId, what: string): void => note(this.work, key, what);
    const found =
      foreign(state, step, endpoint, incoming.header, incoming.origin, noted) ??
      authenticated(state, step, endpoint, incoming.header, incoming.now, claimsOf, calls, noted);
    if (found instanceof Refusal) {
      for (const other of endpoint.before)
        if (other.do === 'limit' && state.plan.rates[other.rate]?.per === 'nobody')
          this.count(other.rate, other.callers);
      note(this.work, statementId.endpoint(endpoint.name, 'access'), `refused ${found.cause}`);
      // Of a request that is refused for its origin, the form of the credentials is not looked at.
      if (found.cause === 'credentials not accepted')
        for (const [key, what] of inAnotherForm(state, step, incoming.header)) note(this.work, key, what);
      throw found;
    }
    this.caller = found;
    if (found)
      note(this.work, statementId.scheme(found.scheme, carrierOf(named(state.plan.schemes, found.scheme))), 'taken');
    if (found && named(state.plan.schemes, found.scheme).while)
      note(this.work, statementId.scheme(found.scheme, 'while'), 'taken');
    this.again(this.work.version);
  }

  /** Counts a request in its rate's window. A request that exceeds the rate is refused and not counted. */
  private count(index: number, callers: boolean): void {
    const { rates } = this.state.plan;
    const rate = rates[index];
    if (!rate || (rate.per !== 'address' && !callers && (this.caller === null) === isOfCallers(rate.per))) return;
    const unit = unitOf(rate, this.caller, this.work);
    if (unit === null) return;
    const { now } = this.incoming;
    const { window, allowed } = countedIn(this.state, index, unit, now, this.caller, this.work);
    const { most } = window;
    const left = Math.max(1, Math.ceil((window.end - now) / 1000));
    const { rateLimit, retryAfter } = rate.headers;
    const remaining = Math.max(0, most - window.count);
    if (rateLimit)
      this.rates.push([
        `"${rate.name}";q=${most};w=${rate.milliseconds / 1000}`,
        `"${rate.name}";r=${remaining};t=${left}`,
      ]);
    if (!allowed)
      throw byCondition('rate exceeded', {
        headers: retryAfter ? [['Retry-After', String(left)]] : [],
        statement: statementId.rate(index),
      });
  }

  /** The length of the body; null if the request has no body (RFC 9112, section 6.3). */
  private length(): number | null {
    const stated = this.incoming.header('content-length');
    if (stated !== undefined) return Number(stated);
    return this.incoming.body === null ? null : this.incoming.body.length;
  }

  private readBody(step: Extract<BeforeStep, { do: 'read body' }>): void {
    const length = this.length();
    if (step.optional && !length) {
      this.json = {};
      return;
    }
    if (length === null) throw byCondition('length missing');
    if (step.bytes) {
      // A body of unannounced length is measured as it is received.
      const isAnnounced = this.incoming.header('content-length') !== undefined;
      if (isAnnounced && length > step.most) throw this.pastLimit('Request size', 'request too large');
      const refusal = this.refusesHeaders(step);
      if (refusal) throw refusal;
      return;
    }
    if (length > step.most) throw this.pastLimit('Request size', 'request too large');
    if (length === step.most) note(this.work, statementId.endpoint(this.endpoint.name, 'Request size'), 'most');
    const { body, late } = this.incoming;
    const unread = this.refusesHeaders(step);
    if (unread && !step.later) throw unread;
    if (late > (this.endpoint.timeout ?? late)) throw this.pastLimit('Time-out', 'time-out');
    const refusal = unread ?? this.parse(body ?? Buffer.alloc(0));
    if (refusal && !step.later) throw refusal;
    if (refusal) this.content.refuseLater(refusal);
  }

  /** Receives the bytes of a field. */
  private receive(payload: PayloadPlan, file: FilePlan): void {
    const { incoming, endpoint, work } = this;
    const bytes = incoming.body ?? Buffer.alloc(0);
    const most = endpoint.before.find((step) => step.do === 'read body')?.most ?? 0;
    if (bytes.length > most) throw this.pastLimit('Request size', 'request too large');
    if (bytes.length === most) note(work, statementId.endpoint(endpoint.name, 'Request size'), 'most');
    if (incoming.late > (endpoint.timeout ?? incoming.late)) throw this.pastLimit('Time-out', 'time-out');
    const type = mediaType(incoming.header('content-type') ?? '') ?? '';
    this.firstBytes(payload, file, type, bytes);
    this.content.readBytes(payload, file, type, bytes);
  }

  /** Receives a form of several parts. */
  private receiveParts(plan: BodyPlan, parts: PartsPlan): void {
    const { incoming, endpoint, work, content } = this;
    const bytes = incoming.body ?? Buffer.alloc(0);
    const most = endpoint.before.find((step) => step.do === 'read body')?.most ?? 0;
    if (bytes.length > most) throw this.pastLimit('Request size', 'request too large');
    this.json = readParts(bytes, boundaryIn(incoming.header('content-type') ?? '') ?? '', plan, parts, {
      content,
      malformed: () => this.malformedParts(),
      tooLarge: () => this.pastLimit('Request size', 'request too large'),
      repeated: () => note(work, statementId.endpoint(endpoint.name, 'payloads'), 'refused repeated'),
      firstBytes: (payload, file, type, whole) => this.firstBytes(payload, file, type, whole),
    });
    if (bytes.length === most) note(work, statementId.endpoint(endpoint.name, 'Request size'), 'most');
    if (incoming.late > (endpoint.timeout ?? incoming.late)) throw this.pastLimit('Time-out', 'time-out');
  }

  private malformedParts(): Refusal {
    note(this.work, statementId.endpoint(this.endpoint.name, 'request'), 'refused malformed form');
    return byCondition('malformed request');
  }

  private firstBytes({ resource }: PayloadPlan, { field, checked }: FilePlan, type: string, bytes: Buffer): void {
    if (!checked || beginsAs(type, bytes)) return;
    const statement = statementId.field(resource, `${field}.type`);
    note(this.work, statement, 'refused first bytes');
    throw byCondition('unsupported media type', { statement });
  }

  /** The refusal of a body by its headers. */
  private refusesHeaders(step: Extract<BeforeStep, { do: 'read body' }>): Refusal | null {
    const { header } = this.incoming;
    const type = header('content-type');
    const media = type === undefined ? null : mediaType(type);
    const versioned = step.mediaTypes.includes(JSON_TYPE) ? this.takes(type ?? '') : null;
    if (media === null || !(versioned ?? step.mediaTypes.includes(media))) return byCondition('unsupported media type');
    this.content.isForm = media === FORM_TYPE || media === MULTIPART_TYPE;
    if (media === MULTIPART_TYPE && boundaryIn(type!) === null) return this.malformedParts();
    const isPlain = (header('content-encoding') ?? 'identity').toLowerCase() === 'identity';
    return isPlain ? null : byCondition('unsupported encoding');
  }

  /** Reads a body as JSON or as a form; returns the refusal of a malformed one. */
  private parse(bytes: Buffer): Refusal | null {
    const { compiled } = this.state;
    if (!this.content.isForm) {
      const parsed = compiled.json(bytes);
      if (parsed.ok) this.json = parsed.value;
      return parsed.ok ? null : byCondition('malformed request');
    }
    const form = compiled.form(bytes);
    this.json = form;
    if (form !== null) return null;
    note(this.work, statementId.endpoint(this.endpoint.name, 'request'), 'refused malformed form');
    return byCondition('malformed request');
  }

  private pastLimit(limit: 'Request size' | 'Time-out', condition: 'request too large' | 'time-out'): Refusal {
    const statement = statementId.endpoint(this.endpoint.name, limit);
    note(this.work, statement, `refused ${condition}`);
    return byCondition(condition, { statement });
  }

  /** Whether the media type of a body is that of the request's version; null if the type names no version. */
  private takes(type: string): boolean | null {
    const by = this.state.plan.versions?.by;
    const range = by?.kind === 'media type' ? mediaRanges(type)?.[0] : undefined;
    const name = range && by?.kind === 'media type' ? versionIn(by.template, range) : null;
    return name === null ? null : name === this.version;
  }

  private checkContent(): void {
    const { faults } = this.content;
    if (faults.length) throw ofFaults(faults, this.work.trace);
    if (this.unexpected)
      throw byCondition('body not expected', { statement: statementId.endpoint(this.endpoint.name, 'unread bodies') });
  }

  private claim(step: Extract<BeforeStep, { do: 'claim key' }>): void {
    // A body with faults is compared with no other: its request only ends in a refusal.
    const { late } = this.content;
    if (late && (late.faults.length > 0 || late.isUnread)) return;
    const statement = statementId.endpoint(this.endpoint.name, 'idempotency');
    const sent = this.incoming.header(step.header);
    const refuse = (condition: 'idempotency key missing' | 'idempotency key malformed'): Refusal => {
      note(this.work, statement, `refused ${condition}`);
      return byCondition(condition, { statement });
    };
    if (sent === undefined) {
      if (!step.optional) throw refuse('idempotency key missing');
      note(this.work, statement, 'taken without a key');
      return;
    }
    const key = idempotencyKey(sent);
    if (key === null) throw refuse('idempotency key malformed');
    const { path, query } = this.incoming;
    const said = JSON.stringify([path, query ?? '', this.content.canonical], plain);
    this.key = {
      ofAnyone: ofAnyone(this.endpoint.name, key),
      name: JSON.stringify([this.endpoint.name, this.callerKey(), key]),
      said,
      version: this.version,
      kept: step.kept,
      below: step.below,
      mark: step.replayed ? [[step.replayed.name, step.replayed.value]] : [],
    };
  }

  /** Runs the steps in one transaction; a request with a known idempotency key gets the kept answer instead. */
  private inside(): Expected {
    const { key, incoming, state } = this;
    if (!key) return this.judgedBy(this.run());
    const statement = statementId.endpoint(this.endpoint.name, 'idempotency');
    const kept = keptAnswer(state, this.work, statement, key, incoming.now);
    if (kept) return kept;
    try {
      const answer = this.judgedBy(this.run());
      keepAnswer(state, key, answer, incoming.now);
      return answer;
    } catch (error) {
      const ofStep =
        error instanceof Refusal && (!('condition' in error.by) || error.by.condition.startsWith('precondition '));
      if (ofStep) keepAnswer(state, key, refused(this.work, error), incoming.now);
      throw error;
    }
  }

  private judgedBy(answer: Expected): Expected {
    const { answered, work, endpoint, incoming } = this;
    const judged = answered?.conditional ? conditionally(work, endpoint, incoming.header, answer) : answer;
    return answered ? inPart(work, answered, incoming, judged) : judged;
  }

  private steps(run: Run, steps: readonly InsideStep[]): void {
    const { late } = this.content;
    try {
      runSteps(run, steps);
    } catch (error) {
      const validate = steps.find((step) => step.do === 'validate');
      if (validate && late && (late.faults.length > 0 || late.isUnread) && !late.isReached && error instanceof Refusal)
        note(this.work, statementId.step(validate), 'refused before');
      throw error;
    }
  }

  private run(): Expected {
    const { content, endpoint, incoming } = this;
    if (endpoint.writes) this.work = this.by.begin(this.work.version, this.caller, true);
    const { work } = this;
    const representation = (name: string): Validators | null => {
      const get = this.state.plan.endpoints.find((one) => one.name === name);
      return get ? representationIn(work, get, incoming, (of, read) => this.boundOf(of, read)) : null;
    };
    const run = runFor(work, endpoint, content, this.asked, incoming.header, representation);
    // An invalid page parameter is refused before references are looked up.
    openPlaces(run, endpoint);
    this.steps(run, endpoint.inside);
    const { path, query } = incoming;
    this.answered = answerOf(run, endpoint);
    const answer = answerAfter(run, endpoint, { path, query, sent: content.sent });
    this.cookies = cookiesOf(this.state, run);
    if (endpoint.preconditions === 'ignored' && isUnknownTag(incoming.header('if-match'), work))
      note(work, statementId.endpoint(endpoint.name, 'preconditions'), 'ignored');
    mustHold(work);
    this.by.commit(work);
    handOut(this.state, run, this.caller, incoming.now);
    return answer;
  }
}

/** Whether an If-Match header has an entity tag that no answer has contained. */
const isUnknownTag = (sent: string | undefined, { draws }: Transaction): boolean =>
  sent !== undefined && sent !== '*' && draws.meaningOf('tag', sent) === null;

const plain = (_: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);

const plainOf = (bag: ReadonlyMap<string, Given>): unknown => JSON.parse(JSON.stringify([...bag], plain));
