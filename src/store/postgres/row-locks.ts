import { conjuncts, type Expr, some } from '../../expression/tree/expression.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import { allNested, stepLists } from '../../plan/nested-steps.ts';
import type { EndpointPlan, InsideStep, Plan, ResourcePlan } from '../../plan/step.ts';
import type { StatementSpec } from '../store.ts';
import type { SystemStatement } from '../system.ts';
import { timedThings, uniqueColumns } from '../tables.ts';

/**
 * Which changes of a service need no serializable transaction. A change that locks each row that it reads, until its
 * end, and that reads nothing else that another change may make differ, gives what it would give alone (strict
 * two-phase locking). Three things need no lock of their own:
 *
 * - rows that only the operator changes: changes of the operator run while no other change does;
 * - the absence of a row with given unique values, where the change adds that row: a unique index refuses a second one;
 * - the service's own tables, each of whose rows belongs to a row or a key that the change has locked.
 */

/** The needs of a statement in a change that locks rows. */
export type Need =
  | 'nothing'
  /** The rows that it reads are locked. `absence`: whether the change may not go on to change rows where none is found. */
  | { readonly lock: string; readonly absence: boolean }
  /** The change runs again, while no other change runs. */
  | 'alone';

/** A row that is read alone may be changed next: two changes that only shared it would wait for each other. */
const CHANGED: Need = { lock: ' FOR NO KEY UPDATE', absence: true };
const READ: Need = { lock: ' FOR SHARE', absence: true };
/** Nothing depends on there being no due row: whoever stores an earlier instant looks for it. */
const DUE: Need = { lock: ' FOR NO KEY UPDATE', absence: false };
const DUE_DELIVERY: Need = { lock: ' FOR NO KEY UPDATE OF d', absence: false };

/** The service's own statements that may run beside other changes; all others run alone. */
const OWN: ReadonlyMap<SystemStatement, Need> = new Map<SystemStatement, Need>([
  ['due deliveries', DUE_DELIVERY],
  ['due deliveries of others', DUE_DELIVERY],
  ...(
    [
      'claim key',
      'find answer',
      'find skeleton',
      'keep answer',
      'drop answer',
      'ended old secrets',
      'forget answers',
      'forget calls',
      'give answers bodies',
      'forget keys',
      'forget old secrets',
      'insert event',
      'insert events',
      'insert event at',
      'next event',
      'oldest events',
      'forget event',
      'insert streamed',
      'list skeletons',
      'forget streamed',
      'receivers of event',
      'held receivers',
      'insert delivery',
      'insert deliveries',
      'lease delivery',
      'delivery succeeded',
      'delivery failed',
      'delivery given up',
      'release next',
      'recall deliveries',
      'forget deliveries',
      'next in sequence',
      'state schedule',
      'begin file',
      'keep chunk',
      'keep file',
      'release file',
      'drop file',
      'end uploads',
      'read chunk',
      'forget chunks',
      'forget files',
    ] as const
  ).map((name): [SystemStatement, Need] => [name, 'nothing']),
]);

/** The changes of a service whose rows’ locks suffice. */
export class RowLocks {
  private readonly resources: readonly ResourcePlan[];
  /** The resources whose rows only the operator changes. */
  private readonly fixed: ReadonlySet<string>;

  private constructor({ resources }: Plan, fixed: ReadonlySet<string>) {
    this.resources = resources;
    this.fixed = fixed;
  }

  /**
   * Null where a change of the service would often have to run alone: all changes are then serializable transactions. Every
   * node that serves a document has the same result.
   */
  static of(plan: Plan): RowLocks | null {
    const written = writtenBy(plan);
    const fixed = new Set(plan.resources.map(({ name }) => name).filter((name) => !written.has(name)));
    return new Judge(plan, fixed).suffices() ? new RowLocks(plan, fixed) : null;
  }

