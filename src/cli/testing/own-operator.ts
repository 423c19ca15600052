import type { Json } from '../../export/json.ts';
import { UuidSource } from '../../expression/values/uuid.ts';
import type { Row } from '../../expression/values/value.ts';
import type { SchemePlan } from '../../plan/callers.ts';
import type { Engine } from '../../runtime/engine/engine.ts';
import { Operator } from '../../runtime/operator.ts';
import { OperatorError } from '../../runtime/operator-error.ts';
import type { Resource } from '../../runtime/resources/rules.ts';
import { valueWriter } from '../../validation/wire.ts';
import { SetupError } from '../../verify/setup/failures.ts';
import type { Claims, Fields } from '../../verify/setup/setup.ts';
import type { TestKeys } from './tokens.ts';

/** The operator's actions that a test needs on its own service. Refusals are SetupErrors. */
export class OwnOperator {
  private readonly engine: Engine;
  private readonly keys: TestKeys;
  private readonly operator: Operator;

  constructor(engine: Engine, keys: TestKeys) {
    this.engine = engine;
    this.keys = keys;
    this.operator = new Operator(engine);
  }

  /** Adds a row, and returns all its fields in the format of answers. */
  async row(resource: string, fields: Fields): Promise<Fields> {
    const given = new Map(Object.entries(fields).map(([name, value]) => [name, written(value)]));
    const added = await told(this.operator.add(resource, given));
    const of = this.resource(resource);
    return this.onTheWire(of, await this.rowOf(of, String(added[of.plan.identity])));
  }

  /** All rows of a resource, in the format of answers. */
  async list(name: string): Promise<Fields[]> {
    const of = this.resource(name);
    const found: Fields[] = [];
    for (const one of await told(this.operator.list(name)))
      found.push(this.onTheWire(of, await this.rowOf(of, String(one[of.plan.identity]))));
    return found;
  }

  /** Issues credentials of a scheme for a row. */
  async caller(name: string, identity: string, scopes: readonly string[], claims: Claims = {}): Promise<string> {
    const scheme = this.engine.plan.schemes.find((one) => one.name === name);
    if (!scheme) throw new SetupError(`There is no scheme “${name}”.`);
    if (scheme.basic)
      throw new SetupError(`Nobody issues credentials of “${name}”: rows of ${scheme.resource} have them.`);
    const resource = this.resource(scheme.resource);
    const row = await this.rowOf(resource, identity);
    return scheme.tokens ? this.token(scheme, resource, row, { scopes, claims }) : this.key(scheme, row, scopes);
  }

  private key({ name }: SchemePlan, row: Row, scopes: readonly string[]): Promise<string> {
    const { issuers, store } = this.engine;
    const issue = issuers.issuer(name);
    return store.write(() => issue(row, scopes, store.now()));
  }

  private token(
    scheme: SchemePlan,
    resource: Resource,
    row: Row,
    told: { readonly scopes: readonly string[]; readonly claims: Claims },
  ): Promise<string> {
    const { tokens } = scheme;
    const at = resource.plan.columns.findIndex((column) => column.name === tokens?.field);
    const subject = row[at] ?? null;
    if (!tokens || (typeof subject !== 'string' && typeof subject !== 'number'))
      throw new SetupError(`The row has no ${scheme.resource}.${tokens?.field}, which its tokens would name.`);
    const { store } = this.engine;
    const now = store.now();
    return this.keys.token(scheme, tokens, { subject, ...told, now, id: new UuidSource(store.random).next(now) });
  }

  /** Registers a receiver, which may be on this machine, and returns its secret. */
  async receiver(url: string, events: readonly string[], version: string | null): Promise<string> {
    return (await told(this.operator.receivers.add(url, events, version, true))).secret;
  }

  private resource(name: string): Resource {
    const found = this.engine.resources.get(name);
    if (!found) throw new SetupError(`There is no resource “${name}”.`);
    return found;
  }

  private async rowOf(resource: Resource, identity: string): Promise<Row> {
    const row = await this.engine.store.read(() => resource.byIdentity(identity));
    if (!row) throw new SetupError(`There is no ${resource.plan.name} “${identity}”.`);
    return row;
  }

  private onTheWire({ plan }: Resource, row: Row): Fields {
    const { wire } = this.engine.plan;
    return Object.fromEntries(
      plan.columns.flatMap(({ name, rule, password }, i) => {
        if (password) return [];
        const value = row[i] ?? null;
        return [[name, value === null ? null : (JSON.parse(valueWriter(rule, wire)(value)) as Json)]];
      }),
    );
  }
}

/** Converts a refusal of the operator to a SetupError. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof OperatorError ? new SetupError(error.message) : error;
  }
}

/** A value in the format of the operator's commands: lists and maps as JSON, other values as text. */
function written(value: Json): string | null {
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
