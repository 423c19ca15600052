import { type Effective, effectiveEndpoints } from '../../src/compiler/document/effective.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import { COMMON_1, FAULTS, type Outcome } from '../../src/plan/conditions.ts';
import { bodyParameters, resolveReferences } from './body.ts';
import { type Content, faultsRefused, readContent } from './content.ts';
import { evaluate, type Scope, sees } from './evaluate.ts';
import { acceptsJson, header, judged, match, plainness, type Request } from './http.ts';
import { showDecimal, showDuration } from './measures.ts';
import { type Asked, formOf, isSamePlace, type Place, readPage, rowBefore } from './pages.ts';
import { condition, Refusal } from './refusal.ts';
import { Rows } from './rows.ts';
import { type Answer, showValue } from './show.ts';
import { react, runSteps } from './steps.ts';
import { makeDue } from './timers.ts';
import { Bag, Day, Decimal, Failure, Instant, Ref, Span, type Val } from './value.ts';
import { type Speech, speeches } from './versions.ts';
import { type Doing, mustHold, scopeOf } from './writes.ts';

interface Kept {
  readonly print: string;
  readonly answer: Answer;
  readonly until: number;
}

interface Cursor extends Place {
  readonly bound: string;
}

/** What is known of a request while it is answered. */
interface Exchange {
  readonly request: Request;
  readonly one: Effective;
  readonly segments: ReadonlyMap<string, string>;
  readonly headers: Array<readonly [string, string]>;
  /** What each rate that was counted says of itself, and of what is left. */
  readonly rates: Array<readonly [policy: string, left: string]>;
  apiVersion: Speech;
  caller: Ref | null;
  scopes: readonly string[];
}

/**
 * Does what a document says, slowly and plainly: from the model alone, with rows in lists, and expressions computed row
 * by row from their syntax. It shares no code with the engine that it is compared with.
 */
export class Interpreter {
  readonly model: Model;
  readonly keys = new Map<string, { readonly ref: Ref; readonly scopes: readonly string[] }>();
  rows: Rows;
  private readonly endpoints: readonly Effective[];
  /** True where the document says where the service lives, or asks. */
  private readonly located: boolean;
  private readonly speeches: readonly Speech[];
  private readonly windows = new Map<string, { count: number; end: number }>();
  private readonly kept = new Map<string, Kept>();
  private readonly cursors = new Map<string, Cursor>();
  /** What is made while one request is answered is known by when that was and a count: so leaving out others changes no name. */
  private at = 0;
  private made = 0;

  constructor(model: Model) {
    this.model = model;
    this.rows = new Rows(model.resources.list);
    this.endpoints = effectiveEndpoints(model);
    this.located = JSON.stringify(model).includes('service.url');
    this.speeches = speeches(model);
  }

  /** Answers a request. */
  handle(request: Request): Answer {
    this.passTime(request.at);
    const found = this.route(request);
    if ('refusal' in found) return this.refused(found.refusal);
    const [apiVersion] = this.speeches as [Speech, ...Speech[]];
    const x: Exchange = { request, ...found, headers: [], rates: [], apiVersion, caller: null, scopes: [] };
    let answer: Answer;
    try {
      answer = judged(x.one, x.request, this.answer(x));
    } catch (error) {
      answer = this.refused(error);
    }
    const limits: Array<[string, string]> = [
      ['RateLimit-Policy', x.rates.map(([policy]) => policy).join(', ')],
      ['RateLimit', x.rates.map(([, left]) => left).join(', ')],
    ];
    return { ...answer, headers: [...answer.headers, ...(x.rates.length ? limits : []), ...x.headers] };
  }

  /** The status that a request would be answered with; nothing comes of it. */
  peek(request: Request): number {
    const [rows, kept, windows, cursors] = [
      this.rows.copy(),
      new Map(this.kept),
      [...this.windows],
      new Map(this.cursors),
    ];
    const held = windows.map(([name, window]) => [name, { ...window }] as const);
    const { status } = this.handle(request);
    this.rows = rows;
    restore(this.kept, kept);
    restore(this.windows, held);
    restore(this.cursors, cursors);
    return status;
  }

  /** Makes what falls due until then happen. */
  passTime(now: number): void {
    this.at = now;
    this.made = 0;
    this.rows = makeDue(this.doing(now, new Map())).rows;
  }

