import type { WireContract } from '../contract/contract.ts';
import { counted, range, type ScalarContract, scalarNote } from '../contract/kinds.ts';
import type { ContractType, Expression, MemberContract, ObjectContract, TextType } from '../contract/types.ts';
import { FIRST_SECOND, LAST_SECOND } from '../expression/values/unix-time.ts';
import type { DescriptionFormat } from '../plan/step.ts';
import { showDuration, showSize } from '../text/units.ts';
import { codeSpan } from './code-span.ts';
import { facts, type Json, type JsonObject, present } from './json.ts';
import type { NotExpressed } from './not-expressed.ts';
import { ecmaPattern } from './patterns.ts';

/** The use of a type, on which its schema depends. */
export interface Use {
  /** The direction: `in` values are validated by the service, `out` values are sent by the service. */
  readonly way: 'in' | 'out';
  /** True in a merge patch, where null removes a key of a map. */
  readonly patch: boolean;
  /** True in a URL or header, where every value is text. */
  readonly text: boolean;
  /** The place, as the list of unexpressed facts names it. */
  readonly at: string;
}

/** The keys of error payloads among the shapes; no resource has such a name. */
export const PLAIN_ERROR = 'an error';
export const FAULTY_ERROR = 'an error that names fields';

const SECONDS = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const DAY = '(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const DURATION =
  '^-?P(?:\\d{1,12}W|(?=\\d|T\\d)(?:\\d{1,12}D)?(?:T(?=\\d)(?:\\d{1,12}H)?(?:\\d{1,12}M)?(?:\\d{1,12}(?:\\.\\d{1,3})?S)?)?)$';

/**
 * Converts types to JSON Schema (2020-12, the dialect of OpenAPI), and notes the facts that it cannot express. These
 * facts are sentences in descriptions.
 */
export class Schemas {
  private readonly wire: WireContract;
  private readonly notes: NotExpressed;
  private readonly reference: (shape: string) => JsonObject;

  constructor(wire: WireContract, notes: NotExpressed, reference: (shape: string) => JsonObject) {
    this.wire = wire;
    this.notes = notes;
    this.reference = reference;
  }

  of(type: ContractType, use: Use): JsonObject {
    switch (type.kind) {
      case 'list':
      case 'set':
        return this.list(type, use);
      case 'map':
        return this.map(type, use);
      case 'object':
        return this.object(type, use);
      case 'shape':
        return this.reference(type.name);
      case 'stream':
        return { type: 'string' };
      case 'rows':
        this.notes.add('lines', use.at);
        return {
          type: 'string',
          description: 'One JSON object on each line.',
          'x-ninefold-item': this.of(type.of, use),
        };
      case 'csv':
        this.notes.add('records', use.at);
        return {
          type: 'string',
          description: csvText(type),
          'x-ninefold-columns': type.columns.map(({ name, type: of, nullable }) => ({
            name,
            schema: nullable ? this.orNull(of, use) : this.of(of, use),
          })),
          'x-ninefold-formulas': type.formulas,
        };
      case 'bytes':
        // Bytes as they are have no type: the media type says what they are.
        this.notes.add('bytes', use.at);
        return present({
          ...mediaTypeOf(type.mediaTypes),
          description: `At most ${showSize(type.max)}.${type.firstBytes === 'checked' ? ' The first bytes have to be those of the media type.' : ''}`,
          'x-ninefold-max-bytes': type.max,
          'x-ninefold-first-bytes': type.firstBytes,
        });
      case 'description':
        return descriptionSchema(type.format);
      case 'error':
        return this.reference(type.faults ? FAULTY_ERROR : PLAIN_ERROR);
      case 'null':
        return { type: type.kind };
      default:
        return this.scalar(type, use);
    }
  }

  /** The schema of a nullable type. It also allows empty text if the service treats empty text as null. */
  orNull(type: ContractType, use: Use): JsonObject {
    const schema = this.of(type, use);
    if (type.kind === 'null') return schema;
    const empty = use.way === 'in' && this.wire.emptyText === 'null' && !takesEmpty(schema);
    if (empty && this.wire.text === 'trimmed') this.notes.add('trimmed');
    const { type: name } = schema;
    if (empty || typeof name !== 'string') return { anyOf: [schema, empty ? { enum: [null, ''] } : { type: 'null' }] };
    const { enum: values, const: only, ...others } = schema;
    const all = Array.isArray(values) ? values : only === undefined ? null : [only];
    return { ...others, type: [name, 'null'], ...(all ? { enum: [...all, null] } : {}) };
  }

