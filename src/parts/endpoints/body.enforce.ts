import type { Value } from '../../expression/value.ts';
import type { BeforeStep, ColumnPlan, ResourcePlan, WirePlan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import type { Expressions } from '../../serve/layout.ts';
import { header } from '../../serve/wire/headers.ts';
import { parseJson } from '../../serve/wire/json.ts';
import { mediaType } from '../../serve/wire/media.ts';
import type { Errors, Refusal } from '../errors/enforce.ts';
import { emptyIsNull, faultsAt, type Validator, validator } from '../resources/validate.ts';

/**
 * Reads a body that the endpoint takes: its length, its type and encoding, then its text (RFC 9110, section 8). A body
 * whose length isn't stated is read before its type is looked at, since it may turn out too large.
 */
export function bodyReader(plan: Extract<BeforeStep, { do: 'read body' }>, errors: Errors) {
  return async (x: Exchange): Promise<Refusal | null> => {
    const { rawHeaders } = x.incoming;
    const length = header(rawHeaders, 'content-length');
    const coding = header(rawHeaders, 'transfer-encoding');
    if (length === undefined && coding === undefined) return errors.condition('length missing');
    if (length !== undefined && Number(length) > plan.most) return errors.condition('request too large');
    const early = length === undefined ? await x.incoming.body(plan.most, x.deadline) : null;
    if (early === 'too large') return errors.condition('request too large');
    const type = header(rawHeaders, 'content-type');
    const media = type === undefined ? null : mediaType(type);
    if (media === null || !plan.mediaTypes.includes(media)) return errors.condition('unsupported media type');
    const encoding = header(rawHeaders, 'content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return errors.condition('unsupported encoding');
    // HTTP takes the chunks off and nothing else: of `gzip, chunked` what is left is compressed.
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') return errors.condition('unsupported encoding');
    const body = early ?? x.incoming.body(plan.most, x.deadline);
    const read = body instanceof Promise ? await body : body;
    if (read === 'too large') return errors.condition('request too large');
    if (read === 'too slow') return errors.condition('time-out');
    if (read === 'broken off') return errors.condition('malformed request');
    const parsed = parseJson(read);
    if (!parsed.ok) return errors.condition('malformed request');
    x.body = parsed.value;
    return null;
  };
}

/** Refuses a body where nothing reads one. */
export function bodyRefuser(plan: Extract<BeforeStep, { do: 'refuse body' }>, errors: Errors) {
  return (x: Exchange): Refusal | null | Promise<Refusal | null> => {
    const { rawHeaders } = x.incoming;
    const length = header(rawHeaders, 'content-length');
    if (length !== undefined) {
      if (Number(length) > plan.most) return errors.condition('request too large');
      if (Number(length) > 0) x.unexpectedBody = true;
      return null;
    }
    if (header(rawHeaders, 'transfer-encoding') === undefined) return null;
    return readUnexpected(x, plan.most, errors);
  };
}

async function readUnexpected(x: Exchange, most: number, errors: Errors): Promise<Refusal | null> {
  const read = await x.incoming.body(most, x.deadline);
  if (read === 'too large') return errors.condition('request too large');
  if (read === 'too slow') return errors.condition('time-out');
  if (read === 'broken off') return errors.condition('malformed request');
  x.unexpectedBody = read.length > 0;
  return null;
}

interface FieldReader {
  readonly column: ColumnPlan;
  readonly check: Validator;
  readonly otherwise: ((x: Exchange) => Value) | null;
}

type BodyPlan = Extract<BeforeStep, { do: 'validate body' }>;

/** Checks a body against the fields that the endpoint requests; faults are gathered. */
export function bodyValidator(plan: BodyPlan, resource: ResourcePlan, wire: WirePlan, expressions: Expressions) {
  const fields = plan.fields.map((name): FieldReader => {
    const column = resource.columns.find((one) => one.name === name)!;
    const otherwise = column.otherwise && expressions.plain(column.otherwise);
    return {
      column,
      check: validator(column.rule, wire),
      otherwise: otherwise && ((x) => otherwise(x.frame) as Value),
    };
  });
  return (x: Exchange): null => {
    const { body } = x;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      x.faults.push({ place: 'pointer', name: '', code: 'not_an_object' });
      return null;
    }
    const object = body as Record<string, unknown>;
    let known = 0;
    const names = fields.map((field) => x.speech.wire(resource.name, field.column.name));
    x.frame.request = fields.map((field, i) => {
      const name = names[i]!;
      const sent = name !== null && Object.hasOwn(object, name);
      if (sent) known++;
      return readField(x, field, name, sent ? object[name] : undefined, plan.optional, wire);
    });
    if (plan.unknown === 'refused' && Object.keys(object).length > known)
      for (const name of Object.keys(object))
        if (!names.includes(name)) x.faults.push({ place: 'pointer', name: pointer(name), code: 'unknown_field' });
    // “The same request” is what was sent: a value that the document puts in its place may be new each time.
    const sent = (i: number): boolean => names[i] !== null && Object.hasOwn(object, names[i]!);
    x.canonical = JSON.stringify(x.frame.request.map((value, i) => (sent(i) ? (value ?? null) : [])));
    return null;
  };
}

/** One field of the body: absent, null and empty text told apart as the document states. */
function readField(
  x: Exchange,
  field: FieldReader,
  name: string | null,
  sent: unknown,
  optional: boolean,
  wire: WirePlan,
): Value | undefined {
  const { column } = field;
  if (sent === undefined) {
    if (optional) return undefined;
    if (field.otherwise) return field.otherwise(x);
    if (!column.nullable) x.faults.push({ place: 'pointer', name: pointer(name ?? column.name), code: 'missing' });
    return undefined;
  }
  const raw = emptyIsNull(sent, wire) ? null : sent;
  if (raw === null) {
    if (!column.nullable) x.faults.push({ place: 'pointer', name: pointer(name!), code: 'null_refused' });
    return null;
  }
  const checked = field.check(raw);
  if ('value' in checked) return checked.value;
  for (const { at, code } of faultsAt(checked, pointer(name!))) x.faults.push({ place: 'pointer', name: at, code });
  return null;
}

/** A JSON Pointer to a member (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Tells the faults of parameters and body together, under the condition that comes first in checking order. */
export function contentChecker(errors: Errors) {
  return (x: Exchange): Refusal | null => {
    if (x.faults.length) {
      const invalid = x.faults.some((fault) => fault.code !== 'unknown_field' && fault.code !== 'unknown_parameter');
      const field = x.faults.some((fault) => fault.code === 'unknown_field');
      const condition = invalid ? 'invalid request' : field ? 'unknown field' : 'unknown parameter';
      return errors.condition(condition, x.faults);
    }
    return x.unexpectedBody ? errors.condition('body not expected') : null;
  };
}
