import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Value } from '../../expression/values/value.ts';
import type { HashingPlan } from '../../plan/callers.ts';
import type { ResourcePlan } from '../../plan/rows.ts';
import { StoreError } from '../../store/store.ts';
import { computedValidator, type Validator } from '../../validation/validate.ts';
import { type PasswordHasher, Pause, type RerunState } from '../context/rerun-state.ts';

/** The wait for a hash of a password, or for a comparison with one, both of which are slow on purpose. */
class Hashing extends Pause {
  private readonly rerunState: RerunState;
  private readonly name: string;
  private readonly plain: string;
  /** The hash to compare with; null where a new hash is computed. */
  private readonly kept: string | null;

  constructor(rerunState: RerunState, name: string, plain: string, kept: string | null) {
    super();
    this.rerunState = rerunState;
    this.name = name;
    this.plain = plain;
    this.kept = kept;
  }

  async settle(deadline: number): Promise<boolean> {
    const { rerunState, name, plain, kept } = this;
    if (!rerunState.passwords) throw new StoreError('failed', 'No password is hashed here');
    const result = await rerunState.passwords.compute(plain, kept, deadline);
    if (typeof result === 'object') return result.why === 'late';
    rerunState.keep(name, result);
    return true;
  }
}

/** Returns the hash of a password; throws a Pause until it is computed. */
function hashOf(plain: string, rerunState: RerunState): string {
  const name = `hash ${plain}`;
  const known = rerunState.get(name);
  if (known === undefined) throw new Hashing(rerunState, name, plain, null);
  return known as string;
}

/** Whether a hash is that of a password; throws a Pause until they are compared. */
export function isHashOf(plain: string, kept: string, rerunState: RerunState): boolean {
  const name = `compared ${kept} ${plain}`;
  const known = rerunState.get(name);
  if (known === undefined) throw new Hashing(rerunState, name, plain, kept);
  return known as boolean;
}

/** The columns of a resource that store hashes of passwords, whatever the source of the password. Issue hashes secrets. */
export class PasswordColumns {
  private readonly checks: ReadonlyMap<number, Validator>;

  constructor({ columns }: ResourcePlan) {
    this.checks = new Map(
      columns.flatMap((one, i) => (one.password && !one.secret ? [[i, computedValidator(one.rule)]] : [])),
    );
  }

  /** Returns values as stored; throws a Pause until all hashes are computed. */
  hashed(given: ReadonlyMap<number, Value>, rerunState: RerunState): ReadonlyMap<number, Value> {
    if (this.checks.size === 0) return given;
    const out = new Map(given);
    for (const [column, check] of this.checks) {
      const plain = given.get(column);
      if (typeof plain !== 'string') continue;
      if ('fault' in check(plain)) throw new StoreError('failed', 'A password was given that is not allowed');
      out.set(column, hashOf(plain, rerunState));
    }
    return out;
  }
}

const SALT = 16;
const LENGTH = 32;
/** The most queued computations. */
const WAITING = 32;

/** Hashes passwords with scrypt (RFC 7914), off the event loop, a few at a time. */
export class Passwords implements PasswordHasher {
  private readonly plan: HashingPlan;
  private readonly atOnce = Math.max(1, Math.min(3, availableParallelism() - 1));
  private running = 0;
  private readonly waiting: Array<() => void> = [];
  /** The hash that is compared with where there is no account: the comparison takes as long, and never matches. */
  readonly nobody: string;

  constructor(plan: HashingPlan) {
    this.plan = plan;
    this.nobody = written(plan, randomBytes(SALT), randomBytes(LENGTH));
  }

  async compute(
    plain: string,
    kept: string | null,
    deadline: number,
  ): Promise<string | boolean | { readonly why: 'busy' | 'late' }> {
    if (this.running >= this.atOnce) {
      if (this.waiting.length >= WAITING) return { why: 'busy' };
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.running++;
    try {
      if (Date.now() > deadline) return { why: 'late' };
      return kept === null ? await this.hash(plain) : await matches(plain, kept);
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  private async hash(plain: string): Promise<string> {
    const salt = randomBytes(SALT);
    return written(this.plan, salt, await derive(plain, salt, this.plan));
  }
}

/** Returns a hash as stored, with its parameters, since a later document may state others. */
function written({ cost, blocks, lanes }: HashingPlan, salt: Buffer, hash: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${Math.log2(cost)},r=${blocks},p=${lanes}$${text(salt)}$${text(hash)}`;
}

const WRITTEN = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

async function matches(plain: string, kept: string): Promise<boolean> {
  const match = WRITTEN.exec(kept);
  if (!match) return false;
  const [ln = 0, blocks = 0, lanes = 0] = match.slice(1, 4).map(Number);
  const hash = Buffer.from(match[5]!, 'base64');
  const given = await derive(plain, Buffer.from(match[4]!, 'base64'), { cost: 2 ** ln, blocks, lanes });
  return given.length === hash.length && timingSafeEqual(given, hash);
}

function derive(plain: string, salt: Buffer, { cost, blocks, lanes }: HashingPlan): Promise<Buffer> {
  const options: ScryptOptions = {
    N: cost,
    r: blocks,
    p: lanes,
    maxmem: 128 * cost * blocks + 128 * blocks * lanes + 1_048_576,
  };
  return new Promise((resolve, reject) => {
    scrypt(plain, salt, LENGTH, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
