import type { Json } from '../../export/json.ts';
import { parseBody } from '../../http/answer-body.ts';
import type { StatementId } from '../../plan/lines.ts';
import { isCsv, isText } from '../../plan/media-types.ts';
import { withoutNames } from '../../plan/paths.ts';
import { isObject } from '../../text/own-members.ts';
import type { Expected } from '../oracle/errors.ts';
import { hasMark, matchMarks, matchShown, type Patterns } from '../oracle/marks.ts';
import { type Answer, combinedHeader } from '../target/exchange.ts';
import { isTextTooDeep, isTooDeep } from './depth.ts';
import { isSameLinks, type PageSizeParameter } from './links.ts';

/** A difference between an answer and the expected one. */
export interface Difference {
  /** `status`, `header NAME`, or `body` with a JSON Pointer (RFC 6901). */
  readonly at: string;
  /** The required value as text; null if there must be none. */
  readonly expected: string | null;
  readonly actual: string | null;
  /** The lines that the contract names for the difference, if only the contract declares another value. */
  readonly declared?: readonly number[];
  /** The statement about this place, where the difference itself shows which it is. */
  readonly statement?: StatementId;
}

/** The result of comparing an answer with the predicted one. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** The texts of the answer at the places of marks. */
  readonly told: ReadonlyArray<readonly [mark: string, value: string]>;
  /** Timestamps of the answer that are others than expected, in milliseconds since the epoch. */
  readonly instants: ReadonlyArray<readonly [expected: number, actual: number]>;
}

/**
 * How exactly the values of rate headers are known: to the second; nearly, where the service’s clock runs, so that
 * counts are known and seconds are not; or not at all.
 */
export type Exactness = 'exact' | 'near' | 'unknown';

/** By how many seconds a value may differ that is nearly known. */
const NEAR_SECONDS = 2;

const ALLOWED_METHODS = 'Access-Control-Allow-Methods';

/** Headers that an answer has only where the document says so. */
export const GOVERNED: readonly string[] = [
  'Location',
  'ETag',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Allow',
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  ALLOWED_METHODS,
  'Access-Control-Allow-Headers',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
];

/** Headers whose values are lists in no order. */
const UNORDERED: readonly string[] = [
  'allow',
  'vary',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
];

const SECOND_MS = 1000;

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Compares an answer with the expected one. `rates`: how exactly the values of rate headers are known. */
export function compare(
  expected: Expected,
  answer: Answer,
  {
    rates,
    isHead,
    patterns,
    cookies = [],
  }: { rates: Exactness; isHead: boolean; patterns: Patterns; cookies?: readonly string[] },
): Comparison {
  const found: Collected = { differences: [], told: [], instants: [], patterns };
  if (answer.status !== expected.status)
    found.differences.push({ at: 'status', expected: String(expected.status), actual: String(answer.status) });
  compareHeaders(expected, answer, rates, found);
  for (const name of cookies) compareCookie(name, expected, answer, found);
  const coding = combinedHeader(answer.headers, 'Content-Encoding');
  // Nothing is decoded: the coding itself is what differs, and a body of a few bytes may be one of gigabytes.
  if (coding !== null && !/^identity$/i.test(coding) && answer.body.length > 0)
    found.differences.push({
      at: 'header Content-Encoding',
      expected: null,
      actual: `${coding}, which was not asked for`,
    });
  else if (!isHead) compareBodies(expected, answer, found);
  else compareLength(expected, answer, found);
  return found;
}

/** The largest number of reported differences of one answer: a large body may have very many. */
const MOST_DIFFERENCES = 1000;

/**
 * Compares the Content-Length of an answer to HEAD: the length that the answer to GET would have, or none (RFC 9110,
 * section 8.6). The length depends on how JSON is written, but it is never zero.
 */
function compareLength(expected: Expected, answer: Answer, found: Collected): void {
  const length = combinedHeader(answer.headers, 'Content-Length');
  const hasBody = /json/i.test(combinedHeader(expected.headers, 'Content-Type') ?? '');
  if (hasBody && answer.status === expected.status && length !== null && /^0+$/.test(length))
    found.differences.push({
      at: 'header Content-Length',
      expected: 'the length of the body that GET is answered with',
      actual: length,
    });
}

const TOO_DEEP = 'the body is nested too deeply';

/** Compares a JSON value with the predicted one, by the rules for bodies of answers. */
export function compareValues(expected: Json, actual: Json, patterns: Patterns): Comparison {
  const found: Collected = { differences: [], told: [], instants: [], patterns };
  if (isTooDeep(actual))
    found.differences.push({ at: 'body', expected: excerpt(JSON.stringify(expected)), actual: TOO_DEEP });
  else compareJson(expected, actual, '', false, found);
  return found;
}

interface Collected {
  readonly differences: Difference[];
  readonly told: Array<readonly [string, string]>;
  readonly instants: Array<readonly [number, number]>;
  readonly patterns: Patterns;
}

