import type { Row, Value } from '../expression/values/value.ts';
import type { SchemePlan } from '../plan/callers.ts';
import { FAULTS } from '../plan/conditions.ts';
import { transitionsIn } from '../plan/machines.ts';
import { columnsToGive, notWritten, whyNotAdded } from '../plan/rows.ts';
import type { ColumnPlan } from '../plan/step.ts';
import { call, type Program, type StatementSpec } from '../store/store.ts';
import { faultsAt, type ItemFault } from '../validation/validate.ts';
import { newKey } from './authentication/keys.ts';
import type { Engine } from './engine/engine.ts';
import { OperatorConsole } from './operator-console.ts';
import { mustBeOneOf, OperatorError } from './operator-error.ts';
import type { Delivery } from './operator-forms.ts';
import { deliveryOf } from './operator-lists.ts';
import { OperatorMoves } from './operator-moves.ts';
import { OperatorReceivers } from './operator-receivers.ts';
import { OperatorSchedules } from './operator-schedules.ts';
import { JSON_FORM, rowOf, shownToOperator, writtenValue } from './operator-values.ts';
import { OperatorWork } from './operator-work.ts';
import type { Resource } from './resources/rules.ts';
import type { UnitOfWork } from './resources/unit-of-work.ts';

/** The most keys that one transaction deletes. */
const FORGOTTEN_AT_ONCE = 500;

/** A field's values as the operator writes them: text, or null for an absent value. */
export type Fields = ReadonlyMap<string, string | null>;

/**
 * The operator’s commands, on the same engine and under the same rules as requests: allowed values, uniqueness,
 * references, states and events. They see every row.
 */
export class Operator {
  /** Receivers of webhooks. */
  readonly receivers: OperatorReceivers;
  readonly schedules: OperatorSchedules;
  readonly console: OperatorConsole;
  private readonly engine: Engine;
  private readonly transitions: OperatorMoves;
  private readonly work: OperatorWork;

  constructor(engine: Engine) {
    this.engine = engine;
    this.transitions = new OperatorMoves(engine);
    this.work = new OperatorWork(engine);
    this.receivers = new OperatorReceivers(engine, this.work);
    this.schedules = new OperatorSchedules(engine);
    this.console = new OperatorConsole(engine);
  }

  /** Adds a row; returns it as stored. Accepts only fields that the document lets the operator give. */
  async add(name: string, fields: Fields): Promise<Record<string, unknown>> {
    const resource = this.written(name);
    const values = this.valuesOf(resource, fields);
    const why = whyNotAdded(resource.plan);
    if (why !== null) throw new OperatorError(why);
    const lacking = columnsToGive(resource.plan).find((column) => !values.has(resource.plan.columns.indexOf(column)));
    if (lacking)
      throw new OperatorError(`${name} needs ${lacking.name}=…`, true, { plain: `${name} needs ${lacking.name}.` });
    const row = await this.work.change((work) => this.addProgram(resource, values, work()));
    return shownToOperator(resource, row);
  }

  async list(name: string): Promise<Array<Record<string, unknown>>> {
    const resource = this.resource(name);
    const order = { keys: [], descending: false };
    const spec: StatementSpec = { kind: 'select', resource: name, where: null, order, after: false, limit: false };
    const statement = this.engine.store.prepare(spec);
    const rows = await this.work.readAsDue(() => call(statement, []));
    return rows.map((row) => shownToOperator(resource, row));
  }

  async edit(name: string, id: string, fields: Fields): Promise<Record<string, unknown>> {
    const resource = this.written(name);
    const values = this.valuesOf(resource, fields);
    if (values.has(resource.identity)) throw new OperatorError('The identity of a row never changes.', true);
    // A change would give the values of “on change” and cause events.
    if (values.size === 0)
      throw new OperatorError(`Name a field to change in ${name} “${id}”, as in FIELD=VALUE.`, true, {
        plain: `No field of ${name} “${id}” is to change.`,
      });
    const row = await this.work.change((work) => this.editProgram(resource, id, values, work()));
    return shownToOperator(resource, row);
  }

  async remove(name: string, id: string): Promise<void> {
    const resource = this.written(name);
    await this.work.change((work) => this.removeProgram(resource, id, work()));
  }

