/// <reference lib="esnext.temporal" />
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Model } from '../../src/compiler/statements/model.ts';
import type { Field, Resource } from '../../src/compiler/statements/resources.ts';
import type { Machine, Transition } from '../../src/compiler/statements/states.ts';
import type { OverlapRule } from '../../src/language/resources.ts';
import type { When } from '../../src/language/states.ts';
import { record } from './audits.ts';
import { evaluate, evaluateGiven, resourceOf, type Scope } from './evaluate.ts';
import { condition, refusal } from './refusal.ts';
import { identityNames, type Row, type Rows } from './rows.ts';
import { kindOf, recheck } from './validate.ts';
import { Failure, Instant, order, Ref, same, type Val } from './value.ts';

/** A transaction under way: its rows are a copy that takes the place of the others if it ends well. */
export interface Doing {
  readonly model: Model;
  readonly rows: Rows;
  readonly now: number;
  readonly version: string;
  readonly uuid: () => string;
  /** What began the transaction, and the row that called, of which entries of audits tell. */
  readonly cause: 'request' | 'timer' | 'operator';
  readonly caller: Ref | null;
  /** `caller`, `scopes`, `request`, `query`, `path` and what steps have named. */
  readonly names: Map<string, Val>;
  /** Runs the steps that follow from a move. */
  readonly react: (doing: Doing, steps: readonly Step[]) => void;
}

/** The scope of an expression in a transaction. */
export function scopeOf(doing: Doing, row: Ref | null, sighted: boolean): Scope {
  return { ...doing, row, sighted };
}

/** The fields of a resource with states. */
const machinesOf = (model: Model, resource: string): Machine[] =>
  model.states.machines.filter((one) => one.resource.text === resource);

/** A transition of one of the fields of a resource. */
export interface Moving {
  readonly machine: Machine;
  readonly transition: Transition;
}

/** The transitions of all fields of a resource. */
export const movesOf = (model: Model, resource: string): Moving[] =>
  machinesOf(model, resource).flatMap((machine) => machine.transitions.map((transition) => ({ machine, transition })));

/** The transition of a name. */
export const moveOf = (model: Model, resource: string, name: string): Moving =>
  movesOf(model, resource).find(({ transition }) => transition.name.text === name)!;

/** Creates a row from the values given; what was not given at all gets what the document states. */
export function create(doing: Doing, name: string, given: ReadonlyMap<string, Val>): Ref {
  const resource = resourceOf(doing, name);
  const values = new Map<string, Val>(resource.fields.map((field) => [field.name.text, null]));
  for (const [field, value] of given) values.set(field, value);
  for (const machine of machinesOf(doing.model, name)) values.set(machine.field.text, machine.initial!.text);
  give(doing, resource, 'create', values);
  for (const field of resource.fields)
    for (const giving of field.givenBy!.value)
      if (giving.from === 'request' && giving.otherwise && !given.has(field.name.text))
        values.set(field.name.text, evaluate(giving.otherwise.text, scopeOf(doing, null, false)));
  number(doing, resource, values, () => true);
  const ref = doing.rows.add(name, values);
  giveFromRow(doing, resource, ['create'], ref);
  written(doing, resource, ref, 'create');
  record(doing, ref, null, doing.rows.get(ref).values);
  return ref;
}

/** Changes a row. With no values given, it is touched: only what is given on change changes. */
export function change(doing: Doing, ref: Ref, given: ReadonlyMap<string, Val>): void {
  const row = doing.rows.get(ref);
  const before = new Map(row.values);
  for (const [field, value] of given) row.values.set(field, value);
  rewritten(doing, ref, 'change', before);
}

/** Moves a row, if its state and the guard let it. */
export function move(doing: Doing, ref: Ref, name: string, given: ReadonlyMap<string, Val> = new Map()): void {
  const { machine, transition } = moveOf(doing.model, ref.resource, name);
  const state = doing.rows.get(ref).values.get(machine.field.text);
  const when = transition.when!.value;
  const allowed =
    transition.from.some((from) => from.text === state) &&
    (when.kind !== 'guard' || evaluate(when.test.text, scopeOf(doing, ref, false)) === true);
  const { value: otherwise } = transition.otherwise!;
  if (!allowed) throw refusal(otherwise === 'none' ? null : otherwise.text);
  put(doing, ref, { machine, transition }, given);
}