function compareHeaders(expected: Expected, answer: Answer, rates: Exactness, found: Collected): void {
  const names = new Set([...expected.headers.map(([name]) => name), ...(expected.absent ?? []), ...GOVERNED]);
  names.delete('Set-Cookie');
  for (const name of names) {
    const [ours, theirs] = [combinedHeader(expected.headers, name), combinedHeader(answer.headers, name)];
    const isOfRate = rates !== 'exact' && /^(?:ratelimit|retry-after)$/i.test(name);
    if (isOfRate && ours !== null && theirs !== null && (rates === 'unknown' || isNear(ours, theirs))) continue;
    // An answer to a preflight may have this header, too, although no browser reads it there (Fetch).
    if (name === 'Access-Control-Expose-Headers' && ours === null && combinedHeader(expected.headers, ALLOWED_METHODS))
      continue;
    const problem = headerProblem(name.toLowerCase(), ours, theirs, found, expected.pageSize ?? null);
    if (problem) found.differences.push({ at: `header ${name}`, expected: ours, actual: theirs });
  }
}

/** Compares the effect on a cookie of the document; other cookies are not the document's. */
function compareCookie(name: string, expected: Expected, answer: Answer, found: Collected): void {
  const [ours, theirs] = [cookieText(expected.headers, name), cookieText(answer.headers, name)];
  if (ours === theirs || (ours !== null && theirs !== null && textMatches(ours, theirs, found))) return;
  found.differences.push({ at: 'header Set-Cookie', expected: ours, actual: theirs });
}

/**
 * The effect of an answer's headers on a cookie: attributes count in any order and case, `Expires` not beside
 * `Max-Age` (RFC 6265, section 5.3), and those of a removed cookie only as far as they say which one it is.
 */
function cookieText(headers: Answer['headers'], name: string): string | null {
  const all = headers.flatMap(([field, value]) => {
    const [pair = '', ...rest] = value.split(';').map((part) => part.trim());
    if (field.toLowerCase() !== 'set-cookie' || pair.split('=', 1)[0] !== name) return [];
    const attributes = rest.map((part) => part.toLowerCase()).filter((part) => part !== '');
    const age = attributes.find((part) => part.startsWith('max-age='));
    const expires = attributes.find((part) => part.startsWith('expires='));
    const isRemoved = age ? Number(age.slice(8)) <= 0 : expires && Date.parse(expires.slice(8)) < Date.now();
    const own = attributes.filter((part) =>
      isRemoved ? /^(?:path|domain|secure)\b/.test(part) : part !== expires || !age,
    );
    return [[isRemoved ? `${name} removed` : pair, ...own.sort()].join('; ')];
  });
  return all.length ? all.join(' and ') : null;
}

/** Whether two values of a rate header differ in nothing but a few seconds: `"a";r=5;t=60`, or `60`. */
function isNear(ours: string, theirs: string): boolean {
  const seconds = /(?<=;t=|^)\d+(?=,|$)/g;
  const [wanted, given] = [ours, theirs].map((text) => [...text.matchAll(seconds)].map(([digits]) => Number(digits)));
  const isClose = wanted?.every((one, i) => Math.abs(one - (given?.[i] ?? Number.NaN)) <= NEAR_SECONDS) ?? false;
  return isClose && ours.replace(seconds, '') === theirs.replace(seconds, '');
}

/** Whether a header has another value than the expected one. */
function headerProblem(
  name: string,
  expected: string | null,
  actual: string | null,
  found: Collected,
  size: PageSizeParameter | null,
): boolean {
  if (expected === null || actual === null) return expected !== actual;
  if (name === 'content-type') return normalType(expected) !== normalType(actual);
  if (UNORDERED.includes(name)) {
    const [ours, theirs] = [expected, actual].map((text) => text.split(/\s*,\s*/).map((one) => one.toLowerCase()));
    // An answer that varies by anything varies by each of its headers (RFC 9110, section 12.5.5).
    if (name === 'vary' && theirs?.includes('*')) return !ours?.includes('*');
    return !(ours ?? []).every((one) => theirs?.includes(one)) || (name !== 'vary' && ours?.length !== theirs?.length);
  }
  if (textMatches(expected, actual, found)) return false;
  return name !== 'link' || !isSameLinks(expected, actual, size, (ours, theirs) => textMatches(ours, theirs, found));
}

/** A media type without the charset that JSON always has. */
const normalType = (type: string): string =>
  type
    .toLowerCase()
    .replace(/\s*;\s*charset="?utf-8"?/, '')
    .replace(/\s*;\s*/g, ';');

/** Whether a text is the expected one, in which marks match any fitting text. Records the texts at the marks. */
function textMatches(expected: string, actual: string, found: Collected): boolean {
  if (expected === actual) return true;
  if (!hasMark(expected)) return false;
  const told = matchMarks(expected, actual, found.patterns);
  // Long random text is another one each time.
  if (!told || told.some(([mark, value]) => found.patterns.wasDrawn(mark, value))) return false;
  found.told.push(...told);
  return true;
}

