import { hash } from 'node:crypto';
import type { Expr } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { emptyFrame, type Frame, type Row, type Value } from '../../expression/values/value.ts';
import { objectWriter } from '../../http/nested-json.ts';
import { answersOf, shownIn } from '../../plan/answered.ts';
import type { Plan, ViewMember } from '../../plan/step.ts';
import { SHOWN } from '../../store/tables.ts';
import { ownMember } from '../../text/own-members.ts';
import { NO_NAMES } from '../expressions/layout.ts';
import { membersOf, type ShowContext, typeWriter } from './shown.ts';

/** The version of the format: it increases whenever Ninefold writes the JSON of an unchanged document differently. */
const FORMAT = 1;

/** The longest cached JSON: reading a longer one costs as much as writing it anew, and it would fill the file. */
const LONGEST = 4096;

/**
 * The cached JSON of a resource's rows in their own form, in the current version. It is written with the row and stored
 * beside its columns, which remain authoritative. It begins with a tag, a hash of all that it depends on except the
 * row, so that the JSON of another document or release is ignored; the row's revision follows, so that no two texts of
 * a row are equal.
 */
export class CachedJson {
  /** The index of the cached JSON's column. */
  readonly column: number;
  /** The version in which the JSON is written. */
  readonly version: string;
  /** The member name of the identity in the JSON; null where the identity can't be read from it. */
  private readonly identity: string | null;
  private readonly tag: string;
  private readonly revision: number;
  private readonly write: (frame: Frame) => string;
  private readonly frame: Frame;

  private constructor(resource: string, members: readonly OwnMember[], revision: number, c: ShowContext) {
    const { expressions, current } = c;
    this.column = expressions.column(resource, SHOWN);
    this.revision = revision;
    this.version = current.version;
    this.frame = emptyFrame(0, current.version);
    const named = members.flatMap((member) => {
      const name = current.wire(resource, member.field);
      return name === null ? [] : [{ ...member, name }];
    });
    const own = named.find(({ field, value }) => field === c.resource(resource).identity && isPlain(value.type));
    this.identity = own && !own.name.includes('.') ? own.name : null;
    const meaning = [FORMAT, resource, current.version, c.wire, named];
    this.tag = hash('sha256', JSON.stringify(meaning), 'hex').slice(0, 8);
    this.write = objectWriter(
      named.map(({ name, value }) => {
        const read = expressions.compileShown(value, NO_NAMES, []);
        const write = typeWriter(value.type, null, current, c);
        return { name, write: (frame: Frame) => write(read(frame) as never) };
      }),
    );
  }

  /** Returns null where the form of a row depends on more than the row, such as other rows or the caller. */
  static of(resource: string, revision: number, c: ShowContext): CachedJson | null {
    const { columns } = c.resource(resource);
    const members: OwnMember[] = [];
    for (const { field, value, view } of membersOf(resource, resource, c)) {
      const lowered = c.expressions.lowering().lower(value);
      const own = lowered.op === 'get' && lowered.of.op === 'name' && lowered.of.name === 'this';
      const column = own ? columns.find((one) => one.name === lowered.member) : undefined;
      if (view || !column || column.password) return null;
      members.push({ field, value: lowered });
    }
    return members.length ? new CachedJson(resource, members, revision, c) : null;
  }

  /** Returns the JSON to cache with a row, with its tag and revision; null where it is too long. */
  make(row: Row): string | null {
    this.frame.row = row;
    const text = `${this.tag}${row[this.revision]}${this.write(this.frame)}`;
    return text.length > LONGEST ? null : text;
  }

  /** Whether a row's cached JSON was written under this plan. */
  has(row: Row): boolean {
    const text = row[this.column];
    return typeof text === 'string' && text.startsWith(this.tag);
  }

  /** Whether the identity of a row can be read from its JSON. */
  get tellsIdentity(): boolean {
    return this.identity !== null;
  }

  /** Reads the identity of a row from its JSON. */
  identityOf(row: Row): Value {
    return ownMember(JSON.parse(this.of(row, this.version)!) as Record<string, Value>, this.identity!) ?? null;
  }

  /** Returns the cached JSON of a row for answers in a version; null where there is none. */
  of(row: Row, version: string): string | null {
    if (version !== this.version || !this.has(row)) return null;
    const text = row[this.column] as string;
    return text.slice(text.indexOf('{'));
  }
}

/** Whether JSON preserves values of a type. */
const isPlain = ({ kind }: Type): boolean => kind === 'string' || kind === 'integer';

/** A member that is a column of the row. */
interface OwnMember {
  readonly field: string;
  readonly value: Expr;
}

/** Returns the resources whose rows an answer or an event shows in their own form. */
export function shownWhole(plan: Plan): Set<string> {
  const out = new Set<string>();
  const add = (view: ViewMember['view']) => view && view.name === view.resource && out.add(view.resource);
  for (const { body } of plan.endpoints.flatMap(answersOf)) {
    if (body?.kind === 'page') add(body.view);
    for (const { view } of shownIn(body)) add(view);
  }
  for (const { name, events } of plan.resources) for (const { view } of events) add({ resource: name, name: view });
  return out;
}
