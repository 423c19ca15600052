import type { Row, Value } from '../../expression/values/value.ts';
import type { ResourcePlan } from '../../plan/step.ts';
import { call, eachOf, type Program, type Statement, type Store } from '../../store/store.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import type { Files } from '../files/files.ts';
import { type Keeper, keeper, type Pointer, type Pointing, pointingAt } from './checks.ts';
import { byResource, Departure, type Going, pagesOf } from './departure.ts';
import type { Resource } from './rules.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Removes rows of a resource, and the rows that are removed because of them, many in a statement. */
export class Removal {
  private readonly resource: Resource;
  private readonly errors: Errors;
  private readonly taking: readonly Pointing[];
  private readonly letting: readonly Pointing[];
  private readonly keepers: readonly Keeper[];
  private readonly deletion: Statement;
  private readonly deletionOfMany: Statement;
  private readonly rowsOfMany: Statement;
  /** Revokes the keys of a removed row, so that they are not valid for a later row of the same identity. */
  private readonly revocation: Statement | null;
  private readonly marks: readonly string[];
  private readonly files: Files;
  /** The columns for the bytes of rows. */
  private readonly bytes: readonly number[];

  /** `marks` are the schemes' marks under which keys for rows of the resource are stored. */
  constructor(
    resource: Resource,
    plan: ResourcePlan,
    store: Store,
    expressions: Expressions,
    errors: Errors,
    files: Files,
    marks: readonly string[],
  ) {
    this.resource = resource;
    this.errors = errors;
    this.files = files;
    this.bytes = (plan.files ?? []).map(({ column }) => expressions.column(plan.name, column));
    const pointing = pointingAt(plan, store, expressions);
    this.taking = pointing.filter((one) => one.removes);
    this.letting = pointing.filter((one) => !one.removes);
    this.keepers = plan.keptBy.map((rule) => keeper(rule, store, expressions));
    this.deletion = store.prepare({ kind: 'delete', resource: plan.name });
    this.deletionOfMany = store.prepare({ kind: 'delete many', resource: plan.name });
    this.rowsOfMany = store.prepare({ kind: 'rows', resource: plan.name });
    this.marks = marks;
    this.revocation = marks.length ? store.prepare({ kind: 'revoke keys', resource: plan.name }) : null;
  }

  /**
   * Removes a row, after the rows that are removed because of it. All events are recorded as of before the first
   * deletion.
   */
  *remove(work: UnitOfWork, row: Row): Program<void> {
    yield* this.removeAll(work, [row]);
  }

  /** Removes rows, each with the rows that are removed because of it, as if one after the other. */
  *removeEach(work: UnitOfWork, rows: readonly Row[]): Program<void> {
    if (this.together()) return yield* this.removeAll(work, rows);
    for (const row of rows) yield* this.removeAll(work, [row]);
  }

  /** Whether no event of a removed row shows another row, so that all rows can be removed together. */
  private together(met = new Set<Removal>()): boolean {
    if (met.has(this)) return true;
    met.add(this);
    const { resource } = this;
    if (resource.removals && !resource.removals.alone) return false;
    // Entries of removals and of cleared references follow each other row by row.
    if (this.letting.some((one) => resource.other(one.resource).audit)) return false;
    return this.taking.every((one) => resource.other(one.resource).removal.together(met));
  }

  private *removeAll(work: UnitOfWork, rows: readonly Row[]): Program<void> {
    const all = new Departure();
    for (const row of rows) {
      const root = all.add(work, this.resource, row[this.resource.identity]!, row);
      if (!root) continue;
      yield* this.gather(work, root, all);
      yield* all.order(root);
    }
    const sorted = [...byResource(all.inOrder)];
    for (const [{ removal }, goings] of sorted) yield* removal.findKeepers(goings, all);
    if (all.kept) throw this.errors.rule(all.kept.code, `kept by ${all.kept.by}`);
    for (const [resource, goings] of sorted)
      if (resource.removals || resource.compared || resource.audit?.recordsRemoval)
        yield* resource.removal.readRows(work, goings);
    yield* eachOf(all.inOrder, ({ resource, row }) => {
      if (resource.removals) return resource.removals.read(work, resource, row!);
      if (resource.compared) work.happened.push({ what: 'removed', resource, row: row!, by: null, before: null });
    });
    for (const { resource, row } of all.inOrder) if (resource.audit) yield* resource.audit.removed(work, row!);
    const letting: Letting[] = [];
    for (const [{ removal }, goings] of sorted) yield* removal.findLetting(goings, all, letting);
    yield* letGo(work, letting);
    const { cuts, groups } = yield* all.leave();
    for (const [going, columns] of cuts) yield* going.resource.removal.cut(work, going, columns);
    for (const [{ removal }, goings] of groups) yield* removal.drop(work, goings);
  }

  /** Finds the rows that are removed because of a row, one generation at a time. */
  private *gather(work: UnitOfWork, root: Going, all: Departure): Program<void> {
    for (let parents = [root]; parents.length; ) {
      const children: Going[] = [];
      for (const [resource, goings] of byResource(parents))
        for (const one of resource.removal.taking) {
          const other = resource.other(one.resource);
          for (const page of pagesOf(goings))
            yield* eachOf(yield* identitiesPointing(one, page), (found) => {
              const parent = page.length === 1 ? page[0]! : all.find(resource, found[one.column]!)!;
              const identity = found[other.identity]!;
              const known = all.find(other, identity);
              const child = known ?? all.add(work, other, identity, null);
              if (!child) return;
              all.point(parent, child, one.column, true);
              if (!known) children.push(child);
            });
        }
      parents = children;
    }
  }

