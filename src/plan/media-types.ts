import type { BodyPlan } from './step.ts';

/** The types of text that an answer may have: browsers show them, and run nothing that they hold. */
export const TEXT_TYPES = ['text/plain', 'text/markdown', 'text/calendar', 'text/vcard'] as const;

export type TextType = (typeof TEXT_TYPES)[number];

/** The media type of JSON, which the version of a request may replace. */
export const JSON_TYPE = 'application/json';

/** The media type of a merge patch (RFC 7396). */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** The media type of a form (URL Standard, section 5). */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media type of a form of several parts (RFC 7578). */
export const MULTIPART_TYPE = 'multipart/form-data';

/** The media type of a body, as `Content-Type` has it; of bytes of several types any. */
export function mediaTypeOf(body: BodyPlan): string {
  switch (body.kind) {
    case 'stream':
      return 'text/event-stream';
    case 'text':
      return `${body.mediaType}; charset=utf-8`;
    case 'file':
      return body.mediaTypes.length === 1 ? body.mediaTypes[0]! : '*/*';
    case 'rows':
      return body.form.kind === 'NDJSON' ? NDJSON_TYPE : `text/csv; charset=utf-8; header=${body.form.header}`;
    default:
      return JSON_TYPE;
  }
}

/** Rows as JSON, one a line. */
const NDJSON_TYPE = 'application/x-ndjson';

/** Whether bodies of a media type are CSV (RFC 4180). */
export const isCsv = (mediaType: string): boolean => /^text\/csv(?:;|$)/.test(mediaType);

/** Whether bodies of a media type are JSON. */
export const isJson = (mediaType: string): boolean =>
  !isText(mediaType) && !isCsv(mediaType) && mediaType !== NDJSON_TYPE;

/** Whether bodies of a media type are text that is not JSON. */
export const isText = (mediaType: string): boolean => TEXT_TYPES.some((one) => mediaType.startsWith(`${one};`));
