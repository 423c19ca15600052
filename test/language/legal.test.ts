import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyGrammar } from '../../src/language/grammar.ts';
import { legalAfter } from '../../src/language/legal.ts';
import { type Notes, Phrase } from '../../src/syntax/phrase.ts';
import { STATEMENTS } from './statements.ts';

/** The tokens of a text, each with what stands before it. */
function cutsOf(text: string): Array<{ readonly before: string; readonly next: string }> {
  const notes: Notes = { findings: [], marks: [] };
  const { tokens } = new Phrase({ source: text, from: 0, to: text.length, inTable: false }, notes);
  return tokens.map(({ from, to }) => ({ before: text.slice(0, from).trimEnd(), next: text.slice(from, to) }));
}

/** Whether what stood at a place is among what may stand there. */
function offers(value: AnyGrammar, { before, next }: { readonly before: string; readonly next: string }): boolean {
  const legal = legalAfter(value, before);
  return legal !== null && (legal.value !== '' || legal.words.some((words) => words.startsWith(next)));
}

/**
 * Places at which what stood there is not offered: words that are whole already and go on in another alternative, and
 * values that a reader by hand tells apart by looking ahead.
 */
const SILENT = [
  'scheme Credentials: issued and revoked by the operator | and',
  'endpoints Access: any | Customer',
  'endpoints Request: bytes | of',
  'endpoints Request: Order with sku, note, each | optional',
  'endpoints Request: order | :',
  'endpoints Request: orders | :',
  'endpoints Request: orders: list of Order with sku, note, 1 | to',
  'endpoints Audience: any | Customer',
  'endpoints Description: AsyncAPI 3.1 at `/openapi.json` for any | Customer',
  'endpoint Access: any | Customer',
  'endpoint Request: bytes | of',
  'endpoint Request: Order with sku, note, each | optional',
  'endpoint Request: order | :',
  'endpoint Request: orders | :',
  'endpoint Request: orders: list of Order with sku, note, 1 | to',
  'endpoint Audience: any | Customer',
  'endpoint Deprecated: from 2026-11-01, | until',
  'webhook Receivers: the rows of Hook, at url, for every | event',
  'stream At once: 5 for each caller, | 20',
];

test('at each place of each statement, what stood there is among what may stand there', () => {
  const places = STATEMENTS.flatMap(({ name, value }) =>
    value.samples.flatMap((sample) => cutsOf(sample).map((cut) => ({ name, value, ...cut }))),
  );
  const silent = places
    .filter((place) => !offers(place.value, place))
    .map(({ name, before, next }) => `${name}: ${before} | ${next}`);
  assert.ok(places.length > 500, `${places.length} places`);
  assert.deepEqual([...new Set(silent)], SILENT);
});
