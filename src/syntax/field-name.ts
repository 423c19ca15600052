/** The name of a header field: a token (RFC 9110, section 5.1). */
export const FIELD_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** Proxies reject longer names: some allow 8 KiB for all headers of a message. */
const LONGEST_FIELD_NAME = 256;

const WHOLE = new RegExp(`^${FIELD_NAME}$`);

/** Whether a text is a valid name of a header field, and short enough for proxies. */
export const isFieldName = (text: string): boolean => text.length <= LONGEST_FIELD_NAME && WHOLE.test(text);
