import { isScalar, jsonTypeOf, range, scalarNote } from '../../contract/kinds.ts';
import type { ContractType, Expression, MemberContract, ObjectContract } from '../../contract/types.ts';
import type { ClientNames } from './client-names.ts';
import { alternatives, comment, isInherited, member, pascal, quote } from './words.ts';

/** The direction of values: `in` to the service, with strict types, or `out` from the service. */
type Direction = 'in' | 'out';

/** Converts types of the contract to TypeScript, and collects the declarations that they need. */
export class Types {
  private readonly names: ClientNames;
  /** The names of interfaces, by shape. */
  private readonly shapes = new Map<string, string>();
  /** The names of enumerations, by field and by values. */
  private readonly enums = new Map<string, string>();
  /** The values of the enumerations of fields. */
  private readonly fields = new Map<string, string>();
  /** The names of shared interfaces, by their members. */
  private readonly objects = new Map<string, string>();
  private readonly declared: string[][] = [];

  constructor(names: ClientNames) {
    this.names = names;
  }

  /** Returns the declarations since the last call. */
  take(): string[] {
    return this.declared.splice(0).flatMap((one) => [...one, '']);
  }

  shape(name: string, preferred: string): void {
    this.shapes.set(name, this.names.type(preferred));
  }

  shapeName(name: string): string {
    return this.shapes.get(name) ?? 'unknown';
  }

  name(preferred: string): string {
    return this.names.type(preferred);
  }

  /** Declares the interface of an object that several methods accept, once. */
  once(preferred: string, type: ObjectContract, about: readonly string[]): string {
    const content = JSON.stringify(type.members.map((one) => [one.name, one.type]));
    const known = this.objects.get(content);
    if (known !== undefined) return known;
    const name = this.object(preferred, type, about, 'in');
    this.objects.set(content, name);
    return name;
  }

  /** Declares an interface, and returns its name. */
  object(preferred: string, type: ObjectContract, about: readonly string[], way: Direction): string {
    const name = this.names.type(preferred);
    this.interface(name, type, about, way);
    return name;
  }

  interface(name: string, { members }: ObjectContract, about: readonly string[], way: Direction): void {
    const lines =
      members.length === 0
        ? [`export type ${name} = Record<string, never>;`]
        : [`export interface ${name} {`, ...this.members(members, name, way, '  '), '}'];
    this.declared.push([...comment(about), ...lines]);
  }

  members(members: readonly MemberContract[], owner: string, way: Direction, indent: string): string[] {
    return members.flatMap((one) => this.member(one, owner, way, indent));
  }

  private member(one: MemberContract, owner: string, way: Direction, indent: string): string[] {
    const before = `readonly ${member(one.name)}${one.presence === 'optional' ? '?' : ''}:`;
    const about = [noteOf(one.type), one.otherwise && defaultText(one.otherwise)].filter(Boolean).join('; ');
    const name = this.enumerationName(one, owner);
    const type = this.type(one.type, name, way, indent);
    const parts = one.nullable && type !== 'null' ? [type, 'null'] : [type];
    // An object inherits a member of that name, so a caller that omits it must write `undefined`.
    if (way === 'in' && one.presence === 'optional' && isInherited(one.name)) parts.push('undefined');
    return [...comment(about ? [about] : [], indent), ...alternatives(before, parts, ';', indent)];
  }

  /** The name of an enumeration: that of its field, unless the member allows other values than the field. */
  private enumerationName({ name, field, type }: MemberContract, owner: string): string {
    const inner = type.kind === 'list' || type.kind === 'set' ? type.of : type;
    if (field === null || inner.kind !== 'text' || !inner.oneOf) return field ?? `${owner} ${name}`;
    const values = JSON.stringify(inner.oneOf);
    const known = this.fields.get(field) ?? values;
    this.fields.set(field, known);
    return known === values ? field : `${owner} ${name}`;
  }

