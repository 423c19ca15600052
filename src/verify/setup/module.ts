import { pathToFileURL } from 'node:url';
import type { Json } from '../../export/json.ts';
import { article } from '../../expression/tree/types.ts';
import type { Plan } from '../../plan/step.ts';
import { isObject } from '../../text/own-members.ts';
import { nearest } from '../../text/suggest.ts';
import { credentialsIn, DistinctCredentials, mustBeSecret } from './credentials.ts';
import { kindOf, messageOf, SetupError } from './failures.ts';
import { type Claims, type Fields, missingField, type Setup } from './setup.ts';

/** The time-outs for calls of a module, in milliseconds. */
export interface Patience {
  /** To load it, and to run `setup`. */
  readonly start: number;
  /** Each call of a member. */
  readonly call: number;
}

const PATIENCE: Patience = { start: 60_000, call: 30_000 };

const MEMBERS = ['row', 'caller', 'receiver', 'list', 'clock', 'reset', 'close'] as const;

type Member = (typeof MEMBERS)[number];
type Callable = (...args: readonly unknown[]) => unknown;

/**
 * Loads a module that exports `setup(url)`, which returns an object with the members of a setup, or that exports such
 * members itself. The results of members are checked, their errors become sentences, and each call has a time limit.
 */
export async function moduleSetup(
  path: string,
  name: string,
  { url, plan }: { readonly url: string; readonly plan: Plan },
  patience = PATIENCE,
): Promise<Setup> {
  const loaded = await within(import(pathToFileURL(path).href), patience.start, `${name} was not loaded`).catch(
    (error: unknown) => {
      throw error instanceof SetupError ? error : new SetupError(`${name} can’t be loaded: ${messageOf(error)}.`);
    },
  );
  const exported = membersIn(loaded);
  const made = exported.setup === undefined ? exported : await madeBy(exported.setup, name, url, patience.start);
  return new ModuleMembers(made, name, plan, patience.call).setup();
}

/** The members of a module. A default export that is an object replaces the module, as for CommonJS modules. */
function membersIn(loaded: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(loaded)) return {};
  const known = ['setup', ...MEMBERS].some((member) => loaded[member] !== undefined);
  if (!known && typeof loaded.default === 'function') return { setup: loaded.default };
  return !known && isObject(loaded.default) ? loaded.default : loaded;
}

async function madeBy(
  setup: unknown,
  name: string,
  url: string,
  most: number,
): Promise<Readonly<Record<string, unknown>>> {
  if (typeof setup !== 'function') throw new SetupError(`\`setup\` of ${name} is ${kindOf(setup)}, not a function.`);
  const made = await called(setup as Callable, [url], `\`setup\` of ${name}`, most);
  if (!isObject(made)) throw new SetupError(`\`setup\` of ${name} gave ${kindOf(made)}, not an object of members.`);
  return made;
}

/** Calls the members of a setup module, and checks their results. */
class ModuleMembers {
  private readonly members: Readonly<Record<string, unknown>>;
  private readonly name: string;
  private readonly plan: Plan;
  private readonly most: number;
  private readonly checks: { readonly clock: ClockCheck; readonly credentials: DistinctCredentials };

  constructor(members: Readonly<Record<string, unknown>>, name: string, plan: Plan, most: number) {
    this.members = members;
    this.name = name;
    this.most = most;
    this.plan = plan;
    this.checks = { clock: new ClockCheck(name), credentials: new DistinctCredentials() };
    this.mustBeKnown();
  }

  setup(): Setup {
    const has = (member: Member): boolean => this.members[member] !== undefined && this.members[member] !== null;
    return {
      row: has('row') ? (resource, fields) => this.row(this.functionOf('row'), resource, fields) : undefined,
      caller: has('caller') ? (...args) => this.caller(this.functionOf('caller'), ...args) : undefined,
      receiver: has('receiver') ? (...args) => this.secret(this.functionOf('receiver'), args) : undefined,
      list: has('list') ? (resource) => this.list(this.functionOf('list'), resource) : undefined,
      clock: has('clock') ? this.clock(this.members.clock) : undefined,
      reset: has('reset') ? () => this.reset(this.functionOf('reset')) : undefined,
      close: has('close') ? () => this.done(this.functionOf('close'), [], 'close') : undefined,
    };
  }