  /** A transaction of its own: a copy of the rows, which `commit` puts in their place. */
  doing(now: number, names: Map<string, Val>, version = this.speeches[0]!.version): Doing {
    const caller = names.get('caller');
    const by = { cause: 'request', caller: caller instanceof Ref ? caller : null } as const;
    const uuid = (): string => this.uuid();
    return { model: this.model, rows: this.rows.copy(), now, version, uuid, names, react, ...by };
  }

  /** All rows as they are stored, one on a line. */
  state(now: number): string {
    this.passTime(now);
    const lines: string[] = [];
    for (const resource of this.model.resources.list)
      for (const ref of this.rows.all(resource.name.text)) {
        const { values } = this.rows.get(ref);
        const plain = resource.fields.map(({ name }) => [name.text, stored(this, values.get(name.text) ?? null)]);
        lines.push(`${resource.name.text} ${JSON.stringify(Object.fromEntries(plain))}`);
      }
    return lines.join('\n');
  }

  private uuid(): string {
    const time = this.at.toString(16).padStart(12, '0');
    const count = (this.made++).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  }

  private route({ method, path }: Request): Pick<Exchange, 'one' | 'segments'> | { refusal: Refusal } {
    const fitting = this.endpoints.flatMap((one) => {
      const segments = match(one.endpoint.path, path);
      return segments ? [{ one, segments }] : [];
    });
    // Of two paths, the one that says more of a segment.
    fitting.sort((a, b) => (plainness(a.one) < plainness(b.one) ? 1 : -1));
    const answers = ({ endpoint, settings }: Effective): boolean =>
      endpoint.method === (method === 'HEAD' && settings.head?.value === 'as GET' ? 'GET' : method);
    const found = fitting.find(({ one }) => answers(one));
    if (found) return found;
    if (fitting.length === 0) return { refusal: condition('no such endpoint') };
    const methods = fitting.flatMap(({ one }) =>
      one.endpoint.method === 'GET' && one.settings.head?.value === 'as GET' ? ['GET', 'HEAD'] : [one.endpoint.method],
    );
    const allow = [...new Set(methods)].join(', ');
    return { refusal: condition('method not allowed', [], [['Allow', allow]]) };
  }

  private answer(x: Exchange): Answer {
    const { one, request } = x;
    this.count(x, 'address', '');
    try {
      this.authenticate(x);
    } catch (error) {
      this.count(x, 'nobody', '');
      throw error;
    }
    if (!x.caller) this.count(x, 'nobody', '');
    if (x.caller) this.count(x, 'caller', String(this.rows.identity(x.caller)));
    const access = one.settings.access?.value;
    if (access?.kind === 'scope') {
      const having = access.names.filter(({ text }) => x.scopes.includes(text)).length;
      if (having < (access.all ? access.names.length : 1)) throw condition('scope missing');
    }
    this.chooseVersion(x);
    const hasBody = one.every.some((step) => step.verb === 'Answer' && (step.body !== null || step.members.length > 0));
    if (hasBody && !acceptsJson(header(request, 'accept'))) throw condition('not acceptable');
    const body = this.readBody(x);
    const query = [...new URLSearchParams(request.query ?? '')];
    const doing = this.doing(request.at, this.callerNames(x), x.apiVersion.version);
    const scope = scopeOf(doing, null, true);
    const content = readContent(scope, one, x.apiVersion, { segments: x.segments, query, body: body.json });
    const faults = faultsRefused(content);
    if (faults) throw faults;
    if (body.unexpected) throw condition('body not expected');
    for (const name of ['path', 'query', 'request'] as const) doing.names.set(name, new Bag(content[name]));
    const asked = this.page(x, content, query);
    return this.once(x, content, () => {
      const before = content.refusal ? null : this.before(x, scope, asked);
      resolveReferences(scope, one, x.apiVersion, content);
      if (content.refusal) throw content.refusal;
      const showing = { model: this.model, rows: doing.rows, apiVersion: x.apiVersion, scope };
      const answer = runSteps({
        one,
        doing,
        showing,
        asked,
        before,
        query,
        queried: request.query !== null,
        base: this.located ? `https://service.example${request.path}` : '',
        header: (name) => header(request, name),
        current: (matched) => this.current(x, doing, matched),
        sighted: true,
        page: null,
        pageText: null,
      });
      mustHold(doing);
      this.rows = doing.rows;
      return answer;
    });
  }

