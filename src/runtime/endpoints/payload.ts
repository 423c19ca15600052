import { compareText, type Value } from '../../expression/values/value.ts';
import { membersAt, type Places, placesOf, pointer } from '../../http/nested-json.ts';
import { bytesOfColumn, FILE_MEMBERS, type FilePlan } from '../../plan/files.ts';
import { named } from '../../plan/named.ts';
import type { BeforeStep, ParameterPlan, PayloadPlan, ResourcePlan, WirePlan } from '../../plan/step.ts';
import { wordFor } from '../../plan/words.ts';
import { getOrMake } from '../../text/lists.ts';
import {
  emptyIsNull,
  faultsAt,
  formValidator,
  isObject,
  isRepeated,
  patchValidator,
  type Validated,
  type Validator,
  validator,
} from '../../validation/validate.ts';
import type { ApiVersion, RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import { inWords } from '../versioning/words.ts';
import { ofFaults } from './body.ts';
import { standing } from './parameters.ts';
import { canonicalFiles } from './parts.ts';

type BodyPlan = Extract<BeforeStep, { do: 'validate body' }>;

/** The value of a member; `undefined` where it was not sent. */
type Sent = Value | undefined;

/** One member of an object in the body. */
interface Member {
  /** Returns the member's name in the version of the request; null where the version doesn't have the member. */
  name(apiVersion: ApiVersion): string | null;
  /** Reads the member; faults have their places at or below `at`. `raw` is undefined where the member was not sent. */
  read(x: RequestContext, raw: unknown, at: string): Sent;
  /** Returns the member's text in the canonical form; undefined where the value counts as not sent. */
  same(value: Sent, raw: unknown, apiVersion: ApiVersion, form: CanonicalForm): unknown;
}

/**
 * The canonical form of a body: by the names of members, so that a new field that is not sent changes nothing; or by
 * the positions of members, in which earlier releases stored the fingerprints of answers.
 */
type CanonicalForm = 'named' | 'placed';

/** The dependencies of body readers. */
interface BodyContext {
  readonly wire: WirePlan;
  readonly expressions: Expressions;
  readonly errors: Errors;
  resource(name: string): ResourcePlan;
}

/** Compiles the check of a value; `patch`: of one that is merged into a stored one. */
type Checks = (rule: ParameterPlan['rule'], wire: WirePlan, patch: boolean) => Validator;

const ofJson: Checks = (rule, wire, patch) => (patch ? patchValidator : validator)(rule, wire);

/** Compiles the validation of a body; faults are collected. */
export function bodyValidator(plan: BodyPlan, takesForm: boolean, c: BodyContext) {
  const body = bodyObject(plan, c, ofJson);
  const form = takesForm || plan.parts ? bodyObject(plan, c, formValidator) : body;
  // The fingerprint is of the body as sent: computed defaults may differ each time.
  const written = (x: RequestContext, form: CanonicalForm): string =>
    JSON.stringify(body.same(x.frame.request, x.body, x.apiVersion, form), plainMaps);
  // A body without members equals a missing body: the endpoint may have had no body in an earlier document.
  const canonical: RequestContext['canonical'] = plan.parts
    ? (x) => `${written(x, 'named')} ${canonicalFiles(x)}`
    : (x) => written(x, 'named').replace(/^\[\]$/, '');
  // Earlier releases took no forms of several parts.
  const placed: RequestContext['placed'] = plan.parts ? () => [] : (x) => placedForms(written(x, 'placed'));
  const read = (x: RequestContext): null => {
    const values = (x.isForm ? form : body).read(x, x.body, '');
    if (values) x.frame.request = values;
    // One function for all requests: a closure for each would keep its request alive until the next full garbage
    // collection.
    x.canonical = canonical;
    x.placed = placed;
    return null;
  };
  return plan.later ? refusingLater(read, c.errors) : read;
}

/** Compiles the reader of a whole body. */
const bodyObject = (plan: BodyPlan, c: BodyContext, checks: Checks): ObjectReader =>
  objectReader(bodyMembers(plan, c, checks), plan.unknown === 'refused');

function bodyMembers({ payload, parameters, unknown, parts }: BodyPlan, c: BodyContext, checks: Checks): Member[] {
  const refused = unknown === 'refused';
  const files = parts?.files ?? [];
  const fields = payload
    ? payload.fields.map((field) => fileMember(payload, field, files, c) ?? fieldMember(payload, field, c, checks))
    : [];
  const held = payload?.member ? [heldMember(payload.member, payload, objectReader(fields, refused))] : fields;
  return [...held, ...parameters.map((one) => parameterMember(one, c, checks))];
}

/** Keeps the refusal of the body for the step that validates it. */
function refusingLater(read: (x: RequestContext) => null, errors: Errors): (x: RequestContext) => null {
  return (x) => {
    // The body could not be read.
    if (x.bodyRefused) return null;
    const { refused, faults } = x;
    x.refused = null;
    const outside = faults.length;
    read(x);
    const inBody = faults.splice(outside);
    x.bodyRefused = inBody.length > 0 ? ofFaults(inBody, errors) : x.refused;
    x.refused = refused;
    return null;
  };
}

/** The most placed forms that are tried for a body: a reused key with another body costs all of them. */
const MOST_FORMS = 64;

/**
 * Returns a body's canonical forms of earlier releases: with all members of today, and without members that are not
 * sent and may be newer than the stored form.
 */
function placedForms(text: string): string[] {
  const all = JSON.parse(text) as unknown[];
  let forms = [all];
  for (let at = all.length - 1; at >= 0 && forms.length * 2 <= MOST_FORMS; at--) {
    const one = all[at];
    if (Array.isArray(one) && one.length === 0) forms = forms.flatMap((form) => [form, form.toSpliced(at, 1)]);
  }
  const texts = forms.map((form) => JSON.stringify(form));
  return all.every((one) => Array.isArray(one) && one.length === 0) ? [...texts, ''] : texts;
}

const plainMaps = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);

