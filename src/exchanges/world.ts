import type { MemberContract } from '../contract/types.ts';
import type { Json } from '../export/json.ts';
import { some } from '../expression/tree/expression.ts';
import { writtenUserPass } from '../http/basic.ts';
import type { BasicPlan } from '../plan/callers.ts';
import { named } from '../plan/named.ts';
import type { Plan, ResourcePlan, ValueRule } from '../plan/step.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import { Operator } from '../runtime/operator.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { call } from '../store/store.ts';
import { ownMember } from '../text/own-members.ts';
import type { FixedSources } from './fixed-sources.ts';
import { Values } from './values.ts';

/** A row in the form of the operator's commands. */
export type Row = Readonly<Record<string, unknown>>;

/** The caller of a request: its row, and the scheme of its credentials. */
export interface Caller {
  readonly scheme: string;
  readonly row: Row;
  readonly identity: Json;
}

/** The number of rows of each resource that the operator creates. */
const ENTERED = 3;
/** The number of callers of one scheme. */
const CALLERS = 3;

/** The rows and callers of the example requests. */
export class World {
  readonly plan: Plan;
  readonly values: Values;
  readonly fixed: FixedSources;
  private readonly engine: Engine;
  private readonly operator: Operator;
  private readonly known = new Map<string, readonly Row[]>();
  /** The numbers of requests that fields have to allow, as `Resource.field`: the number of a rate may be a row's. */
  private readonly rates: ReadonlyMap<string, number>;

  /** `between`: the milliseconds between two requests. */
  constructor(plan: Plan, engine: Engine, fixed: FixedSources, between: number) {
    this.plan = plan;
    this.rates = ratesIn(plan, between);
    this.engine = engine;
    this.fixed = fixed;
    this.operator = new Operator(engine);
    this.values = new Values(fixed.now(), (member, attempt) => this.referred(member, attempt));
  }

  /** Discards the cached rows, which may have changed. */
  changed(): void {
    this.known.clear();
  }

  /** The rows of a resource, the newest first. */
  async rows(resource: string): Promise<readonly Row[]> {
    const known = this.known.get(resource);
    if (known) return known;
    const rows = (await this.operator.list(resource)).toReversed();
    this.known.set(resource, rows);
    return rows;
  }

  /** Looks up cached rows, because bodies are generated synchronously. */
  private readonly referred = (member: MemberContract, attempt: number): Json | undefined => {
    const resource = member.refersTo;
    if (resource === null) return undefined;
    const rows = this.known.get(resource) ?? [];
    const { type } = member;
    if (type.kind === 'list' || type.kind === 'set')
      return rows.length >= (type.min ?? 0) ? this.identitiesOf(resource, rows, attempt, type.min) : null;
    return rows.length ? this.identityOf(resource, rows[attempt % rows.length] ?? {}) : null;
  };

  /** Loads the rows that a body may reference. */
  async lookUp(members: readonly MemberContract[]): Promise<void> {
    for (const { refersTo, type } of members) {
      if (refersTo !== null) await this.rows(refersTo);
      const inner = type.kind === 'list' || type.kind === 'set' ? type.of : type;
      if (inner.kind === 'object') await this.lookUp(inner.members);
    }
  }

  resource(name: string): ResourcePlan | undefined {
    return this.plan.resources.find((one) => one.name === name);
  }

  identityOf(resource: string, row: Row): Json {
    return (ownMember(row, this.resource(resource)?.identity ?? '') ?? null) as Json;
  }

  /** The identities of as many rows as a list has to have, and of one at least; of others at each attempt. */
  private identitiesOf(resource: string, rows: readonly Row[], attempt: number, least: number | null): Json {
    const at = rows.length === 0 ? 0 : attempt % rows.length;
    const some = [...rows.slice(at), ...rows.slice(0, at)].slice(0, Math.max(least ?? 0, 1));
    return some.map((row) => this.identityOf(resource, row));
  }

