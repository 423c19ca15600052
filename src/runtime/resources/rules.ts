import type { Evaluate } from '../../expression/javascript.ts';
import { foldCase } from '../../expression/tree/fold.ts';
import { storedWords } from '../../expression/tree/words.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import { pointerTo } from '../../http/nested-json.ts';
import { readsOwnRow } from '../../plan/givings.ts';
import { transitionIn } from '../../plan/machines.ts';
import type { ResourcePlan, TransitionPlan } from '../../plan/step.ts';
import { type Call, call, type Program, type Statement, type Store, StoreError } from '../../store/store.ts';
import { foldedFields, REVISION, searchedFields, timedThings } from '../../store/tables.ts';
import { computedValidator, type Validator } from '../../validation/validate.ts';
import type { Refusal } from '../context/refusal.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import type { Files } from '../files/files.ts';
import { Audit } from './audit.ts';
import type { CachedJson } from './cached-json.ts';
import { type UniqueRule, uniqueRule } from './checks.ts';
import { type Due, dueAt, dueOf } from './dues.ts';
import { PasswordColumns } from './passwords.ts';
import { Removal } from './removal.ts';
import { Replacements } from './replacements.ts';
import { Sequences } from './sequences.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A transition, and the column of the state that it changes. */
export interface CompiledMove {
  readonly plan: TransitionPlan;
  readonly state: number;
}

interface Giving {
  readonly column: number;
  readonly value: Evaluate;
}

/** Returns the refusal of a reference to a row that doesn't exist, with the reference's place in the body. */
function unknownReference(work: UnitOfWork, resource: string, field: string, item: string, errors: Errors): Refusal {
  const name = `${work.place}${pointerTo(work.wire(resource, field) ?? field)}${item}`;
  return errors.condition('reference unknown', [{ place: 'pointer', name, code: 'reference_unknown' }]);
}

/** Reads the payloads of a row that is about to be removed, while they can still be read. */
export interface RemovalReader {
  read(work: UnitOfWork, resource: Resource, row: Row): Program<void>;
  /** Whether only the row itself is read, so that the result does not depend on other removed rows. */
  readonly alone: boolean;
}

/** The parts of an engine that the rules of a resource use. */
interface ResourceParts {
  readonly store: Store;
  readonly expressions: Expressions;
  readonly errors: Errors;
  readonly files: Files;
  /** The schemes' marks under which keys for rows of the resource are stored. */
  readonly marks: readonly string[];
  /** The writer of the JSON that is cached with each row; null where none is. */
  readonly cachedJson: CachedJson | null;
  /** Null where no event and no receiver depends on removed rows. */
  readonly removals: RemovalReader | null;
  /** Whether a rule compares a changed row with its values before the change. */
  readonly watched: boolean;
  /** Finds another resource: removing a row also removes rows that refer to it, or clears their references. */
  readonly other: (name: string) => Resource;
}

