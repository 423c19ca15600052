import { checkBounds } from '../compiler/resources/bounds.ts';
import { ALLOWED, type Allowed, type FieldType, type Format } from '../language/values.ts';
import { ownMember } from '../text/own-members.ts';
import { patternNeeds } from '../text/patterns.ts';
import type { Node } from './node.ts';
import type { Reason } from './reasons.ts';
import { isSayable } from './sayable.ts';

/** The facts of the schema of a value, as far as the language can say them. */
export interface Value {
  readonly type: FieldType | null;
  readonly format: Format | null;
  readonly allowed: Allowed | null;
  readonly nullable: boolean;
  /** The schema of an object with members; `isNamed`: whether a reference leads to it. */
  readonly object: { readonly schema: Node; readonly isNamed: boolean } | null;
  readonly sources: Sources;
}

/** The facts of the file that a value is made of. They are stated where the document has the value. */
interface Sources {
  /** The facts of its type and its format. */
  readonly type: Node[];
  readonly allowed: Node[];
  /** The facts by which it may be null. */
  readonly presence: Node[];
}

/** States the facts behind a value, as far as the document has them. */
export function stateSources({ sources }: Value, has: Readonly<Record<keyof Sources, boolean>>): void {
  for (const part of ['type', 'allowed', 'presence'] as const)
    for (const node of sources[part]) if (has[part]) node.state();
}

const NOTHING: Omit<Value, 'sources'> = { type: null, format: null, allowed: null, nullable: false, object: null };

/** The members of a node that there are. */
const membersAt = (node: Node, ...keys: readonly string[]): Node[] =>
  keys.flatMap((key) => node.get(key) ?? []).filter((one) => one.isPlain());

/** Members of a schema by which it means one of several schemas, or all but one. */
const ALTERNATIVES = ['oneOf', 'anyOf', 'not', 'if', 'enum', 'const', 'allOf'] as const;

/** The deepest nesting of lists and maps that is read: more than the language has. A list may hold itself. */
const DEEPEST = 6;

/** Reads the schema of one value; `use` is where the value has its schema, `depth` the lists and maps around it. */
export function schemaValue(use: Node, depth = 0): Value {
  const sources: Sources = { type: [], allowed: [], presence: [] };
  const own = depth > DEEPEST ? null : use.resolved();
  if (!own) return { ...NOTHING, sources };
  const { schema, nullable } = single(own, sources);
  if (!schema) return { ...NOTHING, nullable, sources };
  const isNamed = use.get('$ref') !== null || schema !== own;
  const kind = kindOf(schema);
  const isNull = nullable || kind?.nullable === true;
  const isObject = kind?.name === 'object' || (kind === null && schema.get('properties') !== null);
  if (isObject) return { ...objectOf(schema, isNamed, sources, depth), nullable: isNull, sources };
  const reader = kind && Object.hasOwn(READ, kind.name) ? READ[kind.name as keyof typeof READ] : null;
  if (!reader) return { ...enumerated(schema, sources, isNull), sources };
  const read = reader(schema, sources, depth);
  if (read.type) sources.type.push(...membersAt(schema, 'type'));
  return { ...NOTHING, ...agreeing(schema, read, sources), nullable: isNull, sources };
}

/** The schema behind one that only adds null to it, and whether it does. */
function single(schema: Node, sources: Sources, depth = 0): { schema: Node | null; nullable: boolean } {
  const isNull = schema.flag('nullable') && schema.file.version === '3.0';
  if (isNull) sources.presence.push(...membersAt(schema, 'nullable'));
  for (const key of ['oneOf', 'anyOf', 'allOf'] as const) {
    const all = schema.get(key)?.items() ?? [];
    if (all.length === 0 || schema.get('properties')) continue;
    const others = key === 'allOf' ? all : all.filter((one) => one.text('type') !== 'null');
    const [only] = others;
    if (others.length !== 1 || !only || depth > 20) {
      const isObjects = key === 'allOf' && all.every(isObjectSchema);
      if (isObjects) return { schema, nullable: isNull };
      schema.get(key)?.leave('several');
      return { schema: null, nullable: isNull };
    }
    for (const one of all)
      if (one !== only && one.text('type') === 'null') sources.presence.push(...membersAt(one, 'type'));
    const target = only.resolved();
    const inner = target ? single(target, sources, depth + 1) : { schema: null, nullable: false };
    return { schema: inner.schema, nullable: isNull || inner.nullable || others.length < all.length };
  }
  for (const key of ALTERNATIVES.slice(2, 4)) schema.get(key)?.leave('several');
  return { schema, nullable: isNull };
}

