import { isUtf8 } from 'node:buffer';
import { addTo } from '../text/lists.ts';
import { mediaRanges, mediaType } from './media.ts';

/** The most bytes in the head of a part, and of spaces after a boundary. */
const MOST_HEAD = 8192;
const MOST_PADDING = 64;

const CRLF = '\r\n';

/** The head of a part of a form (RFC 7578, section 4). */
export interface PartHead {
  readonly name: string;
  /** The name of the file as it was sent; null where there is none. */
  readonly filename: string | null;
  /** The media type, which is text/plain where the head states none; null where it is malformed or of another charset. */
  readonly type: string | null;
  /** Whether the bytes are as they are: base64 and quoted-printable are encodings of mail (RFC 7578, section 4.7). */
  readonly isIdentity: boolean;
}

/** The content of a piece of a body: the head of a part, then its bytes, then its end. */
export type PartEvent =
  | { readonly kind: 'head'; readonly head: PartHead }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' }
  /** The form is malformed from here on. */
  | { readonly kind: 'malformed' };

/**
 * The boundary that a `Content-Type` of multipart/form-data names (RFC 2046, section 5.1.1); null where there is none, or
 * not exactly one.
 */
export function boundaryIn(contentType: string): string | null {
  const [range, ...others] = mediaRanges(contentType) ?? [];
  const named = range?.parameters.filter(([name]) => name === 'boundary') ?? [];
  const [, boundary = ''] = named[0] ?? [];
  const isOne = others.length === 0 && named.length === 1;
  return isOne && /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary) ? boundary : null;
}

/**
 * Reads a form of several parts piece by piece (RFC 7578, RFC 2046 section 5.1). It holds no more than the head of a part,
 * or as many bytes as a boundary has.
 */
export class MultipartReader {
  private readonly delimiter: Buffer;
  private state: 'preamble' | 'head' | 'first byte' | 'bytes' | 'epilogue' = 'preamble';
  /** The first boundary may begin the body: it ends a line that is not there. */
  private rest: Buffer = Buffer.from(CRLF);

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`${CRLF}--${boundary}`);
  }

  /** Whether the last boundary has been read. */
  get isWhole(): boolean {
    return this.state === 'epilogue';
  }

  /** Returns what a piece holds. No piece comes after a malformed one. */
  push(piece: Buffer): PartEvent[] {
    const out: PartEvent[] = [];
    let text = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece;
    for (;;) {
      if (this.state === 'epilogue') {
        this.rest = Buffer.alloc(0);
        return out;
      }
      const taken = this.state === 'head' ? this.readHead(text, out) : this.readBytes(text, out);
      if (taken === null) {
        out.push({ kind: 'malformed' });
        return out;
      }
      text = text.subarray(taken.length);
      if (taken.waits) {
        // A copy: the piece is let go of.
        this.rest = Buffer.from(text);
        return out;
      }
    }
  }

  private readHead(text: Buffer, out: PartEvent[]): Taken | null {
    const end = text.indexOf(CRLF + CRLF);
    if ((end < 0 ? text.length : end) > MOST_HEAD) return null;
    if (end < 0) return { length: 0, waits: true };
    const head = headOf(text.subarray(0, end));
    if (!head) return null;
    out.push({ kind: 'head', head });
    this.state = 'first byte';
    // The empty line after the head may belong to the boundary of a part without bytes.
    return { length: end + CRLF.length, waits: false };
  }

  private readBytes(text: Buffer, out: PartEvent[]): Taken | null {
    const { delimiter } = this;
    let at = 0;
    if (this.state === 'first byte') {
      if (text.length < delimiter.length && delimiter.subarray(0, text.length).equals(text))
        return { length: 0, waits: true };
      this.state = 'bytes';
      if (!text.subarray(0, delimiter.length).equals(delimiter)) at = CRLF.length;
    }
    const found = text.indexOf(delimiter, at);
    const end = found < 0 ? Math.max(at, text.length - delimiter.length + 1) : found;
    const isPart = this.state === 'bytes';
    if (isPart && end > at) out.push({ kind: 'bytes', bytes: text.subarray(at, end) });
    if (found < 0) return { length: end, waits: true };
    const after = this.afterBoundary(text, found + delimiter.length);
    if (after === null) return null;
    if (after === 'waits') return this.waitAt(found);
    if (isPart) out.push({ kind: 'end' });
    this.state = after.isLast ? 'epilogue' : 'head';
    return { length: after.at, waits: false };
  }

  /** Waits for what follows a boundary, whose first byte then comes first. */
  private waitAt(length: number): Taken {
    if (this.state === 'bytes') this.state = 'first byte';
    return { length, waits: true };
  }

  /** Reads what follows a boundary: two hyphens after the last part, or the end of a line. */
  private afterBoundary(text: Buffer, from: number): { at: number; isLast: boolean } | 'waits' | null {
    if (text.length < from + 2) return 'waits';
    if (text.toString('latin1', from, from + 2) === '--') return { at: from + 2, isLast: true };
    let at = from;
    while (at < text.length && (text[at] === 0x20 || text[at] === 0x09)) at++;
    if (at - from > MOST_PADDING) return null;
    if (text.length < at + 2) return 'waits';
    return text.toString('latin1', at, at + 2) === CRLF ? { at: at + 2, isLast: false } : null;
  }
}

