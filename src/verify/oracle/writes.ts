import { foldCase } from '../../expression/tree/fold.ts';
import { sameValue, type Value } from '../../expression/values/value.ts';
import { fieldOfColumn } from '../../plan/files.ts';
import { readsOwnRow } from '../../plan/givings.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { transitionIn } from '../../plan/machines.ts';
import type { UniquePlan } from '../../plan/rows.ts';
import type { AuditAction, InsideStep, ResourcePlan } from '../../plan/step.ts';
import { entryOf } from './audit.ts';
import { areSame } from './computed.ts';
import { setDues } from './dues.ts';
import { compared, evaluate, holds } from './evaluate.ts';
import { hasComputed, hasShortRandom, isMarked, marksIn } from './marks.ts';
import { byCode, byCondition, Failure } from './refusal.ts';
import { OracleRow } from './rows.ts';
import { note, scopeOfRow, type Transaction } from './scope.ts';

/** Runs the steps that follow from a move of a row. */
type React = (work: Transaction, row: OracleRow, steps: readonly InsideStep[]) => void;

/** Creates a row from values. Other fields get the values that the document states for them. */
export function create(work: Transaction, resource: string, given: ReadonlyMap<string, Value>): OracleRow {
  const plan = work.rows.plan(resource);
  const row = new OracleRow(resource, new Map(plan.columns.map(({ name }) => [name, given.get(name) ?? null])));
  for (const { field, initial } of plan.machines) {
    row.set(field, initial);
    note(work, statementId.states(resource, field, 'initial'), 'done');
  }
  give(work, plan, ['create'], row, false);
  for (const { name, otherwise } of plan.columns)
    if (otherwise && !given.has(name)) {
      row.set(name, compared(otherwise, scopeOfRow(work, null)));
      note(work, statementId.field(resource, name), 'otherwise');
    }
  for (const { name, sequence } of plan.columns) if (sequence) number(work, row, name, sequence.per);
  give(work, plan, ['create'], row, true);
  store(work, plan, row, 'create', true);
  work.happened.push({ what: 'created', row, by: null });
  record(work, row, 'created', null);
  return row;
}

/** Records a change of a row as a row of another resource, where the document says so. */
export function record(
  work: Transaction,
  row: OracleRow,
  action: AuditAction,
  before: ReadonlyMap<string, Value> | null,
): void {
  const entry = entryOf(work, { action, row, before, after: action === 'removed' ? null : row.values });
  if (entry) create(work, entry.entries, entry.given).tells = entry.tells;
}

/** Changes a row. Without values, only the fields that the document sets on change are changed. */
export function change(work: Transaction, row: OracleRow, given: ReadonlyMap<string, Value>): void {
  mustBeThere(work, row);
  remember(work, row);
  const before = new Map(row.values);
  for (const [field, value] of given) row.set(field, value);
  rewrite(work, row, 'change', before);
  record(work, row, 'changed', before);
}

/** Moves a row by a transition, if its state and the guard let it. */
export function move(
  work: Transaction,
  row: OracleRow,
  name: string,
  react: React,
  given: ReadonlyMap<string, Value> = new Map(),
): void {
  const plan = work.rows.plan(row.resource);
  const transition = transitionIn(plan.machines, name);
  const state = row.get(transition.field);
  const key = statementId.transition(row.resource, name);
  if (!transition.from.includes(String(state))) {
    note(work, key, `refused from ${state}`);
    throw byCode(transition.code, key);
  }
  if (transition.guard) {
    const passes = holds(transition.guard, scopeOfRow(work, row));
    note(work, key, `guard ${passes}`);
    if (!passes) throw byCode(transition.code, key);
  }
  note(work, key, `from ${state}`);
  put(work, row, transition, react, given);
}

/** Puts a row into the state that a transition leads to, and does what follows. */
export function put(
  work: Transaction,
  row: OracleRow,
  { name, field, to, then }: ReturnType<typeof transitionIn>,
  react: React,
  given: ReadonlyMap<string, Value> = new Map(),
): void {
  mustBeThere(work, row);
  remember(work, row);
  const before = new Map(row.values);
  for (const [field, value] of given) row.set(field, value);
  row.set(field, to);
  rewrite(work, row, name, before);
  work.happened.push({ what: 'moved', row, by: name });
  record(work, row, 'changed', before);
  react(work, row, then);
}

