/**
 * Returns the service's address in the form for expressions: an absolute http or https URL to which paths can be
 * appended, without user, query, fragment, and final slash. Null for another text.
 */
export function baseUrl(text: string): string | null {
  const url = /^https?:\/\/[\x21-\x7e]+$/i.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password || /[?#\\{}*]/.test(text)) return null;
  return text.replace(/\/$/, '');
}
