import type { MemberContract } from '../contract/types.ts';
import type { Json } from '../export/json.ts';
import type { Plan, ResourcePlan } from '../plan/step.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import { Operator } from '../runtime/operator.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { call } from '../store/store.ts';
import { ownMember } from '../text/own-member.ts';
import type { FixedSources } from './fixed-sources.ts';
import { Values } from './values.ts';

/** A row as the operator sees it. */
export type Row = Readonly<Record<string, unknown>>;

/** Who makes a request: a row, and what its credentials are by which scheme. */
export interface Caller {
  readonly scheme: string;
  readonly row: Row;
  readonly identity: Json;
}

/** How many rows the operator enters of each resource. */
const ENTERED = 3;
/** How many callers of one scheme make requests. */
const CALLERS = 3;

/** The rows that the requests of examples are about, and who makes them. */
export class World {
  readonly plan: Plan;
  readonly values: Values;
  readonly fixed: FixedSources;
  private readonly engine: Engine;
  private readonly operator: Operator;
  private readonly known = new Map<string, readonly Row[]>();

  constructor(plan: Plan, engine: Engine, fixed: FixedSources) {
    this.plan = plan;
    this.engine = engine;
    this.fixed = fixed;
    this.operator = new Operator(engine);
    this.values = new Values(fixed.now(), (member, attempt) => this.referred(member, attempt));
  }

  /** Told that rows may have changed. */
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

  /** Rows that have been asked for already; looked up while a body is made, which waits for nothing. */
  private readonly referred = (member: MemberContract, attempt: number): Json | undefined => {
    const resource = member.refersTo;
    if (resource === null) return undefined;
    const rows = this.known.get(resource) ?? [];
    return rows.length ? this.identityOf(resource, rows[attempt % rows.length] ?? {}) : null;
  };

  /** Asks for the rows that a body may name. */
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

  /** What the operator has to enter is entered, what others refer to first. */
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
    for (const { name, rule, from, reference, password } of resource.columns) {
      if (!from.operator) continue;
      const named = reference === null ? [] : await this.rows(reference);
      // The first row of those that may refer to others of their kind refers to none.
      if (reference !== null && named.length === 0) continue;
      const value =
        reference === null
          ? this.values.ofRule(rule, this.plan.wire, password, name, i)
          : this.identityOf(reference, named[0] ?? {});
      fields.set(name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));
    }
    try {
      await this.operator.add(resource.name, fields);
      this.known.delete(resource.name);
    } catch (error) {
      // Rows that the operator can’t enter so are made by requests, or not at all.
      if (!(error instanceof OperatorError)) throw error;
    }
  }

  /** Those who may make requests by some schemes, the oldest first. */
  async callers(schemes: readonly string[]): Promise<Caller[]> {
    const out: Caller[] = [];
    for (const scheme of this.plan.schemes) {
      if (!schemes.includes(scheme.name)) continue;
      const rows = (await this.rows(scheme.resource)).toReversed().slice(0, CALLERS);
      for (const row of rows) out.push({ scheme: scheme.name, row, identity: this.identityOf(scheme.resource, row) });
    }
    return out;
  }

  /** New credentials of a caller, with scopes; null where only others issue them, or where an exchange has removed the row. */
  async credentials({ scheme: name, identity }: Caller, scopes: readonly string[]): Promise<string | null> {
    const scheme = this.plan.schemes.find((one) => one.name === name);
    if (!scheme || (scheme.tokens && !this.engine.keys.get(name)?.signing)) return null;
    if (typeof identity !== 'string' && typeof identity !== 'number') return null;
    const { issuers, store } = this.engine;
    const issue = issuers.issuer(name, scopes);
    const find = store.prepare({ kind: 'row', resource: scheme.resource });
    return store.write(function* () {
      const [row] = yield* call(find, [identity]);
      return row ? yield* issue(row, store.now()) : null;
    });
  }
}