  /** The schema of a member of an object. */
  member(member: MemberContract, use: Use): JsonObject {
    const here = { ...use, at: `${use.at}${use.at.endsWith(' ') ? '' : '.'}${member.name}` };
    const schema = member.nullable ? this.orNull(member.type, here) : this.presentValue(member.type, here);
    return this.annotated(schema, member, here);
  }

  /** A schema with the facts beside the type of its value: its default, and the error for an invalid value. */
  annotated(schema: JsonObject, member: Pick<MemberContract, 'otherwise' | 'refused'>, { at }: Use): JsonObject {
    const { otherwise, refused } = member;
    if (otherwise) this.notes.add('otherwise', at);
    if (refused !== null) this.notes.add('refused with', at);
    const value = otherwise && constantOf(otherwise, schema);
    const texts = [
      otherwise && value === undefined ? absentText(otherwise) : '',
      refused === null ? '' : `Other values are answered with \`${refused}\`.`,
    ];
    const more = present({
      description: sentences(schema.description, ...texts),
      default: value ?? undefined,
      'x-ninefold-otherwise': otherwise?.text,
      'x-ninefold-refused': refused ?? undefined,
    });
    if (Object.keys(more).length === 0) return schema;
    return '$ref' in schema ? { allOf: [schema], ...more } : { ...schema, ...more };
  }

  /** The schema of a required value, which excludes empty text if the service treats empty text as null. */
  presentValue(type: ContractType, use: Use): JsonObject {
    const schema = this.of(type, use);
    const bare = use.way === 'in' && !use.text && this.wire.emptyText === 'null' && takesEmpty(schema);
    return bare ? { ...schema, minLength: 1 } : schema;
  }

  object({ members, unknown }: ObjectContract, use: Use): JsonObject {
    const required = members.filter((one) => one.presence === 'always').map((one) => one.name);
    return present({
      type: 'object',
      properties: Object.fromEntries(members.map((one) => [one.name, this.member(one, use)])),
      required: required.length ? required : undefined,
      additionalProperties: unknown === 'refused' ? false : undefined,
    });
  }

  private scalar(type: ScalarContract, use: Use): JsonObject {
    // The function of a kind takes types of that kind alone.
    const schema = SCALARS[type.kind] as unknown as ScalarSchema<ScalarContract['kind']>;
    return schema(type, use, this.notes, this.wire);
  }

  private list(type: Extract<ContractType, { kind: 'list' | 'set' }>, use: Use): JsonObject {
    const set = type.kind === 'set';
    if (set && use.way === 'in') this.notes.add('equal items', use.at);
    const here = { ...use, patch: false };
    return present({
      type: 'array',
      items: type.nullable ? this.orNull(type.of, here) : this.presentValue(type.of, here),
      minItems: type.min || undefined,
      maxItems: type.max ?? undefined,
      uniqueItems: set || undefined,
    });
  }

  private map(type: Extract<ContractType, { kind: 'map' }>, use: Use): JsonObject {
    const merged = use.way === 'in' && use.patch;
    const entries = counted(type.min, type.max);
    if (merged) this.notes.add('merge', use.at);
    const values = merged || type.nullable ? this.orNull(type.of, use) : this.presentValue(type.of, use);
    return present({
      type: 'object',
      description: merged && entries ? sentence(`${entries} entries after the merge`) : undefined,
      propertyNames: type.keys ? this.of(type.keys, { ...use, patch: false }) : undefined,
      additionalProperties: values,
      minProperties: merged ? undefined : type.min || undefined,
      maxProperties: merged ? undefined : (type.max ?? undefined),
      'x-ninefold-entries-when-merged': merged ? facts([type.min, type.max]) : undefined,
    });
  }
}

