import type { Json } from '../../export/json.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { showDecimal } from '../../expression/values/decimal.ts';
import { showIsoDuration } from '../../expression/values/duration.ts';
import { unixTime } from '../../expression/values/unix-time.ts';
import type { Value } from '../../expression/values/value.ts';
import { statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { Plan, ShownPlan } from '../../plan/step.ts';
import { type FieldWords, wordFor, wordsIn } from '../../plan/words.ts';
import { standsForText } from './computed.ts';
import { evaluate, sees } from './evaluate.ts';
import { isComputed } from './marks.ts';
import { Failure } from './refusal.ts';
import { OracleRow } from './rows.ts';
import { type Given, note, type Scope } from './scope.ts';

type View = ShownPlan['view'];

/** The name of a field in a version; null where the version does not have the field. */
export function nameIn({ versions }: Plan, version: string, resource: string, field: string): string | null {
  const older = versions?.older.find((one) => one.name === version);
  const name = older?.names[`${resource}.${field}`];
  return name === undefined ? field : name;
}

/** The words of a version for the values of a field; null where they are the values themselves. */
export const wordsAt = ({ versions }: Plan, version: string, field: string): FieldWords | null =>
  wordsIn(
    versions?.older.find((one) => one.name === version),
    field,
  );

/** A value of an answer as JSON; undefined where it is left out. A required value without a result is a failure. */
export function shown({ value, view }: ShownPlan, scope: Scope): Json | undefined {
  const given = evaluate(value, scope);
  if (view === null) mustHaveResult(given, value);
  return written(given, value.type, view, scope);
}

export function mustHaveResult(given: Given, { type }: Expr): void {
  if ((given === null || given === undefined) && !type.nullable && type.kind !== 'row')
    throw new Failure('A value of the answer has no result');
}

/** A value of a type as the wire writes it; undefined where it is left out. */
export function written(given: Given, type: Type, view: View, scope: Scope): Json | undefined {
  const { wire } = scope.work.plan;
  if (isComputed(given) && (type.kind !== 'string' || !standsForText(scope.work.draws, given))) {
    const older = scope.work.plan.versions?.older.find(({ name }) => name === scope.work.version);
    const form = JSON.stringify([type, wire, ...(older?.words ? [older.name] : [])]);
    return scope.work.draws.shown(given, form, (one) => written(one, type, view, scope));
  }
  if (given === null || given === undefined) return wire.missing === 'null' ? null : undefined;
  switch (type.kind) {
    case 'row': {
      const row = view && rowBehind(given, type.resource, scope);
      if (view) return row ? shownRow(row, view, scope) : wire.missing === 'null' ? null : undefined;
      return scalar(given instanceof OracleRow ? scope.work.rows.identity(given) : (given as Value), type, scope);
    }
    case 'list': {
      const items = (given as readonly Given[]).map((item) => written(item, type.of, view, scope));
      const rows = type.of.kind === 'row' && view !== null;
      return items.filter((item): item is Json => item !== undefined && !(rows && item === null));
    }
    case 'map':
      return objectOf(
        [...(given as ReadonlyMap<string, Given>)].map(([key, one]) => [key, written(one, type.of, null, scope)]),
        false,
      );
    case 'object':
      return objectOf(
        Object.entries(type.members).map(([name, of]) => [
          name,
          written((given as ReadonlyMap<string, Given>).get(name), of, null, scope),
        ]),
      );
    default:
      return scalar(given as Value, type, scope);
  }
}

function rowBehind(given: Given, resource: string, scope: Scope): OracleRow | null {
  if (given instanceof OracleRow) return given;
  const row = scope.work.rows.byIdentity(resource, given as Value);
  return row && (!scope.sighted || sees(row, scope)) ? row : null;
}

/** A row in one of its shown forms, with the names of the request's version. */
export function shownRow(row: OracleRow, { resource, name }: NonNullable<View>, scope: Scope): Json {
  const { work } = scope;
  const { views, entriesOf } = work.rows.plan(resource);
  const { members } = named(views, name);
  if (entriesOf !== undefined)
    for (const what of row.tells) note(work, statementId.resource(entriesOf, 'audited'), what);
  note(work, name === resource ? statementId.resource(resource, 'shown') : statementId.view(resource, name), 'shown');
  const own: Scope = { work, names: new Map(), row, sighted: scope.sighted };
  return objectOf(
    members.flatMap(({ field, value, view }): Array<[string, Json | undefined]> => {
      const called = nameIn(work.plan, work.version, resource, field);
      if (called === null) return [];
      const json = written(evaluate(value, own), value.type, view, own);
      note(work, statementId.field(resource, field), json === undefined || json === null ? 'absent' : 'shown');
      return [[called, json]];
    }),
  );
}

/** The name of a member inside shown rows, in the version of the request; null where the version lacks it. */
export function nameOfPath(
  plan: Plan,
  version: string,
  { resource, name }: NonNullable<View>,
  [first = '', ...rest]: readonly string[],
): string | null {
  const own = nameIn(plan, version, resource, first);
  if (own === null || rest.length === 0) return own;
  const { members } = named(named(plan.resources, resource).views, name);
  const inner = members.find(({ field }) => field === first)?.view;
  const below = inner ? nameOfPath(plan, version, inner, rest) : null;
  return below && `${own}.${below}`;
}

/** The value of one member of a shown row, or of a row that is shown inside it; null where there is none. */
export function shownAt(
  row: OracleRow,
  { resource, name }: NonNullable<View>,
  [first = '', ...rest]: readonly string[],
  scope: Scope,
): Json {
  const { work } = scope;
  const { members } = named(work.rows.plan(resource).views, name);
  const member = members.find(({ field }) => field === first);
  if (!member) throw new Error(`${name} shows no ${first}`);
  const own: Scope = { work, names: new Map(), row, sighted: scope.sighted };
  const given = evaluate(member.value, own);
  const inner = rest.length > 0 && member.view && given ? rowBehind(given, member.view.resource, own) : null;
  const json = rest.length === 0 ? (written(given, member.value.type, member.view, own) ?? null) : null;
  note(work, statementId.field(resource, first), json === null && inner === null ? 'absent' : 'shown');
  return inner && member.view ? shownAt(inner, member.view, rest, own) : json;
}

function scalar(value: Value, type: Type, { work }: Scope): Json {
  const { wire } = work.plan;
  switch (type.kind) {
    case 'string': {
      const words = type.owner !== null && type.oneOf ? wordsAt(work.plan, work.version, type.owner) : null;
      if (!words) return value as Json;
      const word = wordFor(words, String(value));
      if (word !== value) note(work, statementId.version(work.version), `${words.field} ${value} as ${word}`);
      return word;
    }
    case 'timestamp': {
      if (wire.timestamps === 'Unix seconds') return unixTime(value as number);
      const text = new Date(value as number).toISOString();
      return wire.timestamps === 'seconds' ? text.replace(/\.\d{3}Z$/, 'Z') : text;
    }
    case 'duration': {
      const cut = wire.durations === 'whole seconds' ? 1000 : 1;
      return showIsoDuration(Math.trunc((value as number) / cut) * cut);
    }
    case 'decimal': {
      const text = showDecimal(value as number, type.scale);
      return wire.decimals?.as === 'numbers' ? Number(text) : text;
    }
    default:
      return value as Json;
  }
}

/** An object of members; dotted names nest, and an object that would be empty is left out. */
export function objectOf(
  members: ReadonlyArray<readonly [string, Json | undefined]>,
  nests = true,
): Record<string, Json> {
  const out: Record<string, Json> = {};
  const put = (name: string, value: Json): void => {
    Object.defineProperty(out, name, { value, enumerable: true, writable: true, configurable: true });
  };
  const deeper = new Map<string, Array<readonly [string, Json | undefined]>>();
  for (const [name, value] of members) {
    const dot = nests ? name.indexOf('.') : -1;
    if (dot >= 0) {
      const first = name.slice(0, dot);
      deeper.set(first, [...(deeper.get(first) ?? []), [name.slice(dot + 1), value]]);
    } else if (value !== undefined) put(name, value);
  }
  for (const [first, inner] of deeper) {
    const object = objectOf(inner);
    if (Object.keys(object).length) put(first, object);
  }
  return out;
}
