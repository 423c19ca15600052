import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Span as ApiSpan,
  Attributes,
  Context,
  SpanContext,
  SpanOptions,
  Tracer,
  TracerProvider,
} from '@opentelemetry/api';
import type { Trace } from './trace.ts';

/** The property in which all copies of `@opentelemetry/api` 1.x in a process keep their registrations. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');
/** The key under which a context holds its span, in every copy. */
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
/** SpanKind and SpanStatusCode of the API. Only its types are imported: the operator loads the API itself. */
const INTERNAL = 0;
const SERVER = 1;
const CLIENT = 2;
const ERROR = 2;

const SAMPLED = 0x01;
const NO_TRACE = '0'.repeat(32);

/**
 * The methods that HTTP defines (RFC 9110, RFC 5789): any other is recorded as `_OTHER`, since clients can make up
 * names.
 */
const METHODS: ReadonlySet<string> = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '));

/** The least wait of a request after its head for which the span begins with the head, in milliseconds. */
const WAITED_MS = 1;

/** The members of a delivery that its span records. */
interface Delivery {
  readonly trace: Trace | null;
  readonly type: string;
  readonly webhookId: string;
  readonly receiver: { readonly id: string };
  readonly attempt: number;
}

/** The members of a timed move or event that its span records. */
interface Timed {
  readonly resource: string;
  /** The transition, or the event. */
  readonly name: string;
  readonly what: 'move' | 'event';
}

/** The tracer provider of the API once an SDK is registered: the API's own, which delegates to the SDK's. */
interface Registered extends TracerProvider {
  getDelegate?(): TracerProvider & { forceFlush?(): Promise<void> };
}

/** Receives errors that an SDK throws. */
type Report = (error: unknown) => void;

/** The longest time in which an SDK may send its remaining spans when the service ends, in milliseconds. */
const FLUSH_MS = 3000;

/**
 * The spans of a service, where the operator has registered an OpenTelemetry SDK before its start (`node --import
 * ./otel.mjs`). Names and attributes follow the stable semantic conventions for HTTP and the log; they contain no
 * values of requests. An error of the SDK loses spans, but affects no answer.
 */
export class Tracing {
  private readonly provider: Registered;
  private readonly tracer: Tracer;
  private failed: Report | null;

  private constructor(provider: Registered, version: string, failed: Report) {
    this.provider = provider;
    this.tracer = provider.getTracer('ninefold', version);
    this.failed = failed;
  }

  /**
   * Returns tracing by the SDK that is registered in this process; null where none is. Loads nothing. `version` is
   * Ninefold's, and `failed` is called once, with the first error that the SDK throws.
   */
  static registered(version: string, failed: Report): Tracing | null {
    const provider = (globalThis as { [REGISTERED]?: { readonly trace?: Registered } })[REGISTERED]?.trace;
    return provider ? new Tracing(provider, version, failed) : null;
  }

  /** Begins the span of a request whose head came at `arrived` (milliseconds since the epoch). */
  request(method: string, sent: Trace | null, arrived: number): RequestSpan | null {
    const known = METHODS.has(method) ? method : '_OTHER';
    const options: SpanOptions = {
      kind: SERVER,
      attributes: { 'http.request.method': known, 'url.scheme': 'http' },
    };
    // A start time from the system clock has whole milliseconds; without one, the span's own clock is more precise.
    if (Date.now() - arrived > WAITED_MS) options.startTime = arrived;
    return this.begin(RequestSpan, known === method ? method : 'HTTP', options, contextOf(sent, true));
  }

  /** Begins the span of a transaction of a request's steps; null where the request is not recorded. */
  transaction(trace: Trace | null | undefined, writes: boolean): TransactionSpan | null {
    if (!trace || (flagsOf(trace) & SAMPLED) === 0) return null;
    const attributes = { 'ninefold.transaction': writes ? 'change' : 'read' };
    return this.begin(TransactionSpan, 'transaction', { kind: INTERNAL, attributes }, contextOf(trace));
  }

  /**
   * Begins the span of a delivery attempt, within the trace of the request that caused the event, where it is known.
   */
  delivery({ trace, type, webhookId, receiver, attempt }: Delivery): DeliverySpan | null {
    const attributes = {
      'http.request.method': 'POST',
      'ninefold.event': type,
      'ninefold.webhook_id': webhookId,
      'ninefold.receiver': receiver.id,
      ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    };
    return this.begin(DeliverySpan, `POST ${type}`, { kind: CLIENT, attributes }, contextOf(trace));
  }

  /** Begins the span of a timed transition or event, in a new trace, since no request causes it. */
  timed({ resource, name, what }: Timed): Span | null {
    const named = what === 'move' ? 'ninefold.transition' : 'ninefold.event';
    const attributes = { 'ninefold.resource': resource, [named]: name };
    return this.begin(Span, `${resource} ${name}`, { kind: INTERNAL, attributes }, NOTHING);
  }

  /** Lets the SDK send its remaining spans, at the end of the service. Never rejects. */
  async flush(): Promise<void> {
    const late = new AbortController();
    try {
      const timeOut = sleep(FLUSH_MS, undefined, { signal: late.signal }).catch(() => {});
      await Promise.race([this.provider.getDelegate?.().forceFlush?.(), timeOut]);
    } catch (error) {
      this.report(error);
    } finally {
      late.abort();
    }
  }

