/** The placeholder for the code of an error in the type of its problem details. */
export const CODE_IN_TYPE = '{code}';

/**
 * The type of problem details for a code (RFC 9457, section 3.1.1); `type` is the document’s template for all codes.
 */
export const problemType = (type: string, code: string): string =>
  type.replace(CODE_IN_TYPE, () => encodeURIComponent(code));
