import { hash } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from './database.ts';
import { PROBLEM_TYPE, Problem, problem } from './problems.ts';

/** The answer to a request that changes something. */
export interface Answer {
  readonly status: number;
  readonly location?: string | null;
  readonly body: unknown;
}

interface Kept {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
}

const KEY = /^(?:[!#-+\--:<-~]{1,255}|"((?:[ !#-[\]-~]|\\["\\]){1,255})")$/;
const KEPT_FOR = 24 * 60 * 60 * 1000;

/** Answers each request with an idempotency key once, in the transaction of its effect. */
export class Idempotency {
  private readonly db: Db;
  private readonly kept: Statement<[string, string, string, number], Kept>;
  private readonly keeping: Statement;
  private readonly inFlight = new Set<string>();

  constructor(db: Db) {
    this.db = db;
    this.kept = db.prepare(
      'SELECT fingerprint, status, location, body FROM answer WHERE caller = ? AND endpoint = ? AND key = ? AND expires > ?',
    );
    this.keeping = db.prepare('INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  }

  /** Runs the work in one transaction, unless its answer is kept; `content` is the body, where it is not parsed. */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Answer,
    content: unknown = request.body,
  ): FastifyReply {
    const key = keyOf(request);
    const answer = this.db
      .transaction(() => (key === null ? work() : this.once(request, key, work, content)))
      .immediate();
    if (answer.location) reply.header('Location', answer.location);
    if (answer.status >= 400) reply.type(PROBLEM_TYPE);
    // Answers that are kept are text already.
    else if (typeof answer.body === 'string') reply.type('application/json');
    return reply.code(answer.status).send(answer.body);
  }

  /** Claims the key of a request whose body arrives for a while. Throws where another with the key is under way. */
  claim(request: FastifyRequest): Disposable {
    const key = keyOf(request);
    const claim = key === null ? null : `${request.member.id} ${request.routeOptions.url} ${key}`;
    if (claim !== null && this.inFlight.has(claim)) throw problem('idempotency_key_in_flight');
    if (claim !== null) this.inFlight.add(claim);
    return { [Symbol.dispose]: () => void (claim !== null && this.inFlight.delete(claim)) };
  }

  private once(request: FastifyRequest, key: string, work: () => Answer, content: unknown): Answer {
    const by = [request.member.id, request.routeOptions.url!, key] as const;
    const fingerprint = fingerprintOf(request, content);
    const kept = this.kept.get(...by, Date.now());
    if (kept) {
      if (!kept.fingerprint.equals(fingerprint)) throw problem('idempotency_key_reused');
      return kept;
    }
    const answer = this.attempt(work);
    const body = JSON.stringify(answer.body);
    const expires = Date.now() + KEPT_FOR;
    this.keeping.run(...by, fingerprint, answer.status, answer.location ?? null, body, expires);
    return { ...answer, body };
  }

  /** The work under a savepoint: a refusal undoes it, and is kept like any other answer. */
  private attempt(work: () => Answer): Answer {
    try {
      return this.db.transaction(work)();
    } catch (refusal) {
      if (!(refusal instanceof Problem) || refusal.code === 'reference_unknown') throw refusal;
      return { status: refusal.status, body: refusal.body };
    }
  }
}

function keyOf({ headers }: FastifyRequest): string | null {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return null;
  const match = KEY.exec(String(sent));
  if (!match) throw problem('idempotency_key_malformed');
  return match[1]?.replace(/\\(.)/g, '$1') ?? match[0];
}

/** What a request has to have in common with the first of its key. */
function fingerprintOf({ url }: FastifyRequest, content: unknown): Buffer {
  const body =
    typeof content === 'object' && content !== null ? JSON.stringify(content, Object.keys(content).sort()) : content;
  return hash('sha256', `${url}\0${body}`, 'buffer');
}
