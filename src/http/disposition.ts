/** Characters that no name of a file has: controls, and those that change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Separators of folders, and characters that systems refuse in names. */
const FORBIDDEN = /[/\\:*?"<>|]/g;

/** The longest name, in bytes of UTF-8: file systems have no longer ones. */
const LONGEST_BYTES = 255;

/**
 * The value of `Content-Disposition` (RFC 6266). The name has no folders. A name that ASCII cannot express is there twice:
 * in ASCII, and as RFC 8187 encodes it.
 */
export function contentDisposition(kind: 'attachment' | 'inline', name: string | null): string {
  if (name === null) return kind;
  const plain = fileName(name);
  const ascii = plain.replace(/[^\x20-\x7e]/gu, '_').replaceAll('%', '_');
  const quoted = `${kind}; filename="${ascii}"`;
  return ascii === plain ? quoted : `${quoted}; filename*=UTF-8''${encoded(plain)}`;
}

/** A text as the name of a file. */
function fileName(text: string): string {
  const shown = text.toWellFormed().replace(UNSEEN, '').replace(FORBIDDEN, '_').trim();
  let name = [...shown].slice(0, LONGEST_BYTES).join('');
  // A name of dots alone is a folder.
  if (/^\.*$/.test(name)) name = name.replaceAll('.', '_');
  while (Buffer.byteLength(name) > LONGEST_BYTES) name = [...name].slice(0, -1).join('');
  return name === '' ? '_' : name;
}

/** `value-chars` of RFC 8187, section 3.2.1. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