function mustBeThere(work: Transaction, row: OracleRow): void {
  if (!work.rows.has(row)) throw byCondition('conflict');
}

/**
 * Records the values that a row had before this transaction, at its first change; not for a row that the transaction
 * has created.
 */
function remember(work: Transaction, row: OracleRow): void {
  const made = work.happened.some((one) => one.what === 'created' && one.row === row);
  if (made || work.before.has(row)) return;
  work.before.set(row, new Map(row.values));
  work.happened.push({ what: 'changed', row, by: null });
}

function rewrite(work: Transaction, row: OracleRow, moment: string, before: ReadonlyMap<string, Value>): void {
  const plan = work.rows.plan(row.resource);
  row.revision += 1;
  give(work, plan, [moment], row, false);
  if (moment !== 'change') give(work, plan, ['change'], row, false);
  for (const { name, sequence } of plan.columns) {
    const per = sequence?.per ?? null;
    if (per !== null && !sameValue(before.get(per) ?? null, row.get(per))) number(work, row, name, per);
  }
  give(work, plan, [moment, 'change'], row, true);
  store(work, plan, row, moment, false);
}

/**
 * Sets the fields whose value the document states for moments, such as `create` or a transition. `own`: those whose
 * value reads other fields of the row, or the others.
 */
function give(work: Transaction, plan: ResourcePlan, moments: readonly string[], row: OracleRow, own: boolean): void {
  for (const one of plan.givings)
    if (moments.includes(one.moment) && readsOwnRow(one) === own) {
      if (own) settleSets(work, plan, row);
      row.set(one.field, compared(one.value, scopeOfRow(work, own ? row : null)));
      note(work, statementId.field(plan.name, one.field), 'given');
    }
}

/** Sets have their order, and no repetitions, before another value of the row reads them. */
function settleSets(work: Transaction, { columns }: ResourcePlan, row: OracleRow): void {
  for (const { name, rule } of columns) {
    const value = row.get(name);
    if (rule.kind !== 'set' || value === null || isMarked(value)) continue;
    const checked = work.checks.computed(rule)(value);
    if ('value' in checked) row.set(name, checked.value);
  }
}

/** Gives a field the next number of its sequence. */
function number(work: Transaction, row: OracleRow, field: string, per: string | null): void {
  const of = per === null ? '' : ` ${JSON.stringify(row.get(per))}`;
  row.set(field, work.rows.next(`${row.resource}.${field}${of}`));
  note(work, statementId.field(row.resource, field), 'given');
}

/**
 * Stores a row. Fails if one of its values is not allowed, whatever its source, or if the row breaks a rule that
 * concerns single rows.
 */
function store(work: Transaction, plan: ResourcePlan, row: OracleRow, moment: string, inserting: boolean): void {
  for (const { name, nullable, rule, reference, password } of plan.columns) {
    const value = row.get(name);
    if (value === null && !nullable) throw new Failure(`${plan.name}.${name} was given no value`);
    // A row of the oracle has bytes themselves in the column for their identity.
    if (value === null || reference !== null || password || fieldOfColumn(name) !== null) continue;
    // A value that the implementation will draw is not known yet.
    if (isMarked(value)) {
      const isFault = (one: Value): boolean => one === null || 'fault' in work.checks.computed(rule)(one);
      if (hasComputed(value) && work.draws.samplesOf(value).every(isFault))
        throw new Failure(`${plan.name}.${name} was given a value that is not allowed`);
      continue;
    }
    const checked = work.checks.computed(rule)(value);
    if ('fault' in checked) throw new Failure(`${plan.name}.${name} was given a value that is ${checked.fault}`);
    row.set(name, checked.value);
  }
  setDues(work, row, moment);
  referencesMustBeThere(work, plan, row);
  mustBeUnique(work, plan, row, inserting);
  if (inserting) work.rows.add(row);
}