  /** Finds the rule by which a remaining row prevents the removal of one. */
  private *findKeepers(goings: readonly Going[], all: Departure): Program<void> {
    for (const [index, one] of this.keepers.entries()) {
      const other = this.resource.other(one.pointing.resource);
      for (const page of pagesOf(goings)) {
        const alone = page.length === 1 ? page[0]! : null;
        // The referring rows need to be known only where they may be removed, too.
        if (alone && !all.has(other)) {
          const found = one.statement
            ? yield* call(one.statement, [alone.identity, null])
            : yield* call(one.pointing.alone, [alone.identity]);
          if (found.length) all.keep(alone, index, one);
          continue;
        }
        for (const found of yield* identitiesPointing(one.pointing, page)) {
          const going = alone ?? all.find(this.resource, found[one.pointing.column]!)!;
          const its = all.find(other, found[other.identity]!);
          // Rows are removed as if one after the other: a later one still prevents the removal of an earlier one.
          if (!its || its.turn > going.turn) all.keep(going, index, one);
          else all.point(going, its, one.pointing.column, false);
        }
      }
    }
  }

  /** Reads rows whose identities alone are known. */
  *readRows(work: UnitOfWork, all: readonly Unread[]): Program<void> {
    const { identity } = this.resource;
    const named = work.rowsOf(this.resource.plan.name);
    const missing: Unread[] = [];
    for (const one of all) {
      one.row ??= named.get(one.identity) ?? null;
      if (!one.row) missing.push(one);
    }
    for (const page of pagesOf(missing)) {
      const rows = yield* call(this.rowsOfMany, [identitiesOf(page)]);
      const found = new Map(rows.map((row) => [row[identity] ?? null, row]));
      for (const one of page) one.row = found.get(one.identity) ?? null;
    }
  }

  /** Finds the remaining rows whose references to removed rows are cleared. */
  private *findLetting(goings: readonly Going[], all: Departure, letting: Letting[]): Program<void> {
    for (const [index, one] of this.letting.entries()) {
      const other = this.resource.other(one.resource);
      for (const page of pagesOf(goings))
        for (const found of yield* identitiesPointing(one, page)) {
          const going = page.length === 1 ? page[0]! : all.find(this.resource, found[one.column]!)!;
          const identity = found[other.identity]!;
          const its = all.find(other, identity);
          if (its) all.point(going, its, one.column, false);
          else letting.push({ going, index, resource: other, column: one.column, identity, row: null });
        }
    }
  }

  /**
   * Cuts a cycle of references: empties the columns of a row, so that the row it refers to can be deleted first.
   */
  private *cut(work: UnitOfWork, going: Going, columns: readonly number[]): Program<void> {
    if (!going.row) yield* this.readRows(work, [going]);
    const rest = going.row!.slice();
    for (const column of columns)
      rest[column] = this.resource.plan.columns[column]!.references === undefined ? null : ([] as Value[] as Value);
    yield* this.resource.keep(rest);
  }

  private *releaseBytes(work: UnitOfWork, goings: readonly Going[]): Program<void> {
    yield* this.readRows(work, goings);
    for (const { row } of goings)
      for (const column of this.bytes) {
        const id = row?.[column] as string | null | undefined;
        if (id) yield* this.files.release(id);
      }
  }

  /** Deletes rows to which no other row refers any more. */
  private *drop(work: UnitOfWork, goings: readonly Going[]): Program<void> {
    const { resource } = this;
    if (this.bytes.length > 0) yield* this.releaseBytes(work, goings);
    for (const page of pagesOf(goings)) {
      for (const { identity } of page) {
        for (const mark of this.marks) yield* call(this.revocation!, [work.frame.now, identity, mark]);
        yield* resource.sequences.forget(identity);
      }
      if (page.length === 1) resource.changedOne(yield* call(this.deletion, [page[0]!.identity]));
      else if ((yield* call(this.deletionOfMany, [identitiesOf(page)])).length !== page.length)
        throw this.errors.condition('conflict');
    }
  }
}

/** A row known by its identity, and read where needed. */
interface Unread {
  readonly identity: Value;
  row: Row | null;
}

/** A remaining row whose reference to a removed row is cleared. */
interface Letting extends Unread {
  readonly going: Going;
  /** The index of the reference among those that are cleared. */
  readonly index: number;
  readonly resource: Resource;
  readonly column: number;
}

/** Clears references of remaining rows, in the order of the removed rows. */
function* letGo(work: UnitOfWork, letting: Letting[]): Program<void> {
  letting.sort((a, b) => a.going.place - b.going.place || a.index - b.index);
  for (const page of pagesOf(letting)) {
    for (const resource of new Set(page.map((one) => one.resource)))
      yield* resource.removal.readRows(
        work,
        page.filter((one) => one.resource === resource),
      );
    for (const { going, resource, column, row } of page) {
      const known = resource.known(work, row!);
      yield* resource.change(work, known, new Map([[column, resource.without(known, column, going.identity)]]));
    }
  }
}

const identitiesOf = (all: ReadonlyArray<{ readonly identity: Value }>): string =>
  JSON.stringify(all.map(({ identity }) => identity));

/** Returns the rows that refer to one of these, with only their identities and the reference. */
function identitiesPointing(one: Pointer, page: readonly Going[]): Program<Row[]> {
  return page.length === 1 ? call(one.alone, [page[0]!.identity]) : call(one.many, [identitiesOf(page)]);
}
