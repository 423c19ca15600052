import type { Field, Resource } from '../compiler/statements/resources.ts';
import { RESOURCE } from '../language/resources.ts';
import { nothing } from '../language/statement.ts';
import { isNameOfField, type Located, type Name } from '../syntax/names.ts';
import type { Node } from './node.ts';
import type { Places } from './places.ts';
import { schemaValue, stateSources, type Value } from './value.ts';

/** A schema that is a resource, with what the endpoints need of it. */
export interface Imported {
  readonly resource: Resource;
  readonly schema: Node;
  /** The names of the fields that a request may have: all but those that are `readOnly`. */
  readonly requested: readonly string[];
}

const AT = { from: 0, to: 0 };
export const here = <T>(value: T): Located<T> => ({ value, ...AT });
export const hereIf = <T>(value: T | null): Located<T> | null => (value === null ? null : here(value));
export const named = (text: string): Name => ({ text, ...AT });

/** Makes a resource of the schema of an object. `isShown`: whether an answer has it. */
export function resourceOf(name: string, schema: Node, isShown: boolean, places: Places): Imported {
  const fields = new Fields(name, places);
  fields.add(schema, '', true);
  const shown = fields.all.filter((one) => !one.isWriteOnly);
  const isComplete = isShown && shown.length > 0;
  const requested = fields.all.filter((one) => !one.isReadOnly).map(({ field }) => field.name.text);
  if (isComplete) places.set(schema.pointer, 'resources', name, '- Shown');
  places.set(schema.pointer, 'resources', name);
  return {
    schema,
    requested,
    resource: {
      ...nothing(RESOURCE),
      derived: [],
      views: [],
      uniques: [],
      holds: [],
      overlaps: [],
      removedWith: [],
      cleared: [],
      keeps: [],
      name: { text: name, ...places.span() },
      fields: fields.all.map(({ field }) => field),
      bytes: [],
      shown: isComplete ? here(shown.map(({ field }) => ({ field: field.name, as: null }))) : null,
    },
  };
}

interface Added {
  readonly field: Field;
  readonly isReadOnly: boolean;
  readonly isWriteOnly: boolean;
}

/** Words of CEL, and the row itself: no part of a name. */
const RESERVED: readonly string[] = ['true', 'false', 'null', 'in', 'has', 'this'];

/** The longest name that a document declares, in characters. */
export const LONGEST_NAME = 256;

/** Whether a text can name a field, alone or in an object. */
export const isFieldName = (name: string): boolean =>
  name.length <= LONGEST_NAME && isNameOfField(name) && !name.split('.').some((part) => RESERVED.includes(part));

/** The fields of a resource, one after the other. */
class Fields {
  readonly all: Added[] = [];
  private readonly names = new Set<string>();
  private readonly resource: string;
  private readonly places: Places;

  constructor(resource: string, places: Places) {
    this.resource = resource;
    this.places = places;
  }

  /** Adds the members of an object. `isPresent`: whether the object always is there. */
  add(schema: Node, prefix: string, isPresent: boolean): void {
    for (const member of membersOf(schema)) this.member(`${prefix}${member.name}`, member, isPresent);
  }

  private member(name: string, member: Member, isPresent: boolean): void {
    const { node } = member;
    const isRequired = member.required.length > 0;
    const own = name.split('.').at(-1) ?? '';
    if (own === '' || !isFieldName(name)) {
      node.leave('fieldName');
      return;
    }
    const lower = name.toLowerCase();
    if (this.names.has(lower)) {
      node.leave('duplicateName');
      return;
    }
    const value = schemaValue(node);
    const { object } = value;
    const isPart =
      object !== null && !object.isNamed && name.split('.').length < 5 && membersOf(object.schema).length > 0;
    if (object && isPart) {
      const before = this.all.length;
      this.add(object.schema, `${name}.`, isPresent && isRequired && !value.nullable);
      if (this.all.length > before) {
        this.names.add(lower);
        for (const one of member.required) one.state();
        return;
      }
    }
    this.names.add(lower);
    if (object) node.leave('nested');
    const isReadOnly = node.flag('readOnly');
    const isWriteOnly = node.flag('writeOnly');
    // Request leaves the one out, and Shown the other.
    node.stateMembers('readOnly', 'writeOnly');
    this.all.push({ field: this.field(name, member, value, isPresent), isReadOnly, isWriteOnly });
  }

  private field(name: string, { node, required }: Member, value: Value, isPresent: boolean): Field {
    const { type, format, allowed, nullable } = value;
    const isOptional = required.length === 0 || nullable;
    const isCoupled = !isOptional && !isPresent;
    if (isCoupled) node.leave('presence');
    else for (const one of required) one.state();
    stateSources(value, { type: type !== null, allowed: allowed !== null, presence: !isCoupled });
    this.places.set(node.pointer, 'resources', this.resource, 'Field', name);
    return {
      name: named(name),
      span: AT,
      type: hereIf(type),
      format: hereIf(format),
      allowed: hereIf(allowed),
      givenBy: null,
      presence: isCoupled ? null : here(isOptional ? 'optional' : 'always'),
      unique: null,
    };
  }
}

export interface Member {
  readonly name: string;
  readonly node: Node;
  /** Where the file says that the member always is there. */
  readonly required: readonly Node[];
}

/** The members of an object, and of all that `allOf` adds to it, by their first schema: the document states which. */
export function membersOf(schema: Node): Member[] {
  return collected(schema, true);
}

/** The members of an object that the document need not state. */
export const peekMembers = (schema: Node): Member[] => collected(schema, false);

function collected(schema: Node, isStated: boolean): Member[] {
  const members = new Map<string, Node>();
  const required: Node[] = [];
  const seen = new Set<string>();
  const visit = (one: Node): void => {
    // An object may be a part of itself.
    if (seen.has(one.pointer)) return;
    seen.add(one.pointer);
    for (const [name, node] of one.get('properties')?.members() ?? []) {
      if (members.has(name) && isStated) node.leave('duplicateName');
      if (members.has(name)) continue;
      members.set(name, node);
    }
    const names = one.get('required');
    for (const item of names?.items() ?? []) {
      required.push(item);
    }
    if (isStated && one.text('type') === 'object') one.stateMembers('type');
    for (const part of one.get('allOf')?.items() ?? []) {
      const target = part.resolved();
      if (target) visit(target);
    }
  };
  visit(schema);
  return [...members].map(([name, node]) => ({ name, node, required: required.filter(({ value }) => value === name) }));
}

/** A name for each schema that becomes a resource: a capital letter, then letters and digits, as in `SimpleUser`. */
export class ResourceNames {
  private readonly taken = new Set<string>();

  of(name: string): string {
    const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
    const plain = /^[A-Z]/.test(joined) ? joined : `Schema${joined}`;
    let free = plain.slice(0, LONGEST_NAME - 10);
    for (let i = 2; this.taken.has(free.toLowerCase()); i++) free = `${plain.slice(0, LONGEST_NAME - 10)}${i}`;
    this.taken.add(free.toLowerCase());
    return free;
  }
}
