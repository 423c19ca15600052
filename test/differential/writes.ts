import type { Model } from '../../src/model/model.ts';
import type { Resource } from '../../src/parts/resources/model.ts';
import type { Machine, Transition } from '../../src/parts/states/model.ts';
import { evaluate, resourceOf, type Scope } from './evaluate.ts';
import { condition, refusal } from './refusal.ts';
import { identityName, type Row, type Rows } from './rows.ts';
import { checkJson, kindOf } from './validate.ts';
import { Failure, Instant, Ref, same, type Val } from './value.ts';

/** A transaction under way: its rows are a copy that takes the place of the others if it ends well. */
export interface Doing {
  readonly model: Model;
  readonly rows: Rows;
  readonly now: number;
  readonly version: string;
  readonly uuid: () => string;
  /** `caller`, `scopes`, `request`, `query`, `path` and what steps have named. */
  readonly names: Map<string, Val>;
}

/** The scope of an expression in a transaction. */
export function scopeOf(doing: Doing, row: Ref | null, sighted: boolean): Scope {
  return { ...doing, row, sighted };
}

/** The states of a resource, if it has any. */
export function machineOf(model: Model, resource: string): Machine | null {
  return model.states.machines.find((one) => one.resource.text === resource) ?? null;
}

/** Creates a row from the values given; what was not given at all gets what the document states. */
export function create(doing: Doing, name: string, given: ReadonlyMap<string, Val>): Ref {
  const resource = resourceOf(doing, name);
  const values = new Map<string, Val>(resource.fields.map((field) => [field.name.text, null]));
  for (const [field, value] of given) values.set(field, value);
  const machine = machineOf(doing.model, name);
  if (machine) values.set(machine.field.text, machine.initial!.text);
  give(doing, resource, 'create', values);
  for (const field of resource.fields)
    for (const giving of field.givenBy!.value)
      if (giving.from === 'request' && giving.otherwise && !given.has(field.name.text))
        values.set(field.name.text, evaluate(giving.otherwise.text, scopeOf(doing, null, false)));
  const ref = doing.rows.add(name, values);
  written(doing, resource, ref);
  return ref;
}

/** Changes a row. With no values given, it is touched: only what is given on change changes. */
export function change(doing: Doing, ref: Ref, given: ReadonlyMap<string, Val>): void {
  const resource = resourceOf(doing, ref.resource);
  const row = doing.rows.get(ref);
  for (const [field, value] of given) row.values.set(field, value);
  row.revision += 1;
  give(doing, resource, 'change', row.values);
  written(doing, resource, ref);
}

/** Moves a row, if its state and the guard let it. */
export function move(doing: Doing, ref: Ref, name: string): void {
  const machine = machineOf(doing.model, ref.resource)!;
  const transition = machine.transitions.find((one) => one.name.text === name)!;
  const state = doing.rows.get(ref).values.get(machine.field.text);
  const when = transition.when!.value;
  const allowed =
    transition.from.some((from) => from.text === state) &&
    (when.kind !== 'guard' || evaluate(when.test.text, scopeOf(doing, ref, false)) === true);
  const { value: otherwise } = transition.otherwise!;
  if (!allowed) throw refusal(otherwise === 'none' ? null : otherwise.text);
  put(doing, ref, machine, transition);
}

/** Puts a row into the state that a transition leads to. */
export function put(doing: Doing, ref: Ref, machine: Machine, transition: Transition): void {
  const resource = resourceOf(doing, ref.resource);
  const row = doing.rows.get(ref);
  row.values.set(machine.field.text, transition.to!.text);
  row.revision += 1;
  give(doing, resource, transition.name.text, row.values);
  give(doing, resource, 'change', row.values);
  written(doing, resource, ref);
}

/** Removes a row that nothing keeps. */
export function remove(doing: Doing, ref: Ref): void {
  for (const holder of doing.model.resources.list)
    for (const rule of holder.keeps)
      for (const { text: field } of rule.fields)
        for (const other of doing.rows.all(holder.name.text))
          if (same(doing.rows.get(other).values.get(field)!, ref)) throw refusal(rule.code?.text ?? null);
  doing.rows.remove(ref);
}

/** Gives fields what the document says of a moment. */
function give(doing: Doing, resource: Resource, moment: string, values: Map<string, Val>): void {
  const scope = scopeOf(doing, null, false);
  for (const field of resource.fields)
    for (const giving of field.givenBy!.value)
      if (giving.from === 'moment' && giving.moment.text === moment)
        values.set(field.name.text, evaluate(giving.value.text, scope));
}

/** What holds of every row that has been written, whoever wrote it. */
function written(doing: Doing, resource: Resource, ref: Ref): void {
  const row = doing.rows.get(ref);
  for (const field of resource.fields) {
    const path = `${resource.name.text}.${field.name.text}`;
    const value = row.values.get(field.name.text)!;
    if (value === null && field.presence!.value === 'always') throw new Failure(`${path} was given no value`);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const checked = checkJson(doing.model, kindOf(doing.model, resource.name.text, field.name.text), value);
    if ('fault' in checked) throw new Failure(`${path} was given a value that is ${checked.fault}`);
  }
  mustBeUnique(doing, resource, ref);
  fallDue(doing, row, ref);
}

/** The unique rules in the document’s order: columns, then bullets. A duplicate identity has no code of its own. */
function mustBeUnique(doing: Doing, resource: Resource, ref: Ref): void {
  for (const field of resource.fields) {
    const unique = field.unique!.value;
    if (unique.kind === 'yes' && hasTwin(doing, ref, [field.name.text], null)) throw refusal(unique.code?.text ?? null);
  }
  for (const rule of resource.uniques) {
    const fields = rule.fields.map((field) => field.text);
    if (hasTwin(doing, ref, fields, rule.condition?.text ?? null)) throw refusal(rule.code?.text ?? null);
  }
  if (hasTwin(doing, ref, [identityName(resource)], null)) throw condition('conflict');
}

/** True if another row has the same values; null is none. */
function hasTwin(doing: Doing, ref: Ref, fields: readonly string[], test: string | null): boolean {
  const counts = (one: Ref): boolean => test === null || evaluate(test, scopeOf(doing, one, false)) === true;
  const valuesOf = (one: Ref): Val[] => fields.map((field) => doing.rows.get(one).values.get(field)!);
  const own = valuesOf(ref);
  if (own.includes(null) || !counts(ref)) return false;
  const others = doing.rows.tables.get(ref.resource)!.filter((row) => row.key !== ref.key);
  return others
    .map((row) => new Ref(ref.resource, row.key))
    .some((other) => valuesOf(other).every((value, i) => same(value, own[i]!)) && counts(other));
}

/** Sets when a row moves by itself. An instant that is past already when the row comes to hold it fires nothing. */
function fallDue(doing: Doing, row: Row, ref: Ref): void {
  const machine = machineOf(doing.model, ref.resource);
  for (const { name, from, when } of machine?.transitions ?? []) {
    if (when!.value.kind !== 'after') continue;
    const { milliseconds, instant } = when!.value;
    const inState = from.some((state) => state.text === row.values.get(machine!.field.text));
    const since = inState ? evaluate(instant.text, scopeOf(doing, ref, false)) : null;
    const due = since instanceof Instant ? since.at + milliseconds : null;
    if (due === null || (due !== row.due.get(name.text) && due <= doing.now)) row.due.delete(name.text);
    else row.due.set(name.text, due);
  }
}