/** Whether a schema is that of an object, as far as it states that itself. */
function isObjectSchema(use: Node): boolean {
  const schema = peek(use);
  if (!schema) return false;
  const type = schema.get('type')?.value;
  if (type !== undefined)
    return type === 'object' || (Array.isArray(type) && type.includes('object') && type.length === 1);
  return (
    schema.get('properties') !== null ||
    (schema.get('allOf')?.items() ?? []).some((one) => one !== use && isShallowObject(one))
  );
}

/** The schema that a reference leads to, without a remark about where it leads. */
function peek(use: Node): Node | null {
  const reference = use.text('$ref');
  return reference === null || reference.startsWith('#/') ? use.resolved() : null;
}

const isShallowObject = (use: Node): boolean => {
  const schema = peek(use);
  return schema !== null && (schema.get('type')?.value === 'object' || schema.get('properties') !== null);
};

/** The type of a schema beside null; null where it states none, or several, which is listed. */
function kindOf(schema: Node): { readonly name: string; readonly nullable: boolean } | null {
  const type = schema.get('type');
  if (typeof type?.value === 'string') return { name: type.value, nullable: false };
  const names = type?.items().map(({ value }) => value) ?? [];
  const others = names.filter((one) => one !== 'null');
  const [only] = others;
  if (others.length === 1 && typeof only === 'string') return { name: only, nullable: others.length < names.length };
  if (others.length > 1) type?.leave('twoTypes');
  return null;
}

type Read = Pick<Value, 'type' | 'format' | 'allowed'>;

/** The readers of the types of JSON Schema. */
const READ = { string: textOf, integer: integerOf, number: numberOf, boolean: booleanOf, array: listOf } as const;

/** Text formats that the language has by the same name. */
const FORMATS: Readonly<Record<string, Format>> = {
  uuid: 'uuid',
  email: 'email',
  uri: 'uri',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};
const TIMES: Readonly<Record<string, 'timestamp' | 'date' | 'duration'>> = {
  'date-time': 'timestamp',
  date: 'date',
  duration: 'duration',
};

function textOf(schema: Node, sources: Sources): Read {
  const format = schema.text('format');
  const time = format === null ? undefined : ownMember(TIMES, format);
  if (time) {
    sources.type.push(...membersAt(schema, 'format'));
    for (const key of ['enum', 'const', 'pattern', 'minLength', 'maxLength']) schema.get(key)?.leave('bounds');
    return { type: { kind: time }, format: null, allowed: null };
  }
  const known = format === null ? undefined : ownMember(FORMATS, format);
  if (known) sources.type.push(...membersAt(schema, 'format'));
  else schema.get('format')?.leave('format');
  return { type: { kind: 'string' }, format: known ?? null, allowed: allowedText(schema, sources) };
}

