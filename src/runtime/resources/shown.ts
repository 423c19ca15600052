import type { Lowering } from '../../expression/lower.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { rowOf, scalarKindOf, type Type } from '../../expression/tree/types.ts';
import type { Frame, Row, Value } from '../../expression/values/value.ts';
import { objectWriter } from '../../http/nested-json.ts';
import { named } from '../../plan/named.ts';
import type { ResourcePlan, ViewMember, WirePlan } from '../../plan/step.ts';
import { wordFor } from '../../plan/words.ts';
import { type Argument, call, type Program, type Statement, type Store } from '../../store/store.ts';
import { mapWriter, valueWriter, type WriteValue } from '../../validation/wire.ts';
import type { ApiVersion } from '../context/request-context.ts';
import { type Expressions, NO_NAMES } from '../expressions/layout.ts';
import { wordsOfType } from '../versioning/words.ts';
import type { CachedJson } from './cached-json.ts';

/** The dependencies of views. */
export interface ShowContext {
  readonly store: Store;
  readonly expressions: Expressions;
  readonly wire: WirePlan;
  /** The document's current version. */
  readonly current: ApiVersion;
  resource(name: string): ResourcePlan;
  /** Returns the cached JSON of a resource's rows in their own form; null where none is kept. */
  cachedJson(resource: string): CachedJson | null;
}

/** Writes a value as JSON in one version; null where it is left out. */
type Write = (value: Value) => string | null;

interface Member {
  readonly field: string;
  /** Reads the member from a row, or from the values that the store has computed of it. */
  readonly value: (frame: Frame) => Value;
  readonly type: Type;
  readonly view: ViewMember['view'];
}

interface ViewQuery {
  readonly statement: Statement;
  readonly args: (frame: Frame) => Argument[];
}

/** Reads a member of a view, and records a derived field without a result. */
export function noted<From>(
  read: (from: From) => Value,
  resource: string,
  member: ViewMember,
  { expressions }: ShowContext,
): (from: From) => Value {
  const { missing, results } = expressions;
  const lowered = expressions.lowering().lower(member.value);
  if (lowered.type.nullable || !results.lacks(lowered)) return read;
  const field = `${resource}.${member.field}`;
  return (from) => {
    const given = read(from) ?? null;
    if (given === null) missing.note(field);
    return given;
  };
}

/** One form in which rows of a resource are shown: the values that the store computes for it, and its writer. */
export class View {
  /** Expressions that the store computes for each row, in the order of their results. */
  readonly also: readonly Expr[];
  private readonly resource: string;
  private readonly members: readonly Member[];
  private readonly c: ShowContext;
  private readonly writers = new Map<string, (frame: Frame) => string>();
  private readonly one: ViewQuery | null;
  private readonly many: ViewQuery | null;
  private readonly cachedJson: CachedJson | null;

  constructor(resource: string, name: string, c: ShowContext) {
    const also: Expr[] = [];
    const lowering = c.expressions.lowering();
    this.c = c;
    this.resource = resource;
    this.members = membersOf(resource, name, c).map((member): Member => {
      const lowered = shownAs(lowering.lower(member.value), member.view, lowering, c);
      const shown = c.expressions.compileShown(lowered, NO_NAMES, also) as Member['value'];
      const value = noted(shown, resource, member, c);
      return { field: member.field, value, type: lowered.type, view: member.view };
    });
    this.also = also;
    this.cachedJson = name === resource ? c.cachedJson(resource) : null;
    const asked = (many: boolean): ViewQuery => {
      const statement = c.store.prepare({ kind: 'shown', resource, also, many });
      return { statement, args: c.expressions.parameters(statement, NO_NAMES) };
    };
    this.one = also.length ? asked(false) : null;
    this.many = also.length ? asked(true) : null;
  }

  /** Writes a row, after a query for the values that the store computes. */
  *write(row: Row, frame: Frame, apiVersion: ApiVersion): Program<string> {
    const { expressions } = this.c;
    if (!this.one) return this.written(row, [], frame, apiVersion);
    const id = row[expressions.identity(this.resource)]!;
    const found = (yield* call(this.one.statement, [...this.one.args(frame), id]))[0];
    return this.written(row, found?.slice(1) ?? [], frame, apiVersion);
  }

