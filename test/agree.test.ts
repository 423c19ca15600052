import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Expr } from '../src/expression/tree/expression.ts';
import { compareText, emptyFrame, type Frame, type Value } from '../src/expression/values/value.ts';
import { Expressions, evaluate, NO_NAMES } from '../src/runtime/expressions/layout.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { call, type Program, type Statement, type Store } from '../src/store/store.ts';
import { storedColumns } from '../src/store/tables.ts';
import { conditions, values } from './agree/generate.ts';
import { Naive } from './agree/naive.ts';
import { type Fields, NAMES, outside, PLAN, stored, type Tables, Typer, tables, texts } from './agree/world.ts';
import { PostgresServer } from './postgres.ts';
import { fc } from './seeded.ts';
import { IN_WHOLE, times } from './share.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 30);
const SEEN = { ...NO_NAMES, vars: NAMES };
const typer = new Typer();
const RESOURCE = PLAN.resources.find((one) => one.name === 'Thing')!;
const THING = storedColumns(RESOURCE).flatMap(({ name }) => (name === RESOURCE.identity ? [] : [name]));

interface Outside {
  readonly wanted: number | null;
  readonly word: string | null;
  readonly words: readonly string[];
  readonly mine: number;
}

/** One store, whose rows are put in the place of those before. */
class Bench {
  private readonly store: Store;
  private readonly expressions: Expressions;
  private readonly inserts: Readonly<Record<keyof Tables, Statement>>;
  private readonly deletes: Readonly<Record<keyof Tables, Statement>>;
  private readonly updates: Statement;
  private tables: Tables = { Card: [], Shelf: [], Thing: [] };

  constructor(store: Store) {
    this.store = store;
    this.expressions = new Expressions(PLAN, store, null, 'caller');
    const [inserts, deletes] = (['insert', 'delete'] as const).map((kind) => ({
      Card: this.on(kind, 'Card'),
      Shelf: this.on(kind, 'Shelf'),
      Thing: this.on(kind, 'Thing'),
    }));
    this.inserts = inserts!;
    this.deletes = deletes!;
    this.updates = store.prepare({ kind: 'update', resource: 'Thing', columns: THING });
  }

  private on(kind: 'insert' | 'delete', resource: string): Statement {
    return this.store.prepare({ kind, resource });
  }

  /** Things may point at things that come after them: they do so once all are there. */
  async fill(tables: Tables): Promise<void> {
    const { inserts, deletes, updates, tables: before } = this;
    await this.store.write(function* () {
      const point = function* (fields: Fields, twin: Value): Program<void> {
        const [id, ...rest] = stored('Thing', { ...fields, twin });
        yield* call(updates, [...rest, id!]);
      };
      for (const fields of before.Thing) yield* point(fields, null);
      for (const fields of before.Thing) yield* call(deletes.Thing, [fields.id!]);
      for (const fields of before.Card) yield* call(deletes.Card, [fields.id!]);
      for (const fields of before.Shelf) yield* call(deletes.Shelf, [fields.id!]);
      for (const fields of tables.Card) yield* call(inserts.Card, stored('Card', fields));
      for (const fields of tables.Shelf) yield* call(inserts.Shelf, stored('Shelf', fields));
      for (const fields of tables.Thing) yield* call(inserts.Thing, stored('Thing', { ...fields, twin: null }));
      for (const fields of tables.Thing) yield* point(fields, fields.twin!);
    });
    this.tables = tables;
  }

  /** The identities of the rows for which a condition holds, as the store finds them. */
  async selected(condition: Expr, frame: Frame): Promise<Value[]> {
    const where = this.expressions.where('Thing', condition);
    const order = { keys: [], descending: false };
    const statement = this.store.prepare({
      kind: 'select',
      resource: 'Thing',
      where,
      order,
      after: false,
      limit: false,
    });
    const args = this.expressions.parameters(statement, SEEN);
    return this.store.read(function* () {
      return (yield* call(statement, args(frame))).map((row) => row[0]!);
    });
  }

  /** What the store computes beside each row. */
  async beside(value: Expr, frame: Frame): Promise<Value[]> {
    const also = [this.expressions.lowering().lower(value)];
    const order = { keys: [], descending: false };
    const spec = { kind: 'select', resource: 'Thing', where: null, order, also, after: false, limit: false } as const;
    const statement = this.store.prepare(spec);
    const args = this.expressions.parameters(statement, SEEN);
    return this.store.read(function* () {
      return (yield* call(statement, args(frame))).map((row) => row.at(-1)!);
    });
  }

