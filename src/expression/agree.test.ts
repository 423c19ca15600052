import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { registerFunctions } from '../store/sqlite.functions.ts';
import { sqliteDialect } from '../store/sqlite.schema.ts';
import type { Expr, Fn } from './expr.ts';
import { type Layout, toJavaScript } from './javascript.ts';
import { type Dialect, SqlWriter } from './sql.ts';
import * as t from './types.ts';
import { compareText, emptyFrame, type Row } from './value.ts';

const ROW: t.Type = { kind: 'row', resource: 'Thing', nullable: false };
const COLUMNS = ['number', 'maybe_number', 'text', 'maybe_text', 'flag', 'at'] as const;
const TYPES: Record<(typeof COLUMNS)[number], t.Type> = {
  number: t.INTEGER,
  maybe_number: { kind: 'integer', nullable: true },
  text: t.STRING,
  maybe_text: { ...t.STRING, nullable: true },
  flag: t.BOOLEAN,
  at: t.TIMESTAMP,
};

const field = (member: (typeof COLUMNS)[number]): Expr => ({
  op: 'get',
  of: { op: 'name', name: 'this', type: ROW },
  member,
  type: TYPES[member],
});
const constant = (value: string | number | boolean | null, type: t.Type): Expr => ({ op: 'const', value, type });
const call = (fn: Fn, type: t.Type, ...args: Expr[]): Expr => ({ op: 'call', fn, args, type });

/** Characters that compare, count and search differently where an engine works in bytes or in UTF-16 units. */
const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '\u{e000}', '￿', '😀', '%', '_', "'", '?', ' '),
  maxLength: 4,
});
const integers = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(2 ** 31, -(2 ** 40), 2 ** 52));

/** Well-typed conditions over a row, as the checker would let them through: null only where it is compared. */
const { condition } = fc.letrec<{ condition: Expr; integer: Expr; text: Expr }>((tie) => ({
  integer: fc.oneof(
    { maxDepth: 3 },
    integers.map((value) => constant(value, t.INTEGER)),
    fc.constant(field('number')),
    tie('text').map((text) => call('size', t.INTEGER, text)),
    fc
      .tuple(fc.constantFrom<Fn>('+', '-'), fc.constant(field('number')), fc.integer({ min: -9, max: 9 }))
      .map(([fn, a, b]) => call(fn, t.INTEGER, a, constant(b, t.INTEGER))),
    tie('integer').map((a) => call('negate', t.INTEGER, a)),
  ),
  text: fc.oneof(
    { maxDepth: 3 },
    texts.map((value) => constant(value, t.STRING)),
    fc.constant(field('text')),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => call('+', t.STRING, a, b)),
    fc.constant(call('string', t.STRING, field('number'))),
  ),
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.constant(field('flag')),
    fc
      .tuple(fc.constantFrom<Fn>('==', '!=', '<', '<=', '>', '>='), tie('integer'), tie('integer'))
      .map(([fn, a, b]) => call(fn, t.BOOLEAN, a, b)),
    fc
      .tuple(
        fc.constantFrom<Fn>('==', '!=', '<', '<=', '>', '>=', 'contains', 'startsWith', 'endsWith'),
        tie('text'),
        tie('text'),
      )
      .map(([fn, a, b]) => call(fn, t.BOOLEAN, a, b)),
    fc
      .tuple(
        fc.constantFrom<Fn>('==', '!='),
        fc.constantFrom<'maybe_number' | 'maybe_text'>('maybe_number', 'maybe_text'),
      )
      .map(([fn, one]) => call(fn, t.BOOLEAN, field(one), constant(null, t.NULL))),
    fc
      .tuple(fc.constantFrom<Fn>('==', '!='), tie('text'))
      .map(([fn, a]) => call(fn, t.BOOLEAN, field('maybe_text'), a)),
    fc
      .tuple(fc.constantFrom<Fn>('==', '!='), tie('integer'))
      .map(([fn, a]) => call(fn, t.BOOLEAN, a, field('maybe_number'))),
    fc
      .tuple(fc.constantFrom<Fn>('and', 'or'), tie('condition'), tie('condition'))
      .map(([fn, a, b]) => call(fn, t.BOOLEAN, a, b)),
    tie('condition').map((a) => call('not', t.BOOLEAN, a)),
    fc
      .tuple(tie('condition'), tie('condition'), tie('condition'))
      .map(([test, a, b]): Expr => ({ op: 'if', test, then: a, else: b, type: t.BOOLEAN })),
    fc.tuple(tie('text'), fc.array(texts, { maxLength: 3 })).map(([a, list]) =>
      call('in', t.BOOLEAN, a, {
        op: 'list',
        items: list.map((value) => constant(value, t.STRING)),
        type: { kind: 'list', of: t.STRING, nullable: false },
      }),
    ),
  ),
}));

const rows = fc.tuple(integers, fc.option(integers), texts, fc.option(texts), fc.boolean(), integers);

/** SQLite’s own, over a table whose columns are called like its fields. */
const dialect: Dialect = {
  ...sqliteDialect([]),
  table: (name) => `"${name}"`,
  identity: () => 'number',
  order: () => ['number'],
  uuidIdentity: () => false,
};

const unused = (): never => {
  throw new Error('not used here');
};
const layout: Layout = {
  column: (_resource, name) => COLUMNS.indexOf(name as never),
  identity: () => 0,
  revision: unused,
  slot: unused,
  member: unused,
  stored: unused,
  uuid: unused,
  url: null,
};

test('a condition selects the same rows in SQL as in JavaScript, null and all', (context) => {
  const db = new Database(':memory:');
  registerFunctions(db);
  db.exec(
    'CREATE TABLE "Thing" ("number" INTEGER, "maybe_number" INTEGER, "text" TEXT, "maybe_text" TEXT, "flag" INTEGER, "at" INTEGER)',
  );
  const insert = db.prepare('INSERT INTO "Thing" VALUES (?, ?, ?, ?, ?, ?)');
  const runs = 3000;
  let kept = 0;
  fc.assert(
    fc.property(condition, rows, (expr, row) => {
      db.exec('DELETE FROM "Thing"');
      const stored = row.map((value) => (typeof value === 'boolean' ? Number(value) : value));
      insert.run(...stored);
      const writer = new SqlWriter(dialect).bind('this', 'Thing', 't');
      const sql = `SELECT count(*) FROM "Thing" AS t WHERE ${writer.write(expr)}`;
      const frame = emptyFrame(0, '');
      const args = writer.parameters
        .map((one) => toJavaScript(one.expr, layout)(frame))
        .map((v) => (typeof v === 'boolean' ? Number(v) : v));
      const selected =
        db
          .prepare(sql)
          .pluck()
          .get(...args) === 1;
      frame.row = row as Row;
      assert.equal(toJavaScript(expr, layout)(frame), selected, sql);
      if (selected) kept++;
    }),
    { numRuns: runs },
  );
  context.diagnostic(`${runs} conditions, ${kept} of them kept their row`);
  assert.ok(kept > runs / 10 && kept < (runs * 9) / 10);
});

test('text is ordered by code point, as the store orders it', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      assert.equal(Math.sign(compareText(a, b)), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});
