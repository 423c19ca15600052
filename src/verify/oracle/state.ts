import { jsonOf } from '../../expression/values/json.ts';
import type { Value } from '../../expression/values/value.ts';
import type { Plan } from '../../plan/step.ts';
import type { Claims } from '../setup/setup.ts';
import type { Checks } from './checks.ts';
import { Compiled } from './compiled.ts';
import { Draws } from './draws.ts';
import type { Expected } from './errors.ts';
import { type ExpectedEvent, eventAgain } from './events.ts';
import { Instants } from './instants.ts';
import { withTold } from './marks.ts';
import type { Routes } from './routes.ts';
import { Rows } from './rows.ts';

/** Credentials that the service accepts, or accepted before they were revoked or expired. */
export interface KnownCredentials {
  readonly scheme: string;
  readonly resource: string;
  readonly identity: Value;
  readonly scopes: readonly string[];
  /** The claims of a token, as its issuer writes them. */
  readonly claims: Claims;
  readonly revoked: boolean;
  /** When a token expires, in milliseconds since the epoch; null for keys. */
  readonly expiresAt: number | null;
  /**
   * Whether the service has issued them by a step: the test then knows when they expire, except for a fraction of a
   * second.
   */
  readonly issued: boolean;
}

/** The idempotency key of a request. */
export interface ClaimedKey {
  /** The endpoint and the key, without the caller. */
  readonly ofAnyone: string;
  /** The endpoint, the key and the caller. */
  readonly name: string;
  /** The path, the query and the body: they and the version must be equal when the key is sent again. */
  readonly said: string;
  readonly version: string | null;
  /** How long the answer is kept, in milliseconds, and the status from which on answers are not kept. */
  readonly kept: number;
  readonly below: number;
  /** The header of the repeated answer. */
  readonly mark: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The kept answer of an idempotency key. */
export interface KeptAnswer {
  readonly key: ClaimedKey;
  readonly answer: Expected;
  readonly until: number;
}

/** The requests that a rate has counted for one of its units. */
export interface RateWindow {
  count: number;
  readonly end: number;
  /** The number of requests that the rate allowed at the last request. */
  most: number;
  /** The caller of the first request; empty where it had none. */
  readonly caller: string;
  /** Whether requests of several callers were counted. */
  isShared: boolean;
  /** The number past which a request was refused, in this window or in an earlier one of the unit; null if none was. */
  refusedPast: number | null;
}

/** The state of a service. Predictions run on a copy. */
export class State {
  readonly plan: Plan;
  readonly compiled: Compiled;
  readonly checks: Checks;
  readonly routes: Routes;
  rows: Rows;
  draws: Draws;
  readonly instants: Instants;
  readonly credentials: Map<string, KnownCredentials>;
  /** The credentials of HTTP Basic that rows have, or had before their passwords or user names changed. */
  readonly users: Map<string, Pick<KnownCredentials, 'scheme' | 'resource' | 'identity'>>;
  readonly kept: Map<string, KeptAnswer>;
  /** The windows of rates, by the rate and what it counts for. */
  readonly windows: Map<string, RateWindow>;
  /** The events that have happened; null where no test reads them. */
  events: readonly ExpectedEvent[] | null;

  constructor(plan: Plan, from: State | null = null) {
    this.plan = plan;
    this.compiled = from?.compiled ?? new Compiled();
    this.checks = this.compiled.checksOf(plan);
    this.routes = this.compiled.routesOf(plan);
    this.rows = from ? from.rows.copy(plan.resources) : new Rows(plan.resources);
    this.draws = from ? from.draws.copy() : new Draws();
    this.instants = new Instants(from?.instants);
    this.credentials = new Map(from?.credentials);
    this.users = new Map(from?.users);
    this.kept = new Map(from?.kept);
    this.windows = new Map([...(from?.windows ?? [])].map(([key, window]) => [key, { ...window }]));
    this.events = from?.events ?? null;
  }

  copy(): State {
    return new State(this.plan, this);
  }

  /**
   * Replaces a mark by the value that the implementation has shown for it, wherever the mark occurs. `draws` has the
   * mark.
   */
  tell(mark: string, value: Value, draws = this.draws): void {
    const key = draws.keyOf(mark);
    if (key === null) return;
    this.draws.learn(key, value);
    const again = <T>(one: T): T => {
      const text = JSON.stringify(one);
      if (!text?.includes(mark)) return one;
      const whole = text.replaceAll(`"${mark}"`, () => jsonOf(value));
      return JSON.parse(whole.replaceAll(mark, () => JSON.stringify(String(value)).slice(1, -1))) as T;
    };
    for (const { name } of this.plan.resources)
      for (const row of this.rows.all(name))
        for (const [field, one] of row.values) {
          const told = withTold(one, mark, value);
          if (told !== one) row.set(field, told);
        }
    for (const [text, known] of this.credentials) {
      if (text !== mark && known.identity !== mark) continue;
      this.credentials.delete(text);
      this.credentials.set(text === mark ? String(value) : text, again(known));
    }
    if (this.events)
      this.events = this.events.map((event) => eventAgain(event, again, (one) => withTold(one, mark, value)));
    for (const [name, one] of this.kept) this.kept.set(name, { ...one, answer: again(one.answer) });
    for (const [other, of] of [...draws.following(mark, value)]) this.tell(other, of, draws);
  }
}
