import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compile } from '../compiler/compile.ts';
import type { Row } from '../expression/values/value.ts';
import { StatementCompiler } from './sql/compiler.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import { SqliteStore } from './sqlite/store.ts';
import { call, type Program, type Statement } from './store.ts';
import { storedColumns } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'ninefold-memo-'));
after(() => rmSync(folder, { recursive: true }));

const ADA = '0195c2a0-0000-7000-8000-000000000001';
const text = readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8');
const plan = compile('orders.md', text).plan!;

const CUSTOMER = plan.resources.find((one) => one.name === 'Customer')!;
const columns = storedColumns(CUSTOMER).flatMap(({ name }) => (name === CUSTOMER.identity ? [] : [name]));

/** A database file that another process has opened, too. */
class Opened {
  readonly store = new SqliteStore(join(folder, 'rows.sqlite'), plan);
  readonly find = this.store.prepare({ kind: 'credential', resource: 'Customer', mark: 'Customer' });
  private readonly insert = this.store.prepare({ kind: 'insert', resource: 'Customer' });
  private readonly update = this.store.prepare({ kind: 'update', resource: 'Customer', columns });
  private readonly key = this.store.prepare({ kind: 'insert key', resource: 'Customer' });
  private readonly revoke = this.store.prepare({ kind: 'system', name: 'revoke key' });

  /** Reads the name of the customer to whom the key was issued, as a request does. */
  async name(): Promise<unknown> {
    // Each request of another turn has a snapshot of its own.
    await new Promise(setImmediate);
    return (await this.store.read(() => one(this.find)))?.[3];
  }

  open(): Promise<void> {
    const { insert, key } = this;
    return this.store.write(function* (): Program<void> {
      yield* call(insert, [ADA, 'Ada', 'ada@example.com', 1]);
      yield* call(key, ['k', Buffer.alloc(32), ADA, '[]', 0, 'Customer']);
    });
  }

  rename(name: string, refuse = false): Promise<unknown> {
    const { update, find } = this;
    return this.store.write(function* (): Program<unknown> {
      yield* call(update, [name, 'ada@example.com', 2, ADA]);
      const seen = (yield* one(find))?.[3];
      if (refuse) throw new Error('refused');
      return seen;
    });
  }

  end(): Promise<void> {
    const { revoke } = this;
    return this.store.write(function* (): Program<void> {
      yield* call(revoke, [1, 'k']);
    });
  }
}

function* one(statement: Statement): Program<Row | undefined> {
  return (yield* call(statement, ['k']))[0];
}

test('what is remembered of a key is what a transaction would read', async () => {
  const service = new Opened();
  await service.open();
  assert.equal(await service.name(), 'Ada');
  assert.equal(await service.name(), 'Ada');

  assert.equal(await service.rename('Grace'), 'Grace', 'within the transaction that writes it');
  assert.equal(await service.name(), 'Grace', 'after it');
  await assert.rejects(service.rename('Nobody', true), /refused/);
  assert.equal(await service.name(), 'Grace', 'after a transaction that was undone');

  // In one turn, a write is undone after another has read its result.
  const both = await Promise.allSettled([service.rename('Joan', true), service.rename('Jean')]);
  assert.deepEqual(
    both.map((each) => each.status),
    ['rejected', 'fulfilled'],
  );
  assert.equal(await service.name(), 'Jean');

  const other = new Opened();
  await other.rename('Ada again');
  assert.equal(await service.name(), 'Ada again', 'after another process has written');
  await other.end();
  assert.equal(await service.name(), undefined, 'after another process has revoked it');
  await other.store.close();
  await service.store.close();
});

test('no statement has a bare parameter, and no text is taken for one', () => {
  const compiler = new StatementCompiler(plan.resources, sqliteDialect(plan.resources));
  const { sql } = compiler.compile({ kind: 'credential', resource: 'Customer', mark: "a ? and 'b?'" });
  assert.match(sql, /mark = 'a \? and ''b\?''' THEN [^?]* id = \+\? AND/);
  assert.match(compiler.compile({ kind: 'system', name: 'receivers of event' }).sql, /event = \+\?$/);
});