function referencesMustBeThere(work: Transaction, plan: ResourcePlan, row: OracleRow): void {
  for (const { name, reference, references } of plan.columns) {
    const held = row.get(name) ?? null;
    const targets = references === undefined ? [held] : ((held ?? []) as readonly Value[]);
    for (const [i, target] of targets.entries()) {
      const of = references ?? reference;
      if (of === null || target === null || work.rows.byIdentity(of, target)) continue;
      const at = references === undefined ? '' : `/${i}`;
      const fault = { place: 'pointer', name: `/${name}${at}`, code: 'reference_unknown' } as const;
      throw byCondition(work.plan.errors.conditions['reference unknown'] ? 'reference unknown' : 'conflict', {
        faults: [fault],
      });
    }
  }
}

/** The value of a field that points at a removed row, without the reference to it. */
const without = (held: Value | undefined, removed: Value): Value =>
  Array.isArray(held) ? (held.filter((item: Value) => !sameValue(item, removed)) as Value) : null;

const pointsAt = (held: Value | undefined, identity: Value): boolean =>
  Array.isArray(held) ? held.some((item: Value) => sameValue(item, identity)) : sameValue(held ?? null, identity);

/** The values of a row that a unique rule compares. */
export const uniqueKey = (
  { fields, ignoringCase }: Pick<UniquePlan, 'fields' | 'ignoringCase'>,
  row: { get(field: string): Value | undefined },
): Value[] =>
  fields.map((field) => {
    const value = row.get(field) ?? null;
    return typeof value === 'string' && ignoringCase.includes(field) ? foldCase(value) : value;
  });

/** Notes the single field in which the values of a kept row differ from those of another row. */
function noteNearTwins(
  work: Transaction,
  statement: StatementId,
  { fields }: UniquePlan,
  own: Value[],
  others: Value[][],
): void {
  if (fields.length === 1) return;
  for (const theirs of others) {
    const different = fields.filter((_, i) => !sameValue(own[i] ?? null, theirs[i] ?? null));
    if (different.length === 1) note(work, statement, `kept with another ${different[0]}`);
  }
}

/** Whether values of a unique rule are those of another row if short random text in them is. */
const mayBeDrawnTwice = (own: readonly Value[], theirs: readonly Value[]): boolean =>
  own.some(hasShortRandom) &&
  own.every((one, i) => hasShortRandom(one) || hasShortRandom(theirs[i] ?? null) || sameValue(one, theirs[i] ?? null));

/** The unique rules in the order of the document; a duplicate identity has no code of its own. */
function mustBeUnique(work: Transaction, plan: ResourcePlan, row: OracleRow, inserting: boolean): void {
  const others = work.rows.all(plan.name).filter((other) => other !== row);
  for (const [i, rule] of plan.uniques.entries()) {
    const counts = (one: OracleRow): boolean => rule.condition === null || holds(rule.condition, scopeOfRow(work, one));
    const own = uniqueKey(rule, row);
    if (own.includes(null) || !counts(row)) continue;
    const key = statementId.rule(plan.name, 'unique', i);
    const keys = others.map((other) => uniqueKey(rule, other));
    const alike = others.filter((_, at) => areSame(work.draws, keys[at] ?? null, own));
    const twins = alike.filter(counts);
    note(work, key, twins.length > 0 ? 'refused' : 'kept');
    if (twins.length === 0) {
      const isOpen = keys.some((theirs, at) => mayBeDrawnTwice(own, theirs) && counts(others[at] ?? row));
      if (
        isOpen &&
        work.draws.taken(
          `twice ${marksIn(own)
            .map((one) => work.draws.keyOf(one))
            .join()}`,
          false,
        )
      )
        throw byCode(rule.code, key);
      if (alike.length > 0) note(work, key, 'kept beside one that does not count');
      noteNearTwins(work, key, rule, own, keys);
      continue;
    }
    const isSame = (other: OracleRow): boolean =>
      rule.fields.every((field) => sameValue(other.get(field), row.get(field)));
    if (!twins.some(isSame)) note(work, key, 'refused in other letters');
    throw byCode(rule.code, key);
  }
  const same = (other: OracleRow): boolean => areSame(work.draws, work.rows.identity(other), work.rows.identity(row));
  if (inserting && others.some(same)) throw byCondition('conflict');
}