function compareBodies(expected: Expected, answer: Answer, found: Collected): void {
  if (expected.body === undefined) {
    if (answer.body.length > 0 && answer.status === expected.status && answer.status < 400)
      found.differences.push({ at: 'body', expected: null, actual: excerpt(answer.body.toString()) });
    return;
  }
  if (expected.isBytes) {
    const text = answer.body.toString('latin1');
    if (text !== expected.body)
      found.differences.push({ at: 'body', expected: excerpt(String(expected.body)), actual: excerpt(text) });
    return;
  }
  if (isText(combinedHeader(expected.headers, 'Content-Type') ?? '')) {
    const text = answer.body.toString();
    if (textMatches(String(expected.body), text, found)) return;
    found.differences.push({ at: 'body', expected: excerpt(String(expected.body)), actual: excerpt(text) });
    return;
  }
  const type = combinedHeader(expected.headers, 'Content-Type') ?? '';
  const parsed = isTextTooDeep(answer.body) ? ({ ok: false, reason: TOO_DEEP } as const) : parseBody(type, answer.body);
  if (!parsed.ok) {
    found.differences.push({
      at: 'body',
      expected: excerpt(JSON.stringify(expected.body)),
      actual: `${excerpt(answer.body.toString())} (${parsed.reason})`.trimStart(),
    });
    return;
  }
  if (expected.describes) {
    compareJson(expected.body, operationsIn(parsed.value), '', false, found);
    return;
  }
  const value = isCsv(type) ? recordsLike(expected.body, parsed.value as string[][]) : (parsed.value as Json);
  const isProblem = expected.headers.some(([, one]) => one.startsWith('application/problem+json'));
  const isTyped = isObject(expected.body) && own(expected.body, 'type') !== undefined;
  compareJson(expected.body, isProblem && !isTyped ? withoutBlank(value) : value, '', expected.code !== null, found);
}

/** The methods that an operation of a path may have. OPTIONS is no endpoint, and HEAD is answered as GET is. */
const OPERATIONS: readonly string[] = ['get', 'put', 'post', 'delete', 'patch', 'query'];

/** The operations of an OpenAPI description, as methods with paths in which parameters have no names, in text order. */
function operationsIn(description: unknown): Json {
  const paths = isObject(description) ? description.paths : undefined;
  if (!isObject(paths)) return null;
  const all = Object.entries(paths).flatMap(([path, item]) =>
    OPERATIONS.filter((method) => isObject(item) && item[method] !== undefined).map(
      (method) => `${method.toUpperCase()} ${withoutNames(path)}`,
    ),
  );
  return all.sort();
}

/** The cells of CSV as values of the expected kinds, so that numbers are compared as numbers. */
function recordsLike(expected: Json, records: string[][]): Json {
  const cell = (like: Json | undefined, text: string): Json => {
    if (like === null && text === '') return null;
    if (typeof like === 'string' || like === undefined || like === null) return text;
    try {
      return JSON.parse(text) as Json;
    } catch {
      return text;
    }
  };
  const at = (of: Json | undefined, i: number): Json | undefined => (Array.isArray(of) ? of[i] : undefined);
  return records.map((record, i) => record.map((text, n) => cell(at(at(expected, i), n), text)));
}

/** Problem details without a `type` that means the same as none (RFC 9457, section 4.2.1). */
function withoutBlank(value: Json): Json {
  if (!isObject(value) || own(value, 'type') !== 'about:blank') return value;
  const { type: _, ...others } = value;
  return others;
}

function compareJson(
  expected: Json | undefined,
  actual: Json | undefined,
  at: string,
  error: boolean,
  found: Collected,
): void {
  if (found.differences.length >= MOST_DIFFERENCES) return;
  const differs = (): void => {
    found.differences.push({ at: `body ${at}`.trimEnd(), expected: jsonText(expected), actual: jsonText(actual) });
  };
  const told = matchShown(expected, actual, found.patterns);
  if (told) {
    found.told.push(told);
    return;
  }
  if (typeof expected === 'string' && typeof actual === 'string') {
    if (textMatches(expected, actual, found)) return;
    if (TIMESTAMP.test(expected) && TIMESTAMP.test(actual))
      found.instants.push([Date.parse(expected), Date.parse(actual)]);
    differs();
    return;
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    // The document does not state the order of the faults of a request.
    const [ours, theirs] = error ? [inTextOrder(expected), inTextOrder(actual)] : [expected, actual];
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++)
      compareJson(ours[i], theirs[i], `${at}/${i}`, error, found);
    return;
  }
  if (isObject(expected) && isObject(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compareJson(
        own(expected, name),
        own(actual, name),
        `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        error,
        found,
      );
    return;
  }
  if (expected === actual) return;
  // Numbers may be instants in seconds: whether the expected one is, the predicted instants tell.
  if (typeof expected === 'number' && typeof actual === 'number')
    found.instants.push([expected * SECOND_MS, actual * SECOND_MS]);
  differs();
}

const inTextOrder = (items: readonly Json[]): Json[] =>
  items
    .map((item) => [JSON.stringify(sorted(item)), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);

/** The value with the members of objects in the order of their names. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

const own = (object: { [name: string]: Json }, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const jsonText = (value: Json | undefined): string | null =>
  value === undefined ? null : excerpt(JSON.stringify(value));

/** The longest quotation of a value in a report, in characters. */
const EXCERPT = 300;

const excerpt = (text: string): string => (text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text);
