/** The placeholder for the code of an error in the type of its problem details. */
export const CODE_IN_TYPE = '{code}';

/** The column with the types that some codes have of their own, as plan and contract name it. */
export const TYPE_COLUMN = 'type';

/**
 * The type of problem details for a code (RFC 9457, section 3.1.1); `type` is the document’s template for all codes, and
 * `more` the cells of the code in further columns.
 */
export const problemType = (
  type: string,
  code: string,
  more: Readonly<Record<string, string | null>> | undefined = undefined,
): string => more?.[TYPE_COLUMN] ?? type.replace(CODE_IN_TYPE, () => encodeURIComponent(code));
