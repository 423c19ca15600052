/**
 * The address of a service as expressions give it: an absolute http or https URL that paths can be written after, so
 * without a user, a query, a fragment, or a slash at its end, which is taken off. Null where it isn’t one.
 */
export function baseUrl(text: string): string | null {
  const url = /^https?:\/\/[\x21-\x7e]+$/i.test(text) ? URL.parse(text) : null;
  if (!url || url.username || url.password || /[?#\\{}*]/.test(text)) return null;
  return text.replace(/\/$/, '');
}