  /** The TypeScript type. `name`: the name of an enumeration that is not declared yet. */
  type(type: ContractType, name: string, way: Direction, indent = ''): string {
    switch (type.kind) {
      case 'text':
        return type.oneOf ? this.texts(type.oneOf, name) : 'string';
      case 'integer':
        return type.min !== null && type.min === type.max ? String(type.min) : 'number';
      case 'decimal':
        if (type.as === 'strings') return 'string';
        return way === 'out' && !isShort(type) ? 'number | string' : 'number';
      case 'boolean':
        return type.only === undefined ? 'boolean' : String(type.only);
      case 'list':
      case 'set':
        return listOf(this.orNull(type, name, way, indent));
      case 'map':
        return `Readonly<Record<string, ${this.orNull(type, name, way, indent)}>>`;
      case 'object':
        if (type.members.length === 0) return 'Record<string, never>';
        return `{\n${this.members(type.members, name, way, `${indent}  `).join('\n')}\n${indent}}`;
      case 'shape':
        return this.shapeName(type.name);
      case 'error':
        return 'Problem';
      case 'null':
        return 'null';
      case 'stream':
        return 'never';
      case 'rows':
        return `AsyncGenerator<${this.type(type.of, name, way, indent)}>`;
      case 'bytes':
        if (way === 'in') return `Bytes<${type.mediaTypes.map(quote).join(' | ')}>`;
        return 'ReadableStream<Uint8Array>';
      case 'csv':
        return 'ReadableStream<Uint8Array>';
      case 'description':
        return 'unknown';
      default:
        return jsonTypeOf(type);
    }
  }

  private orNull(
    type: { readonly of: ContractType; readonly nullable: boolean },
    name: string,
    way: Direction,
    indent: string,
  ): string {
    const of = this.type(type.of, name, way, indent);
    return type.nullable && of !== 'null' ? `${of} | null` : of;
  }

  /** The type of listed texts: a single text is an inline literal type. */
  private texts(values: readonly string[], name: string): string {
    const [only] = values;
    return values.length === 1 && only !== undefined ? quote(only) : this.enumeration(values, name);
  }

  /**
   * The name of the type for an enumeration, declared at first use. Each field has a type of its own; other places with
   * the same values share one type.
   */
  private enumeration(values: readonly string[], name: string): string {
    const key = JSON.stringify(values);
    const known = this.enums.get(`${name} ${key}`) ?? (name.includes('.') ? undefined : this.enums.get(key));
    if (known !== undefined) return known;
    const own = this.names.type(pascal(name));
    this.enums.set(`${name} ${key}`, own);
    if (!this.enums.has(key)) this.enums.set(key, own);
    this.declared.push(alternatives(`export type ${own} =`, values.map(quote), ';'));
    return own;
  }
}

/** The type of a list; an element type with a simple name gets the short form. */
export const listOf = (type: string): string =>
  /^[\w$]+$/.test(type) ? `readonly ${type}[]` : `ReadonlyArray<${type}>`;

/** Whether a JavaScript number is exact for every value, which holds up to fifteen digits. */
const isShort = ({ min, max }: { readonly min: string | null; readonly max: string | null }): boolean =>
  [min, max].every((bound) => bound !== null && bound.replace(/\D/g, '').replace(/^0+/, '').length <= 15);

/** Whether a type may contain numbers with more digits than a JavaScript number holds. */
export function hasLongNumbers(type: ContractType): boolean {
  switch (type.kind) {
    case 'decimal':
      return type.as === 'numbers' && !isShort(type);
    case 'list':
    case 'set':
    case 'map':
      return hasLongNumbers(type.of);
    case 'object':
      return type.members.some((one) => hasLongNumbers(one.type));
    default:
      return false;
  }
}

/** Describes the constraints of a type that TypeScript cannot express, and the service checks. */
function noteOf(type: ContractType): string {
  if (isScalar(type)) return scalarNote(type);
  switch (type.kind) {
    case 'list':
    case 'set': {
      const each = noteOf(type.of);
      const once = type.kind === 'set' ? 'each once' : '';
      return [range(type.min || null, type.max, String, ' items'), once, each && `each: ${each}`]
        .filter(Boolean)
        .join(', ');
    }
    case 'map': {
      const keys = type.keys ? noteOf(type.keys) : '';
      const each = noteOf(type.of);
      const count = range(type.min || null, type.max, String, ' entries');
      return [count, keys && `keys: ${keys}`, each && `each: ${each}`].filter(Boolean).join(', ');
    }
    default:
      return '';
  }
}

/** The value of a member that a request leaves out. An expression of the document is not for callers. */
const defaultText = ({ tree, text }: Expression): string =>
  tree.op === 'const' ||
  (tree.op === 'list' && tree.items.length === 0) ||
  (tree.op === 'map' && tree.keys.length === 0)
    ? `default ${text}`
    : 'without it, the service computes the value';