/** Moves a row to a state, by the transition that leads there from where it stands. */
export function moveTo(doing: Doing, ref: Ref, state: string, given: ReadonlyMap<string, Val>): void {
  const { values } = doing.rows.get(ref);
  const leading = movesOf(doing.model, ref.resource).filter(
    ({ transition: { to, when } }) => to!.text === state && ['always', 'guard'].includes(when!.value.kind),
  );
  const { transition } =
    leading.find((one) => one.transition.from.some((from) => from.text === values.get(one.machine.field.text))) ??
    leading[0]!;
  move(doing, ref, transition.name.text, given);
}

/** Puts a row into the state that a transition leads to, and does what follows from that. */
export function put(
  doing: Doing,
  ref: Ref,
  { machine, transition }: Moving,
  given: ReadonlyMap<string, Val> = new Map(),
): void {
  const row = doing.rows.get(ref);
  const before = new Map(row.values);
  const { text: name } = transition.name;
  for (const [field, value] of given) row.values.set(field, value);
  row.values.set(machine.field.text, transition.to!.text);
  row.moved.set(name, doing.now);
  rewritten(doing, ref, name, before);
  for (const reaction of machine.reactions)
    if (reaction.transitions.some(({ text }) => text === name))
      doing.react({ ...doing, names: new Map<string, Val>([['moved', ref]]) }, reaction.steps);
}

function rewritten(doing: Doing, ref: Ref, moment: string, before: ReadonlyMap<string, Val>): void {
  const resource = resourceOf(doing, ref.resource);
  const row = doing.rows.get(ref);
  row.revision += 1;
  give(doing, resource, moment, row.values);
  if (moment !== 'change') give(doing, resource, 'change', row.values);
  giveFromRow(doing, resource, [moment, 'change'], ref);
  number(doing, resource, row.values, (per) => per !== null && !same(before.get(per)!, row.values.get(per)!));
  written(doing, resource, ref, moment);
  record(doing, ref, before, row.values);
}

/** Gives each sequence that counts anew its next number. */
function number(
  doing: Doing,
  resource: Resource,
  values: Map<string, Val>,
  anew: (per: string | null) => boolean,
): void {
  for (const field of resource.fields)
    for (const giving of field.givenBy!.value) {
      if (giving.from !== 'sequence' || !anew(giving.per?.text ?? null)) continue;
      const counted = giving.per ? values.get(giving.per.text) : null;
      const name = `${resource.name.text}.${field.name.text} ${counted instanceof Ref ? counted.key : ''}`;
      const next = (doing.rows.numbers.get(name) ?? 0) + 1;
      doing.rows.numbers.set(name, next);
      values.set(field.name.text, next);
    }
}

/** Removes a row, with those that go with it, if nothing that stays keeps any of them. */
export function remove(doing: Doing, ref: Ref): void {
  const references = pointing(doing.model);
  const met: Ref[] = [];
  const leaving: Ref[] = [];
  const leaves = (one: Ref): boolean => met.some((other) => same(one, other));
  const pointingAt = (holder: string, field: string, one: Ref): Ref[] =>
    doing.rows.all(holder).filter((other) => {
      const held = doing.rows.get(other).values.get(field)!;
      return Array.isArray(held) ? held.some((item) => same(item as Val, one)) : same(held, one);
    });
  const without = (held: Val, one: Ref): Val =>
    Array.isArray(held) ? held.filter((item) => !same(item as Val, one)) : null;
  const gather = (one: Ref): void => {
    if (leaves(one)) return;
    met.push(one);
    for (const { holder, field, removes } of references)
      if (removes) for (const other of pointingAt(holder, field, one)) gather(other);
    leaving.push(one);
  };
  gather(ref);
  for (const one of leaving)
    for (const holder of doing.model.resources.list)
      for (const rule of holder.keeps)
        for (const { text: field } of rule.fields)
          if (!pointingAt(holder.name.text, field, one).every(leaves)) throw refusal(rule.code?.text ?? null);
  for (const one of leaving) record(doing, one, doing.rows.get(one).values, null);
  for (const one of leaving)
    for (const { holder, field, removes } of references)
      for (const other of removes ? [] : pointingAt(holder, field, one))
        if (!leaves(other))
          change(doing, other, new Map([[field, without(doing.rows.get(other).values.get(field)!, one)]]));
  for (const one of leaving) if (doing.rows.has(one)) doing.rows.remove(one);
}

