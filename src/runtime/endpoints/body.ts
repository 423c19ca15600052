import type { Value } from '../../expression/values/value.ts';
import { parseForm } from '../../http/form.ts';
import { header } from '../../http/headers.ts';
import { parseJson } from '../../http/json.ts';
import { mediaType } from '../../http/media.ts';
import { boundaryIn } from '../../http/multipart.ts';
import type { Condition } from '../../plan/conditions.ts';
import { FILE_MEMBERS, type FilePlan } from '../../plan/files.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import type { BeforeStep, PayloadPlan } from '../../plan/step.ts';
import type { Refusal } from '../context/refusal.ts';
import type { FaultAt, RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Files, Received, Upload } from '../files/files.ts';
import type { BodyRead } from '../http/message.ts';
import type { Versions } from '../versioning/versions.ts';

/**
 * Compiles the reader of a body: it checks the length, then the media type and encoding, then reads the text (RFC 9110,
 * section 8). A body of unknown length is read before its type is checked, since it may turn out to be too large.
 */
export function bodyReader(plan: Extract<BeforeStep, { do: 'read body' }>, errors: Errors, versions: Versions) {
  const [takesJson, takesForm] = [JSON_TYPE, FORM_TYPE].map((one) => plan.mediaTypes.includes(one));
  /** Refuses a body at once, or in the step that validates it. */
  const refuse = (x: RequestContext, condition: Condition): Refusal | null => {
    const refusal = errors.condition(condition);
    if (!plan.later) return refusal;
    x.bodyRefused = refusal;
    return null;
  };
  /** Checks the headers of a body that isn't too large. */
  const form = (x: RequestContext): Refusal | null => {
    const { rawHeaders } = x.incoming;
    const type = header(rawHeaders, 'content-type');
    const media = typeOf(x);
    // The media type of a version is that of JSON.
    const versioned = media !== null && takesJson ? versions.takes(x, type!) : null;
    if (media === null || !(versioned ?? plan.mediaTypes.includes(media))) return refuse(x, 'unsupported media type');
    if (takesForm) x.isForm = media === FORM_TYPE;
    if (media === MULTIPART_TYPE && boundaryIn(type!) === null) return errors.condition('malformed request');
    const encoding = header(rawHeaders, 'content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return refuse(x, 'unsupported encoding');
    // HTTP removes the chunks only: for `gzip, chunked` the rest is still compressed.
    const coding = header(rawHeaders, 'transfer-encoding');
    return coding !== undefined && coding.toLowerCase() !== 'chunked' ? refuse(x, 'unsupported encoding') : null;
  };
  const content = (x: RequestContext, read: BodyRead): Refusal | null => {
    if (!Buffer.isBuffer(read)) return errors.condition(UNREAD[read]);
    if (plan.later && x.bodyRefused) return null;
    if (x.isForm) {
      const form = parseForm(read);
      x.body = form;
      return form === null ? refuse(x, 'malformed request') : null;
    }
    const parsed = parseJson(read);
    if (!parsed.ok) return refuse(x, 'malformed request');
    x.body = parsed.value;
    return null;
  };
  /** A body of unknown length has been read before its headers are checked. */
  const unmeasured = (x: RequestContext, read: BodyRead): Refusal | null => {
    if (read === 'too large') return errors.condition('request too large');
    if (plan.optional && Buffer.isBuffer(read) && read.length === 0) return nothingSent(x);
    return form(x) ?? content(x, read);
  };
  return (x: RequestContext): Refusal | null | Promise<Refusal | null> => {
    const { rawHeaders } = x.incoming;
    const length = header(rawHeaders, 'content-length');
    if (length === undefined) {
      const coding = header(rawHeaders, 'transfer-encoding');
      // The bytes of a field are received once the parameters are validated.
      if (coding !== undefined && plan.bytes) return form(x);
      if (coding === undefined) return plan.optional ? nothingSent(x) : errors.condition('length missing');
      return once(x, plan.most, (read) => unmeasured(x, read));
    }
    if (plan.optional && Number(length) === 0) return nothingSent(x);
    if (Number(length) > plan.most) return errors.condition('request too large');
    return form(x) ?? (plan.bytes ? null : once(x, plan.most, (read) => content(x, read)));
  };
}

/** Compiles the reader of a body that is the bytes of a field: they are stored while they arrive. */
export function bytesReader(payload: PayloadPlan, file: FilePlan, most: number, c: { errors: Errors; files: Files }) {
  return async (x: RequestContext): Promise<Refusal | null> => {
    if (x.received?.refusal) return x.received.refusal;
    x.awaitsBody = true;
    // A request that begins anew has received its bytes.
    const upload =
      x.received?.uploads.get(file.field) ??
      (await c.files.receive(x.incoming, { most, deadline: x.deadline, type: typeOf(x)!, checked: file.checked }));
    x.awaitsBody = false;
    if (typeof upload === 'string') return refusedBody(x, c.errors.condition(UNRECEIVED[upload]));
    x.received = { uploads: new Map([[file.field, upload]]) };
    const values: Readonly<Record<string, Value>> = Object.fromEntries(
      FILE_MEMBERS.map((member) => [`${file.field}.${member}`, upload[member]]),
    );
    x.frame.request = [...payload.fields.map((field) => values[field]!), ''];
    x.canonical = canonicalBytes;
    return null;
  };
}

/** Refuses a body that was received; a request that begins anew cannot receive it once more. */
export function refusedBody(x: RequestContext, refusal: Refusal): Refusal {
  x.received = { uploads: new Map(), refusal };
  return refusal;
}

/** The text by which a repeated request is known to have sent the same bytes. */
const canonicalBytes = ({ received }: RequestContext): string => {
  const [upload] = received!.uploads.values();
  return JSON.stringify(FILE_MEMBERS.map((member) => upload![member]));
};

export const UNRECEIVED: Readonly<Record<Exclude<Received, Upload>, Condition>> = {
  'too large': 'request too large',
  'too slow': 'time-out',
  'broken off': 'malformed request',
  'other type': 'unsupported media type',
};

/** The media type of a body; null where the header names none. */
function typeOf({ incoming }: RequestContext): string | null {
  const type = header(incoming.rawHeaders, 'content-type');
  return type === undefined ? null : mediaType(type);
}

/** The conditions that answer a body that was not read, by the reason. */
const UNREAD: Readonly<Record<Exclude<BodyRead, Buffer>, Condition>> = {
  'too large': 'request too large',
  'too slow': 'time-out',
  'broken off': 'malformed request',
};

/** Reads a body of at most `most` bytes, and continues with it once it has been read. */
function once<T>(x: RequestContext, most: number, then: (read: BodyRead) => T): T | Promise<T> {
  const read = x.sent ?? x.incoming.body(most, x.deadline);
  x.sent = read;
  if (!(read instanceof Promise)) return then(read);
  x.awaitsBody = true;
  return read.then((whole) => {
    x.awaitsBody = false;
    return then(whole);
  });
}

/** Accepts a missing body where all its members are optional. */
function nothingSent(x: RequestContext): null {
  x.body = {};
  return null;
}

/** Refuses a body where nothing reads one. */
export function bodyRefuser(plan: Extract<BeforeStep, { do: 'refuse body' }>, errors: Errors) {
  return (x: RequestContext): Refusal | null | Promise<Refusal | null> => {
    const { rawHeaders } = x.incoming;
    const length = header(rawHeaders, 'content-length');
    if (length !== undefined) {
      if (Number(length) > plan.most) return errors.condition('request too large');
      if (Number(length) > 0) x.unexpectedBody = true;
      return null;
    }
    if (header(rawHeaders, 'transfer-encoding') === undefined) return null;
    return once(x, plan.most, (read) => {
      if (!Buffer.isBuffer(read)) return errors.condition(UNREAD[read]);
      x.unexpectedBody = read.length > 0;
      return null;
    });
  };
}

/** Answers the faults of parameters and body together, under the condition that comes first in checking order. */
export function contentChecker(errors: Errors) {
  return (x: RequestContext): Refusal | null => {
    if (x.faults.length) return ofFaults(x.faults, errors);
    return x.unexpectedBody ? errors.condition('body not expected') : null;
  };
}

/** The refusal of faults, under the condition that comes first in checking order. */
export function ofFaults(faults: readonly FaultAt[], errors: Errors): Refusal {
  const invalid = faults.some((fault) => fault.code !== 'unknown_field' && fault.code !== 'unknown_parameter');
  const field = faults.some((fault) => fault.code === 'unknown_field');
  return errors.condition(invalid ? 'invalid request' : field ? 'unknown field' : 'unknown parameter', faults);
}