  /** Moves a row by a transition, if its state and guard allow it; returns the row as stored. */
  async move(name: string, id: string, transition: string): Promise<Record<string, unknown>> {
    const resource = this.resource(name);
    this.mustBeAskedFor(resource, transition);
    const row = await this.work.change((work) => this.moveProgram(resource, id, transition, work()));
    return shownToOperator(resource, row);
  }

  /** Throws unless the operator may make a transition: timed ones are made by the service. */
  private mustBeAskedFor(resource: Resource, transition: string): void {
    const { name, machines } = resource.plan;
    if (machines.length === 0) throw new OperatorError(`Rows of ${name} have no states, so they cannot move.`, true);
    if (transitionsIn(machines).some((one) => one.name === transition && one.timed))
      throw new OperatorError(`${transition} is a timed transition, so the operator can’t make it.`);
    const known = this.transitions.transitionsOf(resource).map((one) => one.name);
    mustBeOneOf(transition, known, `transition of ${name}`);
  }

  /** Issues a key for a row. The key is not stored, and can't be shown again. */
  async issueKey(
    name: string,
    id: string,
    scopes: readonly string[] | null,
    schemeName: string | null = null,
  ): Promise<{ id: string; key: string }> {
    const scheme = this.scheme(name, schemeName);
    if (scopes === null && scheme.scopes.length)
      throw new OperatorError(`Name the scopes: --scopes ${scheme.scopes.join(',')}, or --scopes none.`, true);
    for (const scope of scopes ?? []) mustBeOneOf(scope, scheme.scopes, 'scope');
    const resource = this.resource(name);
    const insert = this.engine.store.prepare({ kind: 'insert key', resource: name });
    const { id: keyId, key, hash } = newKey(this.engine.store.random);
    const given = JSON.stringify(scopes ?? []);
    await this.work.change((_, now) =>
      this.keyProgram(resource, id, (holder) => call(insert, [keyId, hash, holder, given, now, scheme.mark])),
    );
    return { id: keyId, key };
  }

  /** Returns the scheme that issues a key: where several do so for rows of the resource, the command must name one. */
  private scheme(resource: string, name: string | null): SchemePlan {
    const { schemes } = this.engine.plan;
    if (schemes.length === 0)
      throw new OperatorError('The document has no scheme for API keys, so the operator can’t issue keys.');
    const own = schemes.filter((scheme) => scheme.issuedBy.includes('operator'));
    if (own.length === 0) throw new OperatorError('No scheme of the document lets the operator issue keys.');
    const fit = own.filter((scheme) => scheme.resource === resource);
    if (fit.length === 0) {
      const resources = [...new Set(own.map((scheme) => scheme.resource))].join(' or ');
      throw new OperatorError(`Keys are issued for rows of ${resources}, not of ${resource}.`, true);
    }
    const names = fit.map((scheme) => scheme.name);
    if (name === null && fit.length > 1)
      throw new OperatorError(`Name the scheme of the key: --scheme "${names.join('", or --scheme "')}".`, true);
    if (name !== null) mustBeOneOf(name, names, `scheme for keys of ${resource}`);
    return fit.find((scheme) => name === null || scheme.name === name)!;
  }

  async listKeys(): Promise<Array<Record<string, unknown>>> {
    const rows = await this.work.read('list keys');
    return rows.map(([id, mark, holder, scopes, created, revoked]) => ({
      id,
      holder,
      scheme: this.engine.plan.schemes.find((scheme) => scheme.mark === mark)?.name ?? null,
      scopes: JSON.parse(scopes as string),
      created: instant(created),
      revoked: instant(revoked),
    }));
  }

  async revokeKey(id: string): Promise<void> {
    const done = await this.work.change((_, now) => call(this.work.system('revoke key'), [now, id]));
    if (done.length === 0)
      throw new OperatorError(`There is no valid key “${id}”. \`list\` shows the keys.`, false, {
        missing: true,
        plain: `There is no valid key “${id}”.`,
      });
  }

  /** Deletes keys that were revoked at least `age` milliseconds ago; returns their number. */
  async forgetKeys(age: number): Promise<number> {
    const forget = this.work.system('forget keys');
    for (let all = 0; ; ) {
      const { length } = await this.work.change((_, now) => call(forget, [now - age, FORGOTTEN_AT_ONCE]));
      all += length;
      if (length < FORGOTTEN_AT_ONCE) return all;
    }
  }

