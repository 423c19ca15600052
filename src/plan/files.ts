/** Fields of bytes: their media types, and the column that says where the bytes are. */

/** A field of bytes. The bytes themselves are not in the row: a column of the service holds their identity. */
export interface FilePlan {
  readonly field: string;
  /** The column that holds the identity of the bytes. Its name begins with a space, as no field’s name can. */
  readonly column: string;
  readonly most: number;
  readonly mediaTypes: readonly string[];
  /** Whether the first bytes have to be those of the stated type. */
  readonly checked: boolean;
}

/** The members of a field of bytes: the facts about the bytes, which rows show. */
export const FILE_MEMBERS = ['type', 'size', 'sha256'] as const;
export type FileMember = (typeof FILE_MEMBERS)[number];

const COLUMN = ' bytes ';

/** The column for the identity of the bytes of a field. */
export const fileColumn = (field: string): string => COLUMN + field;

/** The field of bytes whose identity a column holds; null for any other column. */
export const fieldOfColumn = (column: string): string | null =>
  column.startsWith(COLUMN) ? column.slice(COLUMN.length) : null;

/** The field of bytes that a column is about, by a member or by the identity of the bytes; null for any other column. */
export const bytesOfColumn = (files: readonly FilePlan[], column: string): string | null =>
  files.find((one) => one.column === column || FILE_MEMBERS.some((member) => column === `${one.field}.${member}`))
    ?.field ?? null;

/** Whether a text is a media type that bytes may have: a type and a subtype, in lower case (RFC 6838, section 4.2). */
export const isMediaType = (text: string): boolean =>
  /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/.test(text);

/** The beginnings of the bytes of a type, in hexadecimal digits; `..` is any byte. */
const SIGNATURES: ReadonlyMap<string, readonly string[]> = new Map([
  ['application/gzip', ['1f8b08']],
  ['application/pdf', ['255044462d']],
  ['application/zip', ['504b0304', '504b0506']],
  ['audio/flac', ['664c6143']],
  ['audio/ogg', ['4f676753']],
  ['audio/wav', ['52494646........57415645']],
  ['image/avif', ['........6674797061766966', '........6674797061766973']],
  ['image/gif', ['474946383761', '474946383961']],
  ['image/jpeg', ['ffd8ff']],
  ['image/png', ['89504e470d0a1a0a']],
  ['image/webp', ['52494646........57454250']],
  ['video/mp4', ['........66747970']],
  ['video/webm', ['1a45dfa3']],
]);

/** The types whose first bytes can be checked. */
export const CHECKED_TYPES: readonly string[] = [...SIGNATURES.keys()];

/** Whether bytes begin as those of a type do, where the first bytes of that type are known. */
export function beginsAs(mediaType: string, bytes: Uint8Array): boolean {
  const known = SIGNATURES.get(mediaType);
  if (!known) return true;
  const text = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return known.some((signature) => new RegExp(`^${signature}`).test(text));
}

/** The first bytes of a type, with a zero in place of any byte; none where they are not known. */
export const firstBytesOf = (mediaType: string): Uint8Array =>
  Uint8Array.from((SIGNATURES.get(mediaType)?.[0] ?? '').match(/../g) ?? [], (digits) =>
    digits === '..' ? 0 : Number.parseInt(digits, 16),
  );

/** The types that a browser may show in its window: it runs nothing that they hold. */
export const INLINE_TYPES: readonly string[] = [
  'audio/flac',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'video/mp4',
  'video/webm',
];

/**
 * The headers of an answer with a file. A browser takes the media type as it is stated, and what it shows of the file
 * runs no script, sends nothing, and has no origin.
 */
export const GUARDS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const;