  /** Writes several rows as a JSON array. */
  *writeAll(rows: readonly Row[], frame: Frame, apiVersion: ApiVersion): Program<string> {
    const { expressions } = this.c;
    const extras = new Map<Value, Row>();
    const identity = expressions.identity(this.resource);
    if (this.many && rows.length) {
      const ids = rows.map((row) => row[identity] as Value);
      const found = yield* call(this.many.statement, [...this.many.args(frame), JSON.stringify(ids)]);
      for (const row of found) extras.set(row[0]!, row.slice(1));
    }
    const items = rows.map((row) => this.written(row, extras.get(row[identity]!) ?? [], frame, apiVersion));
    return `[${items.join(',')}]`;
  }

  /** Writes a row with the values that the store has computed; returns its cached JSON if there is one. */
  written(row: Row, extra: readonly Value[], frame: Frame, apiVersion: ApiVersion): string {
    const cached = this.cachedJson?.of(row, apiVersion.version);
    if (cached) return cached;
    return this.reading(row, extra, frame, this.writer(apiVersion));
  }

  /** Calls a function that reads members of a row from the frame. */
  reading<T>(row: Row, extra: readonly Value[], frame: Frame, read: (frame: Frame) => T): T {
    const before = frame.row;
    const results = frame.results;
    frame.row = row;
    frame.results = extra as Value[];
    const value = read(frame);
    frame.row = before;
    frame.results = results;
    return value;
  }

  /** Compiles the writers of single members, by the members that lead to them; null for those that a version lacks. */
  cells(
    paths: ReadonlyArray<readonly string[]>,
    apiVersion: ApiVersion,
  ): Array<{ readonly name: string; readonly write: (frame: Frame) => string | null } | null> {
    return paths.map(([first, ...rest]) => {
      const member = this.members.find(({ field }) => field === first)!;
      const name = apiVersion.wire(this.resource, member.field);
      const inner = cellWriter(member.type, member.view, rest, apiVersion, this.c);
      if (name === null || !inner) return null;
      const write = (frame: Frame): string | null => inner.write(member.value(frame));
      return { name: [name, ...inner.names].join('.'), write };
    });
  }

  private writer(apiVersion: ApiVersion): (frame: Frame) => string {
    const known = this.writers.get(apiVersion.version);
    if (known) return known;
    const made = this.compile(apiVersion);
    this.writers.set(apiVersion.version, made);
    return made;
  }

  private compile(apiVersion: ApiVersion): (frame: Frame) => string {
    const members = this.members.flatMap((member) => {
      const name = apiVersion.wire(this.resource, member.field);
      if (name === null) return [];
      const write = typeWriter(member.type, member.view, apiVersion, this.c);
      return [{ name, write: (frame: Frame) => write(member.value(frame)) }];
    });
    return objectWriter(members);
  }
}

/** Returns the members of a view. */
export function membersOf(resource: string, view: string, c: ShowContext): readonly ViewMember[] {
  return named(c.resource(resource).views, view).members;
}

/** Returns a lowered value in which each row is replaced by the tuple of its view's members. */
export function shownAs(lowered: Expr, view: ViewMember['view'], lowering: Lowering, c: ShowContext): Expr {
  if (!view) return lowered;
  const tuple = (row: Expr): Expr => {
    const members = membersOf(view.resource, view.name, c);
    const items = members.map((one) => shownAs(lowering.of(row, one.value), one.view, lowering, c));
    return { op: 'tuple', items, type: { kind: 'tuple', of: items.map((item) => item.type), nullable: true } };
  };
  return withRows(lowered, tuple, lowering);
}

