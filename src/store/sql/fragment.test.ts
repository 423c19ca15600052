import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyOf, joined, raw, sql } from './fragment.ts';

const numbered = (n: number): string => `$${n}`;

test('what is SQL becomes part of a template, and anything else is bound', () => {
  const begins = sql`substr(${raw('"a ? b"')}, 1, ${2}) = ${'x'}`;
  const whole = sql`SELECT '?' WHERE ${begins} AND y = ${null}`;
  assert.equal(whole.text(numbered), `SELECT '?' WHERE substr("a ? b", 1, $1) = $2 AND y = $3`);
  assert.equal(
    whole.text(() => '?'),
    `SELECT '?' WHERE substr("a ? b", 1, ?) = ? AND y = ?`,
  );
  assert.deepEqual(whole.values, [2, 'x', null]);
});

test('pieces are joined with their values in order', () => {
  const pieces = [sql`a = ${1}`, raw('b'), sql`${2} = ${3}`];
  const all = joined(pieces, ' OR ');
  assert.equal(all.text(numbered), 'a = $1 OR b OR $2 = $3');
  assert.deepEqual(all.values, [1, 2, 3]);
  assert.equal(joined([], ' OR ').text(numbered), '');
});

test('one of many conditions is no deeper than a database allows', () => {
  const pieces = Array.from({ length: 5 }, (_, i) => sql`a = ${i}`);
  const all = anyOf(pieces);
  assert.equal(all.text(numbered), '(a = $1 OR a = $2) OR ((a = $3) OR (a = $4 OR a = $5))');
  assert.deepEqual(all.values, [0, 1, 2, 3, 4]);
  const many = anyOf(Array.from({ length: 20_000 }, (_, i) => sql`a = ${i}`));
  assert.equal(many.values.length, 20_000);
  assert.equal(/^\(+/.exec(many.text(numbered))?.[0].length, 13);
});
