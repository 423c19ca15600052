import type { Row, Value } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { call, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import { type Keeper, keeper, type Pointing, pointingAt } from './checks.ts';
import type { Resource } from './rules.ts';
import { rowKey, type UnitOfWork } from './unit-of-work.ts';

/** A row that goes, with those that point at it and go too. */
interface Going {
  readonly resource: Resource;
  readonly row: Row;
  readonly pointing: Array<{ readonly going: Going; readonly column: number }>;
  /** What is stored of it once it has let go of another; null before. */
  rest: Row | null;
  stage: 'there' | 'leaving' | 'gone';
}

/** All that goes with one removal: each row after those that go because of it. */
class Departure {
  readonly rows = new Map<string, Going>();
  readonly inOrder: Going[] = [];
  /** The resources that rows go of. */
  readonly resources = new Set<string>();
}

/** Removes rows of a resource, with those that go with them. */
export class Removal {
  private readonly resource: Resource;
  private readonly errors: Errors;
  private readonly taking: readonly Pointing[];
  private readonly letting: readonly Pointing[];
  private readonly keepers: readonly Keeper[];
  private readonly deletion: Statement;
  /** A key ends with the row that it stands for, and doesn’t come back with another of the same identity. */
  private readonly revocation: Statement | null;
  private readonly marks: readonly string[];

  /** `marks` are those under which keys for its rows are stored. */
  constructor(
    resource: Resource,
    plan: ResourcePlan,
    store: Store,
    expressions: Expressions,
    errors: Errors,
    marks: readonly string[],
  ) {
    this.resource = resource;
    this.errors = errors;
    const pointing = pointingAt(plan, store, expressions);
    this.taking = pointing.filter((one) => one.removes);
    this.letting = pointing.filter((one) => !one.removes);
    this.keepers = plan.keptBy.map((rule) => keeper(rule, store, expressions));
    this.deletion = store.prepare({ kind: 'delete', resource: plan.name });
    this.marks = marks;
    this.revocation = marks.length ? store.prepare({ kind: 'revoke keys', resource: plan.name }) : null;
  }

  /** Removes a row that nothing keeps, after the rows that go with it: of each is told what it was before any went. */
  *remove(work: UnitOfWork, row: Row): Program<void> {
    const all = new Departure();
    yield* this.gather(work, row, all);
    for (const one of all.inOrder) yield* one.resource.removal.mustBeFree(one, all);
    for (const { resource, row: leaving } of all.inOrder) {
      if (resource.onRemoving) yield* resource.onRemoving(work, leaving);
      else if (resource.compared)
        work.happened.push({ what: 'removed', resource, row: leaving, by: null, before: null });
    }
    for (const one of all.inOrder) yield* one.resource.removal.drop(work, one, all);
  }

  /** Finds what goes; null for a row that an earlier step has removed. */
  private *gather(work: UnitOfWork, row: Row, all: Departure): Program<Going | null> {
    const { resource } = this;
    const key = rowKey(resource.plan.name, this.identityOf(row));
    const known = all.rows.get(key);
    if (known) return known;
    if (work.leaving.has(key)) return null;
    work.leaving.add(key);
    const going: Going = { resource, row, pointing: [], rest: null, stage: 'there' };
    all.rows.set(key, going);
    all.resources.add(resource.plan.name);
    for (const one of this.taking) {
      const other = resource.other(one.resource);
      for (const found of yield* call(one.statement, [this.identityOf(row)])) {
        const its = yield* other.removal.gather(work, other.known(work, found), all);
        if (its) going.pointing.push({ going: its, column: one.column });
      }
    }
    all.inOrder.push(going);
    return going;
  }

  /** Throws the refusal of a rule by which a row that stays keeps one that would go. */
  private *mustBeFree(going: Going, all: Departure): Program<void> {
    const identity = this.identityOf(going.row);
    for (const { statement, pointing, code, by } of this.keepers) {
      if (!(yield* call(statement, [identity, null])).length) continue;
      // Which rows these are matters only where one of them may be going, too.
      const found = all.resources.has(pointing.resource) ? yield* call(pointing.statement, [identity]) : [];
      const those = found.map((row) => all.rows.get(this.keyOf(pointing, row)));
      if (!those.length || those.includes(undefined)) throw this.errors.rule(code, `kept by ${by}`);
      for (const one of those) going.pointing.push({ going: one!, column: pointing.column });
    }
  }

  /** Deletes a row, after those that point at it and go too. */
  private *drop(work: UnitOfWork, going: Going, all: Departure): Program<void> {
    if (going.stage !== 'there') return;
    going.stage = 'leaving';
    const { resource } = this;
    const identity = this.identityOf(going.row);
    for (const one of going.pointing) yield* this.dropFirst(work, one.going, one.column, all);
    for (const one of this.letting) {
      const other = resource.other(one.resource);
      for (const found of yield* call(one.statement, [identity])) {
        const its = all.rows.get(this.keyOf(one, found));
        if (its) yield* this.dropFirst(work, its, one.column, all);
        else yield* other.change(work, other.known(work, found), new Map([[one.column, null]]));
      }
    }
    for (const mark of this.marks) yield* call(this.revocation!, [work.frame.now, identity, mark]);
    yield* resource.sequences.forget(identity);
    resource.changedOne(yield* call(this.deletion, [identity]));
    going.stage = 'gone';
  }

  /** Rows that point at one another go together: one that is leaving lets go of another that goes before it. */
  private *dropFirst(work: UnitOfWork, going: Going, column: number, all: Departure): Program<void> {
    const { resource } = going;
    if (going.stage !== 'leaving') yield* resource.removal.drop(work, going, all);
    else if (resource.plan.columns[column]!.nullable) {
      going.rest ??= going.row.slice();
      going.rest[column] = null;
      yield* resource.keep(going.rest);
    }
  }

  private identityOf(row: Row): Value {
    return row[this.resource.identity]!;
  }

  /** What a row that points at one of these is called. */
  private keyOf({ resource }: Pick<Pointing, 'resource'>, row: Row): string {
    return rowKey(resource, row[this.resource.other(resource).identity]!);
  }
}