/** The rules of one resource; every write to its rows goes through this class. */
export class Resource {
  readonly plan: ResourcePlan;
  readonly identity: number;
  /** The steps that follow each transition: added once all resources exist, because steps write rows of any. */
  readonly reactions = new Map<string, (work: UnitOfWork, row: Row) => Program<void>>();
  /** Called with the instant of a written row's next timed move or event. The timers of the resource set it. */
  onDue: (instant: number) => void = () => {};
  readonly removals: RemovalReader | null;
  /** Whether an event or a rule compares a changed row with its values before the change. */
  readonly compared: boolean;
  readonly other: (name: string) => Resource;
  readonly cachedJson: CachedJson | null;
  /** The index of the cached JSON's column; null where the resource has no such column. */
  readonly shown: number | null;
  readonly removal: Removal;
  /** Records changes of rows; null where no changes are recorded. */
  readonly audit: Audit | null;
  private readonly errors: Errors;
  private readonly columnOf: (name: string) => number;
  private readonly insertion: Statement;
  readonly replacements: Replacements;
  /** The columns that every change may set, in addition to those of the change. */
  private readonly following: readonly number[];
  private readonly givings = new Map<string, Giving[]>();
  /** The values that read other fields of the row, in the order of their computation. */
  private readonly ownGivings: ReadonlyArray<Giving & { readonly moment: string }>;
  /** The defaults of fields that a new row has no value for. */
  private readonly absences: readonly Giving[];
  private readonly uniques: UniqueRule[];
  private readonly dues: Due[];
  private readonly passwords: PasswordColumns;
  readonly sequences: Sequences;
  readonly revision: number;
  private readonly folds: ReadonlyArray<{ readonly from: number; readonly to: number }>;
  /** The columns with the words of fields that a search reads. */
  private readonly words: ReadonlyArray<{ readonly from: number; readonly to: number }>;
  private readonly width: number;
  private readonly selection: Statement;
  private readonly references: ReadonlyArray<{ readonly column: number; readonly statement: Statement }>;
  /** The columns of states, with the state of a new row. */
  private readonly states: ReadonlyArray<{ readonly column: number; readonly initial: string }>;
  /** The columns whose values are computed: only the check here validates them. */
  private readonly computed: ReadonlyArray<{ readonly column: number; readonly check: Validator }>;

  constructor(plan: ResourcePlan, parts: ResourceParts) {
    const { store, expressions, errors, marks } = parts;
    this.plan = plan;
    this.errors = errors;
    this.removals = parts.removals;
    this.other = parts.other;
    this.cachedJson = parts.cachedJson;
    const column = (name: string): number => expressions.column(plan.name, name);
    this.columnOf = column;
    this.audit = plan.audit ? new Audit(plan.audit, this, column) : null;
    this.identity = column(plan.identity);
    this.states = plan.machines.map(({ field, initial }) => ({ column: column(field), initial }));
    this.revision = column(REVISION);
    this.compared = parts.watched || plan.events.some((event) => event.on === 'changed');
    this.insertion = store.prepare({ kind: 'insert', resource: plan.name });
    this.replacements = new Replacements(plan, store, this.identity);
    for (const giving of plan.givings.filter((one) => !readsOwnRow(one))) {
      const list = this.givings.get(giving.moment) ?? [];
      list.push({ column: column(giving.field), value: expressions.given(giving.value) });
      this.givings.set(giving.moment, list);
    }
    this.ownGivings = plan.givings
      .filter(readsOwnRow)
      .map(({ field, moment, value }) => ({ column: column(field), moment, value: expressions.given(value) }));
    this.absences = plan.columns.flatMap(({ otherwise }, column) =>
      otherwise ? [{ column, value: expressions.plain(otherwise) }] : [],
    );
    this.uniques = plan.uniques.map((unique) => uniqueRule(unique, plan, store, expressions));
    this.removal = new Removal(this, plan, store, expressions, errors, parts.files, marks);
    this.dues = timedThings(plan).map((timed) => dueOf(plan, timed, column, (expr) => expressions.plain(expr)));
    this.passwords = new PasswordColumns(plan);
    this.sequences = new Sequences(plan, store, column);
    this.folds = foldedFields(plan).map((one) => ({ from: column(one.field), to: column(one.column) }));
    this.words = searchedFields(plan).map((one) => ({ from: column(one.field), to: column(one.column) }));
    this.width = expressions.width(plan.name);
    this.shown = expressions.shown(plan.name);
    this.following = [
      this.revision,
      ...this.dues.map((due) => due.column),
      ...this.folds.map((fold) => fold.to),
      ...this.sequences.columns,
      ...(this.shown === null ? [] : [this.shown]),
    ];
    this.selection = store.prepare({ kind: 'row', resource: plan.name });
    this.references = plan.columns.flatMap(({ reference, references }, at) => {
      const target = references ?? reference;
      return target ? [{ column: at, statement: store.prepare({ kind: 'row', resource: target }) }] : [];
    });
    this.computed = plan.columns.flatMap((one, column) => {
      const given =
        one.from.steps || one.otherwise !== null || plan.givings.some((giving) => giving.field === one.name);
      return given && one.reference === null && !one.password ? [{ column, check: computedValidator(one.rule) }] : [];
    });
  }