  needOf(spec: StatementSpec): Need {
    switch (spec.kind) {
      case 'insert':
      case 'update':
      case 'update many':
      case 'delete':
      case 'delete many':
        return this.fixed.has(spec.resource) ? 'alone' : 'nothing';
      case 'select':
        if (this.onlyFixed(spec)) return 'nothing';
        return this.findsOne(spec) ? CHANGED : 'alone';
      case 'row':
      case 'by key':
        return this.fixed.has(spec.resource) ? 'nothing' : CHANGED;
      case 'rows':
        return this.fixed.has(spec.resource) ? 'nothing' : READ;
      case 'shown':
      case 'count':
      case 'groups':
      case 'tally':
      case 'value':
      case 'pointing':
      case 'pointing count':
        return this.onlyFixed(spec) ? 'nothing' : 'alone';
      case 'credential':
        return this.fixed.has(spec.resource) ? 'nothing' : 'alone';
      case 'taken':
        return this.isUnique(spec.resource, spec.fields) ? 'nothing' : 'alone';
      case 'due':
        return DUE;
      case 'next due':
      case 'due count':
      case 'ahead':
      case 'pause':
        return 'nothing';
      case 'matches':
      case 'start sequence':
      case 'insert key':
      case 'revoke keys':
      case 'release unused files':
        return 'alone';
      case 'system':
        return OWN.get(spec.name) ?? 'alone';
    }
  }

  /** Whether a statement reads rows of fixed resources alone. */
  private onlyFixed(spec: Exclude<StatementSpec, { kind: 'system' }>): boolean {
    return (!('resource' in spec) || this.fixed.has(spec.resource)) && this.asksFixed(spec);
  }

  /** Whether the queries in expressions of a statement are for rows of fixed resources alone. */
  private asksFixed(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return true;
    if ((part as Partial<Expr>).op === 'query' && !this.fixed.has((part as { resource: string }).resource))
      return false;
    return Object.entries(part).every(([key, one]) => key === 'type' || this.asksFixed(one));
  }

  /** Whether a statement reads the one row with an identity or a unique key, if it meets a condition about itself. */
  private findsOne(spec: Extract<StatementSpec, { kind: 'select' }>): boolean {
    if (spec.order || spec.after || spec.limit || spec.skip || spec.among || spec.any || spec.also?.length)
      return false;
    if (!this.asksFixed(spec.where)) return false;
    if (spec.only) return true;
    return areKey(givenFields(spec.where), named(this.resources, spec.resource));
  }

  private isUnique(resource: string, fields: readonly string[]): boolean {
    return named(this.resources, resource).uniques.some((rule) => {
      const columns = uniqueColumns(rule);
      return columns.length === fields.length && columns.every((column) => fields.includes(column));
    });
  }
}

/** The fields of the row that a condition compares with values that do not depend on the row. */
const givenFields = (where: Expr | null): Set<string> => new Set(where ? conjuncts(where).flatMap(givenField) : []);

/** Whether fields that are given are an identity or a unique key of a resource. */
const areKey = (given: ReadonlySet<string>, { identity, uniques }: ResourcePlan): boolean =>
  [[identity], ...uniques.filter((rule) => !rule.condition).map(({ fields }) => fields)].some((key) =>
    key.every((field) => given.has(field)),
  );

/** The field of the row that a condition compares with a value that does not depend on the row. */
function givenField(condition: Expr): string[] {
  if (condition.op !== 'call' || condition.fn !== '==') return [];
  return condition.args.flatMap((side, i) => {
    const other = condition.args[1 - i]!;
    const isOwn = side.op === 'get' && side.of.op === 'name' && side.of.name === 'this';
    return isOwn && !some(other, (part) => part.op === 'name' && part.name === 'this') ? [side.member] : [];
  });
}

/** The resources of which anybody but the operator adds, changes or removes rows. */
function writtenBy(plan: Plan): Set<string> {
  const out = new Set(plan.resources.filter((one) => timedThings(one).length > 0).map(({ name }) => name));
  for (const step of stepLists(plan).flatMap((list) => [...allNested(list)]))
    if (WRITES.has(step.do) && 'resource' in step) out.add(step.resource);
  for (const { audit } of plan.resources) if (audit) out.add(audit.entries);
  return out;
}

const WRITES: ReadonlySet<InsideStep['do']> = new Set<InsideStep['do']>([
  'create',
  'ensure',
  'change',
  'issue secret',
  'move',
  'move to',
  'remove',
  'remove every',
]);

/** The steps of a change whose rows’ locks may suffice; a step Find, only where it refuses the absence of its row. */
const LOCKING: ReadonlySet<InsideStep['do']> = new Set<InsideStep['do']>([
  'find references',
  'refuse parameters',
  'validate',
  'find',
  'require',
  'match',
  'preconditions',
  'create',
  'change',
  'move',
  'move to',
  'remove',
  'answer',
  'if',
]);