/** Returns a value with a tuple in place of each row. */
function withRows(value: Expr, tuple: (row: Expr) => Expr, lowering: Lowering): Expr {
  const { type } = value;
  if (type.kind === 'row') {
    const made = lowering.through(value, tuple, { kind: 'tuple', of: [], nullable: true });
    return { ...made, type: made.value!.type };
  }
  if (type.kind !== 'list') return value;
  if (value.op === 'query') {
    const row: Expr = { op: 'name', name: value.row, type: rowOf(value.resource) };
    const item = value.value === null ? tuple(row) : withRows(value.value, tuple, lowering);
    return { ...value, value: item, type: { kind: 'list', of: item.type, nullable: false } };
  }
  const name = lowering.item();
  const item = withRows({ op: 'name', name, type: type.of }, tuple, lowering);
  const list: Type = { kind: 'list', of: item.type, nullable: type.nullable };
  return { op: 'each', macro: 'map', list: value, name, body: item, type: list };
}

/** Compiles how a value of a type is written, in one version. */
export function typeWriter(type: Type, view: ViewMember['view'], apiVersion: ApiVersion, c: ShowContext): Write {
  const missing = c.wire.missing === 'null' ? 'null' : null;
  const write = presentWriter(type, view, apiVersion, c);
  return (value) => (value === null || value === undefined ? missing : write(value));
}

/** Compiles the writer of a member inside a shown row, by the members that lead to it; null where a version lacks one. */
function cellWriter(
  type: Type,
  view: ViewMember['view'],
  [first, ...rest]: readonly string[],
  apiVersion: ApiVersion,
  c: ShowContext,
): { readonly names: readonly string[]; readonly write: Write } | null {
  if (first === undefined) return { names: [], write: typeWriter(type, view, apiVersion, c) };
  if (type.kind !== 'tuple' || !view) throw new Error(`No row is shown before ${first}`);
  const members = membersOf(view.resource, view.name, c);
  const at = members.findIndex(({ field }) => field === first);
  const name = apiVersion.wire(view.resource, first);
  const inner = cellWriter(type.of[at]!, members[at]!.view, rest, apiVersion, c);
  if (name === null || !inner) return null;
  const read = noted((values: readonly Value[]) => values[at]!, view.resource, members[at]!, c);
  const write: Write = (value) =>
    value === null || value === undefined ? null : inner.write(read(value as unknown as readonly Value[]));
  return { names: [name, ...inner.names], write };
}

function presentWriter(type: Type, view: ViewMember['view'], apiVersion: ApiVersion, c: ShowContext): WriteValue {
  if (type.kind === 'list') {
    // A row that the caller can't see is left out; another item without a value is treated like a missing member.
    const row = type.of.kind === 'row' || type.of.kind === 'tuple';
    const item = row
      ? presentOnly(presentWriter(type.of, view, apiVersion, c))
      : typeWriter(type.of, view, apiVersion, c);
    return (value) => {
      const items = (value as unknown as readonly Value[]).map(item);
      return `[${items.filter((one) => one !== null).join(',')}]`;
    };
  }
  if (type.kind === 'map') return mapWriter(typeWriter(type.of, view, apiVersion, c));
  if (type.kind === 'tuple' && view) {
    const members = membersOf(view.resource, view.name, c).flatMap((member, i) => {
      const name = apiVersion.wire(view.resource, member.field);
      if (name === null) return [];
      const write = typeWriter(type.of[i]!, member.view, apiVersion, c);
      const read = noted((values: readonly Value[]) => values[i]!, view.resource, member, c);
      return [{ name, write: (values: readonly Value[]) => write(read(values)) }];
    });
    const write = objectWriter(members);
    return (value) => write(value as unknown as readonly Value[]);
  }
  if (type.kind === 'object') {
    const members = Object.entries(type.members).map(([name, of], i) => {
      const write = typeWriter(of, null, apiVersion, c);
      return { name, write: (values: readonly Value[]) => write(values[i]!) };
    });
    const write = objectWriter(members);
    return (value) => write(value as unknown as readonly Value[]);
  }
  const scale = type.kind === 'decimal' ? type.scale : null;
  const write = valueWriter({ kind: scalarKindOf(type) ?? 'text', scale, items: null }, c.wire);
  const words = wordsOfType(type, apiVersion);
  return words ? (value) => write(wordFor(words, value as string)) : write;
}

const presentOnly =
  (write: WriteValue): Write =>
  (value) =>
    value === null ? null : write(value);
