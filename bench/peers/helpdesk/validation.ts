import type { Ajv } from 'ajv';
import type { FastifyError, FastifySchema } from 'fastify';
import { DURATION_FORM, secondsOf } from './durations.ts';
import { type FaultCode, faulty, type Problem } from './problems.ts';

/** Text without U+0000 and lone surrogates, without white space at its ends. */
export const text = (least: number, most: number) =>
  ({ type: 'string', text: 'trimmed', minLength: least, maxLength: most }) as const;

export const oneOf = <const T extends string>(...values: readonly T[]) =>
  ({ type: 'string', text: 'trimmed', enum: values }) as const;

export const UUID = { type: 'string', format: 'uuid' } as const;
export const EMAIL = { type: 'string', text: 'trimmed', minLength: 3, maxLength: 254, format: 'email' } as const;
export const PASSWORD = { type: 'string', text: 'kept', minLength: 12, maxLength: 200 } as const;
export const TAG_NAME = { type: 'string', text: 'trimmed', pattern: '^[a-z0-9][a-z0-9-]{0,39}$' } as const;
/** A boolean in a query, where every value is text. */
export const FLAG = { type: 'string', format: 'boolean' } as const;
/** How large a page is asked for, and where it begins: `pages.ts` refuses what is not allowed. */
export const PAGE = { limit: {}, cursor: {} } as const;

/** An object of these fields alone. */
export const fields = <const P extends object>(properties: P, ...required: ReadonlyArray<keyof P & string>) =>
  ({ type: 'object', additionalProperties: false, required, properties }) as const;

/** The form of <input type=email> in the HTML Standard. */
const EMAIL_FORM =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FORMS = { email: EMAIL_FORM, uuid: UUID_FORM, duration: DURATION_FORM, boolean: /^(?:true|false)$/ };

export const isUuid = (sent: string): boolean => UUID_FORM.test(sent);

interface Place {
  readonly parentData: Record<string, unknown>;
  readonly parentDataProperty: string | number;
}

/** Teaches Ajv the keywords and formats of the schemas. */
export function prepareAjv(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'text',
    type: 'string',
    modifying: true,
    before: 'maxLength',
    schemaType: 'string',
    compile: (kind: string) => (sent: string, place?: Place) => {
      if (kind === 'trimmed' && place) place.parentData[place.parentDataProperty] = sent.trim();
      return sent.isWellFormed() && !sent.includes('\0');
    },
  } as never);
  ajv.addKeyword({
    keyword: 'between',
    type: 'string',
    schemaType: 'array',
    compile:
      ([least, most]: [string, string]) =>
      (sent: string) =>
        !DURATION_FORM.test(sent) || (secondsOf(sent) >= secondsOf(least) && secondsOf(sent) <= secondsOf(most)),
  } as never);
  for (const [name, form] of Object.entries(FORMS)) ajv.addFormat(name, form);
}

type AjvError = NonNullable<FastifyError['validation']>[number] & {
  readonly data?: unknown;
  readonly parentSchema?: { readonly format?: string; readonly between?: readonly [string, string] };
};

const OF_KEYWORDS: Readonly<Record<string, FaultCode>> = {
  minimum: 'too_small',
  maximum: 'too_large',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
  pattern: 'not_matching',
  enum: 'not_one_of',
  text: 'not_text',
};
const OF_TYPES: Readonly<Record<string, FaultCode>> = {
  string: 'not_text',
  integer: 'not_integer',
  boolean: 'not_boolean',
  array: 'not_list',
  object: 'not_an_object',
};

/** The problem of what Ajv has found: the first fault of each value in the order of the fields, what is unknown last. */
export function problemOf(
  { validation, validationContext }: FastifyError,
  { body, querystring }: FastifySchema,
): Problem {
  const isBody = validationContext === 'body';
  const { properties } = (isBody ? body : querystring) as { readonly properties: object };
  const faults = new Map<string, FaultCode>();
  for (const one of (validation ?? []) as AjvError[]) {
    const [pointer, code] = faultOf(one, isBody);
    // What has another type has no value that could be one of some.
    if (!faults.has(pointer) || one.keyword === 'type') faults.set(pointer, code);
  }
  const names = Object.keys(properties);
  const rank = (pointer: string): number => names.indexOf(pointer.split('/')[1] ?? '') >>> 0;
  const all = [...faults].sort(([a], [b]) => rank(a) - rank(b));
  return faulty(all.map(([pointer, code]) => (isBody ? { pointer, code } : { parameter: pointer.slice(1), code })));
}

function faultOf(
  { keyword, instancePath, params, data, parentSchema }: AjvError,
  isBody: boolean,
): [string, FaultCode] {
  const within = (name: unknown): string =>
    `${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const format = `not_${parentSchema?.format}` as FaultCode;
  switch (keyword) {
    case 'required':
      return [within(params.missingProperty), 'missing'];
    case 'additionalProperties':
      return [within(params.additionalProperty), isBody ? 'unknown_field' : 'unknown_parameter'];
    case 'uniqueItems':
      return [within(Math.max(Number(params.i), Number(params.j))), 'repeated'];
    case 'format':
      return [instancePath, format];
    case 'between':
      return [instancePath, secondsOf(String(data)) < secondsOf(parentSchema!.between![0]) ? 'too_small' : 'too_large'];
    case 'type':
      if (data === null) return [instancePath, 'null_refused'];
      // A parameter that is sent twice is a list.
      if (!isBody && Array.isArray(data)) return [instancePath, 'repeated'];
      return [instancePath, parentSchema?.format ? format : OF_TYPES[String(params.type)]!];
    default:
      return [instancePath, OF_KEYWORDS[keyword]!];
  }
}