/** The members of a plan's parts that tell of rows. */
interface PlanPart {
  readonly op?: unknown;
  readonly resource?: unknown;
  readonly of?: { readonly op?: unknown; readonly type?: { readonly kind?: unknown; readonly resource?: unknown } };
  readonly member?: unknown;
  readonly derived?: unknown;
  readonly value?: { readonly op?: unknown };
  readonly view?: { readonly resource: string; readonly name: string } | null;
}

/** Judges by the plan whether changes would have to run alone. Statements have the last word (`needOf`). */
class Judge {
  private readonly plan: Plan;
  private readonly fixed: ReadonlySet<string>;
  private readonly seen = new Set<string>();

  constructor(plan: Plan, fixed: ReadonlySet<string>) {
    this.plan = plan;
    this.fixed = fixed;
  }

  suffices(): boolean {
    const { plan, fixed } = this;
    if (plan.handlers.length > 0 || plan.schedules || plan.webhook?.receivers) return false;
    if (!plan.schemes.every(({ resource }) => fixed.has(resource))) return false;
    const changing = plan.endpoints.filter(({ writes }) => writes);
    return (
      changing.every((endpoint) => this.ofEndpoint(endpoint)) &&
      plan.resources.every(
        (resource) => this.reads(resource.visible) && (fixed.has(resource.name) || this.ofResource(resource)),
      )
    );
  }

  private ofEndpoint({ inside, after }: EndpointPlan): boolean {
    return inside.every((step) => this.ofStep(step)) && this.reads(after);
  }

  private ofStep(step: InsideStep): boolean {
    if (!LOCKING.has(step.do)) return false;
    if (step.do === 'find' && (step.code === null || !this.findsOne(step))) return false;
    if (step.do === 'remove' && this.isPointedAt(step.resource)) return false;
    if (step.do === 'match' || step.do === 'preconditions') {
      const got = this.plan.endpoints.find(({ name }) => name === step.of);
      if (got && !this.ofEndpoint(got)) return false;
    }
    if (step.do === 'if') return this.reads(step.test) && [...step.then, ...step.else].every((one) => this.ofStep(one));
    return this.reads(step);
  }

  /** Whether a step finds a row by its identity or a unique key, or among rows that only the operator changes. */
  private findsOne({ resource, where, order }: Extract<InsideStep, { do: 'find' }>): boolean {
    if (this.fixed.has(resource)) return true;
    return order === null && areKey(givenFields(where), named(this.plan.resources, resource));
  }

  private isPointedAt(resource: string): boolean {
    const { keptBy, takes, clears, counted } = named(this.plan.resources, resource);
    return keptBy.length + takes.length + clears.length + counted.length > 0;
  }

  /** The rules, timers, reactions and events of a resource whose rows change. */
  private ofResource({ name, uniques, holds, overlaps, counted, machines, events }: ResourcePlan): boolean {
    if (holds.length + overlaps.length + counted.length > 0) return false;
    const transitions = transitionsIn(machines);
    return (
      transitions.every(({ then }) => then.every((step) => this.ofStep(step))) &&
      this.reads([uniques, transitions.map(({ guard, timed }) => [guard, timed])]) &&
      events.every(({ view, timed }) => this.reads([timed, { view: { resource: name, name: view } }]))
    );
  }

  /** Whether a part of the plan reads no rows but those at hand, and those of fixed resources. */
  private reads(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return true;
    const { op, resource, of, member, derived, value, view }: PlanPart = part;
    const { fixed, plan } = this;
    if (op === 'rows' && !fixed.has(resource as string)) return false;
    const owner = of?.type?.kind === 'row' ? of.type.resource : undefined;
    if (op === 'get' && typeof owner === 'string') {
      if (of!.op !== 'name' && !fixed.has(owner)) return false;
      if (
        derived === true &&
        !this.once(`${owner}.${member}`, () => named(named(plan.resources, owner).derived, member as string).value)
      )
        return false;
    }
    if (view) {
      // A value that is no name of a step's row shows other rows.
      if (value && value.op !== 'name' && !fixed.has(view.resource)) return false;
      if (!this.once(`${view.resource} ${view.name}`, () => this.membersOf(view))) return false;
    }
    return Object.entries(part).every(([key, one]) => key === 'type' || key === 'view' || this.reads(one));
  }

  private membersOf({ resource, name }: { readonly resource: string; readonly name: string }): unknown {
    return named(named(this.plan.resources, resource).views, name).members;
  }

  private once(key: string, of: () => unknown): boolean {
    if (this.seen.has(key)) return true;
    this.seen.add(key);
    return this.reads(of());
  }
}
