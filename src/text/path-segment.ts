/**
 * A text as one segment of a path. Browsers and libraries take `.` and `..` for steps to other folders, also where they
 * are escaped, and an empty segment for none: a tilde precedes them, and a text that begins with a tilde.
 */
export const pathSegment = (text: string): string =>
  /^(?:$|\.{1,2}$|~)/.test(text) ? `~${encodeURIComponent(text)}` : encodeURIComponent(text);

/** The text of a segment. Throws URIError where the segment is not percent-encoded UTF-8. */
export function segmentText(segment: string): string {
  const text = decodeURIComponent(segment);
  return text.startsWith('~') ? text.slice(1) : text;
}