  /** Begins a span; returns null if the SDK returns none. */
  private begin<T extends Span>(
    Kind: new (span: ApiSpan, report: Report) => T,
    name: string,
    options: SpanOptions,
    context: Context,
  ): T | null {
    try {
      const span = this.tracer.startSpan(name, options, context);
      return span.spanContext().traceId === NO_TRACE ? null : new Kind(span, this.report);
    } catch (error) {
      this.report(error);
      return null;
    }
  }

  private readonly report: Report = (error) => {
    this.failed?.(error);
    this.failed = null;
  };
}

/** A span that has begun. */
export class Span {
  /** The trace context for work within the span. */
  readonly trace: Trace;
  /** Whether the span is recorded. */
  protected readonly isRecorded: boolean;
  private readonly span: ApiSpan;
  private readonly report: Report;

  constructor(span: ApiSpan, report: Report) {
    this.span = span;
    this.isRecorded = span.isRecording();
    this.report = report;
    const { traceId, spanId, traceFlags } = span.spanContext();
    const flags = traceFlags === 0 ? '00' : traceFlags.toString(16).padStart(2, '0');
    this.trace = { id: traceId, span: spanId, flags };
  }

  /** The span's `traceparent`. */
  get traceparent(): string {
    const { id, span, flags } = this.trace;
    return `00-${id}-${span}-${flags}`;
  }

  /** Ends the span; `error` is the type of a failure, and `name` a more precise name, if one is known by now. */
  end(attributes: Attributes, error: string | null, name: string | null = null): void {
    if (!this.isRecorded) return;
    const { span } = this;
    try {
      if (name !== null) span.updateName(name);
      span.setAttributes(attributes);
      if (error !== null) {
        span.setAttribute('error.type', error);
        span.setStatus({ code: ERROR });
      }
      span.end();
    } catch (thrown) {
      this.report(thrown);
    }
  }
}

/** The span of a request. */
class RequestSpan extends Span {
  /** Ends the span with the answer, and with the endpoint as the document states it. */
  answered(method: string, endpoint: string | null, status: number, code: string | undefined): void {
    if (!this.isRecorded) return;
    const route = endpoint === null ? null : endpoint.slice(endpoint.indexOf(' ') + 1);
    const attributes = {
      'http.response.status_code': status,
      ...(route !== null && { 'http.route': route }),
      ...(code !== undefined && { 'ninefold.code': code }),
    };
    // An answer of status 4xx is no error of the server.
    this.end(attributes, status >= 500 ? String(status) : null, route === null ? null : `${method} ${route}`);
  }
}

/** The span of one delivery attempt. */
class DeliverySpan extends Span {
  /** Ends the span with the attempt's outcome; a reason quotes neither the address nor the answer. */
  delivered(outcome: { readonly status?: number | undefined; readonly reason?: string }): void {
    const { status, reason } = outcome;
    const error = reason === undefined ? null : status === undefined ? reason : String(status);
    this.end(status === undefined ? {} : { 'http.response.status_code': status }, error);
  }
}

/** A program as a store runs it: it yields calls, and receives their results. */
type Calls<T, Call, Rows> = Generator<Call, T, Rows>;

/** The span of a transaction, which counts its attempts and statements. */
class TransactionSpan extends Span {
  private attempts = 0;
  private statements = 0;

  /** Runs one attempt, and counts its statements. */
  *attempt<T, Call, Rows>(program: Calls<T, Call, Rows>): Calls<T, Call, Rows> {
    this.attempts++;
    this.statements = 0;
    try {
      let step = program.next();
      while (!step.done) {
        this.statements++;
        let rows: Rows;
        try {
          rows = yield step.value;
        } catch (error) {
          step = program.throw(error);
          continue;
        }
        step = program.next(rows);
      }
      return step.value;
    } finally {
      program.return(undefined as never);
    }
  }

  /**
   * Runs work, and ends the span with it; `typeOf` returns the type of an error, or null where the error is an answer.
   */
  around<T>(work: () => T | Promise<T>, typeOf: (error: unknown) => string | null): T | Promise<T> {
    const failed = (error: unknown): never => {
      this.finish(typeOf(error));
      throw error;
    };
    let done: T | Promise<T>;
    try {
      done = work();
    } catch (error) {
      return failed(error);
    }
    if (done instanceof Promise)
      return done.then((value) => {
        this.finish(null);
        return value;
      }, failed);
    this.finish(null);
    return done;
  }

  private finish(error: string | null): void {
    const { attempts, statements } = this;
    this.end({ 'ninefold.transaction.attempts': attempts, 'ninefold.transaction.statements': statements }, error);
  }
}

const flagsOf = ({ flags }: Trace): number => (flags === '00' ? 0 : Number.parseInt(flags, 16));

/** Returns a context that holds only the parent span; `remote` says whether the span is another process's. */
function contextOf(trace: Trace | null, remote = false): Context {
  if (trace?.span == null) return NOTHING;
  const { id, span } = trace;
  const before: SpanContext = { traceId: id, spanId: span, traceFlags: flagsOf(trace), isRemote: remote };
  return new Values(new Map([[SPAN, { spanContext: () => before }]]));
}

/** A context of the API: values by keys. */
class Values implements Context {
  private readonly values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown>) {
    this.values = values;
  }

  getValue(key: symbol): unknown {
    return this.values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new Values(new Map(this.values).set(key, value));
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.values);
    values.delete(key);
    return new Values(values);
  }
}

const NOTHING = new Values(new Map());
