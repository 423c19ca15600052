import Database from 'better-sqlite3';

/** The columns of an order that every engine keeps. */
export const COLUMNS = 'id, customer, sku, quantity, note, status, created';

/**
 * Copies the peers' orders, customers and keys into an SQLite file of an engine's own, with the peers' indexes. What kind
 * of log it writes is left to the engine: a file that SQLite has made keeps a journal that is rolled back.
 */
export function copyTables(orders: string, to: string): void {
  const db = new Database(to);
  db.prepare('ATTACH ? AS given').run(orders);
  db.exec(`
    CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE);
    CREATE TABLE api_key (hash BLOB PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer (id));
    CREATE TABLE orders (
      id TEXT PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer (id), sku TEXT NOT NULL, quantity INTEGER NOT NULL,
      note TEXT, status TEXT NOT NULL, created TEXT NOT NULL
    );
    INSERT INTO customer SELECT id, name, email FROM given.customer;
    INSERT INTO api_key SELECT hash, customer FROM given.api_key;
    INSERT INTO orders SELECT ${COLUMNS} FROM given.orders;`);
  addIndexes(db);
  db.close();
}

/** Adds the peers' indexes to the orders of an engine, which may call two of the columns otherwise. */
export function addIndexes(db: Database.Database, { created = 'created', status = 'status' } = {}): void {
  db.exec(`
    CREATE UNIQUE INDEX orders_open_draft ON orders (customer, sku) WHERE ${status} = 'draft';
    CREATE INDEX orders_of_customer ON orders (customer, ${created}, id);
    CREATE INDEX orders_of_product ON orders (customer, sku, ${created}, id);
    CREATE INDEX orders_expiring ON orders (${created}) WHERE ${status} = 'draft';`);
}