  /**
   * The entity tag that a GET of the address of a write would answer to the same caller. A GET whose tag is that of the
   * row that a Match names tells no more than the row.
   */
  private current(x: Exchange, doing: Doing, matched?: string): { readonly tag: string | null } | null | undefined {
    const same = ({ settings, steps }: Effective): boolean =>
      settings.conditional?.value !== 'strong ETag' &&
      steps.some(
        (step) =>
          step.verb === 'Answer' &&
          step.headers.some(({ field, value }) => field.text === 'ETag' && value.text === matched),
      );
    const tagged = ({ settings, steps }: Effective): boolean =>
      settings.conditional?.value === 'strong ETag' ||
      steps.some((step) => step.verb === 'Answer' && step.headers.some(({ field }) => field.text === 'ETag'));
    const plain = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');
    const one = this.endpoints.find(
      (each) =>
        each.endpoint.method === 'GET' && plain(each.endpoint.path) === plain(x.one.endpoint.path) && tagged(each),
    );
    if (!one || same(one)) return undefined;
    const request = { ...x.request, method: 'GET', headers: [] };
    const segments = match(one.endpoint.path, x.request.path)!;
    const get: Exchange = { ...x, request, one, segments, headers: [] };
    try {
      const headers = judged(one, request, this.looked(get, doing)).headers;
      return { tag: headers.find(([name]) => name === 'ETag')?.[1] ?? null };
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** The answer of a GET inside a write: what the write has been checked for is not checked again. */
  private looked(x: Exchange, { rows, now, version, uuid }: Doing): Answer {
    const names = this.callerNames(x);
    const by = { cause: 'request', caller: x.caller } as const;
    const doing: Doing = { model: this.model, rows, now, version, uuid, names, react, ...by };
    const scope = scopeOf(doing, null, true);
    const query = [...new URLSearchParams(x.request.query ?? '')];
    const content = readContent(scope, x.one, x.apiVersion, { segments: x.segments, query, body: null });
    const faults = faultsRefused({
      ...content,
      faults: content.faults.filter((one) => one.code !== 'unknown_parameter'),
    });
    if (faults) throw faults;
    for (const name of ['path', 'query', 'request'] as const) names.set(name, new Bag(content[name]));
    const asked = this.page(x, content, query);
    const before = content.refusal ? null : this.before(x, scope, asked);
    resolveReferences(scope, x.one, x.apiVersion, content);
    if (content.refusal) throw content.refusal;
    return runSteps({
      one: x.one,
      doing,
      showing: { model: this.model, rows, apiVersion: x.apiVersion, scope },
      asked,
      before,
      query,
      queried: x.request.query !== null,
      base: this.located ? `https://service.example${x.request.path}` : '',
      header: () => undefined,
      current: () => undefined,
      sighted: true,
      page: null,
      pageText: null,
    });
  }

  private callerNames({ caller, scopes }: Exchange): Map<string, Val> {
    return new Map<string, Val>([
      ['caller', caller],
      ['scopes', scopes],
    ]);
  }

  /** Counts a request of a key in its window; one that leaves no room is refused and not counted. */
  private count(x: Exchange, per: 'address' | 'caller' | 'nobody', key: string): void {
    for (const [i, rate] of this.model.limits.rates.entries()) {
      if (rate.per !== per || typeof rate.count !== 'number') continue;
      const name = `${i} ${key}`;
      const known = this.windows.get(name);
      const now = x.request.at;
      const window = known && known.end > now ? known : { count: 0, end: now + rate.milliseconds };
      this.windows.set(name, window);
      const allowed = window.count < rate.count;
      if (allowed) window.count += 1;
      const left = Math.ceil((window.end - now) / 1000);
      const said = this.model.limits.rateHeaders?.value;
      if (said?.rateLimit)
        x.rates.push([
          `"${per}";q=${rate.count};w=${rate.milliseconds / 1000}`,
          `"${per}";r=${rate.count - window.count};t=${left}`,
        ]);
      if (!allowed) throw condition('rate exceeded', [], said?.retryAfter ? [['Retry-After', `${left}`]] : []);
    }
  }

  private authenticate(x: Exchange): void {
    const [scheme] = this.model.authentication.schemes;
    if (!scheme) return;
    const template = scheme.header!.value;
    const said = template.scheme ?? template.name;
    const sent = header(x.request, template.name.toLowerCase());
    const challenge = (error: string): Array<[string, string]> => [['WWW-Authenticate', `${said}${error}`]];
    // In a header of its own the key stands alone.
    const [word = '', key = ''] = template.scheme === null ? [said, sent] : (sent ?? '').split(/ +/);
    if (sent === undefined && x.one.settings.access?.value.kind === 'anyone') return;
    const named = word.toLowerCase() === said.toLowerCase();
    const open = x.one.settings.access?.value.kind === 'anyone';
    if (sent === undefined || (named && key === '' && !open)) throw condition('credentials missing', [], challenge(''));
    const known = named ? this.keys.get(key) : undefined;
    const error = said.toLowerCase() === 'bearer' ? ' error="invalid_token"' : '';
    const refused = condition('credentials not accepted', [], challenge(error));
    if (!known || !this.rows.has(known.ref)) throw refused;
    x.caller = known.ref;
    x.scopes = known.scopes;
    // A row that is hidden from itself is no caller, nor is one for which the condition of the scheme does not hold.
    const doing = this.doing(x.request.at, this.callerNames(x), x.apiVersion.version);
    const still = scheme.condition?.text;
    const calls = still === undefined || evaluate(still, scopeOf(doing, known.ref, false)) === true;
    if (calls && sees(scopeOf(doing, null, false), known.ref)) return;
    x.caller = null;
    x.scopes = [];
    throw refused;
  }

  private chooseVersion(x: Exchange): void {
    const { versioning } = this.model;
    if (!versioning.header) return;
    const asked = header(x.request, versioning.header.value.toLowerCase());
    const without = versioning.without!.value;
    if (asked === undefined && without === 'refused') throw condition('version missing');
    const name = asked ?? (typeof without === 'string' ? this.speeches[0]?.version : without.version.text);
    const apiVersion = this.speeches.find((one) => one.version === name);
    if (!apiVersion) throw condition('version unknown');
    if (apiVersion.retired || (apiVersion.sunset !== null && x.request.at >= apiVersion.sunset))
      throw condition('version retired');
    x.apiVersion = apiVersion;
    x.headers.push(...apiVersion.headers);
  }

  private readBody({ one, request }: Exchange): { json: unknown; unexpected: boolean } {
    const asked = one.settings.request!.value;
    const most = this.model.limits.requestSize?.value ?? Number.POSITIVE_INFINITY;
    // Without its length announced, a request has no body (RFC 9112, section 6.3).
    const announced = header(request, 'content-length') !== undefined;
    const length = announced ? Buffer.byteLength(request.body ?? '') : 0;
    const parameters = bodyParameters(one);
    const needed = asked !== 'none' || parameters.some((each) => each.presence!.value === 'always');
    if (!needed && parameters.length && length === 0) return { json: {}, unexpected: false };
    if (asked === 'none' && parameters.length === 0) {
      const refused = one.settings.unreadBodies!.value === 'refused';
      if (refused && length > most) throw condition('request too large');
      return { json: null, unexpected: refused && length > 0 };
    }
    if (!announced) throw condition('length missing');
    if (length > most) throw condition('request too large');
    const type = header(request, 'content-type')?.toLowerCase();
    const taken =
      asked !== 'none' && asked.optional ? ['application/json', 'application/merge-patch+json'] : ['application/json'];
    if (type === undefined || !taken.includes(type)) throw condition('unsupported media type');
    if ((header(request, 'content-encoding') ?? 'identity') !== 'identity') throw condition('unsupported encoding');
    try {
      return { json: JSON.parse(request.body ?? ''), unexpected: false };
    } catch {
      throw condition('malformed request');
    }
  }

  private before(x: Exchange, scope: Scope, asked: Asked | null): Ref | null {
    const listed = x.one.steps.find((step) => step.verb === 'List' && step.bound === 'pages');
    if (!asked?.after || 'by' in asked.after || listed?.verb !== 'List') return null;
    return rowBefore(scope, listed.resource.text, asked.after.identity as string);
  }

  /** The page that is asked for; null where none is. */
  private page(x: Exchange, content: Content, query: ReadonlyArray<readonly [string, string]>): Asked | null {
    const listed = x.one.steps.find((step) => step.verb === 'List' && step.bound === 'pages');
    const form = formOf(this.model, x.one);
    if (listed?.verb !== 'List' || !form) return null;
    // A cursor is good for the endpoint, caller, filters, order and version that it was made for.
    const sent = [...content.query].map(([name, value]) => [name, stored(this, value)]);
    const bound = JSON.stringify([
      x.one.endpoint.name,
      [...x.segments],
      x.caller,
      sent,
      listed.order,
      x.apiVersion.version,
    ]);
    const seal = ({ by, identity }: Place): string => {
      const known = [...this.cursors].find(([, one]) => one.bound === bound && isSamePlace(one, { by, identity }));
      if (known) return known[0];
      const name = `cursor-${this.at}-end`;
      this.cursors.set(name, { bound, by, identity });
      return name;
    };
    const cursor = (text: string): Place | null => {
      const known = this.cursors.get(text);
      return known?.bound === bound ? known : null;
    };
    // What a parameter that states its own refusal was to say isn’t known: the place in the list isn’t looked for.
    const looked = content.refusal && form.by === 'cursor' ? query.filter(([name]) => name !== form.place) : query;
    return readPage(this.model, form, looked, cursor, seal);
  }

  /** Answers a request with a key once: the same again gets the answer that was kept, another one is refused. */
  private once(x: Exchange, content: Content, run: () => Answer): Answer {
    const said = x.one.settings.idempotency!.value;
    if (said === 'none') return run();
    const sent = header(x.request, said.header.toLowerCase());
    if (sent === undefined && said.presence === 'optional') return run();
    if (sent === undefined) throw condition('idempotency key missing');
    const quoted = /^"([!-~]*)"$/.exec(sent)?.[1];
    const bare = quoted === undefined && /[",;]/.test(sent);
    const key = quoted ?? sent;
    if (bare || !/^[!-~]{1,255}$/.test(key)) throw condition('idempotency key malformed');
    const name = JSON.stringify([x.one.endpoint.name, x.caller, key]);
    const print = JSON.stringify([x.request.path, x.request.query ?? '', x.apiVersion.version, content.canonical]);
    const known = this.kept.get(name);
    if (known && known.until > x.request.at) {
      if (known.print !== print) throw condition('idempotency key reused');
      const { headers } = known.answer;
      return said.replayed
        ? { ...known.answer, headers: [...headers, [said.replayed.name, said.replayed.value]] }
        : known.answer;
    }
    const keep = (answer: Answer): Answer => {
      const until = x.request.at + said.keptMilliseconds;
      if (answer.status < said.answersBelow) this.kept.set(name, { print, answer, until });
      return answer;
    };
    try {
      return keep(run());
    } catch (error) {
      if (error instanceof Refusal && ofStep(error)) keep(this.refused(error));
      throw error;
    }
  }

  /** The answer to a refusal, as problem details. */
  private refused(error: unknown): Answer {
    if (error instanceof Failure) return this.refused(condition('failure'));
    if (!(error instanceof Refusal)) throw error;
    const outcome = this.outcome(error);
    if (!outcome) {
      const bare: Readonly<Record<string, number>> = { 'no such endpoint': 404, 'method not allowed': 405 };
      return { status: bare[error.condition ?? ''] ?? 500, headers: error.headers, body: null };
    }
    const { title, status, code } = outcome;
    const errors = error.faults.map((one) => ({ [one.place]: one.name, code: one.code, detail: FAULTS[one.code] }));
    const body = JSON.stringify({ title, status, code, ...(errors.length ? { errors } : {}) });
    return { status, headers: [['Content-Type', 'application/problem+json'], ...error.headers], body };
  }

  /** What the document says of a refusal: its own table, then the published list. */
  private outcome({ condition: raised, code }: Refusal): Outcome | null {
    const { rows, common } = this.model.errors;
    const row = rows.find((one) =>
      raised === null ? one.code.text === code : one.when.some(({ value }) => value === raised),
    );
    if (row) return { code: row.code.text, status: row.status!.value, title: row.title!.value };
    return raised !== null && common ? (COMMON_1.get(raised) ?? null) : null;
  }
}

/** Whether a step or a rule refused: by its code, or by what a Match finds of `If-Match`. */
const ofStep = ({ condition: raised }: Refusal): boolean => raised === null || raised.startsWith('precondition ');

function restore<T>(map: Map<string, T>, entries: Iterable<readonly [string, T]>): void {
  const before = [...entries];
  map.clear();
  for (const [name, value] of before) map.set(name, value);
}

/** A value as the operator is shown it: rows by their identities, instants to the millisecond. */
function stored(interpreter: Interpreter, value: Val): unknown {
  if (value instanceof Ref) return stored(interpreter, interpreter.rows.identity(value));
  if (value instanceof Instant) return new Date(value.at).toISOString();
  if (value instanceof Day) return value.text;
  if (value instanceof Span) return showDuration(value);
  if (value instanceof Decimal) return showDecimal(value);
  return Array.isArray(value) ? value.map((one) => stored(interpreter, one as Val)) : value;
}

/** A value as an answer has it, in JSON. */
export function showWritten(interpreter: Interpreter, value: Val): string | null {
  const { model, rows } = interpreter;
  const scope = scopeOf(interpreter.doing(0, new Map()), null, false);
  return showValue({ model, rows, apiVersion: speeches(model)[0]!, scope }, value);
}