function allowedText(schema: Node, sources: Sources): Allowed | null {
  const listed = enumerationOf(schema, sources);
  if (listed) return listed;
  const pattern = schema.text('pattern');
  const [min, max] = [schema.number('minLength'), schema.number('maxLength')];
  if (pattern !== null && isRe2(pattern)) {
    sources.allowed.push(...membersAt(schema, 'pattern'));
    for (const key of ['minLength', 'maxLength']) schema.get(key)?.leave('pattern');
    return { kind: 'pattern', source: pattern };
  }
  schema.get('pattern')?.leave('pattern');
  if (max !== null && isCount(max) && isCount(min ?? 0) && max > 0 && (min ?? 0) <= max) {
    sources.allowed.push(...membersAt(schema, 'minLength', 'maxLength'));
    return { kind: 'length', min: min ?? 0, max };
  }
  for (const key of ['minLength', 'maxLength']) schema.get(key)?.leave('bounds');
  return null;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/**
 * Whether a pattern of ECMAScript means the same in RE2: it has no white space class, whose characters differ, and is no
 * pattern that nothing matches.
 */
function isRe2(source: string): boolean {
  if (/\\[sSbB]|\(\?|\\u|\\c|\\k|[\r\n]/.test(source)) return false;
  if (!isSayable(ALLOWED, { kind: 'pattern', source })) return false;
  try {
    return patternNeeds(source)?.possible !== false;
  } catch {
    return false;
  }
}

/** The values of an enumeration of text; null where there is none, or none that the language has, which is listed. */
function enumerationOf(schema: Node, sources: Sources): Extract<Allowed, { kind: 'one of' }> | null {
  const node = schema.get('enum') ?? schema.get('const');
  if (!node) return null;
  const values = (schema.get('enum') ? node.items().map(({ value }) => value) : [node.value]).filter(
    (one) => one !== null,
  );
  const texts = values.filter((one): one is string => typeof one === 'string');
  const allowed = { kind: 'one of' as const, values: texts.map((text) => ({ text, from: 0, to: 0 })) };
  if (texts.length !== values.length || texts.length === 0 || !isSayable(ALLOWED, allowed)) {
    node.leave('enumeration');
    return null;
  }
  sources.allowed.push(node);
  return allowed;
}

/** A schema without a type states one by an enumeration of text alone, and null in it. */
function enumerated(schema: Node, sources: Sources, isNull: boolean): Omit<Value, 'sources'> {
  const type = schema.get('type');
  type?.leave('object');
  const allowed = type ? null : enumerationOf(schema, sources);
  const nullable =
    isNull || (allowed !== null && (schema.get('enum')?.items() ?? []).some(({ value }) => value === null));
  return allowed ? { ...NOTHING, type: { kind: 'string' }, allowed, nullable } : { ...NOTHING, nullable };
}

const INT32 = 2 ** 31;

function integerOf(schema: Node, sources: Sources): Read {
  const is32 = schema.text('format') === 'int32';
  const { min, max, keys } = boundsOf(schema, 1);
  const least = min ?? (is32 ? -INT32 : null);
  const most = max ?? (is32 ? INT32 - 1 : null);
  const isWhole = least !== null && most !== null && Number.isSafeInteger(least) && Number.isSafeInteger(most);
  for (const key of ['enum', 'const']) schema.get(key)?.leave('enumeration');
  schema.get('multipleOf')?.leave('integerBounds');
  const type = { kind: 'integer' } as const;
  if (!isWhole || least > most) {
    for (const key of keys)
      schema.get(key)?.leave(Number.isSafeInteger(least ?? most ?? 0) ? 'bounds' : 'integerBounds');
    schema.get('format')?.leave(schema.text('format') === 'int64' ? 'integerBounds' : 'format');
    return { type, format: null, allowed: null };
  }
  sources.allowed.push(...membersAt(schema, ...keys));
  // Bounds inside those of the format leave the format nothing to say.
  const [low, high] = is32 ? [-INT32, INT32 - 1] : [-(2 ** 53), 2 ** 53];
  const isInside = (is32 || schema.text('format') === 'int64') && least >= low && most <= high;
  if (isInside) sources.allowed.push(...membersAt(schema, 'format'));
  else schema.get('format')?.leave('format');
  return { type, format: null, allowed: { kind: 'range', min: least, max: most } };
}

/** The bounds of a number, both included; `step` is the distance of two values. */
function boundsOf(schema: Node, step: number): { min: number | null; max: number | null; keys: string[] } {
  const keys: string[] = [];
  const bound = (inclusive: string, exclusive: string, towards: number): number | null => {
    const [value, beyond] = [schema.number(inclusive), schema.get(exclusive)];
    if (value !== null) keys.push(inclusive);
    if (beyond) keys.push(exclusive);
    if (beyond?.value === true) return value === null ? null : value + towards * step;
    if (typeof beyond?.value !== 'number') return value;
    const inside = beyond.value + towards * step;
    return value === null ? inside : towards > 0 ? Math.max(value, inside) : Math.min(value, inside);
  };
  const min = bound('minimum', 'exclusiveMinimum', 1);
  const max = bound('maximum', 'exclusiveMaximum', -1);
  return { min, max, keys };
}

function numberOf(schema: Node, sources: Sources): Read {
  const type = { kind: 'decimal' } as const;
  const scale = scaleOf(schema.number('multipleOf'));
  const unit = scale === null ? 0 : 10 ** -scale;
  const { min, max, keys } = boundsOf(schema, unit);
  for (const key of ['enum', 'const', 'format']) schema.get(key)?.leave(key === 'format' ? 'format' : 'enumeration');
  if (scale !== null && min !== null && max !== null) {
    const [least, most] = [Math.round(min * 10 ** scale), Math.round(max * 10 ** scale)];
    const isExact = Math.abs(least - min * 10 ** scale) + Math.abs(most - max * 10 ** scale) < 1e-6;
    const allowed = { kind: 'decimals', min: least, max: most, scale } as const;
    if (isExact && least <= most && isSayable(ALLOWED, allowed)) {
      sources.allowed.push(...membersAt(schema, 'multipleOf', ...keys));
      return { type, format: null, allowed };
    }
  }
  for (const key of ['multipleOf', ...keys]) schema.get(key)?.leave('decimal');
  return { type, format: null, allowed: null };
}

/** The digits after the point, where values are multiples of 0.1, 0.01 and so on. */
function scaleOf(multipleOf: number | null): number | null {
  const scale = multipleOf === null ? 0 : Math.round(-Math.log10(multipleOf));
  return scale >= 1 && scale <= 12 && Math.abs(10 ** -scale - (multipleOf ?? 0)) < 1e-15 ? scale : null;
}

function booleanOf(schema: Node): Read {
  for (const key of ['enum', 'const']) schema.get(key)?.leave('enumeration');
  return { type: { kind: 'boolean' }, format: null, allowed: null };
}

function listOf(schema: Node, sources: Sources, depth: number): Read {
  const items = schema.get('items');
  const isSet = schema.flag('uniqueItems');
  const nothing = (reason: Reason, at: Node | null): Read => {
    at?.leave(reason);
    return { type: null, format: null, allowed: null };
  };
  for (const key of ['enum', 'const']) schema.get(key)?.leave('enumeration');
  if (isSet) return nothing('unique', schema);
  if (!items) return nothing('list', schema);
  const each = schemaValue(items, depth + 1);
  if (!each.type || each.object || depthOf(each.type) >= 4) return nothing('list', schema);
  if (each.nullable) return nothing('list', schema);
  const [min, max] = [schema.number('minItems'), schema.number('maxItems')];
  const type = { kind: 'list', of: each.type } as const;
  if (max === null || !isCount(max) || !isCount(min ?? 0) || max < 1 || (min ?? 0) > max) {
    for (const key of ['minItems', 'maxItems']) schema.get(key)?.leave('bounds');
    // The allowed values of items have no place without the number of items.
    for (const node of each.sources.allowed) node.leave('bounds');
    sources.type.push(...each.sources.type);
    return { type, format: each.format, allowed: null };
  }
  sources.type.push(...each.sources.type);
  sources.allowed.push(...membersAt(schema, 'minItems', 'maxItems'), ...each.sources.allowed);
  return { type, format: each.format, allowed: { kind: 'items', min: min ?? 0, max, keys: null, each: each.allowed } };
}

const depthOf = (type: FieldType): number => ('of' in type ? 1 + depthOf(type.of) : 0);

function objectOf(schema: Node, isNamed: boolean, sources: Sources, depth: number): Omit<Value, 'sources'> {
  const additional = schema.get('additionalProperties');
  if (schema.get('properties') || schema.get('allOf')) return { ...NOTHING, object: { schema, isNamed } };
  const each = additional && typeof additional.value === 'object' ? schemaValue(additional, depth + 1) : null;
  if (!each?.type || each.object || each.nullable || depthOf(each.type) >= 4) {
    schema.leave('object');
    return NOTHING;
  }
  sources.type.push(...membersAt(schema, 'type'), ...each.sources.type);
  for (const key of ['minProperties', 'maxProperties']) schema.get(key)?.leave('bounds');
  for (const node of each.sources.allowed) node.leave('bounds');
  return { ...NOTHING, type: { kind: 'map', of: each.type }, format: each.format };
}

/** Leaves out what does not fit together, such as an enumeration with a value that is not of the format. */
function agreeing(schema: Node, read: Read, sources: Sources): Read {
  const at = { from: 0, to: 0 };
  const { type, format, allowed } = read;
  if (!type || !allowed) return read;
  const field = {
    name: { text: 'value', ...at },
    type: { value: type, ...at },
    format: { value: format ?? ('none' as const), ...at },
    allowed: { value: allowed, ...at },
    givenBy: null,
  };
  const wrong = checkBounds(field, 'value').filter(({ severity }) => severity === 'error');
  if (wrong.length === 0) return read;
  for (const key of ['enum', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'])
    schema.get(key)?.leave({ text: wrong[0]?.message ?? '' });
  sources.allowed.length = 0;
  return { ...read, allowed: null };
}