  /** Refuses unknown members: a misspelt one would silently make statements untestable. */
  private mustBeKnown(): void {
    const known: readonly string[] = MEMBERS;
    for (const member of Object.keys(this.members)) {
      if (known.includes(member) || member === 'setup' || member === 'default') continue;
      const near = nearest(member, known);
      if (near) throw new SetupError(`${this.name} has \`${member}\`: did you mean \`${near}\`?`);
    }
    if (!known.some((member) => this.members[member] !== undefined))
      throw new SetupError(`${this.name} exports neither \`setup\` nor any of ${MEMBERS.join(', ')}.`);
    for (const member of MEMBERS) {
      if (member === 'clock') this.mustBeClock();
      else if (this.members[member] !== undefined && this.members[member] !== null) this.functionOf(member);
    }
  }

  private mustBeClock(): void {
    const { clock } = this.members;
    if (clock === undefined || clock === null) return;
    if (!isObject(clock) || typeof clock.now !== 'function' || typeof clock.pass !== 'function')
      throw new SetupError(`\`clock\` of ${this.name} has to be an object with the functions \`now\` and \`pass\`.`);
  }

  private functionOf(member: Member): Callable {
    const found = this.members[member];
    if (typeof found !== 'function')
      throw new SetupError(`\`${member}\` of ${this.name} is ${kindOf(found)}, not a function.`);
    return (found as Callable).bind(this.members);
  }

  private call(one: Callable, args: readonly unknown[], member: string): Promise<unknown> {
    return called(one, args, `\`${member}\` of ${this.name}`, this.most);
  }

  private async row(one: Callable, resource: string, fields: Fields): Promise<Fields> {
    const given = await this.call(one, [resource, fields], 'row');
    const wrong = isObject(given) ? Object.entries(given).find(([, value]) => !isJson(value)) : null;
    if (!isObject(given))
      throw new SetupError(
        `\`row\` of ${this.name} gave ${kindOf(given)} for a ${resource}, not an object of its fields.`,
      );
    if (wrong)
      throw new SetupError(
        `\`row\` of ${this.name} gave ${article(resource)} ${resource} whose \`${wrong[0]}\` is ${kindOf(wrong[1])}, not JSON.`,
      );
    const missing = missingField(this.plan, resource, given);
    if (missing !== null)
      throw new SetupError(
        `\`row\` of ${this.name} gave ${article(resource)} ${resource} without \`${missing}\`, which every ${resource} has: it gives all fields of the row.`,
      );
    return given as Fields;
  }

  private async list(one: Callable, resource: string): Promise<readonly Fields[]> {
    const given = await this.call(one, [resource], 'list');
    const isRows =
      Array.isArray(given) && given.every((row) => isObject(row) && Object.values(row).every((v) => isJson(v)));
    if (!isRows)
      throw new SetupError(
        `\`list\` of ${this.name} gave ${kindOf(given)} for ${resource}, not a list of rows, each an object of its fields as JSON.`,
      );
    return given as readonly Fields[];
  }

  private async caller(
    one: Callable,
    scheme: string,
    identity: string,
    scopes: readonly string[],
    claims: Claims = {},
  ): Promise<string> {
    const given = await this.call(one, [scheme, identity, scopes, claims], 'caller');
    const begun = `What \`caller\` of ${this.name} gave`;
    const text = credentialsIn(
      given,
      this.plan.schemes.find(({ name }) => name === scheme),
      begun,
    );
    this.checks.credentials.take(text, scheme, identity, scopes, begun);
    return text;
  }