  /** What a step computes for each row, one after the other, with what it asks the store for. */
  async stepwise(value: Expr, frame: Frame): Promise<Value[]> {
    const compiled = this.expressions.compile(value, SEEN);
    const rows = this.tables.Thing.map((fields) => stored('Thing', fields));
    return this.store.read(function* () {
      const out: Value[] = [];
      for (const row of rows) out.push(((yield* evaluate(compiled, { ...frame, row, results: [] })) ?? null) as Value);
      return out;
    });
  }
}

/** The same rows, evaluated one by one from tables that are arrays. */
function naively(value: Expr, tables: Tables, given: Outside): Value[] {
  const naive = new Naive(tables, NOW);
  const mine = naive.row('Thing', tables.Thing[given.mine % tables.Thing.length]!);
  return tables.Thing.map((fields) =>
    naive.value(value, new Map([...Object.entries({ ...given, mine }), ['this', naive.row('Thing', fields)]])),
  );
}

function frameOf(tables: Tables, given: Outside): Frame {
  const mine = stored('Thing', tables.Thing[given.mine % tables.Thing.length]!);
  return { ...emptyFrame(NOW, ''), vars: [given.wanted, given.word, given.words, mine] };
}

const PER_TABLES = 6;

/** The stores that SQL is asked in, and how many random tables in each: over a network all takes longer. */
interface Place {
  readonly name: string;
  readonly runs: number;
  readonly open: () => Promise<Store>;
}

const server = await PostgresServer.shared();
after(() => server[Symbol.asyncDispose]());
const PLACES: readonly Place[] = [
  { name: 'SQLite', runs: times(15, 150), open: async () => new SqliteStore(':memory:', PLAN) },
  { name: 'PostgreSQL', runs: times(2, 25), open: async () => PostgresStore.open(await server.database(), PLAN) },
];

/** What is computed naively of expressions over random tables is what steps compute, and what SQL is asked `inSql`. */
async function agrees(
  place: Place,
  texts: fc.Arbitrary<string>,
  inSql: (bench: Bench, expr: Expr, frame: Frame, rows: Tables, expected: Value[], text: string) => Promise<void>,
): Promise<void> {
  const store = await place.open();
  const bench = new Bench(store);
  const several = fc.array(texts, { minLength: PER_TABLES, maxLength: PER_TABLES });
  await fc.assert(
    fc.asyncProperty(tables, outside, several, async (rows, given, some) => {
      await bench.fill(rows);
      const frame = frameOf(rows, given);
      for (const text of some) {
        const expr = typer.type(text);
        const expected = naively(expr, rows, given);
        await inSql(bench, expr, frame, rows, expected, text);
        assert.deepEqual(await bench.stepwise(expr, frame), expected, `in a step: ${text}`);
      }
    }),
    { numRuns: place.runs },
  );
  await store.close();
}

for (const place of PLACES) {
  test(`conditions select the same rows in ${place.name}, in steps and naively, null and absence included`, async (context) => {
    let kept = 0;
    let asked = 0;
    await agrees(place, conditions, async (bench, expr, frame, rows, truths, text) => {
      const ids = rows.Thing.flatMap((fields, i) => (truths[i] === true ? [fields.id!] : []));
      assert.deepEqual(await bench.selected(expr, frame), ids, `in SQL: ${text}`);
      kept += ids.length;
      asked += truths.length;
    });
    context.diagnostic(`${place.runs * PER_TABLES} conditions over ${asked} rows, ${kept} of them kept`);
    assert.ok(kept > asked / 10 && kept < (asked * 9) / 10);
  });

  const often = place.name === 'SQLite' ? {} : IN_WHOLE;
  test(`values are the same in ${place.name}, in steps and naively`, often, async (context) => {
    await agrees(place, values, async (bench, expr, frame, _rows, expected, text) =>
      assert.deepEqual(await bench.beside(expr, frame), expected, `in SQL: ${text}`),
    );
    context.diagnostic(`${place.runs * PER_TABLES} values`);
  });
}

test('text is ordered by code point, as the store orders it', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      assert.equal(Math.sign(compareText(a, b)), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});
