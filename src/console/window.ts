import { ConsoleError } from './problem.ts';

/** Which part of a list is asked for. */
interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** The most rows of one request. */
export const MOST_ROWS = 200;
const STANDARD = 100;

/** `offset` and `limit` of a query. Throws ConsoleError where they are no such numbers. */
export function windowOf(query: URLSearchParams): Window {
  return { offset: numberOf(query, 'offset', 0, 0, 2 ** 40), limit: numberOf(query, 'limit', STANDARD, 1, MOST_ROWS) };
}

function numberOf(query: URLSearchParams, name: string, otherwise: number, least: number, most: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const number = /^\d{1,13}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most))
    throw new ConsoleError('wrong use', `“${name}” is a whole number from ${least} to ${most}.`);
  return number;
}