  async listDeliveries(): Promise<readonly Delivery[]> {
    return (await this.work.read('list deliveries')).map(deliveryOf);
  }

  /** Sends an event again to each of its receivers for which it is not pending already. */
  async replay(event: string): Promise<number> {
    const again = await this.work.change((_, now) => call(this.work.system('replay delivery'), [now, event]));
    if (again.length === 0)
      throw new OperatorError(`No delivery of “${event}” has ended, so there is nothing to replay.`);
    return again.length;
  }

  private resource(name: string): Resource {
    const found = this.engine.resources.get(name);
    if (found) return found;
    mustBeOneOf(name, [...this.engine.resources.keys()], 'resource');
    throw new OperatorError(`There is no resource “${name}”.`, true);
  }

  /** Returns a resource whose rows may be written: entries of an audit are not. */
  private written(name: string): Resource {
    const resource = this.resource(name);
    const { entriesOf } = resource.plan;
    if (entriesOf !== undefined) throw new OperatorError(notWritten(name, entriesOf));
    return resource;
  }

  private valuesOf(resource: Resource, fields: Fields): Map<number, Value> {
    const { columns, name } = resource.plan;
    const values = new Map<number, Value>();
    for (const [field, text] of fields) {
      mustBeOneOf(
        field,
        columns.map((column) => column.name),
        `field of ${name}`,
      );
      const index = columns.findIndex((column) => column.name === field);
      values.set(index, this.valueOf(`${name}.${field}`, columns[index]!, text));
    }
    return values;
  }

  private valueOf(path: string, column: ColumnPlan, text: string | null): Value {
    if (!column.from.operator)
      throw new OperatorError(
        `${path} cannot be given by the operator: “Given by” in the document does not name the operator.`,
      );
    if (text === null) {
      if (!column.nullable) throw new OperatorError(`${path} is always present.`);
      return null;
    }
    const checked = writtenValue(column.rule, this.engine.plan.wire, text);
    if ('value' in checked) return checked.value;
    const [{ at, code }] = faultsAt(checked, '') as [ItemFault];
    const form = column.rule.items && at === '' ? ` It is written as JSON, ${JSON_FORM[column.rule.kind]}.` : '';
    throw new OperatorError(`${path}${at} is refused (${code}): ${FAULTS[code]}.${form}`);
  }

  private *addProgram(resource: Resource, values: ReadonlyMap<number, Value>, work: UnitOfWork): Program<Row> {
    const id = values.get(resource.identity);
    if (id !== undefined && (yield* resource.byIdentity(String(id))))
      throw new OperatorError(`There is a ${resource.plan.name} “${id}” already.`);
    const row = yield* resource.create(work, values);
    yield* this.engine.finish(work);
    return row;
  }

  private *editProgram(
    resource: Resource,
    id: string,
    values: ReadonlyMap<number, Value>,
    work: UnitOfWork,
  ): Program<Row> {
    const row = yield* this.find(resource, id);
    yield* resource.change(work, row, values);
    yield* this.engine.finish(work);
    return row;
  }

  private *moveProgram(resource: Resource, id: string, transition: string, work: UnitOfWork): Program<Row> {
    const row = yield* this.find(resource, id);
    const refused = yield* this.transitions.make(work, resource, transition, row);
    if (refused !== null) throw new OperatorError(refused);
    return row;
  }

  private *removeProgram(resource: Resource, id: string, work: UnitOfWork): Program<void> {
    yield* resource.remove(work, yield* this.find(resource, id));
    yield* this.engine.finish(work);
  }

  private *keyProgram(resource: Resource, id: string, insert: (holder: Value) => Program<Row[]>): Program<void> {
    const row = yield* this.find(resource, id);
    yield* insert(row[resource.identity]!);
  }

  private *find(resource: Resource, id: string): Program<Row> {
    const row = yield* rowOf(resource, id);
    if (!row)
      throw new OperatorError(
        `There is no ${resource.plan.name} “${id}”. \`rows FILE list ${resource.plan.name}\` shows the rows.`,
        false,
        { missing: true, plain: `There is no ${resource.plan.name} “${id}”.` },
      );
    return row;
  }
}

const instant = (value: Value | undefined): string | null =>
  typeof value === 'number' ? new Date(value).toISOString() : null;