/** The texts as one description; undefined if there are none. */
function sentences(...texts: ReadonlyArray<Json | undefined>): string | undefined {
  const all = texts.filter((one) => typeof one === 'string' && one !== '');
  return all.length ? all.join(' ') : undefined;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Describes a default that the schema cannot state. */
const absentText = ({ tree, text }: Expression): string =>
  tree.op === 'const'
    ? `If it is left out, the value is ${codeSpan(text)}.`
    : 'If it is left out, the service computes the value.';

/** The value of a default that is a constant and that the schema allows; undefined for a default that is computed. */
function constantOf({ tree }: Expression, schema: JsonObject): Json | undefined {
  if (tree.op === 'list') return tree.items.length === 0 && schema.type === 'array' ? [] : undefined;
  if (tree.op === 'map') return tree.keys.length === 0 && schema.type === 'object' ? {} : undefined;
  if (tree.op !== 'const' || tree.value === null) return undefined;
  const { type, enum: allowed } = schema;
  // Exact numbers are constants in units of their last digit.
  if (type !== (typeof tree.value === 'number' ? 'integer' : typeof tree.value)) return undefined;
  return Array.isArray(allowed) && !allowed.includes(tree.value) ? undefined : tree.value;
}

function csvText({ columns, header, formulas }: Extract<ContractType, { kind: 'csv' }>): string {
  const names = columns.map(({ name }) => codeSpan(name)).join(', ');
  const kept = formulas === 'escaped' ? ' An apostrophe precedes text that a spreadsheet would compute.' : '';
  return `CSV (RFC 4180) with${header === 'present' ? '' : 'out a header line, and with'} the columns ${names}.${kept}`;
}

/** Gives the JSON Schema of one kind of value, and notes what it cannot express. */
type ScalarSchema<K extends ScalarContract['kind']> = (
  type: ScalarContract<K>,
  use: Use,
  notes: NotExpressed,
  wire: WireContract,
) => JsonObject;

const SCALARS: { readonly [K in ScalarContract['kind']]: ScalarSchema<K> } = {
  text: textSchema,
  integer: ({ min, max }, use, notes) => {
    if (use.way === 'in' && !use.text) notes.add('exact numbers');
    if (min !== null && min === max) return { type: 'integer', const: min };
    return present({ type: 'integer', minimum: min ?? undefined, maximum: max ?? undefined });
  },
  decimal: decimalSchema,
  boolean: ({ only }) => present({ type: 'boolean', const: only }),
  timestamp: timestampSchema,
  date: (_, use, notes) => {
    noteFormat(use, notes);
    return { type: 'string', format: 'date', pattern: `^${DAY}$` };
  },
  duration: durationSchema,
};

function noteFormat({ way }: Use, notes: NotExpressed): void {
  if (way === 'in') notes.add('format');
}

function textSchema(
  { min, max, pattern, format, oneOf }: TextType,
  use: Use,
  notes: NotExpressed,
  wire: WireContract,
): JsonObject {
  const incoming = use.way === 'in';
  const judged = min || max !== null || pattern !== null || format !== null || oneOf;
  const bare = wire.emptyText === 'null' || (judged && format !== 'uuid');
  if (incoming && wire.text === 'trimmed' && bare) notes.add('trimmed');
  if (incoming) notes.add('characters');
  const ecma = pattern === null ? undefined : ecmaPattern(pattern);
  if (ecma === null) notes.add('pattern', use.at);
  const own = format === 'time zone' || format === 'webhook secret';
  if (own) notes.add('own format', use.at);
  else if (format !== null && format !== 'password') noteFormat(use, notes);
  return present({
    type: 'string',
    format: own || format === null ? undefined : format,
    description: own
      ? `${format === 'time zone' ? 'A time zone of the IANA database.' : 'A secret as Standard Webhooks writes it.'}`
      : ecma === null
        ? `Matches the pattern ${codeSpan(pattern ?? '')} (RE2 syntax).`
        : undefined,
    'x-ninefold-format': own ? format : undefined,
    minLength: min || undefined,
    maxLength: max ?? undefined,
    pattern: ecma ?? undefined,
    'x-ninefold-pattern': ecma === null ? (pattern ?? undefined) : undefined,
    ...(oneOf?.length === 1 ? { const: oneOf[0] } : { enum: oneOf ?? undefined }),
  });
}

function decimalSchema(type: ScalarContract<'decimal'>, use: Use, notes: NotExpressed): JsonObject {
  const { digits, min, max, rounding } = type;
  const rounds = use.way === 'in' && rounding !== 'refused';
  if (rounds) notes.add('rounding', use.at);
  const more = { 'x-ninefold-rounding': rounds ? rounding : undefined };
  const rounded = rounds ? `More digits are rounded (${rounding}).` : '';
  if (type.as === 'numbers' && !use.text) {
    if (use.way === 'in') notes.add('exact numbers');
    notes.add('decimal digits', use.at);
    return present({
      type: 'number',
      description: sentences(
        sentence(`${counted(null, digits)} ${digits === 1 ? 'digit' : 'digits'} after the decimal point`),
        rounded,
      ),
      minimum: min === null ? undefined : Number(min),
      maximum: max === null ? undefined : Number(max),
      'x-ninefold-digits': digits,
      ...more,
    });
  }
  const bounds = range(min, max, String).replace(/^(?=.* to )/, 'from ');
  if (bounds) notes.add('decimal bounds', use.at);
  const after = rounds ? '(?:\\.\\d+)?' : digits ? `(?:\\.\\d{1,${digits}}0*)?` : '(?:\\.0+)?';
  return present({
    type: 'string',
    description: sentences(bounds && sentence(bounds), rounded),
    pattern: use.way === 'in' ? `^-?\\d+${after}$` : `^-?\\d+${digits ? `\\.\\d{${digits}}` : ''}$`,
    'x-ninefold-minimum': min ?? undefined,
    'x-ninefold-maximum': max ?? undefined,
    ...more,
  });
}

function timestampSchema(type: ScalarContract<'timestamp'>, use: Use, notes: NotExpressed): JsonObject {
  if (type.precision === 'Unix seconds') return unixTimeSchema(type, use, notes);
  noteFormat(use, notes);
  const { whole, precision } = type;
  const time = whole === 60_000 ? '(?:[01]\\d|2[0-3]):[0-5]\\d:00' : SECONDS;
  const expressible = whole === null || whole === 60_000 || whole === 1000;
  if (!expressible) notes.add('whole times', use.at);
  const fine = precision === 'milliseconds' && whole === null;
  return present({
    type: 'string',
    format: 'date-time',
    description: expressible ? undefined : `A multiple of ${showDuration(whole)}.`,
    pattern: `^${DAY}T${time}${fine ? '(?:\\.\\d{1,3})?' : '(?:\\.0{1,3})?'}Z$`,
    'x-ninefold-whole-milliseconds': expressible ? undefined : whole,
  });
}

/** Seconds since 1970, as an integer of 64 bits. */
function unixTimeSchema(type: ScalarContract<'timestamp'>, use: Use, notes: NotExpressed): JsonObject {
  const { whole } = type;
  const seconds = (whole ?? SECOND_MS) / SECOND_MS;
  if (!Number.isInteger(seconds)) notes.add('whole times', use.at);
  return present({
    type: 'integer',
    format: 'int64',
    description: sentence(scalarNote(type)),
    minimum: FIRST_SECOND,
    maximum: LAST_SECOND,
    multipleOf: seconds > 1 && Number.isInteger(seconds) ? seconds : undefined,
  });
}

const SECOND_MS = 1000;

function durationSchema(type: ScalarContract<'duration'>, use: Use, notes: NotExpressed): JsonObject {
  const { min, max, precision } = type;
  if (min !== null || max !== null) notes.add('duration bounds', use.at);
  if (use.way === 'in') notes.add('duration range', use.at);
  return present({
    type: 'string',
    description: min === null && max === null ? undefined : sentence(scalarNote(type)),
    pattern: precision === 'whole seconds' ? DURATION.replace('\\.\\d{1,3}', '\\.0{1,3}') : DURATION,
    'x-ninefold-minimum': min === null ? undefined : `${min} ms`,
    'x-ninefold-maximum': max === null ? undefined : `${max} ms`,
  });
}

/** The media type of bytes in a form: generators make a file of such a part. */
function mediaTypeOf(types: readonly string[]): JsonObject {
  const [first, ...others] = types.map((contentMediaType) => ({ contentMediaType }));
  return first && others.length > 0 ? { anyOf: [first, ...others] } : { ...first };
}

/** The schema of a description that the service serves: the member with the version of the standard. */
function descriptionSchema(format: DescriptionFormat): JsonObject {
  const [standard = '', number = ''] = format.split(' ');
  const member = standard.toLowerCase();
  const version = { type: 'string', pattern: `^${number.replaceAll('.', '\\.')}\\.` };
  return {
    type: 'object',
    title: format,
    properties: { [member]: version, info: { type: 'object' } },
    required: [member, 'info'],
  };
}

/** Whether a schema accepts empty text. */
function takesEmpty(schema: JsonObject): boolean {
  if (schema.type !== 'string') return false;
  const bounds: readonly (Json | undefined)[] = [
    schema.minLength,
    schema.pattern,
    schema.enum,
    schema.const,
    schema.format,
  ];
  return bounds.every((one) => one === undefined) || (schema.pattern !== undefined && matchesEmpty(schema));
}

function matchesEmpty({ pattern, minLength, enum: values, format }: JsonObject): boolean {
  if (typeof pattern !== 'string' || minLength !== undefined || values !== undefined || format !== undefined)
    return false;
  return new RegExp(pattern, 'u').test('');
}