  /** Creates a row from values by column; adds the values of `on create` and of states. */
  *create(work: UnitOfWork, given: ReadonlyMap<number, Value>): Program<Row> {
    const row: Row = new Array(this.width).fill(null);
    for (const [column, value] of this.passwords.hashed(given, work.rerunState)) row[column] = value;
    for (const { column, initial } of this.states) row[column] = initial;
    row[this.revision] = 1;
    this.give('create', work.frame, row, []);
    for (const { column, value } of this.absences) if (!given.has(column)) row[column] = value(work.frame) as Value;
    yield* this.sequences.number(row);
    if (this.ownGivings.length > 0) this.giveFromRow(['create'], work.frame, row, []);
    this.mustBeAllowed(row, null);
    yield* this.store(row, work, 'create', null);
    // A removed row of the same identity may have been known in this unit of work.
    const identity = row[this.identity]!;
    work.rowsOf(this.plan.name).set(identity, row);
    work.isThere(this.plan.name, identity);
    if (this.compared) work.remembered.add(row);
    work.happened.push({ what: 'created', resource: this, row, by: null, before: null });
    if (this.audit) yield* this.audit.created(work, row);
    return row;
  }

  /** Changes a row in place. */
  *change(work: UnitOfWork, row: Row, given: ReadonlyMap<number, Value>): Program<void> {
    if (given.has(this.identity)) throw new StoreError('failed', `The identity of ${this.plan.name} cannot change`);
    this.remember(work, row);
    const before = this.audit && row.slice();
    const counts = this.sequences.counts(row);
    for (const [column, value] of this.passwords.hashed(given, work.rerunState)) row[column] = value;
    yield* this.rewrite(work, row, 'change', counts, given.keys());
    if (this.audit) yield* this.audit.changed(work, before!, row);
  }

  /**
   * Moves a row to another state, and sets values of other columns. The caller has checked its state and guard (see
   * `states`).
   */
  *move(
    work: UnitOfWork,
    row: Row,
    { plan: { name, to }, state }: CompiledMove,
    given: ReadonlyMap<number, Value> | null = null,
  ): Program<void> {
    this.remember(work, row);
    const before = this.audit && row.slice();
    const counts = this.sequences.counts(row);
    if (given) for (const [column, value] of this.passwords.hashed(given, work.rerunState)) row[column] = value;
    row[state] = to;
    yield* this.rewrite(work, row, name, counts, given ? [state, ...given.keys()] : [state]);
    work.happened.push({ what: 'moved', resource: this, row, by: name, before: null });
    if (this.audit) yield* this.audit.changed(work, before!, row);
    const reaction = this.reactions.get(name);
    if (reaction) yield* reaction(work, row);
  }

  /** The column of a field. */
  column(name: string): number {
    return this.columnOf(name);
  }

  /** A transition of the resource. */
  transition(name: string): CompiledMove {
    const plan = transitionIn(this.plan.machines, name);
    return { plan, state: this.columnOf(plan.field) };
  }

  /** Keeps a copy of a row before its first change in the unit of work, unless it was created there. */
  private remember(work: UnitOfWork, row: Row): void {
    if (!this.compared) return;
    if (work.remembered.has(row)) return;
    work.remembered.add(row);
    work.happened.push({ what: 'changed', resource: this, row, by: null, before: row.slice() });
  }

  /** Removes a row, after the rows that are removed because of it. */
  *remove(work: UnitOfWork, row: Row): Program<void> {
    yield* this.removal.remove(work, row);
  }

  /** Removes many rows, as if one after the other. */
  *removeEach(work: UnitOfWork, rows: readonly Row[]): Program<void> {
    yield* this.removal.removeEach(work, rows);
  }

