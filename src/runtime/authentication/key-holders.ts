import { NO_CLAIMS, type Row, sameValue } from '../../expression/values/value.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import { type Call, call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { AuthenticatedCaller, CallerAgain, RequestContext, Told } from '../context/request-context.ts';
import type { Acceptor, NotKnown } from './authenticate.ts';
import { keyId, keyMatches } from './keys.ts';
import type { SelfVisibility } from './self-visibility.ts';

/** How many keys are remembered at most. */
const MOST_KEYS = 10_000;

/**
 * The time after a change of a caller in which it is not assumed to be what it was, in milliseconds: an assumption that turns
 * out to be wrong costs more than a look, and some callers change with each of their requests.
 */
const UNSTEADY_MS = 60_000;

/** A valid key: its id, and the row that it was verified against. */
interface CachedKey {
  readonly id: string;
  found: Row;
  /** From when on the row may be assumed, on the monotonic clock in milliseconds. */
  readonly steadyFrom: number;
}

/** Whether two rows that were read of a key are the same: its hash, its scopes, and the row of its holder. */
export const isSameCaller = (one: Row, other: Row): boolean =>
  one.every((value, i) => {
    const against: unknown = other[i];
    return Buffer.isBuffer(value) ? Buffer.isBuffer(against) && value.equals(against) : sameValue(value, other[i]);
  });

/** Finds callers by their API keys. */
export class KeyHolders implements Acceptor {
  private readonly store: Store;
  private readonly find: Statement;
  private readonly sees: SelfVisibility | null;
  private readonly read = new WeakMap<Row, Told>();
  /** Valid keys, with the rows that they were verified against: an unchanged row needs no new verification. */
  private readonly held = new Map<string, CachedKey>();

  /** `sees`: whether a row is visible to itself; null where every row is. */
  constructor(plan: SchemePlan, store: Store, sees: SelfVisibility | null) {
    this.store = store;
    this.sees = sees;
    this.find = store.prepare({ kind: 'credential', resource: plan.resource, mark: plan.mark });
  }

  accept(
    key: string,
    { frame: { now }, assumes }: Pick<RequestContext, 'frame' | 'assumes'>,
  ): AuthenticatedCaller | NotKnown | Promise<AuthenticatedCaller | NotKnown> {
    const held = this.held.get(key);
    const id = held ? held.id : keyId(key);
    if (id === null) return 'credentials not accepted';
    if (held && assumes && held.steadyFrom <= performance.now())
      return { ...this.caller(id, held.found), assumed: held.found };
    const found = this.store.read(() => this.program(id, now));
    if (found instanceof Promise) return found.then((late) => this.known(key, id, held, late));
    return this.known(key, id, held, found);
  }

  private known(
    key: string,
    id: string,
    held: CachedKey | undefined,
    found: Row | undefined,
  ): AuthenticatedCaller | NotKnown {
    if (!found) {
      this.held.delete(key);
      return 'credentials not accepted';
    }
    if (held?.found === found) return this.caller(id, found);
    if (held && isSameCaller(held.found, found)) {
      // Its hash is the same, too, so that the key is not hashed again. A store in this process gives one row again and
      // again until something is written, and is compared with it at once; any other gives a new one each time, which
      // would take the place of one that has outlived many collections.
      if (!this.store.travels) held.found = found;
      return this.caller(id, held.found);
    }
    if (!keyMatches(key, found[0] as unknown as Buffer)) return 'credentials not accepted';
    if (this.held.size >= MOST_KEYS) this.held.clear();
    this.held.set(key, { id, found, steadyFrom: held ? performance.now() + UNSTEADY_MS : 0 });
    return this.caller(id, found);
  }

  private caller(id: string, found: Row): AuthenticatedCaller {
    const asking: Call | null = this.store.travels ? [this.find, [id]] : null;
    return { row: found.slice(2), ...this.told(found), keyId: id, again: (at) => this.again(id, at), asking };
  }

  /** Returns the scopes of a key, which has no claims; parsed once for each row that the store returns. */
  private told(found: Row): Told {
    const known = this.read.get(found);
    if (known) return known;
    const told = { scopes: JSON.parse(found[1] as string) as string[], claims: NO_CLAIMS };
    this.read.set(found, told);
    return told;
  }

  private *again(id: string, now: number): Program<CallerAgain | null> {
    const found = yield* this.program(id, now);
    if (!found) return null;
    return { row: found.slice(2), ...this.told(found), found };
  }

  /** Reads the row of a key, if the row may call now. */
  private *program(id: string, now: number): Program<Row | undefined> {
    const [found] = yield* call(this.find, [id]);
    if (!this.sees || !found) return found;
    return (yield* this.sees.holds(found.slice(2), this.told(found), now)) ? found : undefined;
  }
}