  private async secret(one: Callable, args: readonly unknown[]): Promise<string> {
    const given = await this.call(one, args, 'receiver');
    if (typeof given !== 'string')
      throw new SetupError(`\`receiver\` of ${this.name} gave ${kindOf(given)}, not the secret as text.`);
    mustBeSecret(given, `\`receiver\` of ${this.name} gave`);
    return given;
  }

  private async done(one: Callable, args: readonly unknown[], member: string): Promise<void> {
    await this.call(one, args, member);
  }

  /** After a reset, the service may have another time. */
  private async reset(one: Callable): Promise<void> {
    await this.done(one, [], 'reset');
    this.checks.clock.anew();
    this.checks.credentials.anew();
  }

  private clock(clock: unknown): NonNullable<Setup['clock']> {
    const { now, pass } = clock as { readonly now: Callable; readonly pass: Callable };
    const told = async (): Promise<number> => {
      const given = await this.call(now.bind(clock), [], 'clock.now');
      const time = given instanceof Date ? given.getTime() : given;
      if (typeof time !== 'number' || !Number.isFinite(time))
        throw new SetupError(`\`clock.now\` of ${this.name} gave ${kindOf(given)}, not milliseconds since the epoch.`);
      this.checks.clock.says(time);
      return time;
    };
    return {
      now: told,
      pass: async (milliseconds) => {
        if (!this.checks.clock.hasSaid) await told();
        await this.done(pass.bind(clock), [milliseconds], 'clock.pass');
        this.checks.clock.passed(milliseconds);
        // The clock is read after each move, since between moves the test computes the time of a standing clock.
        await told();
      },
    };
  }
}

function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth > 20 || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every((one) => isJson(one, depth + 1));
  return (
    [Object.prototype, null].includes(Object.getPrototypeOf(value)) &&
    Object.values(value).every((one) => isJson(one, depth + 1))
  );
}

/** Calls a function of a module: its error, or that it does not end, is reported as a sentence. */
async function called(one: Callable, args: readonly unknown[], what: string, most: number): Promise<unknown> {
  try {
    // The function is called in a promise, so that an error it throws at once is handled as a rejection.
    return await within(
      Promise.resolve(args).then((all) => one(...all)),
      most,
      `${what} did not end`,
    );
  } catch (error) {
    throw error instanceof SetupError ? error : new SetupError(`${what} failed: ${messageOf(error)}.`);
  }
}

async function within<T>(work: Promise<T>, most: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new SetupError(`${what} within ${most / 1000} seconds.`)), most);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Seconds from 2001 to 5138. As milliseconds, they would be days of 1970 to 1973, which no service shows. */
const SECONDS = { from: 1e9, to: 1e11 };
/** The largest amount by which a clock may be behind, in milliseconds: some clocks show whole seconds only. */
const SLACK_MS = 1000;

/** Checks that a clock advances as required: otherwise, faults of the clock would look like faults of the service. */
class ClockCheck {
  private readonly file: string;
  /**
   * The earliest time that the clock may show now, by its last time and the time that was passed; null before its first
   * time.
   */
  private least: number | null = null;

  constructor(file: string) {
    this.file = file;
  }

  /** A service that begins anew may have another time. */
  anew(): void {
    this.least = null;
  }

  /** Whether it has shown a time since the service began anew. */
  get hasSaid(): boolean {
    return this.least !== null;
  }

  passed(milliseconds: number): void {
    if (this.least !== null) this.least += milliseconds;
  }

  /** Throws SetupError where the clock can’t say so. */
  says(time: number): void {
    const of = `\`clock.now\` of ${this.file}`;
    if (time >= SECONDS.from && time < SECONDS.to)
      throw new SetupError(`${of} gave ${time}, which are seconds since the epoch: it has to give milliseconds.`);
    if (this.least !== null && time < this.least - SLACK_MS)
      throw new SetupError(
        `${of} gave a time that is ${Math.round(this.least - time)} ms too early: \`clock.now\` must not go back, and after \`clock.pass(n)\` it must be at least n milliseconds later.`,
      );
    this.least = Math.max(time, this.least ?? time);
  }
}