interface ObjectReader {
  read(x: RequestContext, raw: unknown, at: string): Sent[] | null;
  same(values: readonly Sent[], raw: unknown, apiVersion: ApiVersion, form: CanonicalForm): unknown;
}

/**
 * Compiles the reader of an object: it returns the values of its members in order, then the object's place in the body.
 */
function objectReader(members: readonly Member[], unknownRefused: boolean): ObjectReader {
  const layouts = new Map<string, Layout>();
  const layout = (apiVersion: ApiVersion): Layout => {
    const known = layouts.get(apiVersion.version);
    if (known) return known;
    const names = members.map((member) => member.name(apiVersion));
    const absent = names.flatMap((name, i) => (name === null ? [i] : []));
    const named = names.flatMap((name, i) => (name === null ? [] : [[name, i, name.split('.')] as const]));
    const made = { places: placesOf(names), absent, named: named.sort(([a], [b]) => compareText(a, b)) };
    layouts.set(apiVersion.version, made);
    return made;
  };
  /**
   * Reads the members of an object at their places. Where the object itself is not sent, all its members count as not
   * sent.
   */
  const readAt = (x: RequestContext, places: Places, raw: unknown, at: string, values: Sent[]): boolean => {
    if (raw !== undefined && !isObject(raw)) {
      x.faults.push({ place: 'pointer', name: at, code: 'not_an_object' });
      return false;
    }
    let known = 0;
    for (const [name, place] of places) {
      const sent = raw !== undefined && Object.hasOwn(raw, name);
      const one = sent ? raw[name] : undefined;
      const here = at + pointer(name);
      if (sent) known++;
      if (typeof place === 'number') values[place] = members[place]!.read(x, one, here);
      else if (one === null) for (const [i, to] of membersAt(place, here)) values[i] = members[i]!.read(x, null, to);
      else readAt(x, place, one, here, values);
    }
    if (unknownRefused && raw !== undefined && Object.keys(raw).length > known)
      for (const name of Object.keys(raw))
        if (!places.has(name)) x.faults.push({ place: 'pointer', name: at + pointer(name), code: 'unknown_field' });
    return true;
  };
  return {
    read(x, raw, at) {
      const { places, absent } = layout(x.apiVersion);
      const values: Sent[] = new Array(members.length);
      if (!readAt(x, places, raw ?? null, at, values)) return null;
      for (const i of absent) values[i] = members[i]!.read(x, undefined, at);
      values.push(at);
      return values;
    },
    same(values, raw, apiVersion, form) {
      const sameAt = (path: readonly string[], i: number): unknown => {
        const sent = sentAt(raw, path);
        return sent === undefined ? undefined : members[i]!.same(values[i], sent, apiVersion, form);
      };
      const { named } = layout(apiVersion);
      if (form === 'placed') {
        const places: unknown[] = members.map(() => []);
        for (const [, i, path] of named) places[i] = sameAt(path, i) ?? [];
        return places;
      }
      const out: unknown[] = [];
      for (const [name, i, path] of named) {
        const same = sameAt(path, i);
        if (same !== undefined) out.push(name, same);
      }
      return out;
    },
  };
}

