import type { Condition } from '../../plan/conditions.ts';

/** The statuses that standards define for a condition, with their sections. */
const SECTIONS: Readonly<Partial<Record<Condition, Readonly<Record<number, string>>>>> = {
  'malformed HTTP': { 400: 'RFC 9110, section 15.5.1' },
  'headers too large': { 431: 'RFC 6585, section 5' },
  'address too long': { 414: 'RFC 9110, section 15.5.15' },
  'host not served': { 421: 'RFC 9110, section 15.5.20' },
  'no such endpoint': { 404: 'RFC 9110, section 15.5.5' },
  'method not allowed': { 405: 'RFC 9110, section 15.5.6' },
  unavailable: { 503: 'RFC 9110, section 15.6.4' },
  'credentials missing': { 401: 'RFC 9110, section 15.5.2' },
  'credentials not accepted': { 401: 'RFC 9110, section 15.5.2' },
  'credentials expired': { 401: 'RFC 9110, section 15.5.2' },
  'rate exceeded': { 429: 'RFC 6585, section 4' },
  'scope missing': { 403: 'RFC 9110, section 15.5.4' },
  'version retired': { 410: 'RFC 9110, section 15.5.11' },
  'not acceptable': { 406: 'RFC 9110, section 15.5.7' },
  'length missing': { 411: 'RFC 9110, section 15.5.12' },
  'request too large': { 413: 'RFC 9110, section 15.5.14' },
  'unsupported media type': { 415: 'RFC 9110, section 15.5.16' },
  'unsupported encoding': { 415: 'RFC 9110, section 15.5.16' },
  'malformed request': { 400: 'RFC 9110, section 15.5.1' },
  'invalid request': { 400: 'RFC 9110, section 15.5.1', 422: 'RFC 9110, section 15.5.21' },
  'unknown field': { 400: 'RFC 9110, section 15.5.1', 422: 'RFC 9110, section 15.5.21' },
  'unknown parameter': { 400: 'RFC 9110, section 15.5.1', 422: 'RFC 9110, section 15.5.21' },
  'reference unknown': { 400: 'RFC 9110, section 15.5.1', 422: 'RFC 9110, section 15.5.21' },
  'precondition missing': { 428: 'RFC 6585, section 3' },
  'precondition failed': { 412: 'RFC 9110, section 15.5.13' },
  conflict: { 409: 'RFC 9110, section 15.5.10' },
  'time-out': { 503: 'RFC 9110, section 15.6.4', 504: 'RFC 9110, section 15.6.5' },
  'storage full': { 507: 'RFC 4918, section 11.5' },
  'upstream failed': { 502: 'RFC 9110, section 15.6.3' },
  failure: { 500: 'RFC 9110, section 15.6.1' },
};

/** Matches the standard that a line of a document names. */
const CITED =
  /RFC \d+(?:, section [\d.]+)?|draft-[a-z0-9-]+|ISO \d+|Standard Webhooks|the CORS protocol|JSON Merge Patch/;

/**
 * The standard that a statement follows: the standard that its line cites, or else the section that defines the status
 * of its condition. Null where there is neither.
 */
export function standardOf(text: string, condition: Condition | null, status: number | null): string | null {
  const cited = CITED.exec(text)?.[0];
  if (cited) return cited;
  return (condition !== null && status !== null && SECTIONS[condition]?.[status]) || null;
}
