import { hash } from 'node:crypto';
import type { Row } from '../../expression/values/value.ts';
import { header } from '../../http/headers.ts';
import { idempotencyKey } from '../../http/idempotency-key.ts';
import type { BeforeStep } from '../../plan/step.ts';
import { answerHash, answersOf, claimOf } from '../../store/migration/kept-answers.ts';
import { type Call, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Answer } from '../http/message.ts';
import type { Skeletons } from '../packing/skeletons.ts';
import type { RecordedEvent } from '../resources/unit-of-work.ts';

export type KeyPlan = Extract<BeforeStep, { do: 'claim key' }>;

/**
 * Stores the first answer to each idempotency key, in the transaction of its effect, and returns it to later requests.
 */
export class KeptAnswers {
  private readonly store: Store;
  private readonly errors: Errors;
  private readonly skeletons: Skeletons;
  /** Claims a key among all processes; null in a store of one process. */
  private readonly claiming: Statement | null;
  private readonly find: Statement;
  private readonly insert: Statement;
  private readonly drop: Statement;
  private readonly expired: Statement;

  constructor(store: Store, errors: Errors, skeletons: Skeletons) {
    this.store = store;
    this.skeletons = skeletons;
    this.errors = errors;
    this.claiming = store.travels ? store.prepare({ kind: 'system', name: 'claim key' }) : null;
    this.find = store.prepare({ kind: 'system', name: 'find answer' });
    this.insert = store.prepare({ kind: 'system', name: 'keep answer' });
    this.drop = store.prepare({ kind: 'system', name: 'drop answer' });
    this.expired = store.prepare({ kind: 'system', name: 'forget answers' });
  }

  /**
   * Compiles the step that reads and claims the key: while its request is being answered, others with the same key are
   * refused.
   */
  claimer(plan: KeyPlan, name: string): (x: RequestContext) => Refusal | null {
    const sentAs = plan.header.toLowerCase();
    const endpoint = answersOf(name);
    const mark = plan.replayed ? [plan.replayed.name, plan.replayed.value] : [];
    return (x) => {
      // A body with faults has no form to compare with that of a repetition. Its request changes nothing.
      if (x.bodyRefused?.stated === false) return null;
      const sent = header(x.incoming.rawHeaders, sentAs);
      if (sent === undefined) return plan.optional ? null : this.errors.condition('idempotency key missing');
      const key = idempotencyKey(sent);
      if (key === null) return this.errors.condition('idempotency key malformed');
      const claim = claimOf(endpoint, x.callerKey, key);
      if (!this.store.claim(claim)) return this.errors.condition('idempotency key in flight');
      const found = { hash: answerHash(claim), fingerprint: fingerprint(x), mark };
      x.key = { endpoint, key, claim, ...found, released: false, expired: null };
      return null;
    };
  }

  release(x: RequestContext): void {
    if (!x.key || x.key.released) return;
    x.key.released = true;
    this.store.unclaim(x.key.claim);
  }

  /** The calls with which `replay` begins. */
  looking(x: RequestContext): Call[] {
    return this.claiming ? [claiming(this.claiming, x), this.search(x)] : [this.search(x)];
  }

  private search(x: RequestContext): Call {
    const { endpoint, key, hash } = x.key!;
    return [this.find, [hash, endpoint, x.callerKey, key]];
  }

  /**
   * Returns the stored answer for the key, if there is one; throws the refusal where it is the answer to another
   * request, or where a transaction of another process has claimed the key.
   */
  *replay(x: RequestContext): Program<Answer | null> {
    if (this.claiming) {
      const [[claimed] = []]: Row[] = yield claiming(this.claiming, x);
      if (claimed !== 1) throw this.errors.condition('idempotency key in flight');
    }
    const [kept]: Row[] = yield this.search(x);
    x.key!.expired = null;
    if (!kept) return null;
    const [print, status, headers, body, expires, seq] = kept;
    if ((expires as number) <= x.frame.now) {
      x.key!.expired = seq as number;
      return null;
    }
    if (!isOf(x, print as unknown as Buffer)) throw this.errors.condition('idempotency key reused');
    const { mark } = x.key!;
    return {
      status: status as number,
      headers: [...(JSON.parse(yield* this.skeletons.unpack(headers as string)) as string[]), ...mark],
      body: (yield* this.skeletons.unpack(body as string)) || null,
    };
  }

  /** Stores an answer, in place of an expired one. A body that is the data of a recorded event is not stored again. */
  *keep(x: RequestContext, plan: KeyPlan, answer: Answer, recorded: readonly RecordedEvent[] = []): Program<void> {
    if (answer.status >= plan.below) return;
    const { endpoint, key, hash, fingerprint: print, expired } = x.key!;
    if (expired !== null) yield* call(this.drop, [expired]);
    const of = [hash, endpoint, x.callerKey, key, print];
    const event = recorded.find(({ data }) => data === answer.body)?.seq ?? null;
    const headers = this.skeletons.pack(JSON.stringify(answer.headers), false, endpoint);
    const body = event === null ? this.skeletons.pack(answer.body ?? '', true, endpoint) : null;
    const expires = x.frame.now + plan.kept;
    yield* call(this.insert, [...of, answer.status, headers, body, event, expires]);
  }

  /** Deletes expired answers, at most so many; returns the number. */
  *forget(now: number, most: number): Program<number> {
    return (yield* call(this.expired, [now, most])).length;
  }
}

/** Callers choose the length of keys, so that a claim is named by its hash. */
const claiming = (statement: Statement, x: RequestContext): Call => [
  statement,
  [hash('sha256', x.key!.claim, 'base64')],
];

/** “The same request”: the same path, query, version and validated body. */
const fingerprint = (x: RequestContext): Buffer => digest(x, x.canonical(x));

/** Whether a stored answer is to this request, by today's fingerprint or one of an earlier release. */
const isOf = (x: RequestContext, print: Buffer): boolean =>
  x.key!.fingerprint.equals(print) || x.placed(x).some((body) => digest(x, body).equals(print));

function digest({ incoming: { path, query }, apiVersion }: RequestContext, body: string): Buffer {
  return hash('sha256', JSON.stringify([path, query ?? '', apiVersion.version, body]), 'buffer');
}