/** How many bytes have been read, and whether more are needed. */
interface Taken {
  readonly length: number;
  readonly waits: boolean;
}

/** One line of a head: a name and a value without control characters. */
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\u{10ffff}]*)$/u;

/** Reads the head of a part; null where it is malformed, or names no part of a form. */
function headOf(bytes: Buffer): PartHead | null {
  if (!isUtf8(bytes)) return null;
  const fields = new Map<string, string>();
  for (const line of bytes.toString().split(CRLF)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    const key = name.toLowerCase();
    // Other header fields have no meaning in a form (RFC 7578, section 4.8).
    if (!READ.includes(key)) continue;
    if (fields.has(key)) return null;
    fields.set(key, value.trim());
  }
  const disposition = dispositionOf(fields.get('content-disposition') ?? '');
  if (!disposition) return null;
  const type = fields.get('content-type');
  const encoding = fields.get('content-transfer-encoding')?.toLowerCase();
  return {
    ...disposition,
    type: type === undefined ? 'text/plain' : mediaType(type),
    isIdentity: encoding === undefined || ['7bit', '8bit', 'binary'].includes(encoding),
  };
}

const READ: readonly string[] = ['content-disposition', 'content-type', 'content-transfer-encoding'];

/** A parameter of Content-Disposition: a token, or text in quotes as HTML writes it, without backslashes for escapes. */
const PARAMETER = /[ \t]*;[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"([^"]*)"|([!#$%&'*+\-.^_`|~0-9A-Za-z]+))/y;

/** Reads `form-data; name="…"; filename="…"`; null where it is something else, or names a parameter twice. */
function dispositionOf(value: string): Pick<PartHead, 'name' | 'filename'> | null {
  if (!/^form-data(?=[ \t]*;)/i.test(value)) return null;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = 'form-data'.length;
  let end = PARAMETER.lastIndex;
  for (let found = PARAMETER.exec(value); found; found = PARAMETER.exec(value)) {
    const [, name = '', quoted, token] = found;
    const key = name.toLowerCase();
    // A form has no name in the encoding of RFC 8187 (RFC 7578, section 4.2).
    if (key.endsWith('*') || parameters.has(key)) return null;
    parameters.set(key, unescaped(quoted ?? token ?? ''));
    end = PARAMETER.lastIndex;
  }
  const name = parameters.get('name');
  return end === value.length && name !== undefined ? { name, filename: parameters.get('filename') ?? null } : null;
}

/** HTML escapes three characters in names, and nothing else (HTML, “multipart/form-data encoding algorithm”). */
const ESCAPED: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

const unescaped = (text: string): string => text.replace(/%22|%0D|%0A/gi, (one) => ESCAPED[one.toUpperCase()]!);

const escaped = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent);

/** The bytes of a file in a form that is written whole: one character for each byte. */
export interface FileContent {
  readonly type: string;
  readonly latin1: string;
  /** The name of the file; absent for that of its part. */
  readonly filename?: string;
}

export const isFileContent = (value: unknown): value is FileContent =>
  typeof value === 'object' && value !== null && 'latin1' in value && 'type' in value;

/** The boundary of forms that are written whole: random enough for values that nobody has chosen by it. */
export const BOUNDARY = 'ninefold-7f1c6a02d9e54b38';

/** `Content-Type` of a form that is written whole. */
export const WHOLE_FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** Writes an object as a form of several parts, as HTML does: the items of a list repeat its name, and null is left out. */
export function showParts(members: object, textOf: (value: unknown) => string): Buffer {
  const parts = Object.entries(members).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
      one === null || one === undefined ? [] : [partOf(name, one, textOf)],
    ),
  );
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--${CRLF}`)]);
}

function partOf(name: string, value: unknown, textOf: (value: unknown) => string): Buffer {
  const isFile = isFileContent(value);
  const more = isFile ? `; filename="${escaped(value.filename ?? name)}"${CRLF}Content-Type: ${value.type}` : '';
  const head = `--${BOUNDARY}${CRLF}Content-Disposition: form-data; name="${escaped(name)}"${more}${CRLF}${CRLF}`;
  const bytes = isFile ? Buffer.from(value.latin1, 'latin1') : Buffer.from(textOf(value));
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(CRLF)]);
}

/** Reads a whole form as the object that `showParts` writes; null where it is malformed. */
export function parseParts(bytes: Buffer, boundary: string): Readonly<Record<string, unknown>> | null {
  const reader = new MultipartReader(boundary);
  const parts: Array<{ readonly head: PartHead; readonly pieces: Buffer[] }> = [];
  for (const event of reader.push(bytes))
    if (event.kind === 'head') parts.push({ head: event.head, pieces: [] });
    else if (event.kind === 'bytes') parts.at(-1)?.pieces.push(event.bytes);
  if (!reader.isWhole) return null;
  const members = new Map<string, unknown[]>();
  for (const { head, pieces } of parts) {
    const whole = Buffer.concat(pieces);
    const isFile = head.filename !== null;
    addTo(members, head.name, isFile ? { type: head.type, latin1: whole.toString('latin1') } : whole.toString());
  }
  return Object.fromEntries([...members].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}
