import { createHmac, randomBytes } from 'node:crypto';
import { foldCase } from '../../expression/tree/fold.ts';
import { NO_CLAIMS, type Row, type Value } from '../../expression/values/value.ts';
import { userPass } from '../../http/basic.ts';
import type { BasicPlan, SchemePlan } from '../../plan/callers.ts';
import { named } from '../../plan/named.ts';
import type { Plan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import { uniqueColumns } from '../../store/tables.ts';
import { type Validated, validator } from '../../validation/validate.ts';
import type { AuthenticatedCaller, CallerAgain, RequestContext } from '../context/request-context.ts';
import type { RerunState } from '../context/rerun-state.ts';
import { isHashOf, type Passwords } from '../resources/passwords.ts';
import type { Acceptor, NotKnown } from './authenticate.ts';
import type { SelfVisibility } from './self-visibility.ts';

/** How many verified passwords are remembered at most. */
const MOST_VERIFIED = 10_000;

/** Credentials of HTTP Basic carry no scopes and no claims. */
const TOLD = { scopes: [] as readonly string[], claims: NO_CLAIMS };

/**
 * Finds callers by their user names and passwords (RFC 7617). Each request reads the row and its hash. Only scrypt is
 * left out for a password that was verified against the same hash before.
 */
export class PasswordHolders implements Acceptor {
  private readonly store: Store;
  private readonly passwords: Passwords;
  private readonly find: Statement;
  private readonly sees: SelfVisibility | null;
  private readonly plan: BasicPlan;
  private readonly name: (text: string) => Validated;
  private readonly password: (text: string) => Validated;
  /** The indexes of the columns of the hash and of the identity. */
  private readonly kept: number;
  private readonly identity: number;
  /** The key of the tags below: nobody who reads the memory later can try passwords against a tag without the key. */
  private readonly key = randomBytes(32);
  /** The tags of verified passwords, the oldest first. */
  private readonly verified = new Set<string>();
  /** The comparisons in progress, by their tags: requests at the same time share one. */
  private readonly pending = new Map<string, Promise<boolean | 'unavailable'>>();

  /** `sees`: whether a row is visible to itself; null where every row is. */
  constructor(
    { resource, basic }: SchemePlan & { readonly basic: BasicPlan },
    of: Plan,
    store: Store,
    passwords: Passwords,
    sees: SelfVisibility | null,
  ) {
    const { columns, identity } = named(of.resources, resource);
    const column = (name: string): number => columns.findIndex((one) => one.name === name);
    this.store = store;
    this.passwords = passwords;
    this.sees = sees;
    this.plan = basic;
    this.kept = column(basic.password);
    this.identity = column(identity);
    this.name = validator(columns[column(basic.field)]!.rule, of.wire);
    this.password = validator(columns[this.kept]!.rule, of.wire);
    const fields = uniqueColumns({ fields: [basic.field], ignoringCase: basic.ignoresCase ? [basic.field] : [] });
    this.find = store.prepare({ kind: 'by key', resource, fields, while: null });
  }

  accept(
    credentials: string,
    { frame: { now }, deadline }: Pick<RequestContext, 'frame' | 'deadline'>,
  ): AuthenticatedCaller | NotKnown | Promise<AuthenticatedCaller | NotKnown> {
    const sent = userPass(credentials);
    const name = sent && this.name(sent.name);
    const password = sent && this.password(sent.password);
    if (!name || 'fault' in name || !password || 'fault' in password) return 'credentials not accepted';
    const key = this.plan.ignoresCase ? foldCase(name.value as string) : name.value;
    const plain = password.value as string;
    const found = this.store.read(() => this.program(key, now));
    if (found instanceof Promise) return found.then((late) => this.known(key, plain, late, deadline));
    return this.known(key, plain, found, deadline);
  }

  /** The work is the same whether the row is missing, may not call, has no password, or has another one. */
  private known(
    key: Value,
    plain: string,
    row: Row | undefined,
    deadline: number,
  ): AuthenticatedCaller | NotKnown | Promise<AuthenticatedCaller | NotKnown> {
    const kept = (row?.[this.kept] ?? null) as string | null;
    const tag = this.tagOf([key, row?.[this.identity] ?? null, kept, plain]);
    const caller = (): AuthenticatedCaller => ({
      row: row!,
      ...TOLD,
      keyId: null,
      again: (at, rerunState) => this.again({ key, plain, kept: kept! }, at, rerunState),
    });
    if (this.verified.has(tag)) return caller();
    return this.compared(tag, plain, kept ?? this.passwords.nobody, deadline).then((matches) => {
      if (matches === 'unavailable') return matches;
      if (!matches || !row || kept === null) return 'credentials not accepted';
      this.remember(tag);
      return caller();
    });
  }

  private tagOf(parts: readonly Value[]): string {
    return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest('base64');
  }

  /** Compares a password with a hash, off the event loop and outside any transaction. */
  private compared(tag: string, plain: string, kept: string, deadline: number): Promise<boolean | 'unavailable'> {
    const shared = this.pending.get(tag);
    if (shared) return shared;
    const result = this.passwords
      .compute(plain, kept, deadline)
      .then((matches) => (typeof matches === 'boolean' ? matches : 'unavailable'))
      .finally(() => this.pending.delete(tag));
    this.pending.set(tag, result);
    return result;
  }

  private remember(tag: string): void {
    const [oldest] = this.verified;
    if (this.verified.size >= MOST_VERIFIED && oldest !== undefined) this.verified.delete(oldest);
    this.verified.add(tag);
  }

  /**
   * Reads the caller again. Another request may have stored another hash since the password was verified, perhaps of the
   * same password: the two are compared, as the step Authenticate does. An open stream ends instead.
   */
  private *again(
    { key, plain, kept }: { readonly key: Value; readonly plain: string; readonly kept: string },
    now: number,
    rerunState?: RerunState,
  ): Program<CallerAgain | null> {
    const row = yield* this.program(key, now);
    const stored = (row?.[this.kept] ?? null) as string | null;
    if (!row || stored === null) return null;
    const isSame = stored === kept || (rerunState?.passwords && isHashOf(plain, stored, rerunState));
    return isSame ? { row, ...TOLD } : null;
  }

  /** Reads the row of a user name, if the row may call now. */
  private *program(key: Value, now: number): Program<Row | undefined> {
    const [row] = yield* call(this.find, [key]);
    if (!this.sees || !row) return row;
    return (yield* this.sees.holds(row, TOLD, now)) ? row : undefined;
  }
}
