import Database from 'better-sqlite3';

export type Db = Database.Database;

const TABLES = `
CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE) STRICT, WITHOUT ROWID;
CREATE TABLE api_key (
  hash BLOB PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer (id), scopes TEXT NOT NULL, revoked INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE orders (
  id TEXT PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer (id), sku TEXT NOT NULL, quantity INTEGER NOT NULL,
  note TEXT, status TEXT NOT NULL, created TEXT NOT NULL, revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX orders_open_draft ON orders (customer, sku) WHERE status = 'draft';
CREATE INDEX orders_of_customer ON orders (customer, created, id);
CREATE INDEX orders_of_product ON orders (customer, sku, created, id);
CREATE INDEX orders_expiring ON orders (created) WHERE status = 'draft';
CREATE TABLE answer (
  caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint BLOB NOT NULL, status INTEGER NOT NULL, location TEXT,
  body TEXT NOT NULL, expires INTEGER NOT NULL, UNIQUE (caller, key)
) STRICT;
CREATE INDEX answer_expiring ON answer (expires);
CREATE TABLE event (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, row TEXT NOT NULL, at INTEGER NOT NULL,
  data TEXT NOT NULL
) STRICT;
CREATE TABLE receiver (
  id TEXT PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL, version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE subscription (
  event TEXT NOT NULL, receiver TEXT NOT NULL REFERENCES receiver (id), PRIMARY KEY (event, receiver)
) STRICT, WITHOUT ROWID;
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES event (seq), receiver TEXT NOT NULL REFERENCES receiver (id),
  line TEXT NOT NULL, due INTEGER, attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX delivery_due ON delivery (due) WHERE due IS NOT NULL;`;

/** Opens the orders database with full durability: an answer is sent once what it tells of would survive a power cut. */
export function openDatabase(path: string): Db {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  return db;
}

/** Makes the tables in an empty database. */
export function createTables(db: Db): void {
  db.exec(TABLES);
}
