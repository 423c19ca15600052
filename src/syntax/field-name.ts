/** The name of a header field: a token (RFC 9110, section 5.1). */
export const FIELD_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** Longer ones don’t pass what stands between a caller and a service: the whole head of a message has 8 KiB there. */
const LONGEST_FIELD_NAME = 256;

const WHOLE = new RegExp(`^${FIELD_NAME}$`);

/** True of what may name a header field, and is no longer than others carry. */
export const isFieldName = (text: string): boolean => text.length <= LONGEST_FIELD_NAME && WHOLE.test(text);