  /** Writes a row whose columns have been set, with the values that follow from the change. */
  private *rewrite(
    work: UnitOfWork,
    row: Row,
    moment: string,
    counts: readonly Value[],
    set: Iterable<number>,
  ): Program<void> {
    row[this.revision] = (row[this.revision] as number) + 1;
    const columns = [...set, ...this.following];
    this.give(moment, work.frame, row, columns);
    if (moment !== 'change') this.give('change', work.frame, row, columns);
    yield* this.sequences.renumber(row, counts);
    if (this.ownGivings.length > 0) this.giveFromRow([moment, 'change'], work.frame, row, columns);
    this.mustBeAllowed(row, columns);
    for (const { from, to } of this.words) if (columns.includes(from)) columns.push(to);
    yield* this.store(row, work, moment, columns);
  }

  /** Sets the columns with a stated value for a moment, and adds them to `set`. */
  private give(moment: string, frame: Frame, row: Row, set: number[]): void {
    const givings = this.givings.get(moment);
    if (!givings) return;
    for (const { column, value } of givings) {
      row[column] = value(frame) as Value;
      set.push(column);
    }
  }

  /** Sets the columns whose stated value reads other fields of the row, which have theirs by now. */
  private giveFromRow(moments: readonly string[], frame: Frame, row: Row, set: number[]): void {
    this.settle(row, set.length === 0 ? null : set);
    for (const { column, moment, value } of this.ownGivings) {
      if (!moments.includes(moment)) continue;
      row[column] = value({ ...frame, row }) as Value;
      set.push(column);
      this.settle(row, [column]);
    }
  }

  /** Checks that all set values are allowed, whatever their source. `columns` lists the set columns; null means all. */
  private mustBeAllowed(row: Row, columns: readonly number[] | null): void {
    for (const [i, column] of this.plan.columns.entries()) {
      const value = row[i] ?? null;
      if (value === null && !column.nullable)
        throw new StoreError('failed', `${this.plan.name}.${column.name} was given no value`);
    }
    this.settle(row, columns);
  }

  /** Checks computed values, and stores sets in their order, without repetitions. */
  private settle(row: Row, columns: readonly number[] | null): void {
    for (const { column, check } of this.computed) {
      if (columns && !columns.includes(column)) continue;
      const value = row[column] ?? null;
      const checked = value === null ? null : check(value);
      if (checked === null) continue;
      if ('value' in checked) row[column] = checked.value;
      else {
        const field = `${this.plan.name}.${this.plan.columns[column]!.name}`;
        throw new StoreError('failed', `${field} was given a value that is ${checked.fault}`);
      }
    }
  }

