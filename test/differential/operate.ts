import { holdsEntries } from './audits.ts';
import { resourceOf } from './evaluate.ts';
import type { Interpreter } from './interpreter.ts';
import { Refusal } from './refusal.ts';
import { identityName } from './rows.ts';
import { type Checked, checkJson, checkWritten, type Kind, kindOf, targetOf } from './validate.ts';
import { Failure, Ref, type Val } from './value.ts';
import { change, create, type Doing, mustHold, remove } from './writes.ts';

/** A command of the operator. */
export type Command =
  | { readonly do: 'add'; readonly resource: string; readonly fields: ReadonlyMap<string, string | null> }
  | {
      readonly do: 'change';
      readonly resource: string;
      readonly id: string;
      readonly fields: ReadonlyMap<string, string | null>;
    }
  | { readonly do: 'remove'; readonly resource: string; readonly id: string };

/** Carries out a command of the operator under the rules of requests; gives the code of a rule that refuses it. */
export function operate(interpreter: Interpreter, command: Command, now: number): string {
  interpreter.passTime(now);
  const doing: Doing = { ...interpreter.doing(now, new Map()), cause: 'operator' };
  try {
    const done = carryOut(doing, command);
    if (done === null) return 'refused';
    mustHold(doing);
    interpreter.rows = doing.rows;
    return done;
  } catch (error) {
    if (error instanceof Refusal) return error.code ? `refused: ${error.code}` : 'refused';
    if (error instanceof Failure) return 'refused';
    throw error;
  }
}

/** Gives the identity of the row that was added, or says that it is done; null where it is refused. */
function carryOut(doing: Doing, command: Command): string | null {
  // Only changes write entries of an audit.
  if (holdsEntries(doing, command.resource)) return null;
  const values = command.do === 'remove' ? new Map<string, Val>() : valuesOf(doing, command);
  if (values === null) return null;
  if (command.do === 'add') {
    if (!complete(doing, command.resource, values)) return null;
    const own = values.get(identityName(resourceOf(doing, command.resource)));
    if (own !== undefined && doing.rows.byIdentity(command.resource, own)) return null;
    return String(doing.rows.identity(create(doing, command.resource, values)));
  }
  const found = doing.rows
    .all(command.resource)
    .find((ref) => String(doing.rows.identity(ref)) === command.id.toLowerCase());
  if (command.do === 'change' && values.has(identityName(resourceOf(doing, command.resource)))) return null;
  if (!found) return null;
  if (command.do === 'remove') remove(doing, found);
  else change(doing, found, values);
  return 'done';
}

/** The values of a command; null where one is not the operator’s to give, or not allowed. */
function valuesOf(doing: Doing, command: Exclude<Command, { do: 'remove' }>): Map<string, Val> | null {
  const values = new Map<string, Val>();
  for (const [name, text] of command.fields) {
    const field = resourceOf(doing, command.resource).fields.find((one) => one.name.text === name);
    if (!field || !field.givenBy!.value.some((giving) => giving.from === 'operator')) return null;
    if (text === null && field.presence!.value === 'always') return null;
    const checked =
      text === null ? { value: null } : commanded(doing, kindOf(doing.model, command.resource, name), text);
    if ('faults' in checked) return null;
    const type = field.type!.value;
    const items = targetOf(type);
    if (items !== null && checked.value !== null) {
      const found = (checked.value as readonly Val[]).map((one) => doing.rows.byIdentity(items, one));
      if (found.includes(null)) return null;
      values.set(name, found as readonly Val[]);
      continue;
    }
    const target = type.kind === 'reference' && checked.value !== null;
    const own =
      target && type.resource.text === command.resource && command.do === 'add' && isOwn(doing, command, checked.value);
    const found = own
      ? doing.rows.next(command.resource)
      : target && doing.rows.byIdentity(type.resource.text, checked.value);
    const value = target ? found || null : checked.value;
    if (target && !(value instanceof Ref)) return null;
    values.set(name, value);
  }
  return values;
}

/** A value of a command: lists are written as JSON. */
function commanded({ model }: Doing, kind: Kind, text: string): Checked {
  if (kind.type.kind !== 'list' && kind.type.kind !== 'set') return checkWritten(model, kind, text);
  try {
    return checkJson(model, kind, JSON.parse(text));
  } catch {
    return { faults: [] };
  }
}

/** True if a reference is to the row itself that is added. */
function isOwn(doing: Doing, command: Extract<Command, { do: 'add' }>, value: Val): boolean {
  const identity = identityName(resourceOf(doing, command.resource));
  const text = command.fields.get(identity) ?? null;
  if (text === null) return (doing.rows.numbers.get(`${command.resource}.${identity} `) ?? 0) + 1 === value;
  if (doing.rows.byIdentity(command.resource, value)) return false;
  const checked = checkWritten(doing.model, kindOf(doing.model, command.resource, identity), text);
  return 'value' in checked && checked.value === value;
}

/** True if every field that is always present gets a value. */
function complete(doing: Doing, resource: string, values: ReadonlyMap<string, Val>): boolean {
  return resourceOf(doing, resource).fields.every(
    (field) =>
      field.presence!.value === 'optional' ||
      values.has(field.name.text) ||
      field.givenBy!.value.some(
        (giving) =>
          giving.from === 'transitions' ||
          giving.from === 'sequence' ||
          (giving.from === 'moment' && giving.moment.text === 'create'),
      ),
  );
}
