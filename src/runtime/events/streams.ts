import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { base64urlBytes } from '../../expression/values/base64.ts';
import { header } from '../../http/headers.ts';
import type { StreamPlan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store, StoreError } from '../../store/store.ts';
import type { Callers } from '../authentication/authenticate.ts';
import { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import { networkOf } from '../http/address.ts';
import { Alarm } from '../http/alarm.ts';
import type { Outlet, Streaming } from '../http/message.ts';
import type { Skeletons } from '../packing/skeletons.ts';
import { UnitOfWork } from '../resources/unit-of-work.ts';
import type { Versions } from '../versioning/versions.ts';
import type { EventVisibility } from './event-visibility.ts';
import type { Payloads } from './payloads.ts';
import { EventRemoval } from './retention.ts';

/** The dependencies of streams. */
interface StreamContext {
  readonly store: Store;
  readonly errors: Errors;
  readonly callers: Callers | null;
  readonly versions: Versions;
  readonly payloads: Payloads;
  readonly skeletons: Skeletons;
  readonly eventVisibility: EventVisibility;
  readonly secret: Buffer;
}

/** The most events that one read returns. */
const AT_ONCE = 20;

/** The result of one read for a reader: messages to send, the place after them, and whether more events follow. */
interface Found {
  readonly messages: readonly string[];
  readonly place: Place;
  readonly more: boolean;
}

/** An open stream. */
interface Following {
  /** The key of its reader: a caller, or an address without one. */
  readonly of: string;
  /** The last event that the reader has passed. */
  seq: number;
  /** Whether events may have been recorded since the reader's last read. */
  news: boolean;
  /** Wakes the reader while it waits. */
  wake: () => void;
}

/**
 * The readers of the stream. Events wait in the store: each reader has its own place there, so that a slow one does not
 * block others.
 */
export class Streams {
  private readonly plan: StreamPlan;
  private readonly c: StreamContext;
  private readonly bookmarks: Bookmarks;
  private readonly after: Statement;
  private readonly last: Statement;
  private readonly events: EventRemoval;
  private readonly forgetSome: Statement;
  private readonly readers = new Set<Following>();
  private seen = -1;
  private closed = false;

  constructor(plan: StreamPlan, context: StreamContext) {
    this.plan = plan;
    this.c = context;
    this.bookmarks = new Bookmarks(context.secret);
    const { store } = context;
    this.after = store.prepare({ kind: 'system', name: 'streamed events' });
    this.last = store.prepare({ kind: 'system', name: 'last streamed' });
    this.forgetSome = store.prepare({ kind: 'system', name: 'forget streamed' });
    this.events = new EventRemoval(store);
  }

  /** Finds the reader's start, and registers it as an open stream; throws the stated refusal where it can't start. */
  *open(x: RequestContext, events: readonly string[]): Program<Streaming> {
    const start = yield* this.begin(x);
    const reader: Following = { of: readerOf(x), seq: start.seq, news: false, wake: () => {} };
    this.readers.add(reader);
    return {
      run: async (out) => {
        try {
          await this.follow(reader, x, JSON.stringify(events), start, out);
        } finally {
          this.readers.delete(reader);
        }
      },
    };
  }

  /** Returns the place where a reader would start; throws the stated refusal where it can't start. */
  *begin(x: RequestContext): Program<Place> {
    const { resumption, atOnce } = this.plan;
    const most = (x.holder === null ? atOnce?.nobody : atOnce?.caller) ?? null;
    if (atOnce && most !== null && this.openOf(readerOf(x)) >= most) throw this.c.errors.code(atOnce.code);
    const sent = header(x.incoming.rawHeaders, 'last-event-id') ?? '';
    const now = this.c.store.now();
    if (!resumption || sent === '') return { seq: yield* this.latest(), at: now };
    const place = this.bookmarks.open(sent);
    if (!place || place.at < now - resumption.milliseconds) throw this.c.errors.code(resumption.code);
    return place;
  }

  private openOf(reader: string): number {
    let open = 0;
    for (const { of } of this.readers) if (of === reader) open++;
    return open;
  }

  /** Wakes all readers: events may have been recorded. */
  wake(): void {
    for (const reader of this.readers) {
      reader.news = true;
      reader.wake();
    }
  }

  /** Wakes all readers if other processes have recorded events. */
  *look(): Program<void> {
    if (this.readers.size === 0) return;
    const seen = yield* this.latest();
    if (seen !== this.seen) this.wake();
    this.seen = seen;
  }

  /** Deletes events that no reader can resume from, at most so many; returns their number. */
  *forget(now: number, most: number): Program<number> {
    const kept = this.plan.resumption?.milliseconds ?? 0;
    const past = Math.min(...[...this.readers].map(({ seq }) => seq), Number.MAX_SAFE_INTEGER);
    const gone = yield* call(this.forgetSome, [now - kept, past, most]);
    for (const [event] of gone) yield* this.events.forget(event as number);
    return gone.length;
  }

  /** Ends every stream. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  private *latest(): Program<number> {
    return (yield* call(this.last, []))[0]![0] as number;
  }

  /** Sends stored and then new events until the reader leaves, may no longer read, or the service stops. */
  private async follow(reader: Following, x: RequestContext, events: string, start: Place, out: Outlet): Promise<void> {
    const { patience, heartbeat, resumption, retry } = this.plan;
    const id = (place: Place): string => (resumption ? `id: ${this.bookmarks.seal(place)}\n` : '');
    let place = start;
    // The monotonic clock: if the system clock is set back, no heartbeat would be sent until it has caught up.
    let beat = performance.now();
    const head = (retry === null ? '' : `retry: ${retry}\n`) + id(place);
    if (head && !(await out.write(`${head}\n`, patience))) return;
    let gone = false;
    void out.gone.then(() => {
      gone = true;
      reader.wake();
    });
    while (!this.closed && !gone) {
      reader.news = false;
      const found = await this.find(x, place, events, id);
      if (!found) return;
      place = found.place;
      reader.seq = place.seq;
      for (const message of found.messages) {
        if (!(await out.write(message, patience))) return;
        beat = performance.now();
      }
      if (found.more) continue;
      // It comes after the read, which has checked the credentials: a heartbeat is a message, too.
      if (heartbeat !== null && performance.now() >= beat + heartbeat) {
        if (!(await out.write(`${id(place) || ':\n'}\n`, patience))) return;
        beat = performance.now();
      }
      if (!reader.news && !gone) await waited(reader, heartbeat === null ? null : beat + heartbeat);
    }
  }

  /** Reads the messages after a place; null where the reader may no longer read. */
  private async find(
    x: RequestContext,
    place: Place,
    events: string,
    id: (place: Place) => string,
  ): Promise<Found | null> {
    try {
      return await this.c.store.read(() => this.next(x, place, events, id));
    } catch (error) {
      if (error instanceof Refusal || (error instanceof StoreError && error.kind === 'busy')) return null;
      throw error;
    }
  }

  private *next(x: RequestContext, place: Place, events: string, id: (place: Place) => string): Program<Found> {
    const now = this.c.store.now();
    x.frame.now = now;
    this.c.versions.mustBeSpoken(x.apiVersion, now);
    if (this.c.callers) yield* this.c.callers.again(x, new UnitOfWork('request', x.frame, x.apiVersion.wire));
    const latest = yield* this.latest();
    const rows = yield* call(this.after, [place.seq, events, AT_ONCE]);
    const messages: string[] = [];
    let seq = place.seq;
    for (const [event, type, resource, at, packed, recorded, glimpse] of rows) {
      seq = event as number;
      const sees =
        resource === ''
          ? this.c.eventVisibility.seesEmitted(x.frame, type as string, glimpse as string | null)
          : this.c.eventVisibility.sees(x.frame, resource as string, glimpse as string | null);
      if (!(yield* sees)) continue;
      const told = yield* this.c.eventVisibility.members(
        x,
        type as string,
        resource as string,
        glimpse as string | null,
      );
      if (told === 'hidden') continue;
      const data = yield* this.c.skeletons.unpack(packed as string);
      const payload = this.c.payloads.inVersion(type as string, data, x.apiVersion, told);
      const text = this.plan.data === 'payload' ? payload : envelope(type as string, at as number, payload);
      messages.push(`${id({ seq, at: recorded as number })}event: ${type}\ndata: ${text}\n\n`);
    }
    const more = rows.length === AT_ONCE;
    return { messages, more, place: more ? { seq, at: place.at } : { seq: Math.max(seq, latest), at: now } };
  }
}

function envelope(type: string, at: number, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${new Date(at).toISOString()}","data":${data}}`;
}

/** Returns the key of a stream's reader; the keys of callers and addresses begin differently. */
const readerOf = (x: RequestContext): string =>
  x.holder === null ? `address ${networkOf(x.incoming.address)}` : x.callerKey;

/**
 * Waits until the reader is woken, or until an instant. Nothing that outlives the wait refers to it: a promise of the
 * stream's lifetime would keep memory for every wait until the stream ends.
 */
async function waited(reader: Following, until: number | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const alarm = until === null ? null : new Alarm(until - performance.now(), resolve);
  reader.wake = resolve;
  await promise;
  alarm?.clear();
}

/**
 * A reader's place in the stream: the last event that it has passed, and the time until which it has received all
 * events.
 */
interface Place {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const NONCE = 12;
const TAG = 16;
const PLAIN = 16;

/** Encrypts places as message ids, so that they reveal nothing about events that a reader may not see. */
class Bookmarks {
  private readonly key: Buffer;

  constructor(secret: Buffer) {
    this.key = createHmac('sha256', secret).update('bookmarks').digest();
  }

  seal({ seq, at }: Place): string {
    const nonce = randomBytes(NONCE);
    const plain = Buffer.alloc(PLAIN);
    plain.writeBigInt64BE(BigInt(seq), 0);
    plain.writeBigInt64BE(BigInt(at), 8);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the place in the stream that an event id encodes; null where the service did not issue the id. */
  open(id: string): Place | null {
    const bytes = base64urlBytes(id);
    if (bytes?.length !== NONCE + TAG + PLAIN) return null;
    const cipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE));
    cipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    try {
      const plain = Buffer.concat([cipher.update(bytes.subarray(NONCE + TAG)), cipher.final()]);
      return { seq: Number(plain.readBigInt64BE(0)), at: Number(plain.readBigInt64BE(8)) };
    } catch {
      return null;
    }
  }
}