/** The references that end with what they point at, or are cleared, in the order of the document. */
function pointing(model: Model): Array<{ holder: string; field: string; removes: boolean }> {
  return model.resources.list.flatMap((resource) => {
    const rules = [
      ...resource.removedWith.map((rule) => ({ rule, removes: true })),
      ...resource.cleared.map((rule) => ({ rule, removes: false })),
    ].sort((a, b) => a.rule.span.from - b.rule.span.from);
    return rules.flatMap(({ rule, removes }) =>
      rule.fields.map((field) => ({ holder: resource.name.text, field: field.text, removes })),
    );
  });
}

/** Gives fields what the document says of a moment. */
function give(doing: Doing, resource: Resource, moment: string, values: Map<string, Val>): void {
  const scope = scopeOf(doing, null, false);
  for (const field of resource.fields)
    for (const giving of field.givenBy!.value)
      if (giving.from === 'moment' && giving.moment.text === moment && !readsRow(resource, giving.value.text))
        values.set(field.name.text, evaluateGiven(giving.value.text, scope));
}

/** Whether a value reads fields of its row. */
const readsRow = (resource: Resource, text: string): boolean =>
  resource.fields.some(({ name }) => new RegExp(`(?<![\\w."])${name.text}(?![\\w"])`).test(text));

/**
 * Gives fields what follows from other fields of the row. No field follows from itself, so that after as many rounds as
 * there are fields, each follows from what the others are in the end.
 */
function giveFromRow(doing: Doing, resource: Resource, moments: readonly string[], ref: Ref): void {
  const { values } = doing.rows.get(ref);
  const scope = scopeOf(doing, ref, false);
  const given = resource.fields.flatMap((field) =>
    field.givenBy!.value.flatMap((giving) =>
      giving.from === 'moment' && moments.includes(giving.moment.text) && readsRow(resource, giving.value.text)
        ? [{ field: field.name.text, text: giving.value.text }]
        : [],
    ),
  );
  for (const _ of given) for (const { field, text } of given) values.set(field, evaluate(text, scope));
  for (const { field, text } of given) values.set(field, evaluateGiven(text, scope));
}

/** A set holds each of its items once, in their order. */
function asStored({ type }: Field, value: Val, rows: Rows): Val {
  if (type!.value.kind !== 'set' || !Array.isArray(value)) return value;
  const items = value as readonly Val[];
  const inOrder = (a: Val, b: Val): number => (a instanceof Ref && b instanceof Ref ? rows.orderOf(a, b) : order(a, b));
  return items.filter((one, i) => !items.slice(0, i).some((other) => same(other, one))).sort(inOrder);
}

/** What holds of every row that has been written, whoever wrote it. */
function written(doing: Doing, resource: Resource, ref: Ref, moment: string): void {
  const row = doing.rows.get(ref);
  for (const field of resource.fields) {
    const path = `${resource.name.text}.${field.name.text}`;
    const value = asStored(field, row.values.get(field.name.text)!, doing.rows);
    row.values.set(field.name.text, value);
    if (value === null && field.presence!.value === 'always') throw new Failure(`${path} was given no value`);
    if (value === null || value instanceof Ref || typeof value === 'boolean') continue;
    const plain = Array.isArray(value)
      ? value.map((one) => (one instanceof Ref ? doing.rows.identity(one) : (one as Val)))
      : value;
    const checked = recheck(kindOf(doing.model, resource.name.text, field.name.text), plain);
    if ('faults' in checked) throw new Failure(`${path} was given a value that is ${checked.faults[0]!.code}`);
  }
  mustBeUnique(doing, resource, ref);
  fallDue(doing, row, ref, moment);
}

/** The unique rules in the document’s order: columns, then bullets. A duplicate identity has no code of its own. */
function mustBeUnique(doing: Doing, resource: Resource, ref: Ref): void {
  for (const field of resource.fields) {
    const unique = field.unique!.value;
    if (unique.kind !== 'yes') continue;
    const folded = unique.ignoringCase ? [field.name.text] : [];
    if (hasTwin(doing, ref, [field.name.text], folded, null)) throw refusal(unique.code?.text ?? null);
  }
  for (const rule of resource.uniques) {
    const fields = rule.fields.map((field) => field.text);
    const folded = rule.ignoringCase.map((field) => field.text);
    if (hasTwin(doing, ref, fields, folded, rule.condition?.text ?? null)) throw refusal(rule.code?.text ?? null);
  }
  if (hasTwin(doing, ref, identityNames(resource), [], null)) throw condition('conflict');
}