  /** Creates the rows that the operator provides, referenced rows first. */
  async furnish(): Promise<void> {
    const entered = this.plan.resources.filter((one) => one.columns.some((column) => column.from.operator));
    for (let rounds = 0; rounds < 2; rounds++)
      for (const resource of entered)
        if ((await this.rows(resource.name)).length === 0)
          for (let i = 0; i < ENTERED; i++) await this.enter(resource, i);
  }

  private async enter(resource: ResourcePlan, i: number): Promise<void> {
    const fields = new Map<string, string | null>();
    this.values.begin();
    for (const { name, rule, from, reference, references, password } of resource.columns) {
      if (!from.operator) continue;
      const target = references ?? reference;
      const named = target === null ? [] : await this.rows(target);
      // The first row of a resource with references to itself references none.
      if (target !== null && named.length === 0) continue;
      const value =
        target === null
          ? (this.roomy(rule, `${resource.name}.${name}`) ??
            this.values.ofRule(rule, this.plan.wire, password, name, i))
          : references === undefined
            ? this.identityOf(target, named[0] ?? {})
            : this.identitiesOf(target, named, 0, rule.min);
      fields.set(name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
    }
    try {
      await this.operator.add(resource.name, fields);
      this.known.delete(resource.name);
    } catch (error) {
      // Rows that the operator cannot create this way are created by requests, or not at all.
      if (!(error instanceof OperatorError)) throw error;
    }
  }

  /** A value of a field that a rate reads, with which callers may send all example requests; undefined for others. */
  private roomy(rule: ValueRule, field: string): Json | undefined {
    const rate = this.rates.get(field);
    if (rate === undefined || rule.kind !== 'integer') return undefined;
    return Math.min(Math.max(rate, rule.min ?? rate), rule.max ?? rate);
  }

  /** The callers with credentials of the given schemes, the oldest row first. */
  async callers(schemes: readonly string[]): Promise<Caller[]> {
    const out: Caller[] = [];
    for (const scheme of this.plan.schemes) {
      if (!schemes.includes(scheme.name)) continue;
      const rows = (await this.rows(scheme.resource)).toReversed().slice(0, CALLERS);
      for (const row of rows) out.push({ scheme: scheme.name, row, identity: this.identityOf(scheme.resource, row) });
    }
    return out;
  }

  /**
   * Issues credentials of a caller, with scopes; null if only others issue them, or if an exchange has removed the row.
   */
  async credentials({ scheme: name, row, identity }: Caller, scopes: readonly string[]): Promise<string | null> {
    const scheme = this.plan.schemes.find((one) => one.name === name);
    if (scheme?.basic) return this.userOf(scheme.resource, scheme.basic, row);
    if (!scheme || (scheme.tokens && !this.engine.keys.get(name)?.signing)) return null;
    if (typeof identity !== 'string' && typeof identity !== 'number') return null;
    const { issuers, store } = this.engine;
    const issue = issuers.issuer(name);
    const find = store.prepare({ kind: 'row', resource: scheme.resource });
    return store.write(function* () {
      const [found] = yield* call(find, [identity]);
      return found ? yield* issue(found, scopes, store.now()) : null;
    });
  }

  /** The credentials of HTTP Basic of a row: all rows have the same example of a password. */
  private userOf(resource: string, { field, password }: BasicPlan, row: Row): string | null {
    const { columns } = named(this.plan.resources, resource);
    const { rule } = named(columns, password);
    const example = this.values.ofRule(rule, this.plan.wire, true, password, 0);
    return writtenUserPass({ name: String(ownMember(row, field) ?? ''), password: String(example) });
  }
}

/** For each field that a rate reads its number from, a round number of requests that stays within the rate. */
function ratesIn({ rates }: Plan, between: number): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { count, milliseconds } of rates) {
    if (typeof count === 'number') continue;
    const most = 10 ** Math.ceil(Math.log10(Math.max(1, milliseconds / between)));
    some(count, (part) => {
      if (part.op !== 'get' || part.of.type.kind !== 'row') return false;
      const field = `${part.of.type.resource}.${part.member}`;
      all.set(field, Math.max(most, all.get(field) ?? 0));
      return false;
    });
  }
  return all;
}