/** Removes a row, with the rows that are removed with it, unless a remaining row prevents it. */
export function remove(work: Transaction, row: OracleRow): void {
  const { rows } = work;
  mustBeThere(work, row);
  const leaving: OracleRow[] = [];
  const pointing = ({ resource, field }: { resource: string; field: string }, at: OracleRow): OracleRow[] =>
    rows.all(resource).filter((other) => pointsAt(other.get(field), rows.identity(at)));
  const met = new Set<OracleRow>();
  const gather = (one: OracleRow): void => {
    if (met.has(one)) return;
    met.add(one);
    for (const rule of rows.plan(one.resource).takes)
      for (const other of pointing(rule, one)) {
        note(work, statementId.reference(rule.resource, rule.field), 'removed');
        gather(other);
      }
    leaving.push(one);
  };
  gather(row);
  for (const one of leaving)
    for (const rule of rows.plan(one.resource).keptBy) {
      const key = statementId.reference(rule.resource, rule.field);
      if (pointing(rule, one).every((other) => met.has(other))) continue;
      note(work, key, 'kept');
      throw byCode(rule.code, key);
    }
  const before = rows.copy();
  for (const one of leaving) work.happened.push({ what: 'removed', row: one, by: null, rows: before });
  for (const one of leaving) record(work, one, 'removed', one.values);
  for (const one of leaving)
    for (const rule of rows.plan(one.resource).clears)
      for (const other of pointing(rule, one)) {
        if (met.has(other)) continue;
        note(work, statementId.reference(rule.resource, rule.field), 'cleared');
        change(work, other, new Map([[rule.field, without(other.get(rule.field), rows.identity(one))]]));
      }
  for (const one of leaving) {
    rows.remove(one);
    forgetNumbers(work, one);
  }
}

/** Removes the counters of a row with the row: another row of the same identity begins at 1. */
function forgetNumbers({ rows }: Transaction, row: OracleRow): void {
  for (const sequence of rows.plan(row.resource).counted)
    rows.numbers.delete(`${sequence} ${JSON.stringify(rows.identity(row))}`);
}

/**
 * Checks the rules of all rows at the end of a transaction that has changed rows. Throws the refusal of a broken rule.
 */
export function mustHold(work: Transaction): void {
  if (work.happened.length === 0) return;
  const touched = new Set(work.happened.map(({ row }) => row));
  for (const plan of work.plan.resources) {
    if (plan.holds.length + plan.overlaps.length === 0) continue;
    const rows = work.rows.all(plan.name);
    for (const [i, rule] of plan.holds.entries()) {
      const key = statementId.rule(plan.name, 'holds', i);
      const others = work.compiled.lookedAt(rule.test);
      const isOfRow = others !== null && work.happened.every(({ row }) => !others.has(row.resource));
      // A rule that reads only its own row still holds for rows that have not changed.
      const concerned = isOfRow ? rows.filter((row) => touched.has(row)) : rows;
      const broken = concerned.some((row) => !holds(rule.test, scopeOfRow(work, row)));
      if (broken) note(work, key, 'refused');
      else if (rows.some((row) => touched.has(row))) note(work, key, 'kept');
      if (broken) throw byCode(rule.code, key);
    }
    for (const [i, rule] of plan.overlaps.entries()) {
      const key = statementId.rule(plan.name, 'overlap', i);
      const own = rows.filter((row) => touched.has(row));
      const broken = own.some((a) => rows.some((b) => a !== b && overlap(work, rule, a, b)));
      if (own.length) note(work, key, broken ? 'refused' : 'kept');
      if (broken) throw byCode(rule.code, key);
    }
  }
}

/** True if two rows that a rule keeps apart share anything between their ends. */
function overlap(work: Transaction, rule: ResourcePlan['overlaps'][number], a: OracleRow, b: OracleRow): boolean {
  if (!rule.by.every((field) => sameValue(a.get(field), b.get(field)))) return false;
  const scopes = [a, b].map((row) => scopeOfRow(work, row));
  if (rule.condition && !scopes.every((scope) => rule.condition && holds(rule.condition, scope))) return false;
  const [from, to] = [rule.start, rule.end].map((end) => scopes.map((scope) => evaluate(end, scope)));
  const ends = [from?.[0], to?.[0], from?.[1], to?.[1]];
  if (ends.some((end) => end === null || end === undefined)) return false;
  const [aFrom, aTo, bFrom, bTo] = ends as [number, number, number, number];
  return aFrom < aTo && bFrom < bTo && aFrom < bTo && bFrom < aTo;
}
