/** The name of a header field: a token (RFC 9110, section 5.1). */
export const FIELD_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** Proxies reject longer names: some allow 8 KiB for all headers of a message. */
const LONGEST_FIELD_NAME = 256;

const WHOLE = new RegExp(`^${FIELD_NAME}$`);

/** Whether a text is a valid name of a header field, and short enough for proxies. */
export const isFieldName = (text: string): boolean => text.length <= LONGEST_FIELD_NAME && WHOLE.test(text);

/** The header fields of answers that the language states elsewhere, that the service adds, or that HTTP defines. */
const SENT_ALREADY: ReadonlySet<string> = new Set([
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'expires',
  'keep-alive',
  'last-modified',
  'link',
  'location',
  'pragma',
  'proxy-authenticate',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'server',
  'set-cookie',
  'sunset',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'vary',
  'via',
  'www-authenticate',
]);

/** Whether answers have a header field for another purpose. */
export const isSentAlready = (name: string): boolean =>
  SENT_ALREADY.has(name.toLowerCase()) || name.toLowerCase().startsWith('access-control-');

/** The header fields that the language, or HTTP itself, reads (RFC 9110). */
export const READ_ALREADY: readonly string[] = [
  'accept',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