/** The positions of an object's members in one version, and the indexes of members that the version doesn't have. */
interface Layout {
  readonly places: Places;
  readonly absent: readonly number[];
  /** The members of the version, in the order of their names. */
  readonly named: ReadonlyArray<readonly [name: string, i: number, path: readonly string[]]>;
}

/** Returns the value at a path: null where a part of the path is null, undefined where nothing was sent. */
function sentAt(raw: unknown, path: readonly string[]): unknown {
  let at = raw;
  for (const part of path) {
    if (at === null) return null;
    if (!isObject(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

const fault = (
  x: RequestContext,
  name: string,
  code: 'missing' | 'null_refused' | 'not_list' | 'too_few' | 'too_many',
): undefined => {
  x.faults.push({ place: 'pointer', name, code });
};

/** A field of a resource; absent, null and empty text are distinguished as the document states. */
function fieldMember(payload: PayloadPlan, field: string, c: BodyContext, checks: Checks): Member {
  const column = named(c.resource(payload.resource).columns, field);
  const path = `${payload.resource}.${field}`;
  const check = inWords(path, column.rule, true, (rule) => checks(rule, c.wire, payload.optional));
  const otherwise = standing(column, c.expressions);
  return {
    name: (apiVersion) => apiVersion.wire(payload.resource, field),
    read(x, sent, at) {
      if (sent === undefined) {
        if (payload.optional) return undefined;
        if (otherwise) return otherwise(x.frame) as Value;
        return column.nullable ? undefined : fault(x, at, 'missing');
      }
      const raw = emptyIsNull(sent, c.wire) ? null : sent;
      if (raw !== null) return allowed(x, check(x.apiVersion)(raw), at);
      if (!column.nullable) fault(x, at, 'null_refused');
      return null;
    },
    same: column.password ? untold : (value, _raw, apiVersion) => sentWord(path, value ?? null, apiVersion),
  };
}

/** A fact about a file of a form, whose part has the name of the field; null for another field. */
function fileMember(
  { resource, optional }: PayloadPlan,
  name: string,
  files: readonly FilePlan[],
  c: BodyContext,
): Member | null {
  const field = bytesOfColumn(files, name);
  const member = FILE_MEMBERS.find((one) => name === `${field}.${one}`);
  if (field === null || member === undefined) return null;
  const column = named(c.resource(resource).columns, name);
  return {
    // The part is not among the texts.
    name: () => null,
    read(x, _, at) {
      const upload = x.received?.uploads.get(field);
      if (upload) return upload[member];
      // The first fact reports the absence of all.
      const isMissing = member === FILE_MEMBERS[0] && !optional && !column.nullable;
      return isMissing ? fault(x, at + pointer(field), 'missing') : undefined;
    },
    same: () => undefined,
  };
}

/** The names of the parts of a form that hold values, in the version of a request. */
export function valueNames(plan: BodyPlan, c: BodyContext): (apiVersion: ApiVersion) => ReadonlySet<string> {
  const body = bodyMembers(plan, c, formValidator);
  const known = new Map<string, ReadonlySet<string>>();
  return (apiVersion) =>
    getOrMake(known, apiVersion.version, () => new Set(body.flatMap((member) => member.name(apiVersion) ?? [])));
}

/** A parameter in the body. For an optional parameter, null means not sent. */
function parameterMember(plan: ParameterPlan, c: BodyContext, checks: Checks): Member {
  const check = inWords(plan.words, plan.rule, false, (rule) => checks(rule, c.wire, false));
  const otherwise = standing(plan, c.expressions);
  const refusal = plan.code === null ? null : c.errors.code(plan.code);
  const [resource = '', ...field] = plan.field?.split('.') ?? [];
  return {
    name: (apiVersion) => (plan.field ? apiVersion.wire(resource, field.join('.')) : plan.name),
    read(x, sent, at) {
      if (sent === undefined) {
        if (otherwise) return otherwise(x.frame) as Value;
        return plan.required ? fault(x, at, 'missing') : undefined;
      }
      const raw = emptyIsNull(sent, c.wire) ? null : sent;
      if (raw === null) return plan.required || otherwise ? fault(x, at, 'null_refused') : undefined;
      const checked = check(x.apiVersion)(raw);
      // As in a query, a name that occurs twice has no value, so that the code is not its refusal.
      if (!refusal || isRepeated(checked)) return allowed(x, checked, at);
      if ('value' in checked) return checked.value;
      x.refused ??= refusal;
      return undefined;
    },
    same: plan.password
      ? untold
      : (value, raw, apiVersion) =>
          sentWord(plan.words, value ?? null, apiVersion) ??
          (raw === null || emptyIsNull(raw, c.wire) ? undefined : null),
  };
}

/**
 * The value of a member as the version of the request names it: a document that gives the value another name keeps the
 * canonical form of requests in this version, whose answers may have been kept under the earlier document.
 */
function sentWord(field: string | undefined, value: Value, apiVersion: ApiVersion): Value {
  const words = field !== undefined && typeof value === 'string' ? apiVersion.words(field) : null;
  return words ? wordFor(words, value as string) : value;
}

/** Leaves a password out of the canonical form, which is stored: the password could be guessed from it. */
const untold = (): null => null;

function allowed(x: RequestContext, checked: Validated, at: string): Sent {
  if ('value' in checked) return checked.value;
  for (const one of faultsAt(checked, at)) x.faults.push({ place: 'pointer', name: one.at, code: one.code });
  return null;
}

/** The member that holds a resource's fields, or a list of such. */
function heldMember(name: string, { items }: PayloadPlan, object: ObjectReader): Member {
  const one: Member = {
    name: () => name,
    read: (x, raw, at) => (raw === undefined ? fault(x, at, 'missing') : (object.read(x, raw, at) as Value)),
    same: (value, raw, apiVersion, form) => object.same(value as readonly Sent[] as Sent[], raw, apiVersion, form),
  };
  if (!items) return one;
  return {
    name: one.name,
    read(x, raw, at) {
      if (raw === undefined) return fault(x, at, 'missing');
      if (!Array.isArray(raw)) return fault(x, at, 'not_list');
      // Checked before the items are read, so that a list that is too long costs no more than an allowed one.
      if (raw.length > items.max) return fault(x, at, 'too_many');
      if (raw.length < items.min) return fault(x, at, 'too_few');
      return raw.map((item, i) => object.read(x, item, `${at}/${i}`)) as unknown as Value;
    },
    same: (value, raw, apiVersion, form) => {
      const rows = value as unknown as readonly Sent[][];
      return (raw as readonly unknown[]).map((item, i) => object.same(rows[i]!, item, apiVersion, form));
    },
  };
}