/** True if another row has the same values; null is none. */
function hasTwin(
  doing: Doing,
  ref: Ref,
  fields: readonly string[],
  folded: readonly string[],
  test: string | null,
): boolean {
  const counts = (one: Ref): boolean => test === null || evaluate(test, scopeOf(doing, one, false)) === true;
  const valuesOf = (one: Ref): Val[] =>
    fields.map((field) => {
      const value = doing.rows.get(one).values.get(field)!;
      return typeof value === 'string' && folded.includes(field) ? fold(value) : value;
    });
  const own = valuesOf(ref);
  if (own.includes(null) || !counts(ref)) return false;
  return doing.rows.tables
    .get(ref.resource)!
    .filter((row) => row.key !== ref.key)
    .map((row) => new Ref(ref.resource, row.key))
    .some((other) => valuesOf(other).every((value, i) => same(value, own[i]!)) && counts(other));
}

/** Simple case folding, as far as single characters have one. */
const fold = (text: string): string =>
  [...text]
    .map((one) => {
      const upper = one.toUpperCase();
      return ([...upper].length === 1 ? upper : one).toLowerCase();
    })
    .join('');

/**
 * Sets when a row moves by itself; negative once that instant has come. One that is past already when the row comes to
 * hold it fires nothing, one that is now does.
 */
function fallDue(doing: Doing, row: Row, ref: Ref, moment: string): void {
  for (const { machine, transition } of movesOf(doing.model, ref.resource)) {
    const { name, from, when } = transition;
    const { value } = when!;
    if (value.kind !== 'after' && value.kind !== 'after move') continue;
    const inState = from.some((state) => state.text === row.values.get(machine.field.text));
    const since = inState ? sinceWhen(doing, row, ref, value) : null;
    const due = since === null ? null : endOf(since, value);
    const known = row.due.get(name.text);
    const again = value.kind === 'after move' && value.by.text === moment;
    const over = known !== undefined && known < 0;
    if (due !== null && known !== undefined && Math.abs(known) === due && !again) continue;
    if (due !== null && due >= doing.now) row.due.set(name.text, due);
    else if (!over) row.due.delete(name.text);
  }
}

/** The instant at which the delay of a timed transition ends. */
function endOf(since: number, when: Extract<When, { kind: 'after' | 'after move' }>): number {
  if (!('months' in when)) return since + when.milliseconds;
  const at = Temporal.Instant.fromEpochMilliseconds(since).toZonedDateTimeISO(when.zone?.text ?? '');
  return at.add({ months: when.months }).epochMilliseconds;
}

/** The instant that a timed transition follows; null where there is none. */
function sinceWhen(doing: Doing, row: Row, ref: Ref, when: When): number | null {
  if (when.kind === 'after move') return row.moved.get(when.by.text) ?? null;
  const instant = when.kind === 'after' ? evaluate(when.instant.text, scopeOf(doing, ref, false)) : null;
  return instant instanceof Instant ? instant.at : null;
}

/** What holds of every row whenever a transaction ends; the rules stand in the order of the document. */
export function mustHold(doing: Doing): void {
  for (const resource of doing.model.resources.list) {
    const rules = [...resource.holds, ...resource.overlaps].sort((a, b) => a.span.from - b.span.from);
    for (const rule of rules) {
      const rows = doing.rows.all(resource.name.text);
      const broken =
        'test' in rule
          ? rows.some((ref) => evaluate(rule.test.text, scopeOf(doing, ref, false)) !== true)
          : rows.some((a, i) => rows.slice(i + 1).some((b) => overlap(doing, rule, a, b)));
      if (broken) throw refusal(rule.code?.text ?? null);
    }
  }
}

/** True if two rows that a rule keeps apart share anything between their ends. */
function overlap(doing: Doing, rule: OverlapRule, a: Ref, b: Ref): boolean {
  const of = (ref: Ref, text: string): Val => evaluate(text, scopeOf(doing, ref, false));
  const fieldOf = (ref: Ref, field: string): Val => doing.rows.get(ref).values.get(field)!;
  if (rule.condition && [a, b].some((ref) => of(ref, rule.condition!.text) !== true)) return false;
  if (rule.by.some(({ text }) => !same(fieldOf(a, text), fieldOf(b, text)))) return false;
  const ends = [a, b].map((ref) => [of(ref, rule.start.text), of(ref, rule.end.text)] as const);
  if (ends.flat().includes(null)) return false;
  if (ends.some(([start, end]) => order(start, end) >= 0)) return false;
  return order(ends[0]![0], ends[1]![1]) < 0 && order(ends[1]![0], ends[0]![1]) < 0;
}
