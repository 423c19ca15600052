import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { documentText, planOf } from '../../../test/subject.ts';
import type { Expr } from '../../expression/tree/expression.ts';
import { BOOLEAN, rowOf } from '../../expression/tree/types.ts';
import { columnType } from '../../plan/lowering.ts';
import { StatementCompiler } from '../sql/compiler.ts';
import type { StatementSpec } from '../store.ts';
import { sqliteDialect } from './dialect.ts';
import { registerFunctions } from './functions.ts';
import { schemaOf } from './schema.ts';

const plan = planOf(documentText('examples/orders.md'));
const order = plan.resources.find(({ name }) => name === 'Order')!;

/** The steps by which SQLite reads rows. */
function stepsOf(spec: StatementSpec): string[] {
  const db = new Database(':memory:');
  registerFunctions(db);
  for (const { shape, lookups } of schemaOf(plan).values())
    for (const sql of [...shape, ...lookups.values()]) db.exec(sql);
  const { sql } = new StatementCompiler(plan.resources, sqliteDialect(plan.resources)).compile(spec);
  const statement = db.prepare(`EXPLAIN QUERY PLAN ${sql}`);
  const steps = statement.all(...(sql.match(/\?/g) ?? []).map(() => null)) as Array<{ readonly detail: string }>;
  return steps.map(({ detail }) => detail).filter((detail) => /^(?:SCAN|SEARCH) /.test(detail));
}

test('listed rows are found by their ids, also under a condition for which there is an index', () => {
  const { references: _, ...column } = order.columns.find(({ name }) => name === 'customer')!;
  // A reference is compared by the identity that it holds.
  const type = columnType({ ...order, columns: [{ ...column, reference: null }] }, 'customer');
  const customer: Expr = {
    op: 'get',
    of: { op: 'name', name: 'this', type: rowOf('Order') },
    member: 'customer',
    type,
  };
  const where: Expr = {
    op: 'call',
    fn: '==',
    args: [customer, { op: 'const', value: '00000000-0000-0000-0000-000000000000', type }],
    type: BOOLEAN,
  };
  const byKey = { kind: 'select', resource: 'Order', order: null, after: false, limit: true } as const;
  const plain = stepsOf({ ...byKey, where, columns: ['id'] });
  assert.ok(
    plain.some((step) => step.includes('(customer=?)')),
    plain.join('; '),
  );
  const listed = stepsOf({ ...byKey, where, listed: true, columns: ['id'] });
  assert.ok(
    listed.some((step) => step.startsWith('SEARCH t USING INTEGER PRIMARY KEY')),
    listed.join('; '),
  );
});
