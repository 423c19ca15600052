import type { Value } from '../../expression/value.ts';
import type { BeforeStep, ParameterPlan, PayloadPlan, ResourcePlan, WirePlan } from '../../plan/step.ts';
import type { Exchange } from '../../serve/exchange.ts';
import type { Expressions } from '../../serve/layout.ts';
import type { Errors } from '../errors/enforce.ts';
import { emptyIsNull, faultsAt, patchValidator, type Validator, validator } from '../resources/validate.ts';
import type { Speech } from '../versioning/enforce.ts';

type BodyPlan = Extract<BeforeStep, { do: 'validate body' }>;

/** What a member was read to: `undefined` where it was not sent. */
type Sent = Value | undefined;

/** One member of an object in the body. */
interface Member {
  /** What it is called in the version that the request speaks; null where that doesn't have it. */
  name(speech: Speech): string | null;
  /** Reads it; what isn't allowed is a fault at `at`. `raw` is undefined where it was not sent. */
  read(x: Exchange, raw: unknown, at: string): Sent;
  /** What tells its value apart from another that was sent. */
  same(value: Sent, raw: unknown, speech: Speech): unknown;
}

/** What bodies are read with. */
interface BodyContext {
  readonly wire: WirePlan;
  readonly expressions: Expressions;
  readonly errors: Errors;
  resource(name: string): ResourcePlan;
}

/** Checks a body against what the endpoint takes of it; faults are gathered. */
export function bodyValidator(plan: BodyPlan, c: BodyContext) {
  const { payload } = plan;
  const unknown = plan.unknown === 'refused';
  const fields = payload ? payload.fields.map((field) => fieldMember(payload, field, c)) : [];
  const held = payload?.member ? [heldMember(payload.member, payload, objectReader(fields, unknown))] : fields;
  const body = objectReader([...held, ...plan.parameters.map((one) => parameterMember(one, c))], unknown);
  return (x: Exchange): null => {
    const values = body.read(x, x.body, '');
    if (values) x.frame.request = values;
    // “The same request” is what was sent: a value that the document puts in its place may be new each time.
    x.canonical = () => JSON.stringify(body.same(x.frame.request, x.body, x.speech), plainMaps);
    return null;
  };
}

const plainMaps = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);

interface ObjectReader {
  read(x: Exchange, raw: unknown, at: string): Sent[] | null;
  same(values: readonly Sent[], raw: unknown, speech: Speech): unknown;
}

/** Reads an object to the values of its members, in their order, followed by where in the body it stands. */
function objectReader(members: readonly Member[], unknownRefused: boolean): ObjectReader {
  return {
    read(x, raw, at) {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
        x.faults.push({ place: 'pointer', name: at, code: 'not_an_object' });
        return null;
      }
      const object = raw as Record<string, unknown>;
      const names: (string | null)[] = [];
      const values: Sent[] = [];
      let known = 0;
      for (const member of members) {
        const name = member.name(x.speech);
        const sent = name !== null && Object.hasOwn(object, name);
        if (sent) known++;
        names.push(name);
        values.push(member.read(x, sent ? object[name] : undefined, name === null ? at : at + pointer(name)));
      }
      if (unknownRefused && Object.keys(object).length > known)
        for (const name of Object.keys(object))
          if (!names.includes(name))
            x.faults.push({ place: 'pointer', name: at + pointer(name), code: 'unknown_field' });
      values.push(at);
      return values;
    },
    same(values, raw, speech) {
      const object = raw as Record<string, unknown>;
      return members.map((member, i) => {
        const name = member.name(speech);
        return name !== null && Object.hasOwn(object, name) ? member.same(values[i], object[name], speech) : [];
      });
    },
  };
}

const fault = (
  x: Exchange,
  name: string,
  code: 'missing' | 'null_refused' | 'not_list' | 'too_few' | 'too_many',
): undefined => {
  x.faults.push({ place: 'pointer', name, code });
};

/** A field of a resource: absent, null and empty text told apart as the document states. */
function fieldMember(payload: PayloadPlan, field: string, c: BodyContext): Member {
  const column = c.resource(payload.resource).columns.find((one) => one.name === field)!;
  const check = payload.optional ? patchValidator(column.rule, c.wire) : validator(column.rule, c.wire);
  const otherwise = column.otherwise && c.expressions.plain(column.otherwise);
  return {
    name: (speech) => speech.wire(payload.resource, field),
    read(x, sent, at) {
      if (sent === undefined) {
        if (payload.optional) return undefined;
        if (otherwise) return otherwise(x.frame) as Value;
        return column.nullable ? undefined : fault(x, at, 'missing');
      }
      const raw = emptyIsNull(sent, c.wire) ? null : sent;
      if (raw !== null) return allowed(x, check, raw, at);
      if (!column.nullable) fault(x, at, 'null_refused');
      return null;
    },
    same: (value) => value ?? null,
  };
}

/** A parameter in the body. One that may be left out is not sent where it is null. */
function parameterMember(plan: ParameterPlan, c: BodyContext): Member {
  const check = validator(plan.rule, c.wire);
  const otherwise = plan.otherwise && c.expressions.plain(plan.otherwise);
  const refusal = plan.code === null ? null : c.errors.code(plan.code);
  const [resource = '', field = ''] = plan.field?.split('.') ?? [];
  return {
    name: (speech) => (plan.field ? speech.wire(resource, field) : plan.name),
    read(x, sent, at) {
      if (sent === undefined) {
        if (otherwise) return otherwise(x.frame) as Value;
        return plan.required ? fault(x, at, 'missing') : undefined;
      }
      const raw = emptyIsNull(sent, c.wire) ? null : sent;
      if (raw === null) return plan.required || otherwise ? fault(x, at, 'null_refused') : undefined;
      if (!refusal) return allowed(x, check, raw, at);
      const checked = check(raw);
      if ('value' in checked) return checked.value;
      x.refused ??= refusal;
      return undefined;
    },
    same: (value) => value ?? null,
  };
}

function allowed(x: Exchange, check: Validator, raw: unknown, at: string): Sent {
  const checked = check(raw);
  if ('value' in checked) return checked.value;
  for (const one of faultsAt(checked, at)) x.faults.push({ place: 'pointer', name: one.at, code: one.code });
  return null;
}

/** The member that holds a resource's fields, or a list of such. */
function heldMember(name: string, { items }: PayloadPlan, object: ObjectReader): Member {
  const one: Member = {
    name: () => name,
    read: (x, raw, at) => (raw === undefined ? fault(x, at, 'missing') : (object.read(x, raw, at) as Value)),
    same: (value, raw, speech) => object.same(value as readonly Sent[] as Sent[], raw, speech),
  };
  if (!items) return one;
  return {
    name: one.name,
    read(x, raw, at) {
      if (raw === undefined) return fault(x, at, 'missing');
      if (!Array.isArray(raw)) return fault(x, at, 'not_list');
      // Told before its items are looked at, so that a long list costs no more than an allowed one.
      if (raw.length > items.max) return fault(x, at, 'too_many');
      if (raw.length < items.min) return fault(x, at, 'too_few');
      return raw.map((item, i) => object.read(x, item, `${at}/${i}`)) as unknown as Value;
    },
    same: (value, raw, speech) => {
      const rows = value as unknown as readonly Sent[][];
      return (raw as readonly unknown[]).map((item, i) => object.same(rows[i]!, item, speech));
    },
  };
}

/** A JSON Pointer to a member (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