  /**
   * Writes columns of a row, or inserts a new row where `columns` is null. If a constraint fails, throws the refusal of
   * the first broken rule, in the document's order.
   */
  private *store(row: Row, work: UnitOfWork, moment: string, columns: readonly number[] | null): Program<void> {
    this.setDues(row, work.frame, moment);
    for (const { from, to } of this.folds) row[to] = row[from] === null ? null : foldCase(row[from] as string);
    this.renewWords(row, columns);
    this.cacheJson(row);
    const inserting = columns === null;
    const { deferred } = work;
    if (!inserting && deferred?.resource === this) return yield* deferred.add(row, columns);
    try {
      const write: Call = inserting ? [this.insertion, row] : this.replacements.write(row, columns);
      this.changedOne(yield write);
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'constraint') throw error;
      throw (yield* this.brokenRule(row, work, inserting)) ?? this.errors.condition('conflict');
    }
  }

  /**
   * Computes the words of all searched fields where one of them is written. A row that is read has no words, and a
   * statement may write more columns than have changed.
   */
  private renewWords(row: Row, columns: readonly number[] | null): void {
    const { search } = this.plan;
    if (!search || (columns && !this.words.some(({ to }) => columns.includes(to)))) return;
    for (const { from, to } of this.words)
      row[to] = row[from] === null ? null : storedWords(row[from] as string, search);
  }

  /** Renews the cached JSON of a row with every write, or clears it. */
  private cacheJson(row: Row): void {
    if (this.shown !== null) row[this.shown] = this.cachedJson?.make(row) ?? null;
  }

  /** Throws a conflict where a row no longer exists: an earlier step removed it under another name. */
  changedOne([changed]: Row[]): void {
    if (changed?.[0] !== 1) throw this.errors.condition('conflict');
  }

  /** Sets the row's due columns. */
  private setDues(row: Row, frame: Frame, moment: string): void {
    if (this.dues.length === 0) return;
    const own = { ...frame, row };
    for (const due of this.dues) {
      const at = dueAt(due, own, row[due.column] as number | null, moment);
      row[due.column] = at;
      if (at !== null && at > 0) this.onDue(at);
    }
  }

  /** Marks a due instant as passed: it does not come again, whatever happens to the row. */
  pass(row: Row, column: number): void {
    row[column] = -(row[column] as number);
  }

  /** Records a timed event of a row. */
  *arrive(work: UnitOfWork, row: Row, event: string): Program<void> {
    yield* this.keep(row);
    work.happened.push({ what: 'at', resource: this, row, by: event, before: null });
  }

  /** Writes the columns that the service itself keeps: no field of the document has changed. */
  *keep(row: Row): Program<void> {
    this.cacheJson(row);
    yield this.replacements.write(row, null);
  }

  /** Returns the one array for a row in a unit of work, however many steps have named the row. */
  known(work: UnitOfWork, row: Row): Row {
    const rows = work.rowsOf(this.plan.name);
    const identity = row[this.identity]!;
    const known = rows.get(identity);
    if (known) return known;
    rows.set(identity, row);
    return row;
  }

  /**
   * Returns the refusal of the first rule that a row breaks. During an insert, a row with an equal identity is another
   * row.
   */
  private *brokenRule(row: Row, work: UnitOfWork, inserting: boolean): Program<Refusal | null> {
    const { frame } = work;
    const before = frame.row;
    frame.row = row;
    const own = inserting ? null : row[this.identity]!;
    try {
      const unknown = yield* this.unknownReference(row, work);
      if (unknown) return unknown;
      for (const rule of this.uniques) {
        if (rule.condition && rule.condition(frame) !== true) continue;
        const args = [...rule.args(frame), ...rule.columns.map((column) => row[column]!), own];
        const other = yield* call(rule.statement, args);
        if (!other.length) continue;
        return this.errors.rule(rule.plan.code, `unique ${rule.plan.fields.join(', ')}`);
      }
      return null;
    } finally {
      frame.row = before;
    }
  }

  /** Returns the refusal of a reference to a row that doesn't exist, with the field's name in the request's version. */
  private *unknownReference(row: Row, work: UnitOfWork): Program<Refusal | null> {
    if (!this.errors.states('reference unknown')) return null;
    for (const { column, statement } of this.references) {
      const value = row[column] ?? null;
      const { name, references } = this.plan.columns[column]!;
      const targets = references === undefined ? [value] : ((value ?? []) as Value[]);
      for (const [i, target] of targets.entries()) {
        if (target === null || (yield* call(statement, [target])).length > 0) continue;
        return unknownReference(work, this.plan.name, name, references === undefined ? '' : `/${i}`, this.errors);
      }
    }
    return null;
  }

  /** The value of a column that points at a removed row, without the reference to it. */
  without(row: Row, column: number, removed: Value): Value {
    if (this.plan.columns[column]!.references === undefined) return null;
    return (row[column] as readonly Value[]).filter((item) => item !== removed) as Value;
  }

  /** Returns the row with an identity, even if it is not visible to the caller. */
  *byIdentity(identity: Value): Program<Row | null> {
    return (yield* call(this.selection, [identity]))[0] ?? null;
  }
}
